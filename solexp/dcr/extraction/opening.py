"""What fails as a contract is deployed, and which functions can make it hold."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property

from solexp.dcr.expressions import Expression
from solexp.dcr.extraction.behaviour import Behaviour, Write
from solexp.dcr.extraction.estimating import POSITIVE, Estimator, Look, Value
from solexp.dcr.extraction.terms import ZERO, family, places, related


class Openings:
    """Which functions of a contract can happen at first, and which only after others."""

    def __init__(
        self,
        behaviours: Mapping[str, Behaviour],
        construction: Sequence[Write],
        estimator: Estimator,
    ) -> None:
        self.behaviours = behaviours
        self.construction = construction
        self.estimator = estimator

    def first(self, at: str) -> Value:
        """What a variable holds after deployment."""
        writes = [each for each in self.construction if related(each.family, at)]
        if not writes:
            return 0
        last = writes[-1]
        if last.keyed or last.when is not None or last.family != at or last.how != "set":
            return None
        return self.estimator.of(last.value, lambda _: None, {})

    @cached_property
    def failing(self) -> dict[str, tuple[Expression, ...]]:
        """For each event, its guards that fail at first."""
        return {
            name: tuple(
                guard
                for guard in behaviour.demands
                if self.estimator.of(guard, self.first, behaviour.parameters) == 0
            )
            for name, behaviour in self.behaviours.items()
        }

    @cached_property
    def shut(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """For each event, for each of its guards that fails at first, the other events that can make it hold."""
        return {
            name: tuple(self.openers(name, guard) for guard in guards)
            for name, guards in self.failing.items()
        }

    def openers(self, target: str, guard: Expression) -> tuple[str, ...]:
        return tuple(
            name for name in self.behaviours if name != target and self.opens(name, target, guard)
        )

    def opens(self, name: str, target: str, guard: Expression, *, certainly: bool = False) -> bool:
        """Whether what a function stores, or stores whenever it succeeds, can make a guard hold that fails at first."""
        source = self.behaviours[name]
        read = {family(place) or "" for place in places(guard)}
        writes = [
            each
            for each in source.writes
            if any(related(each.family, at) for at in read)
            and not (lessens(each) and self.first(each.family) == 0)
            and (each.when is None or not certainly)
        ]
        look = self._after(source, writes)
        parameters = self.behaviours[target].parameters
        return bool(writes) and self.estimator.of(guard, look, parameters) != 0

    def _after(self, source: Behaviour, writes: Sequence[Write]) -> Look:
        """What variables hold once writes have been made on what was there at first."""

        def look(at: str) -> Value:
            write = next((each for each in reversed(writes) if related(each.family, at)), None)
            if write is None:
                return self.first(at)
            if write.how == "add":
                return POSITIVE
            if write.how == "sub":
                return None
            value = _part(write, at)
            if value is None:
                return None
            found = self.estimator.of(value, lambda _: None, source.parameters)
            return POSITIVE if found is None and self._demanded(source, value) else found

        return look

    def _demanded(self, source: Behaviour, value: Expression) -> bool:
        """Whether the source itself demands that a value be not zero."""
        return any(
            guard.kind == "binary"
            and guard.text in ("!=", ">")
            and guard.parts[0] == value
            and self.estimator.of(guard.parts[1], lambda _: None, {}) == 0
            for guard in source.demands
        )

    def reached(self, without: Collection[str]) -> frozenset[str]:
        """Events that can ever happen, where some do not."""
        found: set[str] = set()
        while True:
            more = {
                name
                for name, guards in self.shut.items()
                if name not in found
                and name not in without
                and all(any(each in found for each in openers) for openers in guards)
            }
            if not more:
                return frozenset(found)
            found |= more

    def alone(self, source: str, openers: Sequence[str]) -> bool:
        """Whether an event can happen though none of the others of a group does."""
        others = frozenset(openers) - {source}
        return source in self.reached(others)


def lessens(write: Write) -> bool:
    """Whether a write leaves less than was there, or nothing."""

    def less(value: Expression) -> bool:
        if value.kind == "choice":
            return less(value.parts[1]) and less(value.parts[2])
        taken = value.kind == "binary" and value.text == "-" and value.parts[0] == write.place
        return taken or value == ZERO

    return write.how == "sub" or (write.how == "set" and less(write.value))


def _part(write: Write, at: str) -> Expression | None:
    """What a write gives to a variable, or to the member of it that ``at`` names."""
    rest = at.removeprefix(write.family).strip(".")
    if not rest or not at.startswith(write.family):
        return write.value if at == write.family else None
    labels = write.value.text.split(",") if write.value.kind == "call" else []
    if rest in labels:
        return write.value.parts[1 + labels.index(rest)]
    # Emptied as a whole.
    return write.value if write.value.kind == "literal" else None
