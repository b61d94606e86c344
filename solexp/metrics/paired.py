"""Two cells on the same tasks: the difference by task, its interval, and how likely it is by chance alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from solexp.metrics.estimators import CONFIDENCE, wilson

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 10_000
"""Bootstrap draws; twice as many are wanted at the ends of an interval as for a standard error."""
ENUMERATED = 14
"""Up to so many tasks that differ, all sign flips are looked at; above, so many are drawn:"""
FLIPS = 20_000

FEW = 6
"""With fewer tasks neither can signs be flipped into a p below 0.05, nor can the bootstrap resolve its ends."""

_AT_ONCE = 5_000
"""Draws held in memory together."""

_TIE = 1e-9
"""Sums that differ by less are equal: the scores are quotients, and floats."""

Test = Literal["mcnemar", "sign_flip_exact", "sign_flip"]


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """The mean over tasks of the differences by task. Shares in [-1, 1], or [-2, 2] for an interaction."""

    value: float
    lo: float
    hi: float
    """Ends of the 95 % interval, by a bootstrap over tasks."""
    p: float
    """Two-sided, within (0, 1]."""
    test: Test
    tasks: int
    better: int
    """Tasks with a difference above 0."""
    worse: int
    """Tasks with a difference below 0."""
    holm: float | None = None
    """``p`` after Holm's correction over its family; None for what is outside of it."""


def compare(
    baseline: Mapping[str, float], cell: Mapping[str, float], *, single: bool, seed: int
) -> Difference:
    """Cell minus baseline, over the tasks that both have a score of; the same in whatever order tasks come.

    ``single`` says that every score is one sample's 0 or 1: then McNemar's exact test, else sign flips.
    Raises ValueError when no task has both scores.
    """
    common = sorted(baseline.keys() & cell.keys())
    return contrast([cell[task] - baseline[task] for task in common], single=single, seed=seed)


def contrast(
    differences: Sequence[float], *, single: bool = False, seed: int, span: float = 1.0
) -> Difference:
    """The mean of ``differences``, one a task, tested against 0. ``span`` is the largest that one can be."""
    if not differences:
        raise ValueError("no task has a score in both cells")
    better = sum(value > _TIE for value in differences)
    worse = sum(value < -_TIE for value in differences)
    test: Test
    if single:
        test, p = "mcnemar", mcnemar(better, worse)
    else:
        p, exact = sign_flip(differences, seed=seed)
        test = "sign_flip_exact" if exact else "sign_flip"
    lo, hi = interval(differences, seed=seed, span=span)
    return Difference(
        value=math.fsum(differences) / len(differences),
        lo=lo,
        hi=hi,
        p=p,
        test=test,
        tasks=len(differences),
        better=better,
        worse=worse,
    )


def mcnemar(better: int, worse: int) -> float:
    """The exact two-sided p of McNemar's test (McNemar 1947), from the tasks that only one of two cells passes.

    Each of them is as likely to fall on either side when the cells do not differ: a binomial test of a half.

    >>> round(mcnemar(8, 1), 4)
    0.0391
    """
    if better < 0 or worse < 0:
        raise ValueError(f"counts are not negative: {better}, {worse}")
    trials = better + worse
    tail = sum(math.comb(trials, count) for count in range(min(better, worse) + 1))
    return min(1.0, 2 * tail / (1 << trials))


def sign_flip(differences: Sequence[float], *, seed: int, flips: int = FLIPS) -> tuple[float, bool]:
    """The two-sided p of the permutation test that flips signs, and whether it is exact.

    A task's samples are kept together: under no difference a task's two cells can be exchanged, which turns the sign
    of its difference (Fisher 1935, section 21; Good 2005, section 3.2). With few tasks that differ, all flips are
    looked at. Else ``flips`` are drawn, and the observed one counts as one of them, so that p is never 0 (Phipson and
    Smyth 2010).
    """
    import numpy as np  # noqa: PLC0415  (0.1 s that most commands can do without)

    values = np.array([abs(value) for value in differences if abs(value) > _TIE])
    if not len(values):
        return 1.0, True
    observed = abs(math.fsum(differences)) - _TIE
    if len(values) <= ENUMERATED:
        sums = np.zeros(1)
        for value in values:
            sums = np.concatenate([sums + value, sums - value])
        return float((np.abs(sums) >= observed).mean()), True
    random = np.random.default_rng([seed, len(values)])
    reached = 0
    for start in range(0, flips, _AT_ONCE):
        size = (min(_AT_ONCE, flips - start), len(values))
        turned = random.integers(0, 2, size=size, dtype=np.int8).astype(float) @ values
        reached += int((np.abs(values.sum() - 2 * turned) >= observed).sum())
    return (reached + 1) / (flips + 1), False


def interval(
    differences: Sequence[float],
    *,
    seed: int,
    span: float = 1.0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> tuple[float, float]:
    """The expanded percentile bootstrap interval, over tasks, of the mean difference, as (lo, hi).

    Percentile intervals are too narrow where tasks are few; taking them further out, as Student's t is wider than the
    normal distribution, mends that (Hesterberg 2015, "What Teachers Should Know about the Bootstrap", section 5.3).
    Below `FEW` tasks no resample lies that far out, and it is Student's interval, cut at ``span``.
    Where all tasks differ alike, every resample does too. Then the interval allows for as many tasks that differ by
    ``span`` to either side as Wilson's interval does when none in so many was seen.
    """
    import numpy as np  # noqa: PLC0415

    values = np.asarray(differences, dtype=float)
    count = len(values)
    mean = math.fsum(differences) / count
    if count == 1 or float(values.max() - values.min()) < _TIE:
        unseen = wilson(0, count, confidence)[1]
        return mean - unseen * (mean + span), mean + unseen * (span - mean)
    if count < FEW:
        half = _student(count, confidence) * float(values.std(ddof=1)) / math.sqrt(count)
        return max(-span, mean - half), min(span, mean + half)
    tail = _expanded_tail(count, confidence)
    means = _resampled(values, resamples, seed)
    lo, hi = np.quantile(means, [tail, 1 - tail])
    return float(lo), float(hi)


def _resampled(values: NDArray[Any], resamples: int, seed: int) -> NDArray[Any]:
    import numpy as np  # noqa: PLC0415

    count = len(values)
    random = np.random.default_rng([seed, count])
    means = [
        values[random.integers(0, count, size=(min(_AT_ONCE, resamples - start), count))].mean(
            axis=1
        )
        for start in range(0, resamples, _AT_ONCE)
    ]
    return np.concatenate(means)


def _expanded_tail(count: int, confidence: float) -> float:
    """The share of resamples to leave out at either end."""
    from scipy.special import ndtr  # noqa: PLC0415

    return float(ndtr(-math.sqrt(count / (count - 1)) * _student(count, confidence)))


def _student(count: int, confidence: float) -> float:
    """How many standard errors an interval of Student's reaches to either side."""
    from scipy.special import stdtrit  # noqa: PLC0415

    return float(stdtrit(count - 1, (1 + confidence) / 2))


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's step-down correction (Holm 1979): p values that hold for all of ``ps`` together, in their order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(ps)
    largest = 0.0
    order = sorted(range(len(ps)), key=lambda place: ps[place])
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(ps) - rank) * ps[place]))
        corrected[place] = largest
    return corrected
