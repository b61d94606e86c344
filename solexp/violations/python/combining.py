"""Which combinations of violated assertions are asked for (ContractEval, §3)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator


def combinations(count: int, exhaustive_to: int) -> Iterator[tuple[int, ...]]:
    """Every non-empty set of assertions, small ones first; of more than ``exhaustive_to`` assertions singles and pairs.

    >>> list(combinations(2, 8))
    [(0,), (1,), (0, 1)]
    >>> list(combinations(3, 2))
    [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2)]
    """
    largest = count if count <= exhaustive_to else min(count, 2)
    for size in range(1, largest + 1):
        yield from itertools.combinations(range(count), size)
