"""DCR graphs as the XML that dcrgraphs.net and pm4py's fork for DCR graphs read and write (root ``dcrgraph``).

The format: Slaats, Mukkamala, Hildebrandt and Marquard, Exformatics Declarative Case Management Workflows as DCR
Graphs, BPM 2013. Guards are expressions of the specification that relations name. What the format has no word for
stands in each event's ``custom/solidity``; an event that happens once excludes itself, so that others run it alike.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

from solexp.core.errors import DataError, nearest
from solexp.dcr.graph import (
    Event,
    Graph,
    Marking,
    Relation,
    RelationType,
    first_marking,
    validate,
)

_Path = tuple[str, ...]

_ONCE = "happens once"
_MARKING = {"executed": "executed", "included": "included", "pendingResponses": "pending"}
_UNSUPPORTED = {
    "milestone": "milestones",
    "coresponse": "no-response relations",
    "noresponse": "no-response relations",
    "spawn": "spawn relations",
    "templatespawn": "spawn relations",
    "update": "update relations",
    "valuerelation": "value relations",
}


def to_xml(graph: Graph) -> str:
    """The XML of a graph, from which `from_xml` makes the same graph."""
    root = ElementTree.Element("dcrgraph", title=graph.contract)
    specification = ElementTree.SubElement(root, "specification")
    resources = ElementTree.SubElement(specification, "resources")
    events, labels, mappings, expressions = (
        ElementTree.SubElement(resources, name)
        for name in ("events", "labels", "labelMappings", "expressions")
    )
    for event in graph.events:
        _event(ElementTree.SubElement(events, "event", id=event.id), event)
        ElementTree.SubElement(labels, "label", id=event.id)
        ElementTree.SubElement(mappings, "labelMapping", eventId=event.id, labelId=event.id)
    numbers = {guard: f"guard{number}" for number, guard in enumerate(_relation_guards(graph))}
    for guard, name in numbers.items():
        ElementTree.SubElement(expressions, "expression", id=name, value=guard)
    _constraints(ElementTree.SubElement(specification, "constraints"), graph, numbers)
    marking = ElementTree.SubElement(ElementTree.SubElement(root, "runtime"), "marking")
    for tag, part in _MARKING.items():
        there = ElementTree.SubElement(marking, tag)
        for name in graph.by_id:
            if name in getattr(graph.marking, part):
                ElementTree.SubElement(there, "event", id=name)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _relation_guards(graph: Graph) -> Iterable[str]:
    return dict.fromkeys(each.guard for each in graph.relations if each.guard)


def _event(node: ElementTree.Element, event: Event) -> None:
    custom = ElementTree.SubElement(node, "custom")
    kept = ElementTree.SubElement(custom, "solidity", function=event.function)
    for name in ("guard", "sender", "value"):
        if (text := getattr(event, name)) is not None:
            kept.set(name, text)
    if event.ownership:
        kept.set("ownership", "true")
    if event.arguments:
        kept.set("arguments", json.dumps(event.arguments))


def _constraints(node: ElementTree.Element, graph: Graph, numbers: dict[str, str]) -> None:
    for kind in RelationType:
        group = ElementTree.SubElement(node, f"{kind}s")
        for relation in graph.of_type(kind):
            made = ElementTree.SubElement(
                group, kind, sourceId=relation.source, targetId=relation.target
            )
            if relation.guard is not None:
                made.set("expressionId", numbers[relation.guard])
            if relation.why is not None:
                made.set("description", relation.why)
            if relation.unsure:
                made.set("unsure", "true")
        if kind == RelationType.EXCLUDE:
            for event in graph.events:
                if event.once:
                    ElementTree.SubElement(
                        group, kind, sourceId=event.id, targetId=event.id, description=_ONCE
                    )


def from_xml(text: str | bytes, place: str) -> Graph:
    """The graph of such XML; ``place`` is the file that errors name.

    Relations come by type. Labels, roles and what else does not change a run are left out. Raises DataError for what
    is no such XML, and for what would run differently here: nested events, times, milestones and other relations.
    """
    root = _root(text, place)
    above = {"event": "events", "expression": "expressions"}
    above |= {str(kind): "constraints" for kind in RelationType}
    nodes: dict[str, list[tuple[_Path, ElementTree.Element]]] = {tag: [] for tag in above}
    for path, node in _walk(root, ()):
        tag = path[-1]
        if tag.lower() in _UNSUPPORTED:
            raise DataError(
                f"{place}: {_at(path, node)}: {_UNSUPPORTED[tag.lower()]} have no counterpart; remove it"
            )
        if above.get(tag) in path:
            nodes[tag].append((path, node))
    events = tuple(_read_event(path, node, place) for path, node in nodes["event"])
    guards = {node.get("id", ""): node.get("value", "") for _, node in nodes["expression"]}
    read = [
        _relation(path, node, guards, place) for kind in RelationType for path, node in nodes[kind]
    ]
    once = {each.source for each in read if _says_once(each)}
    events = tuple(_with(event, once=event.id in once) for event in events)
    relations = tuple(each for each in read if not _says_once(each))
    graph = Graph(
        contract=root.get("title") or "untitled",
        events=events,
        relations=relations,
        marking=_marking(root, events, relations),
    )
    validate(graph, place)
    return graph


def _root(text: str | bytes, place: str) -> ElementTree.Element:
    data = text.encode() if isinstance(text, str) else text
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise DataError(f"{place}: document types are not read; remove <!DOCTYPE …>")
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise DataError(f"{place}: not XML: {error}") from error
    if root.tag != "dcrgraph":
        raise DataError(f"{place}: <{root.tag}> where <dcrgraph> is wanted")
    return root


def _walk(node: ElementTree.Element, above: _Path) -> Iterable[tuple[_Path, ElementTree.Element]]:
    for child in node:
        path = (*above, str(child.tag))
        yield path, child
        yield from _walk(child, path)


def _at(path: _Path, node: ElementTree.Element) -> str:
    """Where in the XML, with the ids that single the element out."""
    names = [node.get(key) for key in ("id", "sourceId", "targetId")]
    return f"{'/'.join(path)} {' → '.join(name for name in names if name)}".rstrip()


def _with(event: Event, **changed: Any) -> Event:
    values = {name: getattr(event, name) for name in event.__struct_fields__}
    return Event(**(values | changed))


def _read_event(path: _Path, node: ElementTree.Element, place: str) -> Event:
    name = node.get("id")
    if not name:
        raise DataError(f"{place}: {_at(path, node)}: an event needs an id")
    if "event" in path[:-1] or node.get("type") in {"nesting", "subprocess", "form"}:
        raise DataError(f"{place}: {_at(path, node)}: nested events are not read; flatten them")
    kept = node.find("custom/solidity")
    found = {} if kept is None else dict(kept.attrib)
    try:
        arguments = json.loads(found.get("arguments", "[]"))
        lists = tuple(tuple(str(value) for value in values) for values in arguments)
    except (ValueError, TypeError) as error:
        raise DataError(
            f"{place}: {_at(path, node)}: arguments must be lists of values as JSON"
        ) from error
    return Event(
        id=name,
        function=found.get("function", ""),
        guard=found.get("guard"),
        ownership=found.get("ownership") == "true",
        arguments=lists,
        sender=found.get("sender"),
        value=found.get("value"),
    )


def _relation(
    path: _Path, node: ElementTree.Element, guards: dict[str, str], place: str
) -> Relation:
    source, target, named = (node.get(key) for key in ("sourceId", "targetId", "expressionId"))
    if not source or not target:
        raise DataError(f"{place}: {_at(path, node)}: a relation needs a sourceId and a targetId")
    if node.get("time"):
        raise DataError(f"{place}: {_at(path, node)}: times are not read; remove time")
    if named and named not in guards:
        raise DataError(
            f"{place}: {_at(path, node)}: no expression '{named}'; {nearest(named, guards)}"
        )
    return Relation(
        type=RelationType(path[-1]),
        source=source,
        target=target,
        guard=guards[named] if named else None,
        unsure=node.get("unsure") == "true",
        why=node.get("description") or None,
    )


def _says_once(relation: Relation) -> bool:
    return relation == Relation(
        type=RelationType.EXCLUDE, source=relation.source, target=relation.source, why=_ONCE
    )


def _marking(
    root: ElementTree.Element, events: tuple[Event, ...], relations: tuple[Relation, ...]
) -> Marking:
    marking = root.find("runtime/marking")
    if marking is None:
        return first_marking(events, relations)
    parts = {
        part: frozenset(node.get("id", "") for node in marking.iterfind(f"{tag}/event"))
        for tag, part in _MARKING.items()
    }
    return Marking(**parts)
