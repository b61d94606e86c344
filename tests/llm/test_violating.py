"""Generators of contract-violating tests that need no language model: released ones."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from solexp.benchmarks.contracteval import ContractEval
from solexp.config.search_path import conf_folder
from solexp.core import Batch, DataError, Prompt, Task, UserError
from solexp.llm.model import Request
from solexp.llm.violating import Z3, RecordedCvts
from solexp.violations.cvts import Cvt, CvtSet, decode
from solexp.violations.python import Settings
from solexp.violations.released import SOURCES, Source
from tests.made_contracts import python_task
from tests.made_tasks import whole_source

TASK = python_task()


def written(folder: Path, name: str, *rows: dict[str, Any]) -> None:
    with gzip.open(folder / f"{name}.jsonl.gz", "wt") as file:
        for row in rows:
            file.write(json.dumps({"task_id": "depth", **row}) + "\n")


@pytest.fixture(scope="module")
def shared(data_home: Path) -> Sequence[Task]:
    """Every fortieth task."""
    return ContractEval(path=str(data_home / "contracteval")).tasks()[::40]


def request(task: Task) -> Request:
    return Request(
        task=task,
        prompt=Prompt(task_id=task.id, messages=()),
        batch=Batch(name="greedy", n=1),
        repeat=0,
        index=0,
    )


def answer(folder: Path, source: Source, task: Task = TASK) -> CvtSet:
    return decode(RecordedCvts(source=source, path=str(folder)).complete(request(task)).text)


def test_verified_tests_keep_their_order_and_the_targets_that_were_counted(tmp_path: Path) -> None:
    written(
        tmp_path,
        "cvts_smt_verified",
        {
            "section": "satisfied_assert_0;assert_2, violated_assert_1;assert_3",
            "contract_in_key": "assert_1",
            "input": {"most": 0.0, "text": ["x"], "INF": 1},
        },
        {
            "section": "satisfied_, violated_assert_0",
            "contract_in_key": "assert_0",
            "input": {"text": None, "most": True},
        },
    )
    assert answer(tmp_path, "verified").cvts == (
        Cvt(violated=(1, 3), args="[['x'], 0.0]", merged=(1,)),
        Cvt(violated=(0,), args="[None, True]"),
    )


def test_models_come_from_both_files_all_satisfied_ones_too(tmp_path: Path) -> None:
    rows = [
        {
            "combination": {"assert_0": False, "assert_1": True},
            "solutions": [{"text": 1, "most": 2}],
        },
        {
            "combination": {"assert_0": True, "assert_1": True},
            "solutions": [{"text": "", "most": 2}],
        },
    ]
    written(tmp_path, "cvts_smt_raw_humaneval", rows[0])
    written(tmp_path, "derived_mbpp_resolved_cvts", rows[1])
    assert answer(tmp_path, "models").cvts == (
        Cvt(violated=(0,), args="[1, 2]"),
        Cvt(violated=(), args="['', 2]"),
    )


def test_direct_tests_are_read_as_they_were_written_and_their_targets_pile_up(
    tmp_path: Path,
) -> None:
    written(
        tmp_path,
        "cvts_direct_o4mini",
        {"section": "assert_0,assert_1", "index": 0, "input": "[1, null]"},
        {"section": "assert_2", "index": 0, "input": '["a" * 3, {"k": [1]}]'},
        {"section": "assert_2", "index": 1, "input": "[new Set()]"},
    )
    found = answer(tmp_path, "direct")
    assert found.cvts == (
        Cvt(violated=(0, 1), args="[1, null]"),
        Cvt(violated=(2,), args='["a" * 3, {"k": [1]}]', merged=(0, 1, 2)),
    )
    assert len(found.unreadable) == 1
    assert found.unreadable[0].startswith("test 2: '[new Set()]' is no Python")


def test_outer_brackets_that_a_direct_test_left_out_are_put_back(tmp_path: Path) -> None:
    task = python_task(
        "def total(items):\n    return sum(items)\n", "assert items\n", "total", "depth"
    )
    rows = ("[]", "[1, 2]", "[[]]", "[3]")
    written(
        tmp_path, "cvts_direct_o4mini", *({"section": "assert_0", "input": row} for row in rows)
    )
    found = answer(tmp_path, "direct", task)
    assert [cvt.args for cvt in found.cvts] == ["[[]]", "[[1, 2]]", "[[]]", "[3]"]


def test_programs_lose_the_parts_that_belong_to_no_assertion(tmp_path: Path) -> None:
    parts = {"helper_functions": "", "inputs": "(declare-const text Value)", "basic_structure": ""}
    defined = {f"assert_{n}": f"(define-fun C{n} () Bool true)" for n in (0, 1, 2, 3, 4)}
    written(tmp_path, "smt_programs", {**parts, "contract_defs": defined})
    found = answer(tmp_path, "programs").translation
    assert found is not None
    assert list(found.contract_defs) == [0, 1, 2, 3]


def test_a_task_of_which_nothing_was_released_has_no_test(tmp_path: Path) -> None:
    written(tmp_path, "cvts_smt_verified")
    assert answer(tmp_path, "verified") == CvtSet()


def test_what_is_not_there_or_not_as_released_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no .*cvts_smt_verified"):
        answer(tmp_path, "verified")
    written(tmp_path, "cvts_smt_verified", {"section": "violated_assert_0"})
    with pytest.raises(DataError, match="a row of depth is not as the release has it"):
        answer(tmp_path, "verified")
    (tmp_path / "smt_programs.jsonl.gz").write_bytes(gzip.compress(b'{"task_id": 1}\n'))
    with pytest.raises(DataError, match="line 1"):
        answer(tmp_path, "programs")
    with pytest.raises(UserError, match="did you mean 'direct'"):
        RecordedCvts(source="derect", path="x")  # type: ignore[arg-type]
    written(tmp_path, "smt_programs", {})
    with pytest.raises(UserError, match="no Python function"):
        answer(tmp_path, "programs", whole_source("depth"))


@pytest.mark.parametrize("source", [source for source in SOURCES if source != "translations"])
def test_rows_of_the_shared_data_can_be_read(
    data_home: Path, shared: Sequence[Task], source: Source
) -> None:
    model = RecordedCvts(source=source, path=str(data_home / "contracteval"))
    found = [decode(model.complete(request(task)).text) for task in shared]
    assert sum(len(each.cvts) or each.translation is not None for each in found) > 5


def test_the_shipped_settings_are_the_translators_own() -> None:
    node = yaml.safe_load((conf_folder() / "model" / "z3.yaml").read_text())
    del node["_target_"]
    # Else the oracle, which asks by these, would have every contract solved once more.
    assert Z3(**node).settings == Settings()
    with pytest.raises(UserError, match=r"model\.level: no such setting; did you mean 'levels'"):
        Z3(level=1)
