"""Relations between functions, from what their guards read and what they write."""

from __future__ import annotations

from collections.abc import Iterator

from solexp.dcr.expressions import Expression, shown
from solexp.dcr.extraction.behaviour import Behaviour, Write
from solexp.dcr.extraction.estimating import POSITIVE, Value
from solexp.dcr.extraction.switching import Found, Switches
from solexp.dcr.extraction.terms import TRUE, family, keyed, opposite, places, related
from solexp.dcr.graph import RelationType


class Relations(Switches):
    """The relations of one contract."""

    def all(self) -> tuple[Found, ...]:
        """Every relation once, by type."""
        found = [*self._conditions(), *self._responses(), *self._all_includes(), *self.excluded()]
        return tuple(dict.fromkeys(found))

    def _conditions(self) -> Iterator[Found]:
        everything = self.reached(())
        for source in self.behaviours:
            waiting = self.reached((source,))
            for target, guards in self.shut.items():
                direct = any(source in openers for openers in guards)
                alone = any(openers == (source,) for openers in guards)
                needed = target in everything and target not in waiting
                if target != source and direct and (needed or alone):
                    yield RelationType.CONDITION, source, target, None

    # Each of several sources

    def _alternatives(self) -> Iterator[Found]:
        """Where a guard fails at first, each of several sources that by itself can make it hold."""
        for target, guards in self.failing.items():
            # An event is included or not: where the whole contract has to be in a state, what one account has done
            # beforehand stays a guard.
            whole = [guard for guard in guards if not self._of_one(guard)]
            needed = {source for _, source, waiting, _ in self._conditions() if waiting == target}
            choices = set()
            for guard in whole or guards:
                openers = self.openers(target, guard)
                # What happens anyway beforehand, and always makes it hold, leaves no choice.
                if not any(self.opens(each, target, guard, certainly=True) for each in needed):
                    choices.add(tuple(each for each in openers if self.alone(each, openers)))
            for choice in sorted(choices):
                wider = any(set(other) < set(choice) for other in choices if len(other) > 1)
                if len(choice) > 1 and not wider:
                    for source in choice:
                        yield RelationType.INCLUDE, source, target, None

    def _of_one(self, guard: Expression) -> bool:
        """Whether a guard is about one account or token."""
        stored = self.estimator.state
        return any(
            keyed(place)
            for place in places(guard)
            if (family(place) or "").partition(".")[0] in stored
        )

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
        switched = tuple(self.included_again())
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
                    openers = self.openers(target, guard)
                    for source in openers:
                        if self.alone(source, openers):
                            yield RelationType.RESPONSE, source, target, None

    def _settled(self, behaviour: Behaviour, write: Write) -> Iterator[Expression]:
        """The guards that demand the record which a write settles: a credit paid out, an offer taken up, a proposal
        carried out.
        """
        by_caller = any(family(key) == "msg.sender" for key in _keys(write.place))
        own = by_caller or not self._ruled(behaviour, write.family)
        done = write.keyed and write.value == TRUE and opposite(write.place) in behaviour.demands
        credit = write.keyed and write.how == "sub" and behaviour.pays and own
        for guard in behaviour.demands:
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
                amount = shown(write.value) == "0" and self._lacks(behaviour, guard, write.family)
                if credit or (emptied and own and (amount if write.keyed else offer)):
                    yield guard

    def _lacks(self, behaviour: Behaviour, guard: Expression, at: str) -> bool:
        """Whether a guard fails at first for want of what a variable holds."""

        def look(asked: str) -> Value:
            return POSITIVE if related(asked, at) else self.first(asked)

        return self.estimator.of(guard, look, behaviour.parameters) != 0

    def _ruled(self, behaviour: Behaviour, offer: str) -> bool:
        """Whether only one account may call a function, other than the one to which something is offered."""
        return any(
            guard.kind == "binary"
            and guard.text == "=="
            and any(family(place) == "msg.sender" for place in guard.parts)
            and not any(keyed(place) or family(place) == offer for place in guard.parts)
            for guard in behaviour.demands
        )

    # Ownership

    def owners(self) -> frozenset[str]:
        """Variables without keys that some guard compares with the sender."""
        return frozenset(
            at
            for behaviour in self.behaviours.values()
            for guard in behaviour.demands
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
            for guard in behaviour.demands
            if any(family(each) == "msg.sender" for each in places(guard))
            for place in places(guard)
        }
        return any(each.family in owners & own for each in behaviour.writes)


def _keys(place: Expression) -> Iterator[Expression]:
    while place.kind in ("index", "member"):
        if place.kind == "index":
            yield place.parts[1]
        place = place.parts[0]
