"""Memorisation and recitation: how much candidates have in common with the references."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from solexp.metrics.estimators import bootstrap
from solexp.metrics.scores import Judged, Metric, counts, metric_at_k

LONG_RUN = 50
"""Tokens in a row that nobody writes by chance (Carlini et al. 2023, "Quantifying Memorization", count by as many)."""
MOSTLY = 0.5
"""Share of n-grams from which on a candidate counts as mostly the reference's."""


def overlap_metrics(candidates: Iterable[Judged], *, seed: int) -> dict[str, Metric]:
    """What the oracle ``overlap`` measured, over the candidates that have code; empty without it.

    ``overlap.longest_run_share`` and ``overlap.ngram_share`` are means over tasks of the mean over a task's
    candidates. ``overlap.long_run_share`` is the share of candidates with a common run of `LONG_RUN` tokens or more,
    ``overlap.mostly_share`` the share of those of whose n-grams the reference has at least `MOSTLY`.
    """
    rows = list(candidates)
    found: dict[str, Metric] = {}
    for name in ("longest_run_share", "ngram_share"):
        metric = mean_over_tasks(rows, _measure(f"overlap.{name}"), seed)
        if metric is not None:
            found[f"overlap.{name}"] = metric
    limits = (
        ("long_run_share", "overlap.longest_run", LONG_RUN),
        ("mostly_share", "overlap.ngram_share", MOSTLY),
    )
    for name, measure, limit in limits:
        metric = metric_at_k(counts(rows, _at_least(measure, limit)), 1, seed=seed)
        if metric is not None:
            found[f"overlap.{name}"] = metric
    return found


def _measure(name: str) -> Callable[[Judged], float | None]:
    def measured(candidate: Judged) -> float | None:
        row = candidate.verdicts.get("overlap")
        value = row.measures.get(name) if row is not None else None
        return float(value) if isinstance(value, int | float) else None

    return measured


def _at_least(name: str, limit: float) -> Callable[[Judged], bool | None]:
    measured = _measure(name)

    def reaches(candidate: Judged) -> bool | None:
        value = measured(candidate)
        return None if value is None else value >= limit

    return reaches


def mean_over_tasks(
    candidates: Iterable[Judged], measured: Callable[[Judged], float | None], seed: int
) -> Metric | None:
    """The mean over tasks of the mean over a task's candidates, with a bootstrap over tasks."""
    by_task: dict[str, list[float]] = {}
    for candidate in candidates:
        value = measured(candidate)
        if value is not None:
            by_task.setdefault(candidate.task_id, []).append(value)
    if not by_task:
        return None
    means = [math.fsum(by_task[task]) / len(by_task[task]) for task in sorted(by_task)]
    lo, hi = bootstrap([[mean] for mean in means], seed=seed)
    return Metric(value=math.fsum(means) / len(means), lo=lo, hi=hi, n=len(means))
