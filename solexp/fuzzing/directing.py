"""Going on from what an original was led to, with an aim: its task's history, one change at a time, and borders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Literal

from solexp.core import Call, CallResult, Program
from solexp.fuzzing.borders import Border, Borders, Slopes, emptied, moved, same_input
from solexp.fuzzing.drawing import Sequences, Step, program
from solexp.fuzzing.interfaces import interface_ids
from solexp.fuzzing.settings import Entry, Settings, Unit
from solexp.fuzzing.tracing import MOST_GAS, Site, Watched, Watching, World
from solexp.fuzzing.trails import (
    LONGEST,
    Ask,
    Results,
    Trail,
    fewer,
    needed,
    outcome,
    part,
    watch,
)
from solexp.fuzzing.variants import everybody, variants

_EACH = 3
"""Trails that end alike and are gone on from."""
_FIRST_ROUND, _ROUND = 64, 32
_SAME = 2
"""Trails in which one function's input is moved to the borders of one comparison."""
_MENDED = 24
_LOOKS, _LAST = 2, 2
_SMALLER = 30
"""Calls, in percent of what candidates are sent, that making trails smaller may take in a round."""
_COST = 8
_OFFERED = 16
_TURNS = 2
"""Trails that are picked in which one change has the last calls end in one way."""
_WATCHED_SHARE = 8
_CHUNK = 20
_SELECTOR = len("0x") + 8

Key = tuple[object, ...]

Choice = Literal["border", "change", "beside", "again"]
"""Why a trail is picked: at a border a call ends otherwise; with one change one does, and no two functions had ended
that way one after the other; it is beside a border; or they had."""


class Directed:
    """One unit's search with an aim. What it picks is for candidates, in the order of its finding."""

    def __init__(
        self,
        unit: Unit,
        settings: Settings,
        base: Program,
        *,
        watching: Watching,
        sequences: Sequences,
        random: Random,
        ask: Ask,
        pick: Callable[[Trail, Results, Choice], None],
    ) -> None:
        """``ask`` has the original make a trail's calls, and learns from them; ``pick`` takes what candidates should
        be sent, and why.
        """
        self._unit = unit
        self._settings = settings
        self._base = base
        self._watching = watching
        self._sequences = sequences
        self._ask = ask
        self._pick = pick
        self._random = random
        self._borders = Borders(watching, base, random)
        self._most_watched = settings.calls // _WATCHED_SHARE
        self._watched = 0
        self._offered: dict[Key, list[Trail]] = {}
        self._done: Counter[Key] = Counter()
        self._turns: Counter[object] = Counter()
        """By function."""
        self._tried: set[tuple[Call, ...]] = set()
        self._ways: dict[str, Trail] = {}
        """Of each function the shortest trail that it ends with success."""
        self._known: dict[Entry, frozenset[Site]] = {}
        """Of each view where it has been seen to compare."""
        self._shared: set[object] = set()
        """What everybody has been let do."""
        self._turned: Counter[Key] = Counter()
        self._moved: dict[tuple[object, ...], dict[tuple[object, ...], None]] = {}
        self._looked_at = 0

    def begin(self, past: Trail) -> None:
        """Before anything is drawn; ``past`` are the task's own calls. Raises Limit and HarnessError."""
        if self._settings.corpus == "history":
            self.identifiers()
        if past:
            self.history(past)
            self.round(_FIRST_ROUND)

    def identifiers(self) -> None:
        """Have every known interface asked for, where something takes four bytes."""
        known = interface_ids()
        for entry in (*self._unit.views, *self._unit.entries):
            if entry.types != ("bytes4",):
                continue
            sender = self._sequences.pool.senders[0]
            steps = [Step(entry, sender, (each,), 0, 0, 0) for each in known]
            for start in range(0, len(steps), _CHUNK):
                self._send([tuple(steps[start : start + _CHUNK])], pick=True)

    def history(self, steps: Trail) -> None:
        """Learn what the task's own calls lead to, and which of them each takes."""
        steps = steps[: self._most_watched // 2]
        [results] = self._ask([steps]) or [()]
        watched: list[Watched] = []
        trails: dict[Key, list[Trail]] = {}
        for place, (seen, _) in enumerate(watch(self._watching, self._base, steps, results)):
            watched.append(seen)
            step, result = steps[place], results[place]
            if result.status and not step.entry.view:
                self._sequences.succeeded(step)
            places = needed(watched, place)
            key = (step.entry.signature, *outcome(result))
            kept = trails.setdefault(key, [])
            kept.append(part(steps, places))
        self._watched += len(watched)
        for key, kept in trails.items():
            kept.sort(key=len)
            self._offered[key] = kept[:_EACH]

    def offer(self, steps: Sequence[Step], result: CallResult) -> None:
        """Take note of calls that led to something new with the last of them."""
        trail = tuple(steps)
        if len(trail) > _OFFERED:
            return
        key = (trail[-1].entry.signature, *outcome(result))
        kept = self._offered.setdefault(key, [])
        if len(kept) < _EACH:
            kept.append(trail)

    def round(self, most: int = _ROUND) -> None:
        """Go on from so many trails that have not been gone on from. Raises Limit and HarnessError."""
        chosen: list[tuple[Key, Trail]] = []
        while len(chosen) < most:
            # Each function has its turn, and what succeeds comes first.
            ready = [key for key, trails in self._offered.items() if self._done[key] < len(trails)]
            if not ready:
                break
            key = min(ready, key=lambda each: (self._turns[each[0]], self._done[each], not each[1]))
            chosen.append((key, self._offered[key][self._done[key]]))
            self._done[key] += 1
            self._turns[key[0]] += 1
        # Of long ones there is time for a few.
        chosen.sort(key=lambda each: len(each[1]))
        left = _SMALLER * self._settings.calls // 100
        affordable = []
        for key, trail in chosen:
            left -= _COST * len(trail)
            if left >= 0:
                affordable.append((key, trail))
        small = fewer(
            [each for _, each in affordable], [key[1:] for key, _ in affordable], self._ask
        )
        for (key, _), trail in zip(affordable, small, strict=True):
            signature, accepted = trail[-1].entry.signature, key[1]
            if accepted and len(trail) < len(self._ways.get(signature, (*trail, *trail))):
                self._ways[signature] = trail
        for trail in small:
            if len(trail) <= LONGEST:
                self._go_on(trail)

    def _go_on(self, trail: Trail) -> None:
        [found] = self._send([trail], pick=True) or [None]
        if found is None:
            return
        results = found[: len(trail)]
        settings = self._settings
        if settings.corpus == "history" and results[-1].status and not trail[-1].entry.view:
            ways = [
                self._ways[e.signature] for e in self._unit.entries if e.signature in self._ways
            ]
            senders = self._sequences.pool.senders
            self._send(variants(trail, ways, senders), like=results)
            self._by_everybody(trail, trail[-1].entry.signature)
        if settings.feedback == "comparisons" and all(r.gas_used <= MOST_GAS for r in results):
            self._near(trail, results)

    def _near(self, trail: Trail, results: Results) -> None:
        if self._watched + self._borders.watched > self._most_watched:
            return
        seen = watch(self._watching, self._base, trail, results)
        self._watched += len(seen)
        last = trail[-1].entry
        if last.view:
            self._known[last] = self._known.get(last, frozenset()) | seen[-1][0].compared.keys()
        elif results[-1].status and self._ways.get(last.signature) == trail:
            self._timed_views(trail, seen[-1][1])
        slopes = self._borders.slopes(trail, seen)
        groups: list[list[Border]] = []
        for near in self._borders.near(trail, seen, slopes):
            sites = self._moved.setdefault(same_input(near[0]), {})
            if (near[0].site, len(trail)) in sites or len(sites) < _SAME:
                sites[near[0].site, len(trail)] = None
                groups.append(near)
        if results[-1].status and not last.view:
            groups += [[each] for each in emptied(trail)]
        looks = self._looks()
        flat = [(*each.trail, *looks) for near in groups for each in near]
        found = iter(self._send(flat, like=results, pick=True))
        mended: list[Border] = []
        for near in groups:
            ended = [next(found) for _ in near]
            self._used_up(near, ended)
            if len(mended) < _MENDED and all(each.status for each in results):
                mended += self._mended(near, ended, slopes, results)
        again = self._send(((*each.trail, *looks) for each in mended), like=results, pick=True)
        self._used_up(mended, again)

    def _used_up(self, near: list[Border], ended: list[Results | None]) -> None:
        """Where a border is of the last call's own arguments, have as much as can be had taken by everybody."""
        for border, results in zip(near, ended, strict=True):
            at, kind, *_ = border.input
            own = kind == "argument" and at == len(border.trail) - 1
            view = border.trail[-1].entry.view
            if results is not None and border.exact and own and not view and results[at].status:
                self._by_everybody(border.trail, (border.site, border.trail[-1].entry.signature))

    def _by_everybody(self, trail: Trail, about: object) -> None:
        if self._settings.corpus == "history" and about not in self._shared:
            self._shared.add(about)
            self._send([everybody(trail, self._sequences.pool.senders)], pick=True)

    def _timed_views(self, trail: Trail, world: World) -> None:
        """Go on from a trail with views behind it that look at the clock, and compare what they did not before."""
        sender = self._sequences.pool.senders[0]
        looks = [Step(view, sender, (), 0, 0, 0) for view in self._unit.views if not view.types]
        calls = [program(self._base, (*trail, each)).calls[-1] for each in looks]
        watched = self._watching.after([(world, call) for call in calls], last=True)
        self._watched += len(watched)
        for look, (seen, _) in zip(looks, watched, strict=True):
            known = self._known.get(look.entry, frozenset())
            if (seen.timely or seen.blocks) and not known >= seen.compared.keys():
                self._known[look.entry] = known | seen.compared.keys()
                self._go_on((*trail, look))

    def _mended(
        self, near: list[Border], ended: list[Results | None], slopes: Slopes, before: Results
    ) -> list[Border]:
        """What is about a border at which a call fails that did not before, so that it does not, if one more input will
        do: that at the border itself; and all, where it fails on either side.
        """
        status = [each.status for each in before]
        failing = [
            (border, results)
            for border, results in zip(near, ended, strict=True)
            if results is not None
            and len(border.trail) == len(status)
            and [each.status for each in results[: len(status)]] != status
        ]
        found: list[Border] = []
        if not failing:
            return found
        closest = min(failing, key=lambda each: abs(each[0].by))
        mends = [each for each in failing if each[0].exact]
        if len(failing) == len(near) and closest not in mends:
            mends.append(closest)
        for border, results in mends:
            again = watch(self._watching, self._base, border.trail, results)
            self._watched += len(again)
            change = self._borders.mending(border, again, slopes, status)
            if change is None:
                continue
            others = [border] if border.exact else [each for each, _ in failing]
            found += [each._replace(trail=moved(each.trail, *change)) for each in others]
        return found

    def _looks(self) -> list[Step]:
        """Views to be called behind a trail."""
        views = [each for each in self._sequences.lively() if not each.types]
        if not views:
            return []
        self._looked_at += 1
        sender = self._sequences.pool.senders[0]
        chosen = dict.fromkeys(views[(self._looked_at + n) % len(views)] for n in range(_LOOKS))
        return [Step(entry, sender, (), 0, 0, 0) for entry in chosen]

    def _send(
        self, trails: Iterable[Trail], *, like: Results = (), pick: bool = False
    ) -> list[Results | None]:
        """Ask the original. What comes of each trail; None for what was asked before, or could not be.

        Those of which a call ends otherwise than in ``like`` are picked, and with ``pick`` the others as second choice.
        """
        kinds = [outcome(each) for each in like]
        found: list[Results | None] = []
        fresh: list[tuple[int, Trail]] = []
        for trail in trails:
            calls = program(self._base, trail).calls
            if calls not in self._tried:
                self._tried.add(calls)
                fresh.append((len(found), trail))
            found.append(None)
        for (place, trail), results in zip(
            fresh, self._ask([trail for _, trail in fresh]), strict=False
        ):
            found[place] = results
            turns = any(kind != outcome(each) for kind, each in zip(kinds, results, strict=False))
            if pick:
                self._pick(trail, results, _choice(turns, bool(like)))
            elif turns:
                # Another that says the same is hardly worth a candidate's time.
                ends = [*zip(trail, results, strict=True)][-_LAST:]
                roughly = tuple((step.entry, each.status, _reason(each)) for step, each in ends)
                said = tuple((step.entry, *outcome(each)) for step, each in ends)
                new = not self._turned[roughly]
                self._turned.update((roughly, said))
                if new or self._turned[said] <= _TURNS:
                    self._pick(trail, results, "change" if new else "again")
        return found


def _reason(result: CallResult) -> str:
    """Why a call fails, as far as which error it is."""
    return "" if result.status else result.output[:_SELECTOR]


def _choice(turns: bool, border: bool) -> Choice:
    if not border:
        return "change"
    return "border" if turns else "beside"
