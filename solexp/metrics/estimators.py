"""Estimators: pass@k, its intervals, and the spread over repeats. Pure functions of counts."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESAMPLES = 1_000
CONFIDENCE = 0.95

FEW_FOR_A_MEDIAN = 6
"""With fewer values, the median lies beyond all of them with a chance of more than 0.05: 2 (1/2)^n."""


def pass_at_k(n: int, c: int, k: int) -> float | None:
    """The unbiased estimate of the chance that at least one of ``k`` samples passes.

    ``1 - C(n - c, k) / C(n, k)`` for ``c`` passes among ``n`` samples (Chen et al. 2021, section 2.1), exact up to the
    last bit of the quotient. None where ``n < k``: too few samples say nothing about k.
    """
    if k < 1 or n < 0 or not 0 <= c <= n:
        raise ValueError(f"pass@k wants k >= 1 and 0 <= c <= n, got n={n}, c={c}, k={k}")
    if n < k:
        return None
    subsets = math.comb(n, k)
    return (subsets - math.comb(n - c, k)) / subsets


def wilson(successes: int, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The Wilson score interval of a binomial proportion (Wilson 1927), as (lo, hi) within [0, 1]."""
    if not 0 <= successes <= trials or trials == 0:
        raise ValueError(f"a proportion wants 0 <= successes <= trials > 0: {successes}/{trials}")
    z = statistics.NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    half = z / scale * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    # At the ends the bound is exactly 0 or 1; rounding would leave 1e-17 beside it.
    lo = 0.0 if successes == 0 else max(0.0, centre - half)
    hi = 1.0 if successes == trials else min(1.0, centre + half)
    return lo, hi


def mean_and_spread(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean, and the sample standard deviation (None for a single value)."""
    if not values:
        raise ValueError("the mean of no values")
    mean = math.fsum(values) / len(values)
    return mean, statistics.stdev(values, mean) if len(values) > 1 else None


def bootstrap(
    numerators: Sequence[Sequence[float | None]],
    denominators: Sequence[Sequence[float | None]] | None = None,
    *,
    seed: int,
    k: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> tuple[float, float]:
    """The percentile bootstrap interval, over tasks, of a mean or of a ratio of sums, as (lo, hi).

    ``numerators`` has one row a task and one column a repeat; None marks what is missing. A column's estimate is the
    sum of its numerators over the sum of its ``denominators`` (1 each when not given), and the statistic is the mean
    over columns. Whole tasks are drawn, since samples and repeats of one task are not independent. The draws depend on
    ``seed``, ``k`` and the number of tasks only: equal data have equal intervals, under whatever name they stand.
    """
    import numpy as np  # noqa: PLC0415  (0.1 s that most commands can do without)

    above, mask = _matrix(numerators)
    below = mask if denominators is None else _matrix(denominators)[0] * mask
    tasks = len(numerators)
    if tasks == 0 or not mask.any():
        raise ValueError("a bootstrap over no tasks")
    random = np.random.default_rng([seed, k])
    draws = random.multinomial(tasks, np.full(tasks, 1 / tasks), size=resamples).astype(float)
    sums, totals = draws @ above, draws @ below
    present = totals > 0
    columns = np.divide(sums, totals, out=np.zeros_like(sums), where=present)
    count = present.sum(axis=1)
    estimates = columns.sum(axis=1)[count > 0] / count[count > 0]
    tail = (1 - confidence) / 2
    lo, hi = np.quantile(estimates, [tail, 1 - tail])
    return float(lo), float(hi)


def bootstrap_median(
    values: Sequence[float],
    *,
    seed: int,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> tuple[float, float | None, float | None]:
    """The median, and the percentile bootstrap interval of it, as (median, lo, hi).

    No interval with fewer than `FEW_FOR_A_MEDIAN` values: the median lies outside of all of them too often.
    """
    import numpy as np  # noqa: PLC0415  (0.1 s that most commands can do without)

    if not values:
        raise ValueError("the median of no values")
    median = statistics.median(values)
    if len(values) < FEW_FOR_A_MEDIAN:
        return median, None, None
    random = np.random.default_rng([seed, len(values)])
    places = random.integers(0, len(values), size=(resamples, len(values)))
    medians = np.median(np.asarray(values, dtype=float)[places], axis=1)
    tail = (1 - confidence) / 2
    lo, hi = np.quantile(medians, [tail, 1 - tail])
    return median, float(lo), float(hi)


def _matrix(rows: Sequence[Sequence[float | None]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The rows with 0 for None, and a mask of 1 where there is a value."""
    import numpy as np  # noqa: PLC0415

    values = np.array([[math.nan if v is None else v for v in row] for row in rows], dtype=float)
    values = values.reshape(len(rows), -1)
    mask = (~np.isnan(values)).astype(float)
    return np.nan_to_num(values), mask
