"""Walking along a graph: which event, by which call, until there are enough; step by step on the original.

SolBehave's sequence generation (its oracle O3): the marking says which events are enabled, guards are evaluated on the
deployed contract, a call that reverts is discarded, events that hand ownership over come last, and where nothing is
enabled the contract is deployed afresh. Beyond it, a call whose proposed arguments revert is looked for: in recorded
calls, by drawing, by a solver, and at later times.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

import msgspec

from solexp.core import Call, CallResult
from solexp.core.hashing import content_hash
from solexp.dcr.borders import Borders
from solexp.dcr.choosing import Chooser
from solexp.dcr.drafts import Draft, times
from solexp.dcr.expressions import names
from solexp.dcr.graph import Event, Graph, write
from solexp.dcr.ground import Ground, Trial
from solexp.dcr.guarding import GAS, Guards
from solexp.dcr.records import Counted, Rejected, Search, Sequences
from solexp.dcr.semantics import awaited, execute, is_enabled
from solexp.evm.gas import LEAST, MULTIPLE
from solexp.evm.stepping import BLOCK_S

if TYPE_CHECKING:
    from solexp.dcr.solving import Solving

_WIDE = 8
"""Calls that are tried for an event at once."""
_WIDEST = 8
"""So many times as many drawn calls are tried, at most, for an event that keeps failing."""
_PATIENCE = 3
"""Attempts in a row that may fail where every enabled event rests, before the contract is deployed afresh."""
_LEADING = 150
"""Recorded calls that a program begins with, at most."""
_LED = 30
"""Calls that may come after them in any case."""
_BARREN = 3
"""Fresh starts in a row without any call after which the search ends."""
_WAITING = 0.5
"""Chance that one of the events which wait for time alone is let come, times their share of all that could come."""
_LATER = 0.1
"""Chance that an event whose calls all fail is tried at later times."""
_LATER_STATED = 0.5
"""... where its guard speaks of time."""
_LATEST = 3 * 366 * 86_400
_PER_REASON = 6
"""Rejected calls that are kept of one function and reason."""
_LOOKED = 48
"""Slots of storage, from the first on, that are looked through for values worth trying."""


class Walk:
    """One search."""

    def __init__(self, ground: Ground, solving: Solving | None, random: Random) -> None:
        """``solving`` answers where all else fails; None: nobody does."""
        graph, watched, drafts, search = ground.graph, ground.watched, ground.drafts, ground.search
        self._graph = graph
        self._watched = watched
        self._node = ground.node
        self._drafts = drafts
        self._known = ground.known
        self._search = search
        self._solving = solving
        self._random = random
        self._chooser = Chooser(graph, search, random)
        self._events = tuple(event for event in graph.events if drafts.known(event))
        self._borders = Borders(self._drafted, search.borders if search.sources else 0)
        self._functions: dict[str, list[Event]] = {}
        for event in self._events:
            if not event.ownership:
                self._functions.setdefault(event.function, []).append(event)
        self._guards = Guards(graph, watched, ground.declared, self._node, drafts.senders[0])
        self._marking = graph.marking
        self._alive = True
        self._programs: list[list[Call]] = [[]]
        self._of: list[list[str]] = [[]]
        self._rejected: list[Rejected] = []
        self._reasons: dict[tuple[str, str], int] = {}
        self._tried = self._at_borders = 0
        self._found: dict[str, int] = {}

    def walk(self) -> Sequences:
        """Sequences, until there are enough calls or attempts."""
        search = self._search
        barren = 0
        while self._enough() < search.calls and self._chooser.attempts < search.attempts:
            before = self._enough()
            self._run()
            self._last()
            self._limit()
            barren = barren + 1 if self._enough() == before else 0
            if barren == _BARREN:
                break
            if self._enough() < search.calls:
                self._afresh()
                if self._random.random() < search.led:
                    self._lead()
        return self._told()

    def _limit(self) -> None:
        """Give each call of the program a limit of gas by what it used."""
        calls = self._programs[-1]
        results = self._node.kept(calls)
        self._programs[-1] = [
            msgspec.structs.replace(call, gas=max(LEAST, MULTIPLE * result.gas_used))
            for call, result in zip(calls, results, strict=True)
        ]

    def _enough(self) -> int:
        return sum(map(len, self._programs))

    def _afresh(self) -> None:
        self._node.afresh()
        self._chooser.afresh()
        self._marking = self._graph.marking
        self._programs.append([])
        self._of.append([])

    def _lead(self) -> None:
        """Recorded calls from the first one on, as many as chance has it, of those that succeed here."""
        life = [step for step in self._drafts.life if step[0] in self._functions]
        for signature, draft in life[: self._random.randint(1, max(1, min(len(life), _LEADING)))]:
            call = self._call(draft)
            [answer] = self._node.tried([call])
            self._tried += 1
            event = next(
                (
                    each
                    for each in self._functions[signature]
                    if self._guards.holding(each, [call])[0]
                ),
                None,
            )
            if answer.status and event is not None:
                self._make(event, Trial(draft, call, "led"), answer)

    def _run(self) -> None:
        """One program, up to the events that hand ownership over."""
        search, chooser = self._search, self._chooser
        fruitless = 0
        begun = len(self._programs[-1])
        longest = max(search.length or 0, begun + _LED if begun else 0)
        self._alive = self._guards.look()
        while (
            self._alive
            and self._enough() < search.calls
            and chooser.attempts < search.attempts
            and (search.length is None or len(self._programs[-1]) < longest)
        ):
            now, later = self._enabled()
            options = chooser.awake(now)
            if later and all(chooser.closes(each, self._marking) for each in options):
                options = [*chooser.awake(later), *options]
            elif later and self._random.random() < _share(later, options):
                options = chooser.awake(later) or options
            if not options:
                fruitless += 1
                options = now or later
                if not options or fruitless > _PATIENCE:
                    return
            waited = awaited(self._graph, self._marking, self._guards.holds)
            event = chooser.choose(options, self._marking, waited)
            succeeded = self._attempt(event)
            chooser.count(event, succeeded=succeeded)
            if succeeded:
                fruitless = 0

    def _last(self) -> None:
        """The events that hand ownership over, each once."""
        done: set[str] = set()
        while self._programs[-1] and self._enough() < self._search.calls:
            options = [
                event
                for event in self._events
                if event.ownership
                and event.id not in done
                and is_enabled(self._graph, self._marking, event, self._guards.holds)
            ]
            if not options:
                return
            event = options[0]
            done.add(event.id)
            succeeded = self._attempt(event)
            self._chooser.count(event, succeeded=succeeded)
            if succeeded and not self._alive:
                return

    # What is enabled

    def _enabled(self) -> tuple[list[Event], list[Event]]:
        """Events that may happen now, and those that only time keeps from it."""
        there = [
            event
            for event in self._events
            if not event.ownership
            and is_enabled(self._graph, self._marking, event, self._guards.holds)
        ]
        now = [event for event in there if self._guards.in_time(event)]
        return now, [event for event in there if event not in now]

    # One event

    def _attempt(self, event: Event) -> bool:
        """Whether a call was found by which the event happens; it is made then."""
        at = self._guards.due(event, self._moments)
        tally = self._chooser.tallies[event.id]
        for source in self._sources(event):
            if self._one_of(event, [(each._replace(timestamp=at), name) for each, name in source]):
                return True
        if self._solving is not None and self._solving.worthwhile(event, tally.failing):
            found = self._solving.solve(event, at or self._node.timestamp)
            if found and self._one_of(event, [(draft, "solved") for draft in found]):
                return True
        later = _LATER_STATED if _speaks_of_time(event) else _LATER
        if self._random.random() < later and "pool" in self._search.sources:
            return self._one_of(event, self._later(event))
        return False

    def _moments(self) -> list[int]:
        seen = [n for n in self._drafts.pool.seen_numbers.values if n > self._node.timestamp]
        return list(times(self._known, seen, self._node.timestamp, _LATEST))

    def _later(self, event: Event) -> list[tuple[Draft, str]]:
        """Calls at later times: for deadlines that no guard of the graph tells."""
        moments = self._moments()
        calls = [each for row in self._sources(event) for each in row][: _WIDE // 2]
        chosen = sorted(self._random.sample(moments, min(3, len(moments))))
        return [
            (draft._replace(timestamp=moment), source)
            for moment in chosen
            for draft, source in calls
        ]

    def _sources(self, event: Event) -> list[list[tuple[Draft, str]]]:
        """Calls to be tried, a few at a time."""
        drafts, search = self._drafts, self._search
        graph = [(each, "graph") for each in drafts.proposed(event)]
        if search.sources == ():
            return [graph[:_WIDE]]
        recorded, drawn, worked = [], [], []
        if "history" in search.sources:
            recorded = [(each, "recorded") for each in drafts.recorded(event)]
        if "pool" not in search.sources:
            return [graph[:_WIDE], recorded[:_WIDE]]
        wide = _WIDE * min(_WIDEST, 1 + self._chooser.tallies[event.id].failing)
        drawn = [(each, "drawn") for each in drafts.drawn(event, wide)]
        worked = [(each, "worked") for each in drafts.worked(event)]
        rows = [row for row in (graph, worked, recorded, drawn) if row]
        if not rows:
            return []
        # Some of each, and first of all now of this and now of that.
        self._random.shuffle(rows)
        mixed = rows[0][:2] + rows[-1][:1]
        others = [each for row in rows for each in row[:4] if each not in mixed]
        return [mixed, others[:_WIDE], drawn]

    def _one_of(self, event: Event, drafts: Sequence[tuple[Draft, str]]) -> bool:
        trials = [
            Trial(draft, self._call(draft), source)
            for draft, source in drafts
            if draft.sender != self._node.address
        ]
        if not trials:
            return False
        self._tried += len(trials)
        answers = self._node.tried([trial.call for trial in trials])
        holding = self._guards.holding(event, [trial.call for trial in trials])
        for trial, answer, holds in zip(trials, answers, holding, strict=True):
            if not answer.status:
                self._reject(event, trial.call, answer)
            elif holds:
                self._keep(event, trial, answer)
                return True
        return False

    def _call(self, draft: Draft) -> Call:
        return self._node.next(
            sender=draft.sender,
            input=draft.input,
            value=draft.value,
            gas=GAS,
            timestamp=draft.timestamp,
        )

    def _drafted(self, drafts: Sequence[Draft]) -> list[CallResult]:
        self._tried += len(drafts)
        return self._node.tried([self._call(draft) for draft in drafts])

    def _at_border(self, event: Event, trial: Trial, answer: CallResult) -> tuple[Call, CallResult]:
        """A call to be made: one that was found, or one at the limit of a number in its place."""
        if not self._chooser.tallies[event.id].succeeded:
            return trial.call, answer
        draft = trial.draft._replace(timestamp=trial.call.timestamp)
        entry = self._drafts.entries[event.function]
        found = self._borders.beside(entry, draft, self._node.timestamp + BLOCK_S)
        if found is None:
            return trial.call, answer
        self._rejected.append(self._row(event, self._call(found.refused)))
        call = self._call(found.taken)
        if not self._guards.holding(event, [call])[0]:
            return trial.call, answer
        self._at_borders += 1
        return call, found.answer

    def _keep(self, event: Event, trial: Trial, answer: CallResult) -> None:
        call, answer = self._at_border(event, trial, answer)
        self._make(event, trial._replace(call=call), answer)

    def _make(self, event: Event, trial: Trial, answer: CallResult) -> None:
        call = trial.call
        self._node.keep(call)
        self._programs[-1].append(call)
        self._of[-1].append(event.id)
        self._found[trial.source] = self._found.get(trial.source, 0) + 1
        self._drafts.remember(event, trial.draft)
        self._drafts.pool.see(answer.output[2:])
        if len(self._programs[-1]) % 16 == 1:
            for word in self._node.storage(range(_LOOKED)):
                self._drafts.pool.see(f"{word:064x}")
        self._alive = self._guards.look()
        about = self._guards.about(event, call)

        def holds(guard: str, of: Event) -> bool:
            return about[guard] if guard in about else self._guards.holds(guard, of)

        before = self._marking.included - {event.id}
        self._marking = execute(self._graph, self._marking, event, holds)
        self._chooser.tallies[event.id].closed += not before <= self._marking.included

    def _reject(self, event: Event, call: Call, answer: CallResult) -> None:
        if answer.error is not None and "gas" in answer.error.lower():
            # One that needs less gas may well take it.
            return
        known = answer.error or answer.output[:266]
        key = event.function, known
        if len(self._rejected) >= self._search.rejected or self._reasons.get(key, 0) >= _PER_REASON:
            return
        self._reasons[key] = self._reasons.get(key, 0) + 1
        self._rejected.append(self._row(event, call))

    def _row(self, event: Event, call: Call) -> Rejected:
        return Rejected(
            program=len(self._programs) - 1,
            after=len(self._programs[-1]),
            event=event.id,
            call=call,
        )

    def _told(self) -> Sequences:
        graph = self._graph
        reason = None
        if not self._enough():
            reason = "no call along the graph succeeds on the original"
            if not self._events:
                reason = "the contract has none of the graph's functions"
        return Sequences(
            reason=reason,
            programs=tuple(map(tuple, self._programs)),
            events=tuple(map(tuple, self._of)),
            rejected=tuple(self._rejected),
            counts=tuple(
                Counted(
                    event=event.id,
                    function=event.function,
                    attempted=self._chooser.tallies[event.id].attempted,
                    succeeded=self._chooser.tallies[event.id].succeeded,
                )
                for event in graph.events
            ),
            tried=self._tried,
            unread=self._watched.unread,
            unbound=tuple(event.id for event in graph.events if event not in self._events),
            found=self._found,
            at_borders=self._at_borders,
            queries=self._solving.asked if self._solving is not None else 0,
        )


def random_of(search: Search, graph: Graph) -> Random:
    """All that is random of a search, fixed by its seed and its graph."""
    return Random(content_hash(search.seed, write(graph)))


def _share(later: Sequence[Event], now: Sequence[Event]) -> float:
    return _WAITING * len(later) / (len(later) + len(now))


def _speaks_of_time(event: Event) -> bool:
    return event.guard is not None and bool({"block", "now"} & set(names(event.guard)))
