"""How a graph runs: which events are enabled in a marking, and what an event that happens makes of it.

A condition blocks its target while its source is included and has not happened. Excluding an event drops the
constraints that it imposes and the obligation on it; including it again brings both back, since what has happened and
what is owed is remembered of excluded events too. Hildebrandt and Mukkamala 2010, definitions 2 to 4; SolBehave's
guards, and its events that happen once.

Guards are decided by ``holds(guard, event)``, which the caller brings. The guards of an event and of conditions on it
are asked about a call that is yet to be made, with ``event`` the one that would happen; those of responses, includes
and excludes about the call that has just been made, with ``event`` the one that happened.
"""

from __future__ import annotations

from collections.abc import Callable

from solexp.dcr.graph import Event, Graph, Marking, Relation, RelationType

Holds = Callable[[str, Event], bool]


def always(guard: str, event: Event) -> bool:
    """Every guard holds: a graph read without its guards."""
    del guard, event
    return True


def enabled(graph: Graph, marking: Marking, holds: Holds = always) -> tuple[Event, ...]:
    """The events that may happen, in the graph's order."""
    return tuple(event for event in graph.events if is_enabled(graph, marking, event, holds))


def is_enabled(graph: Graph, marking: Marking, event: Event, holds: Holds = always) -> bool:
    """Whether an event is included, no condition blocks it, and its guard holds."""
    return (
        event.id in marking.included
        and not any(_blocks(marking, each, holds, event) for each in graph.to_target[event.id])
        and (event.guard is None or holds(event.guard, event))
    )


def blocking(
    graph: Graph, marking: Marking, event: Event, holds: Holds = always
) -> tuple[Relation, ...]:
    """The conditions that keep an event from happening now, in the graph's order."""
    relations = graph.to_target[event.id]
    return tuple(each for each in relations if _blocks(marking, each, holds, event))


def _blocks(marking: Marking, relation: Relation, holds: Holds, target: Event) -> bool:
    return (
        relation.type == RelationType.CONDITION
        and relation.source in marking.included
        and relation.source not in marking.executed
        and (relation.guard is None or holds(relation.guard, target))
    )


def awaited(graph: Graph, marking: Marking, holds: Holds = always) -> frozenset[str]:
    """Ids of the events that block an included event by a condition: those that others wait for."""
    return frozenset(
        relation.source
        for event in graph.events
        if event.id in marking.included
        for relation in blocking(graph, marking, event, holds)
    )


def execute(graph: Graph, marking: Marking, event: Event, holds: Holds = always) -> Marking:
    """The marking after an event has happened; whether it was enabled is not asked.

    Where an event both excludes and includes another, the other is included afterwards. Something owed that owes
    itself again stays owed.
    """
    there = [
        relation
        for relation in graph.from_source[event.id]
        if relation.type != RelationType.CONDITION
        and (relation.guard is None or holds(relation.guard, event))
    ]
    by_type = {
        kind: frozenset(each.target for each in there if each.type == kind) for kind in RelationType
    }
    excluded = by_type[RelationType.EXCLUDE] | ({event.id} if event.once else frozenset())
    return Marking(
        executed=marking.executed | {event.id},
        pending=(marking.pending - {event.id}) | by_type[RelationType.RESPONSE],
        included=(marking.included - excluded) | by_type[RelationType.INCLUDE],
    )


def accepting(marking: Marking) -> bool:
    """Whether nothing included is owed: a run may end here."""
    return not marking.pending & marking.included
