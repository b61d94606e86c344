"""What the oracle ``cvt`` says of sets of tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from solexp.core import Candidate, NoCode, Outcome, Task, UserError, Verdict
from solexp.oracles.base import Case
from solexp.oracles.cvt import Cvt as Oracle
from solexp.oracles.cvt import Rule
from solexp.solidity.compiler import Compiler
from solexp.violations.cvts import Asked, Cvt, CvtSet, Translation, encode
from tests.made_contracts import python_task
from tests.made_tasks import whole_source

TASK = python_task(
    program="def share(part, whole):\n    return part / whole\n",
    contract="assert type(part) == int and type(whole) == int\nassert whole > 0\n",
    entry_point="share",
)
GOOD = (
    Cvt(violated=(1,), args="[1, 0]"),
    Cvt(violated=(0,), args="[1.5, 2]"),
    Cvt(violated=(0, 1), args="[1, -0.5]"),
)


@pytest.fixture(autouse=True)
def _caches(own_cache: Path) -> None:
    """Every test begins with empty caches."""


def judge(found: CvtSet | str | None, task: Task = TASK, **settings: Any) -> Verdict:
    code = encode(found) if isinstance(found, CvtSet) else found
    candidate = Candidate(
        task_id=task.id,
        batch="greedy",
        repeat=0,
        index=0,
        code=code,
        no_code=NoCode.EMPTY if code is None else None,
    )
    with Compiler() as compiler:
        (said,) = Oracle(**settings).judge(Case(task, [candidate], compiler))
    return said


def test_tests_that_do_what_they_claim_pass() -> None:
    said = judge(CvtSet(cvts=GOOD))
    assert said.outcome is Outcome.PASS
    wanted = {"tests": 3, "rejected": 3, "specific": 3, "exact": 3, "refused": 0, "unreadable": 0}
    assert {name: said.measures[f"cvt.{name}"] for name in wanted} == wanted
    assert said.measures["cvt.combinations_covered"] == 3
    assert said.measures["cvt.assertions_covered"] == 2


@pytest.mark.parametrize(
    ("test", "told"),
    [
        (Cvt(violated=(0,), args="[1, -0.5]"), {"reference": "AssertionError", "fired": [0, 1]}),
        (Cvt(violated=(1,), args="[1, 2]"), {"reference": "returned", "fired": []}),
        (
            Cvt(violated=(0,), args="[1, 'x']"),
            {"reference": "AssertionError", "fired": [0], "raised": {"1": "TypeError"}},
        ),
    ],
)
def test_a_test_that_does_not_is_told_with_what_it_did(test: Cvt, told: dict[str, object]) -> None:
    said = judge(CvtSet(cvts=(*GOOD, test)))
    assert said.outcome is Outcome.FAIL
    assert said.measures["cvt.refused"] == 1
    assert said.evidence["tests"] == [{"violated": list(test.violated), "args": test.args, **told}]


@pytest.mark.parametrize(("rule", "outcome"), [("exact", Outcome.FAIL), ("release", Outcome.PASS)])
def test_the_releases_rule_does_not_look_at_satisfied_assertions(
    rule: Rule, outcome: Outcome
) -> None:
    said = judge(CvtSet(cvts=(Cvt(violated=(0,), args="[1, -0.5]"),)), rule=rule)
    assert said.outcome is outcome


def test_the_releases_figures_count_valid_inputs_and_no_test_that_violates_everything() -> None:
    valid = Cvt(violated=(), args="[1, 2]")
    merged = Cvt(violated=(1,), args="[1, 0]", merged=(0, 1))
    accepted = Cvt(violated=(0,), args="[1, 2]")
    everything = Cvt(violated=(0, 1), args="[1, 0]")
    said = judge(CvtSet(cvts=(valid, merged, accepted, everything)))
    assert said.measures["cvt.release.tests"] == 3
    assert said.measures["cvt.release.right"] == 2
    # Of what is not refused, nothing fires.
    assert said.measures["cvt.release.targeted"] == 1
    assert said.measures["cvt.release.specific"] == 1.0
    assert said.measures["cvt.release.merged"] == 0.5
    assert (said.measures["cvt.tests"], said.measures["cvt.specific"]) == (3, 1.5)
    assert (said.measures["cvt.valid"], said.measures["cvt.valid_accepted"]) == (1, 1)


def test_unreadable_tests_violate_nothing_and_are_told() -> None:
    odd = Cvt(violated=(0,), args="[float('x'), 1]")
    said = judge(CvtSet(cvts=(*GOOD, odd), unreadable=("test 4: 'x' is no Python",)))
    assert said.outcome is Outcome.FAIL
    assert (said.measures["cvt.tests"], said.measures["cvt.unreadable"]) == (5, 2)
    assert said.measures["cvt.rejected"] == 3
    assert said.evidence["unreadable"] == ["test 4: 'x' is no Python"]


def test_no_test_is_vacuous_with_the_generators_own_reason() -> None:
    assert judge(CvtSet()).outcome is Outcome.VACUOUS
    unsupported = judge(CvtSet(unsupported={1: "Unsupported: import"}))
    assert unsupported.outcome is Outcome.VACUOUS
    assert unsupported.evidence["reason"] == "no test: Unsupported: import"
    unsat = judge(CvtSet(asked=(Asked(violated=(0,), status="unsat"),)))
    assert unsat.evidence["reason"] == "no test: unsat"
    assert unsat.measures["cvt.unsat"] == 1


def test_programs_are_solved_and_what_comes_of_them_is_executed() -> None:
    given = Translation(
        inputs="(declare-const part Value) (declare-const whole Value)",
        contract_defs={
            0: "(define-fun C0 () Bool (and (is-IntVal part) (is-IntVal whole)))",
            # What the translation takes for granted, no test can violate alone.
            1: "(define-fun C1 () Bool (and (is-IntVal whole) (> (ival whole) 0)))",
        },
    )
    said = judge(CvtSet(translation=given))
    assert said.evidence["solved"] == {"sat": 3}
    assert said.measures["cvt.tests"] == 15
    assert said.measures["cvt.rejected"] == 15


def test_what_is_no_candidate_of_this_kind_fails_or_has_no_code() -> None:
    assert judge(None).outcome is Outcome.NO_CODE
    said = judge("def share(): ...")
    assert said.outcome is Outcome.FAIL
    assert "no set of tests" in str(said.evidence["reason"])


def test_wrong_settings_and_tasks_are_refused_in_one_line() -> None:
    with pytest.raises(
        UserError, match=r"oracle.cvt.rule: unknown 'exakt'; did you mean 'exact'\?"
    ):
        Oracle(rule="exakt")  # type: ignore[arg-type]
    with pytest.raises(UserError, match=r"oracle\.cvt\.cpu_s: must be above 0"):
        Oracle(cpu_s=0)
    with pytest.raises(UserError, match="no Python function with preconditions"):
        judge(CvtSet(cvts=GOOD), whole_source())
