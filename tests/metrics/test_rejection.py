"""CSR and its kin: over all tests together, and by task."""

from __future__ import annotations

import pytest

from solexp.core import Batch, Outcome, UserError, Verdict
from solexp.metrics.bytask import by_task
from solexp.metrics.rejection import input_metrics, rejection_metrics
from solexp.metrics.scores import judged
from solexp.store.runfolder import TaskRow

GREEDY = (Batch(name="greedy", n=1, ks=(1,)),)


def rejects(task: str, refused: int, cvts: int, *, index: int = 0, **more: float | None) -> Verdict:
    counts = {"refused_anyhow": refused, "valid": 10, "over_refused": 0, "over_refused_anyhow": 0}
    measures = {"cvts": cvts, "refused": refused, **counts, **more}
    return Verdict(
        task_id=task,
        batch="greedy",
        repeat=0,
        index=index,
        oracle="rejection",
        outcome=Outcome.FAIL,
        measures={f"rejection.{name}": value for name, value in measures.items()},
    )


def gives(task: str, base: tuple[int, int], plus: tuple[int, int], outcome: Outcome) -> Verdict:
    return Verdict(
        task_id=task,
        batch="greedy",
        repeat=0,
        index=0,
        oracle="inputs",
        outcome=outcome,
        measures={
            "inputs.base": base[1],
            "inputs.base_matched": base[0],
            "inputs.plus": plus[1],
            "inputs.plus_matched": plus[0],
        },
    )


def test_tests_are_counted_together_and_by_task() -> None:
    rows = [
        rejects("a", 9, 10),
        rejects("b", 0, 30, refused_anyhow=15),
        rejects("c", 0, 0, over_refused=1, over_refused_anyhow=5),
    ]
    found = rejection_metrics(judged(rows), seed=0)
    assert found["csr"].value == pytest.approx(9 / 40)
    assert found["csr_by_task"].value == pytest.approx((0.9 + 0) / 2)
    assert found["csr"].n == found["csr_by_task"].n == 2
    assert found["rejection"].value == pytest.approx(24 / 40)
    assert found["rejection_by_task"].value == pytest.approx((0.9 + 0.5) / 2)
    assert found["over_rejection"].value == pytest.approx(5 / 30)
    assert found["over_rejection_assertion"].value == pytest.approx(1 / 30)
    assert "assertion_codebleu" not in found


def test_likeness_of_assertions_is_a_mean_over_tasks_that_have_it() -> None:
    rows = [
        rejects("a", 0, 1, assertion_codebleu=0.2, assertion_dataflow=0.5),
        rejects("a", 0, 1, index=1, assertion_codebleu=0.6, assertion_dataflow=0.0),
        rejects("b", 0, 1, assertion_codebleu=1.0, assertion_dataflow=None),
        rejects("c", 0, 1),
    ]
    found = rejection_metrics(judged(rows), seed=0)
    assert found["assertion_codebleu"].value == pytest.approx((0.4 + 1) / 2)
    assert found["assertion_codebleu"].n == 2
    assert found["assertion_dataflow"].value == pytest.approx(0.25)
    assert found["assertion_dataflow"].n == 1
    assert found["over_rejection"].n == 3
    for metric in found.values():
        assert metric.lo is not None and metric.hi is not None
        assert metric.lo <= metric.value <= metric.hi


def test_samples_of_a_task_are_taken_together() -> None:
    rows = [rejects("a", 4, 4), rejects("a", 0, 4, index=1), rejects("b", 1, 1)]
    found = rejection_metrics(judged(rows), seed=0)
    assert found["csr"].value == pytest.approx(5 / 9)
    assert found["csr_by_task"].value == pytest.approx(0.75)


def test_faults_of_the_harness_are_in_no_share() -> None:
    fault = Verdict(
        task_id="a",
        batch="greedy",
        repeat=0,
        index=0,
        oracle="rejection",
        outcome=Outcome.HARNESS_ERROR,
    )
    assert rejection_metrics(judged([fault]), seed=0) == {}
    assert rejection_metrics(judged([fault, rejects("b", 1, 2)]), seed=0)["csr"].value == 0.5


def test_inputs_tell_passes_on_base_alone_and_the_releases_mean_share() -> None:
    rows = [
        gives("a", (2, 2), (4, 4), Outcome.PASS),
        gives("b", (2, 2), (1, 4), Outcome.FAIL),
        gives("c", (0, 2), (0, 4), Outcome.NO_CODE),
        gives("d", (0, 0), (0, 0), Outcome.VACUOUS),
    ]
    found = input_metrics(judged(rows), GREEDY, seed=0)
    assert found["base.pass_at_1"].value == pytest.approx(2 / 4)
    assert found["plus_share"].value == pytest.approx((1 + 0.25 + 0) / 3)
    assert input_metrics(judged([rejects("a", 1, 1)]), GREEDY, seed=0) == {}


def test_runs_compare_by_the_share_in_each_task() -> None:
    rows = [rejects("a", 9, 10), rejects("b", 0, 30)]
    tasks = [TaskRow(id=name, hash="", category=None, compiler="") for name in ("a", "b")]
    table = by_task("csr_by_task", tasks, rows, GREEDY, {"rejection": False})
    assert table.counts == {"a": {0: (10, 9)}, "b": {0: (30, 0)}}
    with pytest.raises(UserError, match="metric 'plus_share': no run has it"):
        by_task("plus_share", tasks, rows, GREEDY, {"rejection": False})
