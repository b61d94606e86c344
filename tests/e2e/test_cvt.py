"""Generators of contract-violating tests compared by the preset, on functions made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import made_python
from tests.e2e.conftest import Trial
from tests.made_python import HALVE, LONGEST, MEAN, write_rows


@pytest.fixture
def folder(trial: Trial, tmp_path: Path) -> Path:
    """The data, with released tests: models that are right of one function, direct ones that are half right."""
    folder = made_python.write_data(tmp_path / "data")
    trial.environment["SOLEXP_DATA"] = str(tmp_path / "data")
    write_rows(folder / "cvts_smt_raw_humaneval.jsonl.gz", ())
    write_rows(
        folder / "derived_mbpp_resolved_cvts.jsonl.gz",
        (
            {"task_id": HALVE, "combination": {"assert_0": a, "assert_1": b}, "solutions": models}
            for a, b, models in (
                (False, True, [{"n": 1.5}]),
                (True, False, [{"n": 0}, {"n": -1}]),
                (True, True, [{"n": 4}]),
            )
        ),
    )
    direct = (
        (HALVE, "assert_0,assert_1", '["two"]'),
        (HALVE, "assert_1", "[-2]"),
        (LONGEST, "assert_2", "[[]]"),
        (MEAN, "assert_0", "[null, true]"),
        (MEAN, "assert_0", "[new Map(), 1]"),
    )
    write_rows(
        folder / "cvts_direct_o4mini.jsonl.gz",
        ({"task_id": task, "section": section, "input": text} for task, section, text in direct),
    )
    return folder


def test_generators_are_set_side_by_side(trial: Trial, folder: Path) -> None:
    said = trial.solexp(
        "run",
        "experiments=contracteval_cvt",
        f"benchmark.path={folder}",
        "benchmark.part=mbpp",
        "tracking=none",
        "execution.n_jobs=1",
        "-m",
    )
    solver, models, direct = (run.summary for run in trial.runs())

    assert solver["outcomes"] == {"pass": 3}
    for name in ("avc", "ts", "exact_set", "avc_all", "ts_all", "exact_set_all", "assertions"):
        assert solver["metrics"][f"cvt.{name}"]["value"] == 1, name
    assert solver["cvt"]["tests"] > 20

    assert models["outcomes"] == {"pass": 1, "vacuous": 2}
    assert models["metrics"]["cvt.exact_set"]["value"] == 1
    assert models["metrics"]["cvt.exact_set_all"]["value"] == pytest.approx(1 / 3)
    assert models["metrics"]["cvt.release.avc"]["value"] == 1
    assert models["metrics"]["cvt.accepted"]["value"] == 1

    # A text cannot be compared with 0: TypeError is no AssertionError.
    assert direct["metrics"]["cvt.ts"]["value"] == pytest.approx((0.5 + 1 + 1 + 1 + 0) / 5)
    assert direct["metrics"]["cvt.avc"]["value"] == pytest.approx(4 / 5)
    # The release leaves out what violates everything. By its lists the second test has the first one's targets too.
    assert direct["metrics"]["cvt.release.ts"]["value"] == 1
    assert direct["metrics"]["cvt.release.ts_merged"]["value"] == pytest.approx((0.5 + 1) / 2)
    assert direct["cvt"]["unreadable"] == 1

    assert "Contract-violating tests" in said
    said = trial.solexp("compare", "--sweep", "latest")
    table = said.partition("Contract-violating tests")[2]
    assert "model=z3" in table or "\nz3 " in table
    assert "100.00" in table
