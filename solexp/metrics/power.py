"""Which difference a design can tell from none, before anything is run."""

from __future__ import annotations

import math
import statistics

LEVEL = 0.05
POWER = 0.8
CORRELATION = 0.5
"""Assumed correlation of two samples of one task in one cell: some tasks are easy, some are hard."""
SHARED = 0.8
"""Assumed share of it that two cells have in common: what is hard in one is mostly hard in the other."""
DISCORDANCE = 2 * 0.25 * (1 - CORRELATION * SHARED)
"""What both amount to with one sample a task that passes as often as not: two cells differ on so many tasks, 0.3."""


def detectable(
    tasks: int,
    samples: int = 1,
    *,
    family: int = 1,
    level: float = LEVEL,
    power: float = POWER,
    correlation: float = CORRELATION,
    shared: float = SHARED,
) -> float | None:
    """The smallest difference of pass@1 between two cells on the same tasks that is found with ``power``.

    One sample a task: McNemar's test, where the cells differ on the share of tasks that the correlations amount to
    (Connor 1987, "Sample Size for Testing Differences in Proportions for the Paired-Sample Design"). Several: the
    differences by task have variance ``2 p (1 - p) ((1 - correlation) / samples + correlation (1 - shared))``, the
    first part from the samples and the second from the tasks, and their mean is tested as Student's t tests it. All
    at p = 1/2, the worst case. ``family`` tests share the ``level`` evenly, which is the most that Holm's correction
    can ask. None where even a difference of 1 would be missed too often.
    """
    if tasks < 1 or samples < 1 or family < 1:
        raise ValueError(f"a design wants tasks, samples and tests: {tasks}, {samples}, {family}")
    alpha = level / family
    if 2.0 ** (1 - tasks) > alpha:
        return None  # not even all tasks on one side are rare enough
    variance = 0.5 * ((1 - correlation) / samples + correlation * (1 - shared))
    by = _mcnemar if samples == 1 else _student
    found = by(tasks, variance, alpha, power)
    return found if found <= 1 else None


def _mcnemar(tasks: int, discordance: float, alpha: float, power: float) -> float:
    """Connor's formula solved for the difference, by halving: the tasks it asks for fall as the difference grows."""
    normal = statistics.NormalDist()
    a, b = normal.inv_cdf(1 - alpha / 2), normal.inv_cdf(power)

    def wanted(difference: float) -> float:
        differing = max(discordance, difference)
        spread = math.sqrt(max(0.0, differing - difference**2))
        return ((a * math.sqrt(differing) + b * spread) / difference) ** 2

    if wanted(1.0) > tasks:
        return math.inf
    low, high = 0.0, 1.0
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (low, middle) if wanted(middle) <= tasks else (middle, high)
    return high


def _student(tasks: int, variance: float, alpha: float, power: float) -> float:
    from scipy.special import stdtrit  # noqa: PLC0415  (0.1 s that most commands can do without)

    quantiles = stdtrit(tasks - 1, 1 - alpha / 2) + stdtrit(tasks - 1, power)
    return float(quantiles * math.sqrt(variance / tasks))


def told(tasks: int, samples: int, family: int) -> str:
    """One line for a person, the assumptions included."""
    design = f"{tasks} tasks × {samples} sample{'s' if samples > 1 else ''}"
    alone = detectable(tasks, samples)
    together = detectable(tasks, samples, family=family)
    if alone is None:
        return f"power: {design} tell no difference from chance in 80 % of cases; take more tasks"
    line = (
        f"power: {design} tell a difference of {100 * alone:.0f} points from none in 80 % of cases"
    )
    if family > 1:
        line += (
            f", or one of {100 * together:.0f} after Holm over {family}"
            if together is not None
            else f", but none after Holm over {family}"
        )
    assumed = (
        f"cells differ on {DISCORDANCE:.0%} of the tasks"
        if samples == 1
        else f"a task's samples correlate by {CORRELATION:g} and cells share {SHARED:.0%} of that"
    )
    return f"{line} (assumed: half pass, {assumed})"
