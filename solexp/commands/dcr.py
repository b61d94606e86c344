"""`solexp dcr`: look at graphs of contracts, extract them, and say how good extracted ones are."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from solexp.benchmarks.starter.loader import FOLDER
from solexp.config import build
from solexp.config.compose import compose, plain
from solexp.core import Task, UserError
from solexp.core.errors import nearest
from solexp.dcr import Graph, enabled, read, write
from solexp.dcr.extraction.static import extract
from solexp.dcr.picture import to_dot, to_svg
from solexp.dcr.quality import Counts, Quality, compare, summarise
from solexp.dcr.xml import from_xml, to_xml
from solexp.solidity.compiler import Compiler

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
        (task,) = _tasks(command.override, [command.task])
        return _give(_extracted([task])[task.id], command.out)
    return _give(graph_of(Path(command.graph)), command.out)


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


def _tasks(overrides: Sequence[str], wanted: Sequence[str] = ()) -> list[Task]:
    """The composed benchmark's tasks, or those that are wanted."""
    tasks = build(plain(compose(list(overrides)))).benchmark.tasks()
    by_id = {task.id: task for task in tasks}
    for name in wanted:
        if name not in by_id:
            raise UserError(f"no task '{name}'; {nearest(name, by_id)}")
    return [by_id[name] for name in wanted] if wanted else list(tasks)


def _extracted(tasks: Sequence[Task]) -> dict[str, Graph]:
    """The graph of each task's contract, by static analysis, by id of the task."""
    found = {}
    with Compiler() as compiler:
        for task in tasks:
            if task.language != "solidity":
                raise UserError(f"{task.id}: graphs are extracted from Solidity; choose another")
            made = compiler.compile(task.sources, task.compiler, ast=True, keep_ast=False)
            found[task.id] = extract(made, contract_of(task), task.sources)
    return found


def contract_of(task: Task) -> str:
    """The contract whose life cycle is meant: the one that is deployed, where the task says which."""
    program = task.program
    return program.deployment.contract if program is not None else task.target.contract


def _quality(command: argparse.Namespace) -> int:
    folder = Path(command.annotations) if command.annotations else FOLDER
    tasks = [(task, path) for task in _tasks(command.override) for path in _annotated(folder, task)]
    if not tasks:
        raise UserError(f"{folder}: no TASK/graph.json or TASK.json of a task; give --annotations")
    annotated = {task.id: graph_of(path) for task, path in tasks}
    if command.extracted:
        extracted = {
            task.id: graph_of(path)
            for task, _ in tasks
            for path in _annotated(Path(command.extracted), task)
        }
        if missing := sorted(annotated.keys() - extracted.keys()):
            raise UserError(f"{command.extracted}: no graph of {', '.join(missing)}")
    else:
        extracted = _extracted([task for task, _ in tasks])
    found = {name: compare(extracted[name], annotated[name], command.level) for name in annotated}
    print(render(found, details=command.details))
    return 0


def _annotated(folder: Path, task: Task) -> list[Path]:
    known = [folder / task.id / "graph.json", folder / f"{task.id}.json"]
    return [path for path in known if path.is_file()][:1]


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
