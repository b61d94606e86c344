"""A vault in which nothing works before it is set up, and the over-withdrawals that this hides (SolBehave, §1)."""

from __future__ import annotations

import pytest

from solexp.benchmarks.starter.loader import read_task
from solexp.core import Outcome, Verdict
from solexp.oracles.base import Case, Oracle
from solexp.oracles.dcr import Dcr
from solexp.oracles.fuzz import Fuzz
from solexp.oracles.negative import Negative
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import candidates


@pytest.fixture(scope="module")
def case(compiler: Compiler) -> Case:
    vault = read_task("InitVault")
    codes = [
        vault.reference,
        vault.mutants["withdrawal-not-booked"],
        vault.mutants["withdraws-too-much"],
    ]
    return Case(vault, candidates(codes), compiler, cached=False, asts=True)


def judged(oracle: Oracle, case: Case) -> list[Verdict]:
    same, *others = oracle.judge(case)
    assert same.outcome is Outcome.PASS
    return others


def test_single_functions_from_a_fresh_deployment_see_only_reverts(case: Case) -> None:
    for found in judged(Fuzz(scope="function", calls=40), case):
        assert found.outcome is Outcome.PASS
        assert found.measures["fuzz.functions"] == 9
        assert found.measures["fuzz.vacuous"] == 8


def test_sequences_of_all_functions_see_both(case: Case) -> None:
    for found in judged(Fuzz(scope="contract", calls=2000), case):
        assert found.outcome is Outcome.FAIL


def test_calls_along_the_life_cycle_see_the_money_that_is_missing_at_the_end(case: Case) -> None:
    unbooked, _ = judged(Dcr(graphs="static", calls=300, queries=0), case)
    assert unbooked.outcome is Outcome.FAIL
    assert unbooked.divergence is not None
    assert unbooked.divergence.axis == "status"


def test_calls_that_the_original_rejects_are_accepted_by_both(case: Case) -> None:
    for found in judged(Negative(graphs="static", calls=300, queries=0), case):
        assert found.outcome is Outcome.FAIL
        assert found.divergence is not None
        assert found.divergence.function is not None
        assert found.divergence.function.startswith(("withdraw(", "give("))
