"""The starter as a measure of solexp itself: references pass, wrong code fails, and the labels are kept."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from solexp.benchmarks.starter import mutant_labels
from solexp.benchmarks.starter.loader import read_task, task_ids
from solexp.core import Candidate, Outcome, Task, Verdict
from solexp.oracles.base import Case
from solexp.oracles.replay import Replay
from solexp.solidity.compiler import Compiler
from solexp.solidity.frameworks import framework
from solexp.solidity.stubs import stubbed

RETURNS_A_STORAGE_POINTER = {"OrchardPool"}
"""Tasks with a function whose body the language does not allow to be empty."""
QUICK = {*task_ids(1), "InitVault", "MillPool"}
"""Judged on every run; the others are slow only together."""
TASKS = [
    task_id if task_id in QUICK else pytest.param(task_id, marks=pytest.mark.slow)
    for task_id in task_ids()
]
DECIDING = ("status", "return", "events", "storage")


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler() as running:
        yield running


@pytest.fixture(scope="module", params=TASKS)
def judged(request: pytest.FixtureRequest, compiler: Compiler) -> tuple[Task, dict[str, Verdict]]:
    """A task and the verdicts of replay on its reference, its mutants, empty bodies and reverting stubs."""
    task = read_task(request.param)
    (source,) = task.sources.values()
    codes = {
        "reference": task.reference,
        "empty": _bare(framework(source, task.target.contract), task),
        "reverting": stubbed(task.reference, task.target.contract, "revert"),
        **task.mutants,
    }
    candidates = [
        Candidate(task_id=task.id, batch="all", repeat=0, index=index, code=code)
        for index, code in enumerate(codes.values())
    ]
    verdicts = Replay().judge(Case(task, candidates, compiler))
    return task, dict(zip(codes, verdicts, strict=True))


def test_the_reference_passes(judged: tuple[Task, dict[str, Verdict]]) -> None:
    assert judged[1]["reference"].outcome is Outcome.PASS


@pytest.mark.parametrize("stub", ["empty", "reverting"])
def test_stubs_fail(judged: tuple[Task, dict[str, Verdict]], stub: str) -> None:
    task, verdicts = judged
    forbidden = stub == "empty" and task.id in RETURNS_A_STORAGE_POINTER
    expected = Outcome.COMPILE_ERROR if forbidden else Outcome.FAIL

    assert verdicts[stub].outcome is expected, verdicts[stub].evidence


def test_no_equivalent_mutant_is_flagged(judged: tuple[Task, dict[str, Verdict]]) -> None:
    task, verdicts = judged
    for name, label in mutant_labels(task.id).items():
        if label.equivalent:
            assert verdicts[name].outcome is Outcome.PASS, (name, verdicts[name].divergence)


def test_every_shown_mutant_is_caught_on_its_axis(
    judged: tuple[Task, dict[str, Verdict]],
) -> None:
    task, verdicts = judged
    for name, label in mutant_labels(task.id).items():
        if label.shown:
            assert verdicts[name].outcome is Outcome.FAIL, name
            assert label.axis in _axes(verdicts[name]), (name, _axes(verdicts[name]))


def test_mutants_told_by_one_axis_alone_differ_on_no_other(
    judged: tuple[Task, dict[str, Verdict]],
) -> None:
    task, verdicts = judged
    for name, label in mutant_labels(task.id).items():
        if label.shown and label.input == "event_only":
            assert _axes(verdicts[name]) == {"events"}, name
        if label.shown and label.input == "storage_only":
            assert _axes(verdicts[name]) == {"storage"}, name


def test_what_the_recorded_calls_cannot_show_is_labelled_so(
    judged: tuple[Task, dict[str, Verdict]],
) -> None:
    task, verdicts = judged
    for name, label in mutant_labels(task.id).items():
        if not label.equivalent and not label.shown:
            assert verdicts[name].outcome is Outcome.PASS, (name, verdicts[name].divergence)


def _axes(verdict: Verdict) -> set[str]:
    return {axis for axis in DECIDING if verdict.measures.get(f"diverges.{axis}")}


def _bare(text: str, task: Task) -> str:
    """A framework without the documentation before the target, which stays in the file."""
    start = text.index(f"contract {task.target.contract} ")
    return text[text.rfind("\n", 0, start) + 1 :]
