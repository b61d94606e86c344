"""What candidates refuse of contract-violating tests, and of valid inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from solexp.core import Candidate, NoCode, Outcome, Task, UserError, Verdict
from solexp.oracles.base import Case, Oracle
from solexp.oracles.inputs import Inputs
from solexp.oracles.rejection import Rejection
from solexp.python.contracts import with_contract
from solexp.python.expected import expected, preconditions_of
from solexp.solidity.compiler import Compiler
from solexp.violations.known import known
from tests import made_python
from tests.made_python import HALVE, LONGEST, MEAN
from tests.made_tasks import whole_source


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("home")
    made_python.write_data(folder / "data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOLEXP_DATA", str(folder / "data"))
        patch.setenv("SOLEXP_CACHE", str(folder / "cache"))
        yield folder / "data"


@pytest.fixture(scope="module")
def tasks(home: Path) -> dict[str, Task]:
    return made_python.tasks(home)


def judged(oracle: Oracle, task: Task, *codes: str | None) -> list[Verdict]:
    candidates = [
        Candidate(
            task_id=task.id,
            batch="greedy",
            repeat=0,
            index=index,
            code=code,
            no_code=None if code is not None else NoCode.EMPTY,
        )
        for index, code in enumerate(codes)
    ]
    return oracle.judge(Case(task, candidates, Compiler()))


def aware(task: Task) -> str:
    given = preconditions_of(task)
    return with_contract(task.reference, given.entry_point, given.statements)


def refused(row: Verdict) -> tuple[object, ...]:
    names = ("cvts", "refused", "refused_anyhow", "valid", "over_refused", "over_refused_anyhow")
    return tuple(row.measures[f"rejection.{name}"] for name in names)


def test_the_reference_with_its_contract_refuses_every_test_and_no_valid_input(
    tasks: dict[str, Task],
) -> None:
    counts = {}
    for task in tasks.values():
        (row,) = judged(Rejection(cvts="released"), task, aware(task))
        assert row.outcome is Outcome.PASS
        assert row.measures["rejection.assertion_codebleu"] == pytest.approx(1.0)
        counts[task.id] = refused(row)
    assert counts == {
        HALVE: (6, 6, 6, 5, 0, 0),
        LONGEST: (3, 3, 3, 4, 0, 0),
        MEAN: (3, 3, 3, 3, 0, 0),
    }


def test_tests_that_the_solver_finds_are_refused_by_the_reference_with_its_contract(
    tasks: dict[str, Task],
) -> None:
    for task in (tasks[HALVE], tasks[MEAN]):
        plain, both = judged(Rejection(), task, task.reference, aware(task))
        assert both.outcome is Outcome.PASS
        assert both.measures["rejection.refused"] == both.measures["rejection.cvts"]
        assert int(both.measures["rejection.cvts"] or 0) > 2
        assert plain.measures["rejection.refused"] == 0


def test_other_exceptions_are_told_apart_from_assertions(tasks: dict[str, Task]) -> None:
    plain, own, shadowed = judged(
        Rejection(cvts="released"),
        tasks[MEAN],
        tasks[MEAN].reference,
        "class AssertionError(Exception): pass\ndef mean(a, b):\n    raise AssertionError('no')\n",
        "def mean(a, b):\n    raise AssertionError('no')\n",
    )
    assert refused(plain) == (3, 0, 3, 3, 0, 0)
    assert refused(own) == (3, 0, 3, 3, 0, 3)
    assert refused(shadowed) == (3, 3, 3, 3, 3, 3)
    assert {row.outcome for row in (plain, own, shadowed)} == {Outcome.FAIL}


def test_valid_inputs_that_are_refused_count_against_a_candidate(tasks: dict[str, Task]) -> None:
    strict = "def halve(n):\n    assert isinstance(n, int) and n > 5\n    return n // 2\n"
    (row,) = judged(Rejection(cvts="released"), tasks[HALVE], strict)
    assert refused(row) == (6, 6, 6, 5, 2, 2)
    assert row.outcome is Outcome.FAIL


def test_verdicts_tell_which_assertions_a_candidate_enforces(tasks: dict[str, Task]) -> None:
    half = "def halve(n):\n    assert n > 0\n    return n // 2\n"
    (row,) = judged(Rejection(cvts="released"), tasks[HALVE], half)
    assert row.evidence["assertions"] == [
        {"cvts": 4, "refused": 2, "alone": 2, "alone_refused": 0},
        {"cvts": 4, "refused": 4, "alone": 2, "alone_refused": 2},
    ]


@pytest.mark.parametrize("code", [None, "def halve(n:\n", "def other(n): pass\n"])
def test_what_does_not_run_refuses_nothing(tasks: dict[str, Task], code: str | None) -> None:
    (row,) = judged(Rejection(cvts="released"), tasks[HALVE], code)
    assert refused(row) == (6, 0, 0, 5, 0, 0)
    assert row.outcome is (Outcome.NO_CODE if code is None else Outcome.FAIL)


def test_tests_that_the_contract_does_not_refuse_are_dropped_and_a_task_without_any_is_vacuous(
    tasks: dict[str, Task], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = made_python.write_data(tmp_path / "other")
    made_python.write_rows(
        folder / "cvts_smt_verified.jsonl.gz",
        [
            {
                "task_id": HALVE,
                "section": "violated_assert_0",
                "contract_in_key": "assert_0",
                "input": {"n": n},
            }
            for n in (3, 1.5, True)
        ],
    )
    monkeypatch.setenv("SOLEXP_DATA", str(tmp_path / "other"))
    found = known(tasks[HALVE], "released")
    assert [cvt.args for cvt in found.cvts] == ["[1.5]"]
    assert found.dropped == 2
    (row,) = judged(Rejection(cvts="released"), tasks[HALVE], aware(tasks[HALVE]))
    assert row.outcome is Outcome.VACUOUS
    assert row.measures["rejection.shown"] == 1


def test_inputs_that_the_contract_refuses_are_not_among_those_that_judge(
    tasks: dict[str, Task],
) -> None:
    found = expected(tasks[HALVE])
    assert [answer.args for answer in found.plus] == ["[10]", "[1]", "[99]"]
    assert (found.violating, found.failing) == (1, 0)


def test_a_candidate_passes_that_matches_every_input(tasks: dict[str, Task]) -> None:
    right, floats, wrong, slow, none = judged(
        Inputs(cpu_s=0.2, total_cpu_s=0.5),
        tasks[MEAN],
        tasks[MEAN].reference,
        "def mean(a, b):\n    return a / 2 + b / 2 + 1e-9\n",
        "def mean(a, b):\n    return (a + b) // 2\n",
        "def mean(a, b):\n    while True: pass\n",
        None,
    )
    assert [row.outcome for row in (right, floats, wrong, slow, none)] == [
        Outcome.PASS,
        Outcome.PASS,
        Outcome.FAIL,
        Outcome.TIMEOUT,
        Outcome.NO_CODE,
    ]
    assert (wrong.measures["inputs.base_matched"], wrong.measures["inputs.plus_matched"]) == (0, 1)
    assert wrong.divergence is not None
    assert (wrong.divergence.function, wrong.divergence.expected, wrong.divergence.got) == (
        "mean(1, 2)",
        "1.5",
        "1",
    )


def test_a_refused_valid_input_does_not_match(tasks: dict[str, Task]) -> None:
    (row,) = judged(Inputs(), tasks[HALVE], "def halve(n):\n    assert n < 50\n    return n // 2\n")
    assert row.outcome is Outcome.FAIL
    assert row.divergence is not None
    assert row.divergence.got == "AssertionError"
    assert row.divergence.axis == "status"


def test_other_tasks_are_refused_in_one_line() -> None:
    task = whole_source()
    with pytest.raises(UserError, match=r"task t is no Python function .*benchmark=contracteval"):
        judged(Inputs(), task, "contract A {}")


def test_released_tests_that_are_not_there_are_one_line(
    tasks: dict[str, Task], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOLEXP_DATA", str(tmp_path))
    with pytest.raises(UserError, match=r"cvts_smt_verified.*cvts=z3 does not"):
        known(tasks[HALVE], "released", cached=False)


@pytest.mark.parametrize("oracle", [Inputs, Rejection])
def test_limits_that_nothing_keeps_are_refused(oracle: type[Inputs] | type[Rejection]) -> None:
    with pytest.raises(
        UserError, match=rf"^oracle\.{oracle.name}\.cpu_s: must be above 0, got -1$"
    ):
        oracle(cpu_s=-1)


def test_looping_on_valid_inputs_is_no_pass(tasks: dict[str, Task]) -> None:
    task = tasks[HALVE]
    given = preconditions_of(task)
    head, _, _ = aware(task).partition("    return")
    (row,) = judged(
        Rejection(cvts="released", cpu_s=0.2, total_cpu_s=0.5),
        task,
        f"{head}    while True: pass\n",
    )
    assert given.entry_point in head
    assert row.outcome is Outcome.FAIL
    assert refused(row) == (6, 6, 6, 5, 0, 0)
