"""How the time of some work grows with its size, told apart from a busy machine's noise."""

import time
from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")

ROUNDS = 8


def growth(make: Callable[[int], Made], work: Callable[[Made], object], small: int) -> float:
    """How many times the CPU time of `small` work on eight times as much takes.

    Both sizes are timed by turns and each counts with its quickest round, since what other
    processes do to a cache only adds. Linear work gives about 8, quadratic about 64; the rounds end
    as soon as the answer is below 12. What takes less than 2 ms counts as 2 ms.
    """
    made = make(small), make(8 * small)
    quickest = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for place, each in enumerate(made):
            started = time.process_time()
            work(each)
            quickest[place] = min(quickest[place], time.process_time() - started)
        if _ratio(quickest) < 12:
            break
    return _ratio(quickest)


def _ratio(quickest: list[float]) -> float:
    return quickest[1] / max(quickest[0], 0.002)
