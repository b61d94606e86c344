"""Which event comes next."""

from __future__ import annotations

from collections import Counter
from random import Random

from solexp.dcr.choosing import Chooser
from solexp.dcr.graph import Event, Graph, Marking, Relation, RelationType, first_marking
from solexp.dcr.records import Search

EVENTS = tuple(Event(id=name, function=f"{name}()") for name in ("a", "b", "c"))


def graph(*relations: Relation) -> Graph:
    marking = first_marking(EVENTS, relations)
    return Graph(contract="A", events=EVENTS, relations=relations, marking=marking)


def chosen(
    chooser: Chooser, marking: Marking, waited: frozenset[str] = frozenset(), times: int = 2000
) -> Counter[str]:
    return Counter(chooser.choose(EVENTS, marking, waited).id for _ in range(times))


def tried(chooser: Chooser) -> Chooser:
    for event in EVENTS:
        chooser.count(event, succeeded=event.id == "a")
    return chooser


def test_what_is_owed_goes_first_with_chance_beta_and_what_is_waited_for_then_with_alpha() -> None:
    chooser = tried(Chooser(graph(), Search(), Random(1)))
    counts = chosen(chooser, Marking(pending=frozenset({"b"})), frozenset({"c"}))
    assert 1300 < counts["b"] < 1500
    assert 420 < counts["c"] < 540
    assert counts["a"] > 80


def test_what_was_never_tried_goes_before_what_succeeded() -> None:
    chooser = Chooser(graph(), Search(), Random(1))
    chooser.count(EVENTS[0], succeeded=True)
    assert set(chosen(chooser, Marking(), times=50)) == {"b", "c"}


def test_the_upper_confidence_bound_comes_back_to_what_was_tried_less() -> None:
    chooser = tried(Chooser(graph(), Search(), Random(1)))
    for _ in range(60):
        event = chooser.choose(EVENTS, Marking(), frozenset())
        chooser.count(event, succeeded=event.id == "a")
    tallies = chooser.tallies
    assert tallies["a"].attempted > tallies["b"].attempted > 1


def test_an_event_that_keeps_failing_rests_twice_as_long_each_time() -> None:
    chooser = Chooser(graph(), Search(), Random(1))
    a, b, _ = EVENTS
    chooser.count(a, succeeded=False)
    assert a not in chooser.awake(EVENTS)
    for _ in range(2):
        chooser.count(b, succeeded=True)
    assert a in chooser.awake(EVENTS)
    chooser.count(a, succeeded=False)
    for _ in range(3):
        chooser.count(b, succeeded=True)
    assert a not in chooser.awake(EVENTS)
    chooser.afresh()
    assert a in chooser.awake(EVENTS)


def test_what_excludes_others_comes_seldom_while_they_may() -> None:
    ends = Relation(type=RelationType.EXCLUDE, source="a", target="b")
    found = graph(ends)
    chooser = tried(Chooser(found, Search(closing=0.1), Random(1)))
    counts = chosen(chooser, found.marking)
    assert counts["a"] < 300
    paper = tried(Chooser(found, Search(closing=1), Random(1)))
    assert chosen(paper, found.marking)["a"] == 2000


def test_what_mostly_has_not_excluded_anything_is_not_held_back_where_a_guard_decides() -> None:
    marking = Marking(included=frozenset({"a", "b", "c"}))
    for guard, held in (("over", False), (None, True)):
        ends = Relation(type=RelationType.EXCLUDE, source="a", target="b", guard=guard)
        chooser = tried(Chooser(graph(ends), Search(), Random(1)))
        a = EVENTS[0]
        chooser.tallies["a"].closed = 1
        assert chooser.closes(a, marking)
        for _ in range(2):
            chooser.count(a, succeeded=True)
        assert chooser.closes(a, marking) is held
