"""The state of a symbolic evaluation: the path it is on, and what else than a value it came to.

Operations are written for values of one type each; `Evaluation.lift` applies them to every combination of the
alternatives of unions. An operation that raises, that cannot be expressed, or that would leave the bounds records so
with the condition of its path and gives `NOTHING`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from solexp.violations.python import arith
from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.merging import merge
from solexp.violations.python.terms import Bool, TooLarge
from solexp.violations.python.values import (
    NOTHING,
    Alternatives,
    Bag,
    Opaque,
    SBool,
    Seq,
    SFloat,
    SInt,
    Table,
    Text,
    Trouble,
    Value,
    alternatives,
    typed,
)


class Limits:
    """How much an evaluation may unroll; what would need more lies beyond the bounds."""

    def __init__(self, *, steps: int = 40, calls: int = 30, spread: int = 60_000) -> None:
        self.steps = steps
        """Values of an unknown integer that are told apart: elements of a range, iterations of a while."""
        self.calls = calls
        """Nested calls."""
        self.spread = spread
        """Alternatives and steps that may be looked at in one evaluation of one assertion."""


class Evaluation:
    """The path condition, and the trouble met so far."""

    def __init__(self, limits: Limits) -> None:
        self.path: Bool = True
        self.trouble = Trouble()
        self.limits = limits
        self.calls = 0
        self._looked = 0

    def fail(self, kind: type[BaseException], condition: Bool = True) -> Value:
        """An exception is raised here where the condition holds."""
        guard = and_(self.path, condition)
        if guard is not False:
            self.trouble.raised.append((guard, kind))
        return NOTHING

    def refuse(self, construct: str, condition: Bool = True) -> Value:
        """What comes here cannot be expressed."""
        guard = and_(self.path, condition)
        if guard is not False:
            self.trouble.refused.append((guard, construct))
        return NOTHING

    def beyond(self, what: str, condition: Bool = True) -> Value:
        """What comes here lies outside the bounds."""
        guard = and_(self.path, condition)
        if guard is not False:
            self.trouble.beyond.append((guard, what))
        return NOTHING

    @contextmanager
    def under(self, condition: Bool) -> Iterator[bool]:
        """The path on which the condition holds too; False where that is none."""
        path = self.path
        self.path = and_(path, condition)
        try:
            yield self.path is not False
        finally:
            self.path = path

    @contextmanager
    def aside(self) -> Iterator[Trouble]:
        """Trouble within is collected apart, and is up to the caller."""
        outer, self.trouble = self.trouble, Trouble()
        try:
            yield self.trouble
        finally:
            self.trouble = outer

    def take(self, trouble: Trouble, condition: Bool = True) -> None:
        """Trouble that was collected apart happens here where the condition holds."""
        for guard, kind in trouble.raised:
            self.fail(kind, and_(guard, condition))
        for guard, construct in trouble.refused:
            self.refuse(construct, and_(guard, condition))
        for guard, what in trouble.beyond:
            self.beyond(what, and_(guard, condition))

    def lift(self, operation: Callable[..., Value], *values: Value) -> Value:
        """The operation on every combination of alternatives that the path allows."""
        return self._lifted(operation, [alternatives(value) for value in values])

    def lift_typed(self, operation: Callable[..., Value], *values: Value) -> Value:
        """The same for an operation that only needs to know types: unknown strings stay together."""
        return self._lifted(operation, [typed(value) for value in values])

    def looked(self, many: int) -> None:
        """Count alternatives and steps; TooLarge where they are more than the limits allow."""
        self._looked += many
        if self._looked > self.limits.spread:
            raise TooLarge

    def _lifted(self, operation: Callable[..., Value], given: list[Alternatives]) -> Value:
        if all(len(each) == 1 and each[0][0] is True for each in given):
            return operation(*(each[0][1] for each in given))
        path = self.path
        rows: list[tuple[Bool, Bool, tuple[Value, ...]]] = [(True, path, ())]
        for each in given:
            rows = [
                (and_(guard, own), here, (*row, value))
                for guard, _, row in rows
                for own, value in each
                if (here := and_(path, guard, own)) is not False
            ]
            self.looked(len(rows))
        found = []
        try:
            for guard, here, row in rows:
                self.path = here
                found.append((guard, operation(*row)))
        finally:
            self.path = path
        return merge(found)

    def truth(self, value: Value) -> Bool:
        """Whether a value is true."""
        if isinstance(value, bool):
            return value
        if isinstance(value, SBool):
            return value.term
        rows = alternatives(value)
        for guard, each in rows:
            if isinstance(each, Opaque) and not each.true:
                self.refuse(f"the truth of {each.name}", guard)
        return or_(*(and_(guard, _truth(each)) for guard, each in rows))

    def call(self, function: Value, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Value:  # noqa: ARG002
        """What calling a value gives: refused here, where nothing executes functions."""
        return self.refuse("a call")

    def join(self, given: Iterable[tuple[Bool, Value]]) -> Value:
        return merge(given)


def _truth(value: Value) -> Bool:
    if isinstance(value, SBool):
        return value.term
    if isinstance(value, SInt):
        return not_(arith.equal(value.term, 0))
    if isinstance(value, SFloat):
        return not_(arith.equal(value.term, 0))
    if isinstance(value, Text | Seq | Bag | Table):
        return or_(*(guard for guard, *_ in value.items))
    if value is None or isinstance(value, bool | int | float | str):
        return bool(value)
    return True
