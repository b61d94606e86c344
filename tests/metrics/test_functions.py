"""FPR and CFPR are the shares that SolContractEval's Table III is made of."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.core import Batch, Outcome, Verdict
from solexp.metrics.functions import function_metrics
from solexp.metrics.scores import Judged, judged

GREEDY = Batch(name="greedy", n=1, ks=(1,))
NUCLEUS = Batch(name="nucleus", n=2, temperature=0.2, ks=(2,))
PARENTS = {"a/f()": "a", "a/g()": "a", "b/f()": "b"}
P, F, E, V = Outcome.PASS, Outcome.FAIL, Outcome.COMPILE_ERROR, Outcome.VACUOUS


def rows(table: dict[str, list[Outcome]], batch: str = "greedy", events: int = 0) -> list[Judged]:
    """Judged candidates whose compile and replay verdicts follow from the outcome."""
    verdicts = []
    for task, outcomes in table.items():
        for index, outcome in enumerate(outcomes):
            compiled = E if outcome is E else P
            for oracle, said in (("compile", compiled), ("replay", outcome)):
                verdicts.append(
                    Verdict(
                        task_id=task,
                        batch=batch,
                        repeat=0,
                        index=index,
                        oracle=oracle,
                        outcome=said,
                        measures={"diverges.status": 0, "diverges.events": events}
                        if oracle == "replay"
                        else {},
                    )
                )
    return judged(verdicts)


def metrics(candidates: list[Judged], batch: Batch = GREEDY, **options: object) -> dict[str, float]:
    found = function_metrics(
        PARENTS,
        candidates,
        [batch],
        deciding=["compile", "replay"],
        seed=0,
        **options,  # type: ignore[arg-type]
    )
    for metric in found.values():
        assert metric.lo is not None
        assert metric.hi is not None
        assert 0 <= metric.lo <= metric.value <= metric.hi <= 1
    return {name: metric.value for name, metric in found.items()}


def test_one_sample_a_function_counts_functions_and_contracts() -> None:
    found = metrics(rows({"a/f()": [P], "a/g()": [F], "b/f()": [P]}))
    assert found["fpr_c_at_1"] == 1
    assert found["fpr_p_at_1"] == pytest.approx(2 / 3)
    assert found["cfpr_c.each_alone_at_1"] == 1
    assert found["cfpr_p.each_alone_at_1"] == pytest.approx(1 / 2)


def test_several_samples_multiply_over_a_contracts_functions() -> None:
    batch = Batch(name="mean_of_n", n=2, temperature=1.0, ks=(1, 2))
    table = {"a/f()": [P, F], "a/g()": [P, E], "b/f()": [P, P]}
    found = metrics(rows(table, "mean_of_n"), batch)
    assert found["fpr_p_at_1"] == pytest.approx((0.5 + 0.5 + 1) / 3)
    assert found["cfpr_p.each_alone_at_1"] == pytest.approx((0.25 + 1) / 2)
    assert found["cfpr_p.each_alone_at_2"] == 1
    assert found["fpr_c_at_1"] == pytest.approx(2.5 / 3)


def test_contracts_put_together_are_counted_beside() -> None:
    alone = rows({"a/f()": [P], "a/g()": [P], "b/f()": [P]})
    found = metrics(alone, together=rows({"a": [E], "b": [P]}))
    assert found["cfpr_p.each_alone_at_1"] == 1
    assert found["cfpr_c.together_at_1"] == pytest.approx(1 / 2)
    assert found["cfpr_p.together_at_1"] == pytest.approx(1 / 2)


def test_a_function_that_no_call_reaches_is_no_pass_but_the_papers() -> None:
    alone = rows({"a/f()": [P], "a/g()": [V], "b/f()": [P]})
    found = metrics(alone, undecided={"a/g()"})
    assert found["fpr_p_at_1"] == pytest.approx(2 / 3)
    assert found["cfpr_p.each_alone_at_1"] == pytest.approx(1 / 2)
    assert found["decidable.fpr_p_at_1"] == 1
    assert found["decidable.cfpr_p.each_alone_at_1"] == 1
    assert found["unreached.fpr_p_at_1"] == 1
    differs = rows({"a/f()": [P], "a/g()": [V], "b/f()": [P]}, events=1)
    assert metrics(differs)["unreached.fpr_p_at_1"] == pytest.approx(2 / 3)


def test_a_contract_that_lacks_a_sample_is_missing() -> None:
    alone = rows({"a/f()": [P], "a/g()": [Outcome.HARNESS_ERROR], "b/f()": [F]})
    found = function_metrics(PARENTS, alone, [GREEDY], deciding=["replay"], seed=0)
    assert found["fpr_p_at_1"].n == 2
    assert found["cfpr_p.each_alone_at_1"].n == 1
    assert found["cfpr_p.each_alone_at_1"].value == 0


@given(
    st.lists(st.lists(st.sampled_from([P, F, E]), min_size=2, max_size=2), min_size=3, max_size=3)
)
def test_contracts_pass_no_oftener_than_their_worst_function(table: list[list[Outcome]]) -> None:
    found = metrics(rows(dict(zip(PARENTS, table, strict=True)), "nucleus"), NUCLEUS)
    worst_a = min(any(o is P for o in row) for row in table[:2])
    assert found["cfpr_p.each_alone_at_2"] == pytest.approx(
        (worst_a + any(o is P for o in table[2])) / 2
    )
    assert found["fpr_c_at_2"] >= found["fpr_p_at_2"]
