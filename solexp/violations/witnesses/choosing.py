"""Which states of a program calls start from: few, such that each guard can be violated in one if it can in any.

What a guard asks of the state alone (flags, stages, a pause) is evaluated in the states of the whole program. So is
known where a guard is violated while the others of its function hold, and a few states are chosen that have the most of
that. Where nothing is known of a guard, recorded calls that fail show states in which it may be.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence

import msgspec

from solexp.violations.solidity import Answers, FunctionGuards, Standing, answers
from solexp.violations.witnesses.original import Guarded
from solexp.violations.witnesses.states import Failure, History, ReachedState

MOST_PLACES = 256
"""States of a program that are looked at."""
MOST_TRIED = 4
"""States in which one query is asked."""
_PASSES = 3
_VIOLATES, _ALLOWS, _SUCCEEDS, _FAILED = 8, 4, 2, 1


class Places(msgspec.Struct):
    """Where a function is asked, the best state first."""

    satisfied: list[int]
    """For calls that satisfy every guard."""
    violated: dict[int, list[int]]
    """By guard, for calls that violate it."""


class _View(msgspec.Struct):
    """A function, with what its guards ask of the states."""

    function: FunctionGuards
    rows: Sequence[Standing]
    told: dict[int, list[Answers]]
    """By state."""
    successes: list[int]
    failures: list[Failure]

    def alike(self, one: int, other: int) -> bool:
        """Whether the guards can tell two states apart."""
        return self.told.get(one) == self.told.get(other)

    def violating(self, row: int) -> list[int]:
        """The states in which a condition can fail, with the fewest of its function that cannot hold."""
        asked = self.rows[row]
        wanted = (True, False) if asked.holds is None else (not asked.holds,)
        found: list[int] = []
        for value in wanted:
            ranked = {
                place: self._failing(told)
                for place, told in self.told.items()
                if told[row].can(value)
            }
            least = min(ranked.values(), default=0)
            found += [place for place, others in ranked.items() if others == least]
        return found

    def _failing(self, told: Sequence[Answers]) -> int:
        """How many conditions cannot hold in a state."""
        return sum(
            not answer.can(other.holds)
            for other, answer in zip(self.rows, told, strict=True)
            if other.holds is not None
        )

    def failed(self, guard: int) -> list[int]:
        """States before calls that failed as they do at a guard."""
        expected = self.function.guards[guard].expected
        return [each.place for each in self.failures if expected.matches(each.output)]


def choose(
    functions: Sequence[FunctionGuards],
    contract: Guarded,
    history: History,
    immutables: Mapping[str, int],
    most: int,
) -> tuple[dict[int, ReachedState], dict[str, Places]]:
    """The states that are tried, by how many calls lead there, and where each function is asked, by its signature.

    The last and the first state are always among them.
    """
    count = len(history.trace.calls)
    successes = history.successes()
    looked_at = _looked_at(count, [s[0] for s in successes.values()], history.failures)
    states = {state.after: state for state in history.states(looked_at, immutables)}
    views = [
        _View(
            function,
            contract.standing(function.signature),
            {},
            [place for place in successes.get(function.selector, ()) if place in states],
            [f for f in history.failures if f.selector == function.selector and f.place in states],
        )
        for function in functions
    ]
    _evaluate(views, list(states.values()), history)
    fixed = [place for place in dict.fromkeys((count, 0)) if place in states]
    chosen = _cover(_items(views), fixed, most)
    kept = {place: states[place] for place in sorted(chosen)}
    return kept, {view.function.signature: _places(view, chosen, fixed) for view in views}


def _looked_at(count: int, successes: Sequence[int], failures: Sequence[Failure]) -> list[int]:
    """All places, or where they are too many those that something hangs on and some evenly between them."""
    step = -(-(count + 1) // MOST_PLACES)
    if step == 1:
        return list(range(count + 1))
    named = dict.fromkeys((count, 0, *successes, *(failure.place for failure in failures)))
    return sorted({*list(named)[:MOST_PLACES], *range(0, count + 1, 2 * step)})


def _evaluate(views: Sequence[_View], states: Sequence[ReachedState], history: History) -> None:
    """Evaluate what is asked of all states, their storage being fetched as it is read."""
    wanted = list(dict.fromkeys(row.term for view in views for row in view.rows))
    places = {term: place for place, term in enumerate(wanted)}
    for _ in range(_PASSES):
        for state in states:
            state.touched = set()
            told = answers(wanted, state)
            for view in views:
                view.told[state.after] = [told[places[row.term]] for row in view.rows]
        if not history.fetch(states):
            break


def _items(views: Iterable[_View]) -> dict[Hashable, tuple[int, frozenset[int]]]:
    """What is wanted of the chosen states together: each with its weight, and the states that have it."""
    found: dict[Hashable, tuple[int, frozenset[int]]] = {}
    for view in views:
        name = view.function.signature
        for row in range(len(view.rows)):
            places = frozenset(view.violating(row))
            found[name, "violates", row] = _VIOLATES, places
        first = view.successes[:1]
        if first:
            alike = {p for p in view.told if p >= first[0] and view.alike(p, first[0])}
            found[name, "allows"] = _ALLOWS, frozenset(alike)
            found[name, "succeeds"] = _SUCCEEDS, frozenset(view.successes)
        for output in dict.fromkeys(failure.output for failure in view.failures):
            failed = frozenset(f.place for f in view.failures if f.output == output)
            found[name, "failed", output] = _FAILED, failed
    return {key: item for key, item in found.items() if item[1]}


def _cover(
    items: Mapping[Hashable, tuple[int, frozenset[int]]], fixed: Sequence[int], most: int
) -> list[int]:
    """Places that have much of what is wanted: greedily, the earliest of those that add the most."""
    chosen = list(fixed)
    left = dict(items)
    while True:
        left = {key: item for key, item in left.items() if not item[1].intersection(chosen)}
        gains: dict[int, int] = {}
        for weight, places in left.values():
            for place in places:
                gains[place] = gains.get(place, 0) + weight
        if not gains or len(chosen) >= most:
            return chosen
        chosen.append(min(gains, key=lambda place: (-gains[place], place)))


def _places(view: _View, chosen: Sequence[int], fixed: Sequence[int]) -> Places:
    succeeded = [place for place in view.successes if place in chosen]
    alike = [
        place
        for place in chosen
        if any(view.alike(place, each) for each in view.successes[:1]) and place not in fixed
    ]
    usual = list(dict.fromkeys((*succeeded[:1], *alike[:1], *fixed)))
    violated = {}
    for guard in view.function.guards:
        best: list[int] = []
        for row, asked in enumerate(view.rows):
            if asked.guard == guard.number:
                found = set(view.violating(row))
                best += [place for place in chosen if place in found][:1]
        failed = set(view.failed(guard.number))
        best += [place for place in chosen if place in failed][:1]
        violated[guard.number] = list(dict.fromkeys((*best, *usual)))[:MOST_TRIED]
    return Places(usual[:MOST_TRIED], violated)
