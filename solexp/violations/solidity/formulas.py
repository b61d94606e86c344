"""Queries as boolean terms over what an execution recorded."""

from __future__ import annotations

from collections.abc import Collection

from solexp.violations.solidity import terms
from solexp.violations.solidity.guards import FunctionGuards
from solexp.violations.solidity.queries import Exactness
from solexp.violations.solidity.recording import Event, Recorder
from solexp.violations.solidity.terms import FALSE, TRUE, Term


class Formulas:
    """The formulas of one function in one state."""

    def __init__(self, recorder: Recorder, guards: FunctionGuards) -> None:
        self.recorder = recorder
        self.events = recorder.events
        # In a state fewer guards may be met than in general, and under other numbers.
        known = {recorder.key(guard): guard.number for guard in guards.guards}
        self._numbers = [known.get(recorder.key(guard)) for guard in recorder.guards]
        self._stated = [guard.kind.stated for guard in recorder.guards]
        self._unknown = [bool(recorder.reasons(e.reached, e.holds)) for e in self.events]

    def number(self, event: Event) -> int | None:
        """The guard's number in the function's record."""
        return None if event.guard is None else self._numbers[event.guard]

    def unsupported(self) -> list[str]:
        """Why some of what is met cannot be told."""
        found: dict[str, None] = {}
        for event, unknown in zip(self.events, self._unknown, strict=True):
            if unknown:
                for reason in self.recorder.reasons(event.reached, event.holds):
                    found[reason] = None
            elif terms.and_(event.reached, event.lost) is not FALSE:
                found |= self.recorder.lost
        return [reason for reason in found if reason]

    def query(
        self, chosen: Collection[int], exactness: Exactness, *, hopeful: bool = False
    ) -> Term:
        """The term that holds of the wanted calls.

        ``hopeful`` takes everything that is unsupported to be as is wanted.
        """
        if exactness is Exactness.FIRST:
            return self._first(chosen, hopeful=hopeful)
        parts: list[Term] = []
        failed = FALSE
        failing: dict[int, Term] = dict.fromkeys(chosen, FALSE)
        for place, event in enumerate(self.events):
            number = self.number(event)
            if number in failing:
                fails = self._fails(place, hopeful=hopeful)
                failing[number] = terms.or_(failing[number], fails)
                failed = terms.or_(failed, fails)
                if not hopeful:
                    parts.append(terms.not_(terms.and_(event.reached, event.lost)))
                continue
            fine = self._fine(place, hopeful=hopeful)
            stated = event.guard is not None and self._stated[event.guard]
            if exactness is Exactness.STATED and not stated:
                fine = terms.or_(fine, failed)
            parts.append(fine)
        return terms.and_(*parts, *failing.values())

    def _first(self, chosen: Collection[int], *, hopeful: bool) -> Term:
        """The chosen guard is the first to fail."""
        if len(chosen) != 1:
            return FALSE
        before, found = TRUE, FALSE
        for place, event in enumerate(self.events):
            if self.number(event) in chosen:
                fails = self._fails(place, hopeful=hopeful)
                found = terms.or_(found, terms.and_(before, fails))
            before = terms.and_(before, self._fine(place, hopeful=hopeful))
        return found

    def wishes(self, chosen: Collection[int]) -> list[Term]:
        """That other guards hold, one by one; those that the author wrote first."""
        fine: dict[int, Term] = {}
        for place, event in enumerate(self.events):
            if event.guard is not None and self.number(event) not in chosen:
                here = self._fine(place, hopeful=False)
                fine[event.guard] = terms.and_(fine.get(event.guard, TRUE), here)
        ordered = sorted(fine, key=lambda number: not self._stated[number])
        return [fine[number] for number in ordered if fine[number] is not TRUE]

    def _fine(self, place: int, *, hopeful: bool) -> Term:
        event = self.events[place]
        if self._unknown[place]:
            return TRUE if hopeful else terms.not_(self._surely(event.reached))
        if hopeful:
            return terms.or_(event.fine, event.lost)
        return terms.and_(event.fine, terms.not_(terms.and_(event.reached, event.lost)))

    def _fails(self, place: int, *, hopeful: bool) -> Term:
        event = self.events[place]
        if self._unknown[place]:
            return self._surely(event.reached) if hopeful else FALSE
        if hopeful:
            return terms.or_(event.fails, terms.and_(event.reached, event.lost))
        return terms.and_(event.fails, terms.not_(event.lost))

    def _surely(self, reached: Term) -> Term:
        """A condition that holds wherever another does, without what is unknown."""
        parts = reached.args if reached.op == "and" else (reached,)
        return terms.and_(*(part for part in parts if not self.recorder.reasons(part)))
