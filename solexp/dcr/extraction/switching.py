"""Flags and phases: variables that functions set, and on which others depend."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from msgspec import structs

from solexp.dcr.expressions import Expression
from solexp.dcr.extraction.behaviour import Behaviour, Write
from solexp.dcr.extraction.estimating import Look, Value
from solexp.dcr.extraction.opening import Openings
from solexp.dcr.extraction.terms import (
    FALSE,
    TRUE,
    family,
    joined,
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


class Switches(Openings):
    """What functions switch on and off."""

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
            for guard in other.demands
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
        for guard in behaviour.demands:
            if family(guard) == at and guard.kind in ("name", "member"):
                return 1
            if guard.kind == "unary" and guard.text == "!" and family(guard.parts[0]) == at:
                return 0
            if guard.kind == "binary" and guard.text == "==":
                for one, other in (guard.parts, guard.parts[::-1]):
                    if family(one) == at:
                        return self.estimator.of(other, lambda _: None, {})
        return None

    def excluded(self) -> Iterator[Found]:
        for switch in self.switches:
            if not switch.holds:
                yield RelationType.EXCLUDE, switch.source, switch.target, switch.when

    def included_again(self) -> Iterator[Found]:
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
                    for guard in behaviour.demands
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
