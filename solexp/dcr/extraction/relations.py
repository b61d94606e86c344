"""Relations between functions, from what their guards read and what they write."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from msgspec import structs

from solexp.dcr.expressions import Expression, shown
from solexp.dcr.extraction.behaviour import Behaviour, Write
from solexp.dcr.extraction.estimating import POSITIVE, Estimator, Look, Value
from solexp.dcr.extraction.terms import (
    FALSE,
    TRUE,
    family,
    joined,
    keyed,
    known,
    opposite,
    places,
    related,
    text,
)
from solexp.dcr.graph import RelationType

Found = tuple[RelationType, str, str, str | None]
"""Type, source, target, guard."""


class Switch(NamedTuple):
    """What a write of a variable without keys does to a guard that reads it."""

    holds: bool
    """Whether the guard holds, or can hold, afterwards."""
    source: str
    target: str
    at: str
    """The variable."""
    when: str | None
    stored: Value


def _holding(at: str, value: Value) -> Look:
    """Of a contract only one variable is known."""
    return lambda asked: value if asked == at else None


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
        found = [*self._conditions(), *self._responses(), *self._all_includes(), *self._excludes()]
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
            if name != target and self._opens(behaviour, target, guard)
        )

    def _opens(self, source: Behaviour, target: str, guard: Expression) -> bool:
        """Whether what a function stores can make a guard hold that fails at first."""
        read = {family(place) or "" for place in places(guard)}
        writes = [
            each
            for each in source.writes
            if any(related(each.family, at) for at in read)
            and not (each.how == "sub" and self.first(each.family) == 0)
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
            for guard in source.guards
        )

    def _reached(self, without: Collection[str]) -> frozenset[str]:
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

    def _conditions(self) -> Iterator[Found]:
        everything = self._reached(())
        for source in self.behaviours:
            waiting = self._reached((source,))
            for target, guards in self.shut.items():
                direct = any(source in openers for openers in guards)
                alone = any(openers == (source,) for openers in guards)
                needed = target in everything and target not in waiting
                if target != source and direct and (needed or alone):
                    yield RelationType.CONDITION, source, target, None

    # Flags and phases

    @cached_property
    def switches(self) -> tuple[Switch, ...]:
        """What each write of a variable without keys does to each guard on that variable."""
        return tuple(
            switch
            for source, behaviour in self.behaviours.items()
            for write in behaviour.writes
            if not write.keyed and write.how == "set" and known(write.value)
            if write.when is None or known(write.when)
            for target, other in self.behaviours.items()
            for guard in other.guards
            if any(place == write.place for place in places(guard))
            for switch in self._each_switched(source, behaviour, write, target, guard)
        )

    def _each_switched(
        self, source: str, behaviour: Behaviour, write: Write, target: str, guard: Expression
    ) -> Iterator[Switch]:
        """A write of one of two values is two writes, told apart only where they differ in what they do."""
        if write.value.kind != "choice":
            yield from self._switched(source, behaviour, write, target, guard)
            return
        asked, yes, no = write.value.parts
        found = [
            switch
            for value, when in ((yes, asked), (no, opposite(asked)))
            for switch in self._switched(
                source,
                behaviour,
                structs.replace(
                    write,
                    value=value,
                    when=when if write.when is None else joined((write.when, when)),
                ),
                target,
                guard,
            )
        ]
        if len(found) > 1 and len({each.holds for each in found}) == 1 and write.when is None:
            found = [each._replace(when=None) for each in found]
        yield from found

    def _switched(
        self, source: str, behaviour: Behaviour, write: Write, target: str, guard: Expression
    ) -> Iterator[Switch]:
        when = None if write.when is None else self._afterwards(behaviour, write)
        parameters = self.behaviours[target].parameters
        stored = self.estimator.of(write.value, lambda _: None, behaviour.parameters)
        after = self.estimator.of(guard, _holding(write.family, stored), parameters)
        before = self._before(behaviour, write.family)
        if before is not None:
            then = self.estimator.of(guard, _holding(write.family, before), parameters)
            if then is not None and after is not None and (then == 0) == (after == 0):
                # Nothing changes.
                return
        if after is None and when is None and guard in (write.place, opposite(write.place)):
            # A setter: what it does depends on what it is given.
            asked = write.value if guard == write.place else opposite(write.value)
            yield Switch(True, source, target, write.family, text(asked), None)
            yield Switch(False, source, target, write.family, text(opposite(asked)), None)
        else:
            yield Switch(after != 0, source, target, write.family, when, stored)

    @staticmethod
    def _afterwards(behaviour: Behaviour, write: Write) -> str:
        """Under which condition something was written, as the state after the call tells it."""
        assert write.when is not None
        changed = any(
            related(family(place) or "", each.family)
            for place in places(write.when)
            for each in behaviour.writes
        )
        if not changed:
            return text(write.when)
        if write.value in (TRUE, FALSE):
            return text(write.place if write.value == TRUE else opposite(write.place))
        return text(Expression("binary", "==", (write.place, write.value)))

    def _before(self, behaviour: Behaviour, at: str) -> Value:
        """What a variable must hold where a function succeeds, if its guards leave one value."""
        for guard in behaviour.guards:
            if family(guard) == at and guard.kind in ("name", "member"):
                return 1
            if guard.kind == "unary" and guard.text == "!" and family(guard.parts[0]) == at:
                return 0
            if guard.kind == "binary" and guard.text == "==":
                for one, other in (guard.parts, guard.parts[::-1]):
                    if family(one) == at:
                        return self.estimator.of(other, lambda _: None, {})
        return None

    def _excludes(self) -> Iterator[Found]:
        for switch in self.switches:
            if not switch.holds:
                yield RelationType.EXCLUDE, switch.source, switch.target, switch.when

    def _includes(self) -> Iterator[Found]:
        over = self.once()
        for switch in self._restoring():
            if switch.source != switch.target and switch.target not in over:
                yield RelationType.INCLUDE, switch.source, switch.target, switch.when

    def _restoring(self) -> Iterator[Switch]:
        """The switches after which a guard can hold again that a switch before them has made fail."""
        for switch in self.switches:
            if switch.holds and any(
                not other.holds
                and (other.target, other.at) == (switch.target, switch.at)
                and self._follows(other, switch.source)
                for other in self.switches
            ):
                yield switch

    def _follows(self, switch: Switch, source: str) -> bool:
        """Whether a function can succeed after a switch, as far as its variable goes: at once, or after others."""
        seen: set[Value] = set()
        values = [switch.stored]
        while values:
            value = values.pop()
            if value in seen:
                continue
            seen.add(value)
            look = _holding(switch.at, value)
            for name, behaviour in self.behaviours.items():
                able = all(
                    self.estimator.of(guard, look, behaviour.parameters) != 0
                    for guard in behaviour.guards
                )
                if able and name == source:
                    return True
                if able:
                    values += [
                        self.estimator.of(write.value, lambda _: None, behaviour.parameters)
                        for write in behaviour.writes
                        if write.family == switch.at and not write.keyed
                    ]
        return False

    def once(self) -> frozenset[str]:
        """Events that, whenever they happen, make a guard of their own fail that nothing makes hold again."""
        restored = {(each.target, each.at) for each in self._restoring()}
        return frozenset(
            each.source
            for each in self.switches
            if not each.holds
            and each.source == each.target
            and each.when is None
            and (each.target, each.at) not in restored
        )

    # Each of several sources

    def _alternatives(self) -> Iterator[Found]:
        """Where a guard fails at first, each of several sources that by itself can make it hold."""
        for target, guards in self.shut.items():
            for openers in guards:
                first = [each for each in openers if self._alone(each, openers)]
                if len(first) > 1:
                    for source in first:
                        yield RelationType.INCLUDE, source, target, None

    def _alone(self, source: str, openers: Sequence[str]) -> bool:
        """Whether an event can happen though none of the others of a group does."""
        others = frozenset(openers) - {source}
        return source in self._reached(others)

    def waiting(self) -> frozenset[str]:
        """Events with a guard that fails at first and that some event includes which makes it hold."""
        included = {(source, target) for _, source, target, _ in self._all_includes()}
        return frozenset(
            target
            for target, guards in self.shut.items()
            for openers in guards
            if any((source, target) in included for source in openers)
        )

    def _all_includes(self) -> Iterator[Found]:
        switched = tuple(self._includes())
        yield from switched
        known_pairs = {(source, target) for _, source, target, _ in switched}
        for each in self._alternatives():
            if each[1:3] not in known_pairs:
                yield each

    # Records

    def _responses(self) -> Iterator[Found]:
        for target, behaviour in self.behaviours.items():
            for write in behaviour.writes:
                for guard in self._settled(behaviour, write):
                    openers = self._openers(target, guard)
                    for source in openers:
                        if self._alone(source, openers):
                            yield RelationType.RESPONSE, source, target, None

    def _settled(self, behaviour: Behaviour, write: Write) -> Iterator[Expression]:
        """The guards that demand the record which a write settles: a credit paid out, an offer taken up, a proposal
        carried out.
        """
        by_caller = any(family(key) == "msg.sender" for key in _keys(write.place))
        own = by_caller or not self._ruled(behaviour, write.family)
        done = write.keyed and write.value == TRUE and opposite(write.place) in behaviour.guards
        credit = write.keyed and write.how == "sub" and behaviour.pays and own
        for guard in behaviour.guards:
            if guard.kind != "binary" or guard.text == "||":
                continue
            if self.estimator.of(guard, self.first, behaviour.parameters) != 0:
                continue
            read = {family(place) or "" for place in places(guard)}
            if done and {at.partition(".")[0] for at in read} & {write.family.partition(".")[0]}:
                yield guard
            elif any(related(at, write.family) for at in read):
                offer = any(family(place) == "msg.sender" for place in places(guard))
                emptied = write.how == "set" and shown(write.value) in ("0", "address(0)")
                amount = guard.text in (">", ">=", "<", "<=", "!=")
                if credit or (emptied and own and (amount if write.keyed else offer)):
                    yield guard

    def _ruled(self, behaviour: Behaviour, offer: str) -> bool:
        """Whether only one account may call a function, other than the one to which something is offered."""
        return any(
            guard.kind == "binary"
            and guard.text == "=="
            and any(family(place) == "msg.sender" for place in guard.parts)
            and not any(keyed(place) or family(place) == offer for place in guard.parts)
            for guard in behaviour.guards
        )

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


def _keys(place: Expression) -> Iterator[Expression]:
    while place.kind in ("index", "member"):
        if place.kind == "index":
            yield place.parts[1]
        place = place.parts[0]
