"""Shares of functions and contracts that fuzzing finds equivalent."""

from __future__ import annotations

import pytest

from solexp.core import Outcome, Verdict
from solexp.metrics.fuzzing import fuzz_metrics
from solexp.metrics.scores import judged


def row(task: str, index: int, outcome: Outcome, *numbers: int, scope: str = "function") -> Verdict:
    names = ("functions", "divergent", "vacuous", "equivalent")
    measures = {f"fuzz.{name}": n for name, n in zip(names, numbers, strict=False)}
    return Verdict(
        task_id=task,
        batch="greedy",
        repeat=0,
        index=index,
        oracle="fuzz",
        outcome=outcome,
        measures={"fuzz.scope": scope, **measures} if numbers else {},
    )


ROWS = [
    row("a", 0, Outcome.FAIL, 4, 1, 1, 2),
    row("a", 1, Outcome.PASS, 4, 0, 1, 3),
    row("b", 0, Outcome.FAIL, 2, 2, 0, 0),
    row("b", 1, Outcome.COMPILE_ERROR),
    row("c", 0, Outcome.TIMEOUT, 3, 0, 0, 3),
]


def test_pairs_are_counted_with_and_without_functions_that_always_fail() -> None:
    found = fuzz_metrics(judged(ROWS), seed=0)

    assert found["fuzz.equivalent_pairs"].value == pytest.approx(5 / 8)
    assert found["fuzz.equivalent_pairs_paper"].value == pytest.approx(7 / 10)
    assert found["fuzz.equivalent_pairs_paper"].n == 2


def test_a_contract_counts_by_its_best_sample() -> None:
    found = fuzz_metrics(judged(ROWS), seed=0)

    assert found["fuzz.equivalent_contracts"].value == pytest.approx(1 / 2)


def test_whole_contracts_have_no_pairs() -> None:
    rows = [row("a", 0, Outcome.PASS, 4, 0, 1, 3, scope="contract")]
    assert list(fuzz_metrics(judged(rows), seed=0)) == ["fuzz.equivalent_contracts"]
    assert fuzz_metrics(judged([row("a", 0, Outcome.COMPILE_ERROR)]), seed=0) == {}
