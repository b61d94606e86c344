"""Paths through statements: how a block is left, and where several ways meet."""

from __future__ import annotations

from collections.abc import Iterable

from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.merging import merge
from solexp.violations.python.terms import Bool
from solexp.violations.python.values import Opaque, Value

Names = dict[str, Value]
UNBOUND = Opaque("unbound")
"""Stands for the value of a name that has none on some path."""


class Exit:
    """A way out of a block other than its end: ``return``, ``break``, ``continue`` or ``raise``."""

    __slots__ = ("asserted", "guard", "kind", "names", "raised", "value")

    def __init__(
        self,
        kind: str,
        guard: Bool,
        names: Names,
        value: Value = None,
        *,
        raised: type[BaseException] | None = None,
        asserted: bool = False,
    ) -> None:
        self.kind = kind
        self.guard = guard
        self.names = names
        self.value = value
        self.raised = raised
        self.asserted = asserted
        """Whether it is the failure of the assertion that is kept."""


def remaining(path: Bool, left: Iterable[Bool]) -> Bool:
    """The part of a path that none of the guards takes away."""
    guards = list(left)
    if any(guard is path for guard in guards):
        return False
    return and_(path, not_(or_(*guards)))


def joined(ends: Iterable[tuple[Bool, Names]]) -> Names:
    """The names where several ways meet."""
    given = [end for end in ends if end[0] is not False]
    if len(given) == 1:
        return given[0][1]
    found: Names = {}
    for name in dict.fromkeys(name for _, names in given for name in names):
        values = [(guard, names.get(name, UNBOUND)) for guard, names in given]
        first = values[0][1]
        found[name] = first if all(value is first for _, value in values) else merge(values)
    return found
