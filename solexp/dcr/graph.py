"""Dynamic Condition Response graphs of contracts: events, relations, a first marking; read from JSON and written to it.

Hildebrandt and Mukkamala, Declarative Event-Based Workflow as Distributed Dynamic Condition Response Graphs, PLACES
2010, with guards on events and relations, and with events that happen once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from functools import cached_property
from typing import Any

import msgspec

from solexp.core.errors import DataError, nearest
from solexp.core.nesting import refuse_depth
from solexp.dcr.expressions import parsed
from solexp.evm.abi import split_types

_SIGNATURE = re.compile(r"[A-Za-z_$][\w$]*\([\w$,()\[\]]*\)")
_SENDER = re.compile(r"[A-Za-z][\w-]*|0x[0-9a-fA-F]{40}")


class RelationType(StrEnum):
    """What one event does to another."""

    CONDITION = "condition"
    """The source must have happened before the target may, while the source is included."""
    RESPONSE = "response"
    """Once the source happens the target is owed."""
    INCLUDE = "include"
    EXCLUDE = "exclude"


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something that can happen to a contract: a call of a state-changing function, or of one branch of it."""

    id: str
    """Without blanks; ``name``, or ``name/branch-words`` where a function is several events."""
    function: str
    """Canonical signature; empty for an event that is bound to no function."""
    guard: str | None = None
    """A Solidity expression that holds where the call is possible."""
    once: bool = False
    """Whether it may succeed only once: it excludes itself."""
    ownership: bool = False
    """Whether it hands ownership over."""
    arguments: tuple[tuple[str, ...], ...] = ()
    """Argument lists to try, each value as text."""
    sender: str | None = None
    """Who calls: the word for a role, such as ``owner``, or an address."""
    value: str | None = None
    """Wei that go with the call, as decimal text."""


class Relation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A directed relation between two events, which may be one and the same."""

    type: RelationType
    source: str
    target: str
    guard: str | None = None
    """A Solidity expression; the relation is there where it holds."""
    unsure: bool = False
    """In annotations: a case that can be argued either way; counted neither way."""
    why: str | None = None
    """In annotations: what in the source makes it."""

    def __str__(self) -> str:
        """For a reader."""
        when = f" when {self.guard}" if self.guard else ""
        return f"{self.source} {self.type} {self.target}{when}"


class Marking(msgspec.Struct, frozen=True):
    """A state of a graph: which events have happened, are owed, and are included."""

    executed: frozenset[str] = frozenset()
    pending: frozenset[str] = frozenset()
    included: frozenset[str] = frozenset()


class Graph(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A graph; its relations name events that it has."""

    contract: str
    events: tuple[Event, ...]
    relations: tuple[Relation, ...]
    marking: Marking

    @cached_property
    def by_id(self) -> dict[str, Event]:
        """Events by id, in the graph's order."""
        return {event.id: event for event in self.events}

    @cached_property
    def from_source(self) -> dict[str, tuple[Relation, ...]]:
        """The relations that start at each event."""
        return _grouped(self, "source")

    @cached_property
    def to_target(self) -> dict[str, tuple[Relation, ...]]:
        """The relations that end at each event."""
        return _grouped(self, "target")

    def of_type(self, kind: RelationType) -> tuple[Relation, ...]:
        """The relations of a type, in the graph's order."""
        return tuple(each for each in self.relations if each.type == kind)

    def guards(self) -> tuple[str, ...]:
        """Every guard of an event or relation, each once, in the graph's order."""
        found = [event.guard for event in self.events]
        found += [relation.guard for relation in self.relations]
        return tuple(dict.fromkeys(guard for guard in found if guard))


def _grouped(graph: Graph, end: str) -> dict[str, tuple[Relation, ...]]:
    found: dict[str, list[Relation]] = {event.id: [] for event in graph.events}
    for relation in graph.relations:
        found[getattr(relation, end)].append(relation)
    return {name: tuple(relations) for name, relations in found.items()}


def first_marking(events: Iterable[Event], relations: Iterable[Relation]) -> Marking:
    """What a graph without a marking starts from: nothing has happened, nothing is owed, and every event is included
    but for those that some event includes and none excludes, which wait for their inclusion.
    """
    events, relations = tuple(events), tuple(relations)
    kinds = {
        kind: {each.target for each in relations if each.type == kind} for kind in RelationType
    }
    excluded = kinds[RelationType.EXCLUDE] | {event.id for event in events if event.once}
    waiting = kinds[RelationType.INCLUDE] - excluded
    return Marking(included=frozenset(event.id for event in events if event.id not in waiting))


class _Marking(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    executed: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    included: tuple[str, ...] | None = None


class _Event(Event, frozen=True, forbid_unknown_fields=True):
    """As it stands in a file."""


class _Relation(Relation, frozen=True, forbid_unknown_fields=True):
    """As it stands in a file."""


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    contract: str
    events: tuple[_Event, ...]
    relations: tuple[_Relation, ...]
    marking: _Marking | None = None


def read(text: str | bytes, place: str) -> Graph:
    """The graph that JSON holds; ``place`` is the file, or what else errors are to name.

    Raises DataError with the place, the path of the faulty field such as ``relations[3].source``, and the mend.
    """
    try:
        refuse_depth(text)
    except ValueError as error:
        raise DataError(f"{place}: {error}") from None
    try:
        file = msgspec.json.decode(text, type=_File)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$")
        field = where.rstrip("`").removeprefix(".") or "the whole file"
        mend = _mend(field, what)
        raise DataError(f"{place}: {field}: {what[0].lower()}{what[1:]}{mend}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DataError(f"{place}: not JSON: {error}") from error
    events = tuple(_plain(event, Event) for event in file.events)
    relations = tuple(_plain(relation, Relation) for relation in file.relations)
    marking = first_marking(events, relations)
    if file.marking is not None:
        given = file.marking.included
        marking = Marking(
            frozenset(file.marking.executed),
            frozenset(file.marking.pending),
            marking.included if given is None else frozenset(given),
        )
    graph = Graph(contract=file.contract, events=events, relations=relations, marking=marking)
    validate(graph, place)
    return graph


def _mend(field: str, what: str) -> str:
    """What to write instead, where the decoder does not say it."""
    if what.startswith("Invalid enum"):
        return f"; choose from: {', '.join(RelationType)}"
    if "unknown field" in what:
        kind = {"events": _Event, "relations": _Relation, "marking": _Marking}
        known = kind.get(field.partition("[")[0], _File).__struct_fields__
        return f"; {nearest(what.split('`')[1], known)}"
    return ""


def _plain(part: Any, kind: type[Any]) -> Any:
    return kind(**{name: getattr(part, name) for name in kind.__struct_fields__})


def write(graph: Graph) -> str:
    """JSON that `read` reads as the same graph, two blanks deep, names of the marking in the graph's order."""
    order = list(graph.by_id)
    value = {
        "contract": graph.contract,
        "events": msgspec.to_builtins(graph.events),
        "relations": msgspec.to_builtins(graph.relations),
        "marking": {
            part: [name for name in order if name in getattr(graph.marking, part)]
            for part in Marking.__struct_fields__
        },
    }
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"


def validate(graph: Graph, place: str) -> None:
    """Refuse a graph whose parts do not fit: raises DataError with the place, the field and the mend."""
    for number, (field, mend) in enumerate(_faults(graph)):
        if number == 0:
            raise DataError(f"{place}: {field}: {mend}")


def _faults(graph: Graph) -> Iterable[tuple[str, str]]:
    if not graph.contract:
        yield "contract", "name the contract"
    times = Counter(event.id for event in graph.events)
    for number, event in enumerate(graph.events):
        yield from _event_faults(f"events[{number}]", event)
        if times[event.id] > 1:
            yield f"events[{number}].id", f"'{event.id}' is there {times[event.id]} times; rename"
    for number, relation in enumerate(graph.relations):
        at = f"relations[{number}]"
        for end in ("source", "target"):
            name = getattr(relation, end)
            if name not in times:
                yield f"{at}.{end}", f"no event '{name}'; {nearest(name, times)}"
        yield from _guard_faults(f"{at}.guard", relation.guard)
    for part in Marking.__struct_fields__:
        for name in sorted(getattr(graph.marking, part)):
            if name not in times:
                yield f"marking.{part}", f"no event '{name}'; {nearest(name, times)}"


def _event_faults(at: str, event: Event) -> Iterable[tuple[str, str]]:
    if not event.id or re.search(r"\s", event.id):
        yield f"{at}.id", f"'{event.id}' must be a word without blanks, such as mint or mint/paid"
    if event.function and not _SIGNATURE.fullmatch(event.function):
        yield (
            f"{at}.function",
            f"'{event.function}' is no canonical signature such as transfer(address,uint256)",
        )
    elif event.function:
        wanted = len(split_types(event.function.partition("(")[2][:-1]))
        for number, arguments in enumerate(event.arguments):
            if len(arguments) != wanted:
                yield (
                    f"{at}.arguments[{number}]",
                    f"{len(arguments)} values for {event.function}; give {wanted}",
                )
    yield from _guard_faults(f"{at}.guard", event.guard)
    if event.sender is not None and not _SENDER.fullmatch(event.sender):
        yield f"{at}.sender", f"'{event.sender}' is neither a role's word nor an address"
    if event.value is not None and not re.fullmatch(r"[0-9]+", event.value):
        yield f"{at}.value", f"'{event.value}' must be wei as decimal digits, such as 0"


def _guard_faults(at: str, guard: str | None) -> Iterable[tuple[str, str]]:
    if guard is not None and parsed(guard) is None:
        yield at, f"'{guard}' is no Solidity expression; write one, or null where there is no guard"
