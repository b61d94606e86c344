"""What may happen, and what it changes: laws, and a second reading of the definition that knows no markings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.dcr import (
    Event,
    Graph,
    Marking,
    RelationType,
    accepting,
    awaited,
    blocking,
    enabled,
    execute,
    is_enabled,
)
from tests.dcr.made_graphs import GUARDS, NAMES, graph, graphs


def ids(events: Sequence[Event]) -> str:
    return " ".join(event.id for event in events)


def after(made: Graph, *names: str) -> Marking:
    marking = made.marking
    for name in names:
        marking = execute(made, marking, made.by_id[name])
    return marking


def test_a_condition_blocks_its_target_until_its_source_has_happened() -> None:
    made = graph("a condition b")
    assert ids(enabled(made, made.marking)) == "a c"
    assert ids(enabled(made, after(made, "a"))) == "a b c"


def test_excluding_an_event_drops_the_constraints_it_imposes_and_including_it_brings_them_back() -> (
    None
):
    made = graph("a condition b; c exclude a; d include a", "a b c d")
    assert ids(enabled(made, made.marking)) == "a c d"
    assert ids(enabled(made, after(made, "c"))) == "b c d"
    assert ids(enabled(made, after(made, "c", "d"))) == "a c d"


def test_what_has_happened_is_remembered_of_an_excluded_event() -> None:
    made = graph("a condition b; c exclude a; d include a", "a b c d")
    assert ids(enabled(made, after(made, "a", "c", "d"))) == "a b c d"


def test_excluding_an_event_drops_the_obligation_on_it_and_including_it_brings_it_back() -> None:
    made = graph("a response b; c exclude b; d include b", "a b c d")
    assert accepting(made.marking)
    assert not accepting(after(made, "a"))
    assert accepting(after(made, "a", "c"))
    assert not accepting(after(made, "a", "c", "d"))
    assert accepting(after(made, "a", "c", "d", "b"))


def test_an_event_that_happens_once_is_gone_until_another_includes_it() -> None:
    made = graph("b include a", once="a")
    assert ids(enabled(made, after(made, "a"))) == "b c"
    assert ids(enabled(made, after(made, "a", "b"))) == "a b c"


def test_what_owes_itself_stays_owed() -> None:
    made = graph("a response a")
    assert after(made, "a", "a").pending == {"a"}


def test_an_event_that_is_excluded_and_included_at_once_is_included() -> None:
    assert "b" in after(graph("a exclude b; a include b"), "a").included


def test_the_guard_of_a_condition_is_asked_of_the_call_that_waits_and_of_an_effect_of_the_call_made() -> (
    None
):
    made = graph("a condition b if paused; a exclude c if ended")
    asked: list[tuple[str, str]] = []

    def holds(guard: str, event: Event) -> bool:
        asked.append((guard, event.id))
        return guard == "ended"

    assert ids(enabled(made, made.marking, holds)) == "a b c"
    assert execute(made, made.marking, made.by_id["a"], holds).included == {"a", "b"}
    assert asked == [("paused", "b"), ("ended", "a")]


def test_what_blocks_an_event_and_what_others_wait_for_are_told() -> None:
    made = graph("a condition b; c condition b; b condition d", "a b c d")
    assert [str(each) for each in blocking(made, made.marking, made.by_id["b"])] == [
        "a condition b",
        "c condition b",
    ]
    assert awaited(made, made.marking) == {"a", "b", "c"}
    assert awaited(made, after(made, "a", "c")) == {"b"}


class History:
    """The definition without markings: what holds of an event is looked up in the run behind it.

    An event is included as the last event of the run left it that includes or excludes it, and owed when a response to
    it is no older than its own last occurrence.
    """

    def __init__(self, made: Graph, truths: Sequence[frozenset[str]]) -> None:
        self.made = made
        self.truths = truths
        """The guards that hold at each step; those for enabledness at the step that would come."""
        self.run: list[str] = []

    def touches(self, step: int, kind: RelationType, target: str) -> bool:
        return any(
            (each.type, each.source, each.target) == (kind, self.run[step], target)
            and (each.guard is None or each.guard in self.truths[step])
            for each in self.made.relations
        )

    def included(self, name: str) -> bool:
        for step in reversed(range(len(self.run))):
            if self.touches(step, RelationType.INCLUDE, name):
                return True
            itself = self.run[step] == name and self.made.by_id[name].once
            if itself or self.touches(step, RelationType.EXCLUDE, name):
                return False
        return name in self.made.marking.included

    def happened(self, name: str) -> bool:
        return name in self.run or name in self.made.marking.executed

    def owed(self, name: str) -> bool:
        for step in reversed(range(len(self.run))):
            if self.touches(step, RelationType.RESPONSE, name):
                return True
            if self.run[step] == name:
                return False
        return name in self.made.marking.pending

    def allowed(self, name: str) -> bool:
        now = self.truths[len(self.run)]
        waits = [
            each.source
            for each in self.made.relations
            if each.type == RelationType.CONDITION
            and each.target == name
            and (each.guard is None or each.guard in now)
        ]
        guard = self.made.by_id[name].guard
        return (
            self.included(name)
            and all(self.happened(each) for each in waits if self.included(each))
            and (guard is None or guard in now)
        )


LENGTH = 8


@given(
    graphs(),
    st.lists(st.frozensets(st.sampled_from(GUARDS)), min_size=LENGTH + 1, max_size=LENGTH + 1),
    st.lists(st.integers(0, len(NAMES)), max_size=LENGTH),
)
def test_runs_agree_with_a_reading_of_the_definition_that_knows_no_markings(
    made: Graph, truths: list[frozenset[str]], choices: list[int]
) -> None:
    history, marking = History(made, truths), made.marking
    for step in range(len(choices) + 1):
        there = enabled(made, marking, lambda guard, _: guard in truths[step])  # noqa: B023
        assert ids(there) == " ".join(name for name in made.by_id if history.allowed(name))
        assert marking == Marking(
            frozenset(filter(history.happened, made.by_id)),
            frozenset(filter(history.owed, made.by_id)),
            frozenset(filter(history.included, made.by_id)),
        )
        assert accepting(marking) != any(
            history.owed(name) and history.included(name) for name in made.by_id
        )
        if step == len(choices) or not there:
            break
        event = there[choices[step] % len(there)]
        marking = execute(made, marking, event, lambda guard, _: guard in truths[step])  # noqa: B023
        history.run.append(event.id)


@settings(max_examples=40)
@given(graphs(guarded=False))
def test_every_run_of_three_events_is_allowed_by_both_readings_or_by_none(made: Graph) -> None:
    def by_markings(run: Sequence[str]) -> bool:
        marking = made.marking
        for name in run:
            if not is_enabled(made, marking, made.by_id[name]):
                return False
            marking = execute(made, marking, made.by_id[name])
        return True

    def by_history(run: Sequence[str]) -> bool:
        history = History(made, [frozenset()] * 4)
        for name in run:
            if not history.allowed(name):
                return False
            history.run.append(name)
        return True

    for run in product(made.by_id, repeat=3):
        assert by_markings(run) == by_history(run)


@settings(max_examples=40)
@given(graphs(guarded=False))
def test_an_event_is_enabled_exactly_where_it_is_included_and_nothing_blocks_it(
    made: Graph,
) -> None:
    free = {
        event.id
        for event in made.events
        if event.id in made.marking.included and not blocking(made, made.marking, event)
    }
    assert free == {event.id for event in enabled(made, made.marking)}
    assert awaited(made, made.marking) <= made.marking.included - made.marking.executed
