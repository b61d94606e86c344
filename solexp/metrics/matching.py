"""How much of the original's behaviour candidates share, and how much of it was called (SolBehave, O2 and O3)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from solexp.core import Verdict
from solexp.metrics.estimators import bootstrap
from solexp.metrics.scores import Judged, Metric

RATED = ("replay", "dcr")
"""Oracles that compare calls with an original's."""
_COVERAGE = {
    "replay": ("functions_called_share", "functions_exercised_share"),
    "dcr": ("dcr.functions_called_share", "dcr.functions_succeeded_share"),
}

Reduce = Callable[[Sequence[float]], float]


def matching_metrics(candidates: Iterable[Judged], *, seed: int) -> dict[str, Metric]:
    """For each oracle of `RATED` there is, means over tasks; empty without any.

    ``ORACLE.match_rate``, ``ORACLE.match_rate_min``
        Of a task the mean, and the least, over its samples of the share of calls that end with the original's status.
    ``ORACLE.coverage_called``, ``ORACLE.coverage``
        Of a task the share of the original's state-changing functions that are called, and called with success; tasks
        that cannot be judged count with what was called.
    ``negative.rejection``
        Of a task the mean over its samples of the share of calls, of those that the original rejects, which the sample
        rejects too.
    """
    rows = list(candidates)
    found: dict[str, Metric | None] = {}
    for oracle in RATED:
        verdicts = [c.verdicts[oracle] for c in rows if oracle in c.verdicts]
        rates = _by_task(verdicts, partial(_number, name=f"{oracle}.match_rate"))
        found[f"{oracle}.match_rate"] = _mean(rates, _average, seed)
        found[f"{oracle}.match_rate_min"] = _mean(rates, min, seed)
        for name, measure in zip(("coverage_called", "coverage"), _COVERAGE[oracle], strict=True):
            shares = _by_task(verdicts, partial(_number, name=measure))
            found[f"{oracle}.{name}"] = _mean(shares, _average, seed)
    asked = [c.verdicts["negative"] for c in rows if "negative" in c.verdicts]
    found["negative.rejection"] = _mean(_by_task(asked, _rejection), _average, seed)
    return {name: metric for name, metric in found.items() if metric is not None}


def _number(row: Verdict, name: str) -> float | None:
    value = row.measures.get(name)
    return float(value) if isinstance(value, int | float) else None


def _rejection(row: Verdict) -> float | None:
    asked = _number(row, "negative.asked")
    return (_number(row, "negative.rejected") or 0.0) / asked if asked else None


def _by_task(
    rows: Iterable[Verdict], value: Callable[[Verdict], float | None]
) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row in rows:
        number = value(row)
        if number is not None:
            found.setdefault(row.task_id, []).append(number)
    return found


def _average(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _mean(by_task: dict[str, list[float]], reduce: Reduce, seed: int) -> Metric | None:
    """The mean over tasks of what a task's samples come to."""
    if not by_task:
        return None
    values = [reduce(by_task[task]) for task in sorted(by_task)]
    lo, hi = bootstrap([[value] for value in values], seed=seed)
    return Metric(value=_average(values), lo=lo, hi=hi, n=len(values))
