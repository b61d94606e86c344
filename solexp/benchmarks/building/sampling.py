"""Drawing a few rows of many, so that every stratum has its share."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def stratified(
    rows: Sequence[T],
    count: int,
    *,
    stratum: Callable[[T], str],
    name: Callable[[T], str],
    seed: int = 0,
) -> list[T]:
    """At most ``count`` rows, in their order: of each stratum in proportion to its size, and one at least if that fits.

    Seats are shared out by Sainte-Laguë's divisors; which rows of a stratum are drawn depends on the seed and on that
    stratum alone.
    """
    strata: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        strata[stratum(row)].append(name(row))
    count = min(count, len(rows))
    seats = dict.fromkeys(strata, 1 if count >= len(strata) else 0)
    while sum(seats.values()) < count:
        open_ = [key for key in strata if seats[key] < len(strata[key])]
        seats[min(open_, key=lambda key: (-len(strata[key]) / (2 * seats[key] + 1), key))] += 1
    drawn: set[str] = set()
    for key, names in strata.items():
        order = sorted(names)
        random.Random(f"{seed}:{key}").shuffle(order)
        drawn.update(order[: seats[key]])
    return [row for row in rows if name(row) in drawn]
