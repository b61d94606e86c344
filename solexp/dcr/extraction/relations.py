"""Relations between functions, from what their guards read and what they write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from solexp.dcr.expressions import Expression
from solexp.dcr.extraction.behaviour import Behaviour, Write
from solexp.dcr.extraction.estimating import POSITIVE, Estimator, Look, Value
from solexp.dcr.extraction.terms import (
    family,
    keyed,
    known,
    opposite,
    places,
    related,
    replaced,
    text,
)
from solexp.dcr.graph import RelationType

Found = tuple[RelationType, str, str, str | None]
"""Type, source, target, guard."""


class Relations:
    """The relations of one contract."""

    def __init__(
        self,
        behaviours: Mapping[str, Behaviour],
        construction: Sequence[Write],
        estimator: Estimator,
    ) -> None:
        self.behaviours = behaviours
        self.construction = construction
        self.estimator = estimator

    def all(self) -> tuple[Found, ...]:
        """Every relation once, by type."""
        found = [*self._conditions(), *self._responses(), *self._includes(), *self._excludes()]
        return tuple(dict.fromkeys(found))

    # Before anything has happened

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
    def shut(self) -> dict[str, tuple[tuple[str, ...], ...]]:
        """For each event, for each of its guards that fails at first, the other events that can make it hold."""
        return {
            name: tuple(
                self._openers(name, guard)
                for guard in behaviour.guards
                if self.estimator.of(guard, self.first, behaviour.parameters) == 0
            )
            for name, behaviour in self.behaviours.items()
        }

    def _openers(self, target: str, guard: Expression) -> tuple[str, ...]:
        return tuple(
            name
            for name, behaviour in self.behaviours.items()
            if name != target
            and any(self._opens(behaviour, write, target, guard) for write in behaviour.writes)
        )

    def _opens(self, source: Behaviour, write: Write, target: str, guard: Expression) -> bool:
        read = {family(place) or "" for place in places(guard)}
        if not any(related(write.family, at) for at in read):
            return False
        if write.how == "sub" and self.first(write.family) == 0:
            return False
        look = self._after(source, write)
        return self.estimator.of(guard, look, self.behaviours[target].parameters) != 0

    def _after(self, source: Behaviour, write: Write) -> Look:
        """What variables hold once a write has been made on what was there at first."""

        def look(at: str) -> Value:
            if not related(write.family, at):
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
            for guard in source.guards
        )

    def _reached(self, without: str | None) -> frozenset[str]:
        """Events that can ever happen, where one does not."""
        found: set[str] = set()
        while True:
            more = {
                name
                for name, guards in self.shut.items()
                if name not in found
                and name != without
                and all(any(each in found for each in openers) for openers in guards)
            }
            if not more:
                return frozenset(found)
            found |= more

    def _conditions(self) -> Iterator[Found]:
        everything = self._reached(None)
        for source in self.behaviours:
            waiting = self._reached(source)
            for target, guards in self.shut.items():
                direct = any(source in openers for openers in guards)
                alone = any(openers == (source,) for openers in guards)
                needed = target in everything and target not in waiting
                if target != source and direct and (needed or alone):
                    yield RelationType.CONDITION, source, target, None

    # Flags and phases

    @cached_property
    def switches(self) -> tuple[tuple[bool, str, str, str, str | None], ...]:
        """For each write of a variable without keys and each guard on it: whether the guard holds afterwards, source,
        target, variable, and under which condition.
        """
        return tuple(
            (holds, source, target, write.family, when)
            for source, behaviour in self.behaviours.items()
            for write in behaviour.writes
            if not write.keyed and write.how == "set" and known(write.value)
            for target, other in self.behaviours.items()
            for guard in other.guards
            for holds, when in self._switched(behaviour, write, other, guard)
        )

    def _switched(
        self, source: Behaviour, write: Write, target: Behaviour, guard: Expression
    ) -> Iterator[tuple[bool, str | None]]:
        if not any(place == write.place for place in places(guard)):
            return
        if write.when is not None and not known(write.when):
            return
        when = None if write.when is None else text(write.when)

        def look(at: str) -> Value:
            if at != write.family:
                return None
            return self.estimator.of(write.value, lambda _: None, source.parameters)

        found = self.estimator.of(guard, look, target.parameters)
        if found is not None:
            yield found != 0, when
        elif when is None and guard in (write.place, opposite(write.place)):
            # A setter: what it does depends on what it is given.
            after = replaced(guard, write.place, write.value)
            if guard == opposite(write.place):
                after = opposite(write.value)
            yield True, text(after)
            yield False, text(opposite(after))

    def _excludes(self) -> Iterator[Found]:
        for holds, source, target, _, when in self.switches:
            if not holds:
                yield RelationType.EXCLUDE, source, target, when

    def _includes(self) -> Iterator[Found]:
        excluded = {(target, at) for holds, _, target, at, _ in self.switches if not holds}
        for holds, source, target, at, when in self.switches:
            if holds and source != target and (target, at) in excluded:
                yield RelationType.INCLUDE, source, target, when

    def once(self) -> frozenset[str]:
        """Events that exclude themselves whenever they happen, and that nothing includes."""
        included = {target for _, _, target, _ in self._includes()}
        return frozenset(
            source
            for _, source, target, when in self._excludes()
            if source == target and when is None and source not in included
        )

    # Records

    def _responses(self) -> Iterator[Found]:
        for target, behaviour in self.behaviours.items():
            for write in behaviour.writes:
                if write.how != "set" or write.value.text not in ("0", "address"):
                    continue
                asked = [
                    guard
                    for guard in behaviour.guards
                    if any(
                        related(family(place) or "", write.family) and keyed(place) == write.keyed
                        for place in places(guard)
                    )
                    and self.estimator.of(guard, self.first, behaviour.parameters) == 0
                ]
                for guard in asked:
                    for source in self._openers(target, guard):
                        yield RelationType.RESPONSE, source, target, None

    # Ownership

    def owners(self) -> frozenset[str]:
        """Variables without keys that some guard compares with the sender."""
        return frozenset(
            at
            for behaviour in self.behaviours.values()
            for guard in behaviour.guards
            if guard.kind == "binary" and guard.text == "=="
            for one, other in (guard.parts, guard.parts[::-1])
            if family(other) == "msg.sender"
            and not keyed(one)
            and (at := family(one)) is not None
            and at.partition(".")[0] in self.estimator.state
        )

    def hands_over(self, name: str, owners: frozenset[str]) -> bool:
        """Whether a function changes the one who may call it."""
        behaviour = self.behaviours[name]
        own = {
            family(place)
            for guard in behaviour.guards
            if any(family(each) == "msg.sender" for each in places(guard))
            for place in places(guard)
        }
        return any(each.family in owners & own for each in behaviour.writes)


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
