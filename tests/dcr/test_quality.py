"""How extracted graphs agree with annotated ones."""

from __future__ import annotations

from msgspec.structs import replace

from solexp.dcr import Event, Graph, Relation, RelationType
from solexp.dcr.quality import Counts, compare, summarise
from tests.dcr.made_graphs import graph


def test_relations_match_by_type_source_and_target_and_guards_are_counted_apart() -> None:
    annotated = graph("a condition b; a exclude c if x > 1; b include c; c response a")
    extracted = graph("a condition b; a exclude c if 1 < x; b include c if y; b exclude a")
    found = compare(extracted, annotated)
    assert found.by_type == {
        RelationType.CONDITION: Counts(1, 1, 1, 1),
        RelationType.RESPONSE: Counts(0, 0, 1, 0),
        RelationType.INCLUDE: Counts(1, 1, 1, 0),
        RelationType.EXCLUDE: Counts(1, 2, 1, 1),
    }
    assert found.missing == (("response", "c()", "a()"),)
    assert found.added == (("exclude", "b()", "a()"),)
    assert found.all == Counts(3, 4, 4, 2)


def test_the_same_graph_agrees_whole() -> None:
    made = graph("a condition b; b exclude c if x > 1", once="c")
    found = compare(made, made)
    assert found.all.precision == found.all.recall == 1
    assert found.events == Counts(3, 3, 3, 3)


def test_what_is_unsure_counts_neither_way() -> None:
    annotated = graph("a condition b")
    unsure = Relation(type=RelationType.CONDITION, source="b", target="c", unsure=True)
    annotated = replace(annotated, relations=(*annotated.relations, unsure))
    with_it = compare(graph("a condition b; b condition c"), annotated)
    without = compare(graph("a condition b"), annotated)
    assert with_it.all == without.all == Counts(1, 1, 1, 1)


def test_an_event_that_happens_once_is_one_that_excludes_itself() -> None:
    assert compare(graph("", once="a"), graph("a exclude a")).all == Counts(1, 1, 1, 1)


def test_branches_are_told_apart_or_not() -> None:
    def branched(*ids: str) -> Graph:
        return replace(
            graph("", "x"),
            events=tuple(
                Event(id=each, function="buy()" if each == "buy" else "set(bool)") for each in ids
            ),
            relations=tuple(
                Relation(type=RelationType.EXCLUDE, source=each, target=ids[-1])
                for each in ids[:-1]
            ),
        )

    extracted, annotated = branched("set", "buy"), branched("set/halt", "set/resume", "buy")
    assert compare(extracted, annotated).all == Counts(0, 1, 2, 0)
    assert compare(extracted, annotated, "function").all == Counts(1, 1, 1, 1)


def test_overloads_are_known_by_their_signatures_however_they_are_called() -> None:
    one = replace(graph("", "a"), events=(Event(id="f/uint256", function="f(uint256)"),))
    other = replace(graph("", "a"), events=(Event(id="f", function="f(uint256)"),))
    assert compare(one, other).events.matched == 1


def test_a_summary_pools_contracts_and_takes_their_mean() -> None:
    annotated = graph("a condition b; b condition c")
    qualities = [compare(annotated, annotated), compare(graph("a condition c"), annotated)]
    found = summarise(qualities)["condition"]
    assert found.pooled == Counts(2, 3, 4, 2)
    assert (found.precision, found.recall) == (0.5, 0.5)
    assert summarise(qualities)["include"].precision is None
