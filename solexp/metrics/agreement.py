"""Do judges agree? Cohen's kappa, with an interval over tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec

from solexp.metrics.estimators import CONFIDENCE, RESAMPLES


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How two judges' yes and no compare."""

    tasks: int
    items: int
    """What both have judged, such as assertions."""
    share: float
    """Of the items, those that both judge alike."""
    kappa: float | None
    """1 for no disagreement, 0 for what chance alone would give; None where both say the same of everything."""
    lo: float | None
    hi: float | None
    """Ends of the 95 % interval, by a bootstrap over tasks; None where it cannot be told."""


def kappa(both: float, first: float, second: float, neither: float) -> float | None:
    """Cohen's kappa (Cohen 1960) of counts: yes by both, by the first only, by the second only, by neither.

    None where the agreement that chance would give is perfect already, or there is nothing to compare.
    """
    return cohen(((both, first), (second, neither)))


def cohen(table: Sequence[Sequence[float]]) -> float | None:
    """Cohen's kappa (Cohen 1960): how often the first said each row's label and the second each column's.

    None where the agreement that chance would give is perfect already, or there is nothing to compare.
    """
    total = sum(map(sum, table))
    if not total:
        return None
    observed = sum(row[place] for place, row in enumerate(table)) / total
    columns = [sum(column) for column in zip(*table, strict=True)]
    by_chance = sum(sum(row) * column for row, column in zip(table, columns, strict=True))
    expected = by_chance / total**2
    return None if math.isclose(expected, 1.0) else (observed - expected) / (1 - expected)


def agreement(
    first: Mapping[str, Sequence[bool]],
    second: Mapping[str, Sequence[bool]],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Agreement | None:
    """The agreement of two judges on the tasks that both have judged; None where there is none.

    Judgements are by task, one for each of its items in the same order. For the interval whole tasks are drawn, since
    items of one task are not independent. Raises ValueError where the numbers of a task's items differ.
    """
    import numpy as np  # noqa: PLC0415  (0.1 s that most commands can do without)

    common = sorted(first.keys() & second.keys())
    rows = [_counts(first[task], second[task]) for task in common]
    both, ours, theirs, neither = (
        (sum(column) for column in zip(*rows, strict=True)) if rows else [0] * 4
    )
    items = both + ours + theirs + neither
    if not items:
        return None
    value = kappa(both, ours, theirs, neither)
    lo = hi = None
    if value is not None and len(common) > 1:
        random = np.random.default_rng(seed)
        draws = random.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=resamples)
        found = [kappa(*map(float, sums)) for sums in draws @ np.asarray(rows)]
        known = [each for each in found if each is not None]
        tail = (1 - confidence) / 2
        lo, hi = map(float, np.quantile(known, [tail, 1 - tail]))
    return Agreement(
        tasks=len(common), items=items, share=(both + neither) / items, kappa=value, lo=lo, hi=hi
    )


def _counts(first: Sequence[bool], second: Sequence[bool]) -> tuple[int, int, int, int]:
    pairs = list(zip(first, second, strict=True))
    return (
        pairs.count((True, True)),
        pairs.count((True, False)),
        pairs.count((False, True)),
        pairs.count((False, False)),
    )
