"""What candidates reject of the calls that violate their originals' guards."""

from __future__ import annotations

from typing import Any

import pytest

from solexp.core import Outcome, Verdict
from solexp.metrics.scores import judged
from solexp.metrics.violations import guards, violation_metrics


def row(
    task: str, index: int, outcome: Outcome, *, oracle: str = "violation", **found: int
) -> Verdict:
    measures = {f"violation.{name.replace('__', '.')}": value for name, value in found.items()}
    return Verdict(
        task_id=task,
        batch="greedy",
        repeat=0,
        index=index,
        oracle=oracle,
        outcome=outcome,
        measures=dict(measures),
    )


OF_A: dict[str, Any] = {
    "task__guards": 5,
    "task__translated": 4,
    "task__satisfiable": 4,
    "task__confirmed": 3,
}
ROWS = [
    row("a", 0, Outcome.PASS, asked=4, rejected=4, same_error=2, satisfying=2, accepted=2, **OF_A),
    row("a", 1, Outcome.FAIL, asked=4, rejected=2, same_error=2, satisfying=2, accepted=1, **OF_A),
    row("b", 0, Outcome.FAIL, asked=2, rejected=1, same_error=0, asked__require=2,
        rejected__require=1, satisfying=0, accepted=0, task__guards=2, task__translated=1),
    row("b", 1, Outcome.COMPILE_ERROR, task__guards=2, task__translated=1),
    row("c", 0, Outcome.VACUOUS),
]  # fmt: skip


def test_shares_are_means_over_tasks_of_the_candidates_that_were_asked() -> None:
    found = violation_metrics(judged(ROWS), ["violation"], seed=0)
    assert found["violation.csr"].value == pytest.approx((0.75 + 0.5) / 2)
    assert found["violation.csr_same_error"].value == pytest.approx((0.5 + 0) / 2)
    assert found["violation.csr.require"].value == pytest.approx(0.5)
    assert found["violation.csr.require"].n == 1
    # Of b no call satisfies every guard.
    assert found["violation.over_rejection"].value == pytest.approx(0.25)
    assert "violation.caught" not in found


def test_a_caught_sample_passes_all_other_oracles_and_only_decided_ones_count() -> None:
    replay = [
        row("a", 0, Outcome.PASS, oracle="replay"),
        row("a", 1, Outcome.PASS, oracle="replay"),
        row("b", 0, Outcome.FAIL, oracle="replay"),
        row("b", 1, Outcome.COMPILE_ERROR, oracle="replay"),
        row("c", 0, Outcome.PASS, oracle="replay"),
    ]
    found = violation_metrics(judged([*ROWS, *replay]), ["replay", "violation"], seed=0)
    assert found["violation.caught"].value == pytest.approx(0.5)
    assert found["violation.caught"].n == 1


def test_each_task_counts_once_among_the_guards() -> None:
    told = guards(judged(ROWS))
    assert told is not None
    assert (told.tasks, told.found, told.translated, told.confirmed) == (2, 7, 5, 3)
    assert guards(judged(ROWS[4:])) is None


def test_there_are_none_without_the_oracle() -> None:
    assert violation_metrics(judged([row("a", 0, Outcome.PASS, oracle="replay")]), [], seed=0) == {}
