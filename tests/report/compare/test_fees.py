"""The Fee of compared runs: what is printed, and what is written back to them."""

from __future__ import annotations

import csv
import io
import json
import multiprocessing
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from solexp.cli import main
from solexp.core import Batch, Outcome, Verdict
from solexp.metrics.summary import summarise
from solexp.report.compare import compare_runs
from solexp.report.compare.files import as_csv, as_latex
from solexp.store.runfolder import RunFolder
from tests.report.compare.made_cells import make_cell

Used = Mapping[str, int | None]
"""By task that the run solves, the candidate's gas; None where no unit test reaches it."""

TASKS = [f"t{number}" for number in range(8)]
REFERENCE = 1000
BATCH = Batch(name="greedy", n=1, ks=(1,))


def make_measured(path: Path, used: Used, model: str, *, reference: int = REFERENCE) -> RunFolder:
    """A run whose candidates were measured; it fails what is not in ``used``."""
    folder = make_cell(path, {task: [task in used] for task in TASKS}, {"model": model})
    rows = folder.verdicts()
    for task, gas in used.items():
        measures: dict[str, float | int | bool | str | None] = {"gas_tests": 0}
        if gas is not None:
            measures = {"gas_tests": 1, "gas_reference": reference, "gas_candidate": gas}
        rows.append(
            Verdict(
                task_id=task,
                batch="greedy",
                repeat=0,
                index=0,
                oracle="gas",
                outcome=Outcome.PASS if gas is not None else Outcome.UNDECIDABLE,
                measures=measures,
            )
        )
    folder.write_verdicts(rows)
    oracles = {"compile": True, "gas": False}
    summary = summarise(folder.tasks(), rows, [BATCH], seed=42, oracles=oracles)
    folder.write_summary(summary)
    return folder


@pytest.fixture
def measured(tmp_path: Path) -> list[RunFolder]:
    return [
        make_measured(tmp_path / "s" / "0", {"t0": 900, "t1": 950, "t2": None, "t3": 1}, "cheap"),
        make_measured(tmp_path / "s" / "1", {"t0": 1100, "t1": 1000, "t2": None}, "dear"),
        make_measured(tmp_path / "s" / "2", {"t1": 990, "t4": 1}, "other"),
    ]


def _compare(*folders: RunFolder, options: tuple[str, ...] = ()) -> None:
    assert main(["compare", *(str(folder.path) for folder in folders), *options]) == 0


def test_the_fee_is_over_the_tasks_that_every_run_solves(measured: list[RunFolder]) -> None:
    [found] = compare_runs(measured[:2])
    assert found.fee is not None
    assert (found.fee.tasks, found.fee.solved_by_all) == (2, 3)
    assert [(row.value, row.solved) for row in found.fee.rows] == [(150.0, 4), (-100.0, 3)]
    [found] = compare_runs(measured)
    assert found.fee is not None
    assert [row.value for row in found.fee.rows] == [50.0, 0.0, 10.0]


def test_table_csv_and_latex_have_it_once(
    measured: list[RunFolder], capsys: pytest.CaptureFixture[str]
) -> None:
    _compare(*measured[:2], options=("--metric", "pass_at_1,compile_at_1"))
    out = capsys.readouterr().out
    assert out.count("Fee: gas saved over the 2 tasks that every cell solves") == 1
    lines = {line.split()[0]: line.split() for line in out.rpartition("Fee:")[2].splitlines()[3:5]}
    assert lines["model=cheap"][1:4] == ["4", "+150", "+7.50"]
    assert lines["model=dear"][1:4] == ["3", "-100", "-5.00"]
    assert "above 0 the candidates are cheaper" in out
    assert "not in the fee: 1 more that every cell solves" in out

    comparisons = compare_runs(measured[:2], metrics=["pass_at_1", "compile_at_1"])
    rows = list(csv.DictReader(io.StringIO(as_csv(comparisons))))
    fees = [(row["name"], row["score"]) for row in rows if row["metric"] == "fee"]
    assert fees == [("model=cheap", "150.0"), ("model=dear", "-100.0")]
    assert {row["model"] for row in rows if row["kind"] == "gas"} == {"cheap", "dear"}
    assert as_latex(comparisons).count("$+$150") == 1


def test_json_holds_the_set_and_every_figure(
    measured: list[RunFolder], capsys: pytest.CaptureFixture[str]
) -> None:
    _compare(*measured[:2], options=("--json",))
    [found] = json.loads(capsys.readouterr().out)
    [cheap, _] = found["fee"]["rows"]
    assert cheap["value"] == 150.0
    assert cheap["coverage"]["value"] == pytest.approx(3 / 4)
    assert list(measured[0].fees()) == [found["fee"]["set"]]


def test_each_run_gets_its_fee_once_a_set(
    measured: list[RunFolder], capsys: pytest.CaptureFixture[str]
) -> None:
    before = measured[0].summary
    _compare(*measured[:2])
    assert "fee written to the summaries of 2 runs" in capsys.readouterr().err
    [first] = measured[0].fees().values()
    assert (first["value"], first["tasks"], first["solved_by_all"]) == (150.0, 2, 3)
    assert first["runs"] == [str(folder.path) for folder in measured[:2]]
    assert measured[0].fees().keys() == measured[1].fees().keys()
    assert measured[2].fees() == {}
    assert {name: part for name, part in measured[0].summary.items() if name != "fee"} == before

    text = (measured[0].path / "summary.json").read_bytes()
    _compare(*reversed(measured[:2]))  # the same set
    assert "fee written" not in capsys.readouterr().err
    assert (measured[0].path / "summary.json").read_bytes() == text

    _compare(*measured)
    assert [fee["value"] for fee in measured[0].fees().values()] == [150.0, 50.0]
    assert len(measured[2].fees()) == 1


def test_a_new_summary_keeps_what_comparisons_added(measured: list[RunFolder]) -> None:
    _compare(*measured[:2])
    known = measured[0].fees()
    rest = {name: part for name, part in measured[0].summary.items() if name != "fee"}
    measured[0].write_summary(rest)
    assert measured[0].fees() == known


def test_runs_are_left_alone_where_that_is_asked_for(measured: list[RunFolder]) -> None:
    before = (measured[0].path / "summary.json").read_bytes()
    _compare(*measured[:2], options=("--read-only",))
    assert (measured[0].path / "summary.json").read_bytes() == before
    assert not (measured[0].path / "summary.json.lock").exists()


def test_no_fee_where_nothing_can_be_compared(tmp_path: Path) -> None:
    without = make_cell(tmp_path / "s" / "0", {task: [True] for task in TASKS}, {"model": "a"})
    again = make_cell(tmp_path / "s" / "1", {task: [True] for task in TASKS}, {"model": "b"})
    one = make_measured(tmp_path / "s" / "2", {"t0": 900}, "c")
    other = make_measured(tmp_path / "s" / "3", {"t0": 900}, "d", reference=999)
    [found] = compare_runs([without, again])
    assert found.fee is None
    assert not any("fee" in note for note in found.notes)
    [found] = compare_runs([without, one])
    assert found.fee is None
    assert "no fee: the oracle gas was not asked in model=a" in found.notes
    [found] = compare_runs([one, other])
    assert found.fee is None
    assert any(
        note.startswith("no fee: the reference of t0 was not measured") for note in found.notes
    )


def _add(path: Path, number: int) -> None:
    for each in range(10):
        RunFolder(path).add_fee(f"{number}-{each}", {"value": 0.0, "tasks": 1})


def test_comparisons_at_the_same_time_lose_nothing(measured: list[RunFolder]) -> None:
    context = multiprocessing.get_context("fork")
    others = [context.Process(target=_add, args=(measured[0].path, number)) for number in range(3)]
    for each in others:
        each.start()
    for each in others:
        each.join(60)
    assert len(measured[0].fees()) == 30
    assert msgspec.json.decode((measured[0].path / "summary.json").read_bytes())
