"""Which contract-violating tests prompts show, so that no oracle scores them."""

from __future__ import annotations

from collections.abc import Sequence

from solexp.violations.cvts import Cvt


def shown(assertions: int, cvts: Sequence[Cvt]) -> tuple[Cvt | None, ...]:
    """For each assertion the test that a prompt may show of it; None where no test is left that violates it.

    The first of those that violate the fewest assertions, and that no assertion before has taken. Depends on nothing
    but the tests and their order: prompts and oracles choose the same.

    >>> one, both = Cvt(violated=(0,), args="[0]"), Cvt(violated=(0, 1), args="[None]")
    >>> shown(2, [both, one]) == (one, both)
    True
    """
    taken: set[str] = set()
    chosen: list[Cvt | None] = []
    for number in range(assertions):
        free = (cvt for cvt in cvts if number in cvt.violated and cvt.args not in taken)
        best = min(free, key=lambda cvt: len(cvt.violated), default=None)
        chosen.append(best)
        if best is not None:
            taken.add(best.args)
    return tuple(chosen)


def scored(assertions: int, cvts: Sequence[Cvt]) -> tuple[Cvt, ...]:
    """The tests that `shown` leaves, each input once: what candidates are scored by, whatever their prompts showed."""
    left = {cvt.args for cvt in shown(assertions, cvts) if cvt is not None}
    found = []
    for cvt in cvts:
        if cvt.args not in left:
            left.add(cvt.args)
            found.append(cvt)
    return tuple(found)
