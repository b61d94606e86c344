"""`solexp dcr`: look at graphs of contracts, extract them, and say how good extracted ones are."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from solexp.commands.graphs import asked, composed_tasks, extracted
from solexp.core import Task, UserError
from solexp.core.errors import nearest
from solexp.dcr import Graph, enabled, read, write
from solexp.dcr.picture import to_dot, to_svg
from solexp.dcr.quality import Counts, Quality, compare, summarise
from solexp.dcr.xml import from_xml, to_xml

_READERS: dict[str, Callable[[bytes, str], Graph]] = {".json": read, ".xml": from_xml}
_WRITERS: dict[str, Callable[[Graph], str]] = {
    ".json": write,
    ".xml": to_xml,
    ".dot": to_dot,
    ".svg": to_svg,
}


def dcr(command: argparse.Namespace) -> int:
    """Show a graph, extract one, or say how good extracted ones are; returns 0."""
    if command.verb == "quality":
        return _quality(command)
    if command.verb == "extract":
        return _extract(command)
    return _give(graph_of(Path(command.graph)), command.out)


def _extract(command: argparse.Namespace) -> int:
    """The graph of a task, or those of all into a folder; 1 where a model falls silent or gives none."""
    several = command.task == "all"
    folder = Path(command.out or "")
    if several and (command.out is None or folder.suffix):
        raise UserError("dcr extract all: give a folder, such as --out graphs")
    tasks = composed_tasks(command.override, () if several else [command.task])
    by_model = any(word.startswith("model=") for word in command.override)
    found, halted = asked(command.override, tasks) if by_model else (extracted(tasks), None)
    if several:
        folder.mkdir(parents=True, exist_ok=True)
        for name, graph in found.items():
            path = folder / f"{name}.json"
            # Ids of some benchmarks have slashes.
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(write(graph), encoding="utf-8")
        print(f"wrote {len(found)} of {len(tasks)} graphs to {folder}")
    else:
        for graph in found.values():
            _give(graph, command.out)
    if halted is not None:
        print(f"solexp: {halted}; start it again to go on", file=sys.stderr)
    return 0 if len(found) == len(tasks) else 1


def _give(graph: Graph, path: str | None) -> int:
    """Print a graph, or write it in the format that a file's name asks for."""
    if path is None:
        print(told(graph))
        return 0
    out = Path(path)
    writer = _WRITERS.get(out.suffix.lower())
    if writer is None:
        raise UserError(f"--out {out}: {nearest(out.suffix, _WRITERS)}")
    try:
        out.write_text(writer(graph), encoding="utf-8")
    except OSError as error:
        raise UserError(f"--out {out}: {error.strerror}") from error
    print(f"wrote {out}")
    return 0


def _quality(command: argparse.Namespace) -> int:
    every = composed_tasks(command.override)
    if command.annotations:
        annotated = _graphs(Path(command.annotations), every)
    else:
        annotated = {
            task.id: read(task.graph, f"the annotated graph of {task.id}")
            for task in every
            if isinstance(task.graph, str)
        }
    if not annotated:
        where = command.annotations or "annotated graphs"
        raise UserError(f"{where}: no TASK/graph.json or TASK.json of a task; give --annotations")
    tasks = [task for task in every if task.id in annotated]
    if command.extracted:
        graphs = _graphs(Path(command.extracted), tasks)
        if missing := sorted(annotated.keys() - graphs.keys()):
            raise UserError(f"{command.extracted}: no graph of {', '.join(missing)}")
    else:
        graphs = extracted(tasks)
    found = {name: compare(graphs[name], annotated[name], command.level) for name in annotated}
    print(render(found, details=command.details))
    return 0


def _graphs(folder: Path, tasks: Sequence[Task]) -> dict[str, Graph]:
    """Those of a folder with a ``TASK/graph.json`` or ``TASK.json`` for each task."""
    found = {}
    for task in tasks:
        known = [folder / task.id / "graph.json", folder / f"{task.id}.json"]
        for path in [path for path in known if path.is_file()][:1]:
            found[task.id] = graph_of(path)
    return found


def render(found: Mapping[str, Quality], *, details: bool = False) -> str:
    """A table by type of relation, and with ``details`` what each contract's graph misses and adds."""
    lines = [
        f"{len(found)} contracts",
        "",
        f"{'':10} {'matched':>8} {'extracted':>10} {'annotated':>10} {'precision':>10} {'recall':>7}"
        f" {'mean precision':>15} {'mean recall':>12} {'same guard':>11}",
    ]
    for kind, summary in summarise(list(found.values())).items():
        pooled = summary.pooled
        lines.append(
            f"{kind:10} {pooled.matched:8} {pooled.extracted:10} {pooled.annotated:10} "
            f"{_share(pooled.precision):>10} {_share(pooled.recall):>7} "
            f"{_share(summary.precision):>15} {_share(summary.recall):>12} "
            f"{pooled.guards_agree:>11}"
        )
    events = sum((each.events for each in found.values()), Counts())
    lines.append(
        f"{'events':10} {events.matched:8} {events.extracted:10} {events.annotated:10} "
        f"{_share(events.precision):>10} {_share(events.recall):>7} {'':15} {'':12} "
        f" {events.guards_agree:>11}"
    )
    for name, quality in found.items() if details else ():
        lines += ["", name]
        lines += [
            f"  missing  {source} {kind} {target}" for kind, source, target in quality.missing
        ]
        lines += [f"  added    {source} {kind} {target}" for kind, source, target in quality.added]
    return "\n".join(lines)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


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
