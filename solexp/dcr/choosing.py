"""Which event comes next. SolBehave's rule, with rests for events that keep failing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import msgspec

from solexp.dcr.graph import Event, Graph, Marking, RelationType
from solexp.dcr.records import Search

_REST = 64
"""Longest rest, in attempts."""


class Tally(msgspec.Struct):
    """What became of an event so far."""

    attempted: int = 0
    succeeded: int = 0
    closed: int = 0
    """Successes that excluded another event."""
    failing: int = 0
    """Attempts that failed since the last success or fresh start."""
    resting: int = 0
    """The attempt from which on it is tried again."""


class Chooser:
    """Remembers how events fared."""

    def __init__(self, graph: Graph, search: Search, random: Random) -> None:
        self.tallies = {event.id: Tally() for event in graph.events}
        self.attempts = 0
        """Attempts of any event."""
        self._graph = graph
        self._search = search
        self._random = random

    def afresh(self) -> None:
        """The contract is deployed anew."""
        for tally in self.tallies.values():
            tally.failing = tally.resting = 0

    def count(self, event: Event, *, succeeded: bool) -> None:
        """An event was tried."""
        tally = self.tallies[event.id]
        self.attempts += 1
        tally.attempted += 1
        if succeeded:
            tally.succeeded += 1
            tally.failing = tally.resting = 0
        else:
            tally.failing += 1
            tally.resting = self.attempts + min(_REST, 2**tally.failing)

    def awake(self, events: Sequence[Event]) -> list[Event]:
        """Those that do not rest after failures."""
        return [each for each in events if self.tallies[each.id].resting <= self.attempts]

    def choose(self, events: Sequence[Event], marking: Marking, waited: frozenset[str]) -> Event:
        """One of the events: what is owed, what others wait for, or the most promising."""
        if self._random.random() >= self._search.closing:
            events = [each for each in events if not self.closes(each, marking)] or events
        owed = [event for event in events if event.id in marking.pending]
        if owed and self._random.random() < self._search.beta:
            return self._random.choice(owed)
        wanted = [event for event in events if event.id in waited]
        if wanted and self._random.random() < self._search.alpha:
            return self._random.choice(wanted)
        return self._promising(events)

    def closes(self, event: Event, marking: Marking) -> bool:
        """Whether it would end what others could still do; where guards decide that, unless it mostly has not."""
        tally = self.tallies[event.id]
        seldom = 2 * tally.closed < tally.succeeded
        return any(
            each.type == RelationType.EXCLUDE
            and each.target != event.id
            and each.target in marking.included
            and not (seldom and each.guard)
            for each in self._graph.from_source[event.id]
        )

    def _promising(self, events: Sequence[Event]) -> Event:
        """By the upper bound of confidence in its rate of success (Auer and others 2002, UCB1), untried ones first."""
        fresh = [event for event in events if not self.tallies[event.id].attempted]
        if fresh:
            return self._random.choice(fresh)
        total = math.log(max(2, self.attempts))

        def bound(event: Event) -> float:
            tally = self.tallies[event.id]
            return tally.succeeded / tally.attempted + math.sqrt(2 * total / tally.attempted)

        return max(events, key=bound)
