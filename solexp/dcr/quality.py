"""How well extracted graphs agree with annotated ones: precision and recall for each type of relation.

A relation is found where both graphs have one of the same type between the same two events; its guard does not matter
here and is compared apart. What the annotation calls unsure counts neither way, found or not. SolBehave's section on
the quality of graphs, where a relation is matched by source, type and target too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from solexp.dcr.expressions import normal
from solexp.dcr.graph import Graph, RelationType

Level = Literal["event", "function"]
"""Whether events are told apart by function and branch, or by function alone."""
Key = tuple[str, str, str]
"""Type, source, target."""


class Counts(msgspec.Struct, frozen=True):
    """What was compared."""

    matched: int = 0
    extracted: int = 0
    """Extracted relations that count."""
    annotated: int = 0
    """Annotated relations that count."""
    guards_agree: int = 0
    """Matched relations with the same guard, or both with none."""

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.matched + other.matched,
            self.extracted + other.extracted,
            self.annotated + other.annotated,
            self.guards_agree + other.guards_agree,
        )

    @property
    def precision(self) -> float | None:
        """Share of the extracted relations that the annotation has; None where nothing was extracted."""
        return self.matched / self.extracted if self.extracted else None

    @property
    def recall(self) -> float | None:
        """Share of the annotated relations that were extracted; None where none is annotated."""
        return self.matched / self.annotated if self.annotated else None


class Quality(msgspec.Struct, frozen=True):
    """One graph against its annotation."""

    contract: str
    by_type: dict[RelationType, Counts]
    missing: tuple[Key, ...]
    """Annotated and not extracted."""
    added: tuple[Key, ...]
    """Extracted and not annotated."""
    events: Counts
    """The events themselves; ``guards_agree`` counts those whose guards are the same."""

    @property
    def all(self) -> Counts:
        """All types together."""
        return sum(self.by_type.values(), Counts())


def compare(extracted: Graph, annotated: Graph, level: Level = "event") -> Quality:
    """An extracted graph against the annotated one.

    An event that happens once is counted as one that excludes itself. With ``level="function"`` all branches of a
    function are one.
    """
    theirs = _relations(annotated, level)
    unsure = {key for key, (sure, _) in theirs.items() if not sure}
    wanted = {key: guards for key, (sure, guards) in theirs.items() if sure}
    found = {
        key: guards
        for key, (_, guards) in _relations(extracted, level).items()
        if key not in unsure
    }
    by_type = {kind: _count(found, wanted, kind) for kind in RelationType}
    return Quality(
        contract=annotated.contract,
        by_type=by_type,
        missing=tuple(sorted(wanted.keys() - found.keys())),
        added=tuple(sorted(found.keys() - wanted.keys())),
        events=_events(extracted, annotated, level),
    )


def _count(
    found: Mapping[Key, frozenset[str]], wanted: Mapping[Key, frozenset[str]], kind: RelationType
) -> Counts:
    matched = [key for key in found if key in wanted and key[0] == kind]
    return Counts(
        len(matched),
        sum(key[0] == kind for key in found),
        sum(key[0] == kind for key in wanted),
        sum(bool(found[key] & wanted[key]) for key in matched),
    )


def _relations(graph: Graph, level: Level) -> dict[Key, tuple[bool, frozenset[str]]]:
    """For each relation whether it is sure, and the guards under which it is there, empty text for none."""
    names = {event.id: _name(event.id, event.function, level) for event in graph.events}
    all_of_it = [
        ((str(each.type), names[each.source], names[each.target]), not each.unsure, each.guard)
        for each in graph.relations
    ]
    all_of_it += [
        ((str(RelationType.EXCLUDE), names[event.id], names[event.id]), True, None)
        for event in graph.events
        if event.once
    ]
    found: dict[Key, tuple[bool, frozenset[str]]] = {}
    for key, sure, guard in all_of_it:
        was_sure, guards = found.get(key, (False, frozenset()))
        found[key] = (was_sure or sure, guards | {normal(guard) if guard else ""})
    return found


def _name(number: str, function: str, level: Level) -> str:
    """What an event is known by: its function's signature, and at the level of events the branch of it."""
    _, _, branch = number.partition("/")
    known = function or number
    if level == "function" or not branch:
        return known
    # Overloads have their types behind the name; they are no branches.
    types = function.partition("(")[2].rstrip(")").replace(",", "-")
    return known if branch == types else f"{known}/{branch}"


def _events(extracted: Graph, annotated: Graph, level: Level) -> Counts:
    guards: list[dict[str, set[str]]] = []
    for graph in (extracted, annotated):
        found: dict[str, set[str]] = {}
        for event in graph.events:
            name = _name(event.id, event.function, level)
            found.setdefault(name, set()).add(normal(event.guard) if event.guard else "")
        guards.append(found)
    ours, theirs = guards
    matched = ours.keys() & theirs.keys()
    agree = sum(bool(ours[name] & theirs[name]) for name in matched)
    return Counts(len(matched), len(ours), len(theirs), agree)


class Summary(msgspec.Struct, frozen=True):
    """Several graphs."""

    pooled: Counts
    """All relations of all contracts, as one."""
    precision: float | None
    """Mean over the contracts of which it can be told."""
    recall: float | None


def summarise(qualities: Sequence[Quality]) -> dict[str, Summary]:
    """For each type, and for ``all``, the counts together and the mean over contracts."""
    found = {}
    for kind in (*RelationType, "all"):
        counts = [
            each.all if kind == "all" else each.by_type[RelationType(kind)] for each in qualities
        ]
        found[str(kind)] = Summary(
            sum(counts, Counts()),
            _mean(each.precision for each in counts),
            _mean(each.recall for each in counts),
        )
    return found


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
