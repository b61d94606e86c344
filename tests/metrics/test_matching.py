"""Match rates and coverage over tasks."""

from __future__ import annotations

import pytest

from solexp.core import Outcome, Verdict
from solexp.metrics.matching import matching_metrics
from solexp.metrics.scores import judged


def row(task: str, index: int, oracle: str, **measures: float) -> Verdict:
    named = {name.replace("__", "."): value for name, value in measures.items()}
    return Verdict(
        task_id=task,
        batch="greedy",
        repeat=0,
        index=index,
        oracle=oracle,
        outcome=Outcome.PASS,
        measures=dict(named),
    )


def test_rates_are_means_over_tasks_of_the_mean_and_the_least_over_samples() -> None:
    rows = [
        row("a", 0, "replay", replay__match_rate=1.0, functions_called_share=0.5),
        row("a", 1, "replay", replay__match_rate=0.5, functions_called_share=0.5),
        row("b", 0, "replay", replay__match_rate=1.0, functions_called_share=1.0),
        row("c", 0, "replay", functions_called_share=0.0),
    ]
    found = matching_metrics(judged(rows), seed=0)
    assert found["replay.match_rate"].value == pytest.approx((0.75 + 1) / 2)
    assert found["replay.match_rate"].n == 2
    assert found["replay.match_rate_min"].value == pytest.approx(0.75)
    assert found["replay.coverage_called"].value == pytest.approx(0.5)
    assert found["replay.coverage_called"].n == 3
    assert "dcr.match_rate" not in found


def test_rejection_is_the_share_of_what_was_asked() -> None:
    rows = [
        row("a", 0, "negative", negative__asked=4, negative__rejected=3),
        row("b", 0, "negative", negative__asked=0),
    ]
    found = matching_metrics(judged(rows), seed=0)
    assert list(found) == ["negative.rejection"]
    assert found["negative.rejection"].value == pytest.approx(0.75)
