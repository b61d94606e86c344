"""`solexp dcr`: look at graphs of contracts and turn them into other formats."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from solexp.core import UserError
from solexp.core.errors import nearest
from solexp.dcr import Graph, enabled, read, write
from solexp.dcr.picture import to_dot, to_svg
from solexp.dcr.xml import from_xml, to_xml

_READERS: dict[str, Callable[[bytes, str], Graph]] = {".json": read, ".xml": from_xml}
_WRITERS: dict[str, Callable[[Graph], str]] = {
    ".json": write,
    ".xml": to_xml,
    ".dot": to_dot,
    ".svg": to_svg,
}


def dcr(command: argparse.Namespace) -> int:
    """Print a graph, or write it in the format that a file's name asks for; returns 0."""
    graph = graph_of(Path(command.graph))
    if command.out is None:
        print(told(graph))
        return 0
    out = Path(command.out)
    writer = _WRITERS.get(out.suffix.lower())
    if writer is None:
        raise UserError(f"--out {out}: {nearest(out.suffix, _WRITERS)}")
    try:
        out.write_text(writer(graph), encoding="utf-8")
    except OSError as error:
        raise UserError(f"--out {out}: {error.strerror}") from error
    print(f"wrote {out}")
    return 0


def graph_of(path: Path) -> Graph:
    """The graph in a file. Raises UserError for one that is not there or cannot be read."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise UserError(f"{path}: a graph's file ends in .json or .xml")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; give the file of a graph") from error
    return reader(data, str(path))


def told(graph: Graph) -> str:
    """A graph for a reader: its events, its relations, and what may happen first, its guards taken to hold."""
    first = {event.id for event in enabled(graph, graph.marking)}
    lines = [
        f"{graph.contract}: {len(graph.events)} events, {len(graph.relations)} relations",
        "",
        "events (→ may happen first, ! owed, ✓ has happened, - excluded)",
    ]
    wide = max((len(event.id) for event in graph.events), default=0)
    for event in graph.events:
        marks = "→" if event.id in first else " "
        marks += "!" if event.id in graph.marking.pending else " "
        marks += "✓" if event.id in graph.marking.executed else " "
        marks += " " if event.id in graph.marking.included else "-"
        notes = [
            *(["once"] if event.once else []),
            *(["ownership"] if event.ownership else []),
            *([f"when {event.guard}"] if event.guard else []),
        ]
        lines.append(f"  {marks} {event.id:{wide}}  {event.function}  {', '.join(notes)}".rstrip())
    if graph.relations:
        lines += ["", "relations"]
        lines += [
            f"  {relation}{'  (unsure)' if relation.unsure else ''}" for relation in graph.relations
        ]
    return "\n".join(lines)
