"""A task's sequences along its graph: found once on the original, and kept for all models, samples and oracles."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import msgspec

from solexp import dcr, fuzzing, violations
from solexp.core import Build, UserError
from solexp.core.hashing import code_hash, content_hash, file_hash
from solexp.core.settings import at_least
from solexp.dcr.extraction.static import extract
from solexp.dcr.graph import Graph, read, write
from solexp.dcr.records import SOURCES, Search, Sequences, Source, programs
from solexp.dcr.sequences import DEPLOYMENT_GAS, Original, find, settle
from solexp.evm.anvils import versions
from solexp.evm.deployed import Deployed
from solexp.evm.machine import Subject
from solexp.oracles.base import Case
from solexp.oracles.grounds import undeployed
from solexp.oracles.staging import Stage, subject
from solexp.solidity.foundry.imports import with_project
from solexp.store import Store
from solexp.toolchain.homes import cache_home

SCHEMA = 3
"""Raised with every change of what is kept."""

_ROUNDS = 3
_NAMED = ("annotated", "static")


class Sequencing(msgspec.Struct, frozen=True, kw_only=True):
    """Where graphs come from, and how sequences along them are looked for."""

    graphs: str
    search: Search
    cpu_s: float
    memory_mb: int

    def fingerprint(self) -> dict[str, Any]:
        """Every setting that sequences depend on, and the graphs."""
        return {
            "graphs": self.graphs if self.graphs in _NAMED else _hashes(self.graphs),
            "search": msgspec.to_builtins(self.search),
            "code": _code(),
            "anvils": versions(),
            "limits": [self.cpu_s, self.memory_mb],
        }


def _folder(graphs: str) -> Path:
    folder = Path(graphs)
    if not folder.is_dir():
        raise UserError(
            f"oracle.dcr.graphs: there is no folder {graphs}; make it by solexp dcr extract all --out "
            f"{graphs}, or choose annotated or static"
        )
    return folder


def _hashes(graphs: str) -> str:
    """Hash of all graphs in a folder."""
    return content_hash(
        [[path.name, file_hash(path)] for path in sorted(_folder(graphs).glob("*.json"))]
    )


def sequencing(
    oracle: str, *, graphs: str, cpu_s: float, memory_mb: int, **search: Any
) -> Sequencing:
    """The settings of ``oracle``, checked. ``search`` are those of `solexp.dcr.records.Search`, its ``sources`` by the
    key ``search``. Raises UserError."""
    named = search.pop("search")
    wanted = [] if named == "none" else SOURCES if named == "all" else named
    wanted = [wanted] if isinstance(wanted, str) else list(wanted)
    for name in wanted:
        if name not in SOURCES:
            raise UserError(
                f"oracle.{oracle}.search: must be all, none, or some of {', '.join(SOURCES)}; got {name!r}"
            )
    for name in ("calls", "attempts", "length", "rlimit"):
        at_least(f"oracle.{oracle}.{name}", search[name])
    for name in ("alpha", "beta", "closing", "led"):
        if not 0 <= search[name] <= 1:
            raise UserError(f"oracle.{oracle}.{name}: must be from 0 to 1, got {search[name]}")
    for name, value in ((name, search[name]) for name in ("queries", "rejected", "borders")):
        at_least(f"oracle.{oracle}.{name}", value, 0)
    for name, limit in (("cpu_s", cpu_s), ("memory_mb", memory_mb)):
        if limit <= 0:
            raise UserError(f"oracle.{oracle}.{name}: must be above 0, got {limit}")
    sources: tuple[Source, ...] = tuple(each for each in SOURCES if each in wanted)
    return Sequencing(
        graphs=graphs, search=Search(sources=sources, **search), cpu_s=cpu_s, memory_mb=memory_mb
    )


def graph_of(case: Case, staged: Stage, settings: Sequencing) -> Graph | str:
    """The task's graph, or why there is none. Raises DataError for one that is damaged."""
    if settings.graphs == "static":
        sources = _sources(case)
        return extract(_parsed(case), staged.contract.name, sources)
    task = case.task
    if settings.graphs == "annotated":
        if not isinstance(task.graph, str):
            return "there is no graph of it: nobody has annotated one"
        return read(task.graph, f"the annotated graph of {task.id}")
    place = _folder(settings.graphs) / f"{task.id.replace('/', '_')}.json"
    if not place.is_file():
        return f"there is no graph of it ({place})"
    return read(place.read_bytes(), str(place))


def sequences_of(case: Case, staged: Stage, settings: Sequencing, node: Deployed) -> Sequences:
    """The task's sequences, of which every call succeeds on ``node``, where the original comes to stand.

    Raises DataError for a damaged graph and HarnessError when a node fails.
    """
    deployed = node.deploy(staged.original, DEPLOYMENT_GAS)
    if deployed.address is None:
        return Sequences(reason=undeployed(deployed))
    graph = graph_of(case, staged, settings)
    if isinstance(graph, str):
        return Sequences(reason=graph)
    store = Store(cache_home() / "sequences", SCHEMA)
    key = content_hash(
        staged.original.creation,
        staged.program,
        _sources(case),
        case.settings,
        case.compiler.version(case.settings.version),
        write(graph),
        settings.fingerprint() | {"graphs": None},
    )
    known = store.get(key, Sequences) if case.cached else None
    if known is None:
        known = _find(case, staged, settings, graph, node)
        if case.cached:
            store.put(key, known)
    return known


def _find(
    case: Case, staged: Stage, settings: Sequencing, graph: Graph, node: Deployed
) -> Sequences:
    name = staged.original.contract.name

    def compiled(sources: dict[str, str]) -> Build:
        return case.compiler.compile(sources, case.settings)

    def linked(build: Build, sources: dict[str, str]) -> Subject | None:
        made = build.contract(name)
        if made is None or made.missing_libraries:
            return None
        return subject(build, made, case, sources)

    try:
        build = _parsed(case)
    except RecursionError:
        return Sequences(reason="the compiler's AST is nested too deeply to be read")
    original = Original(staged.original, build, _sources(case), compiled, linked)
    found = find(original, staged.program, node.hardfork, graph, settings.search)
    for _ in range(_ROUNDS):
        traces = node.run(node.questions(programs(staged.program, found.programs)))
        settled = settle(found, traces)
        if settled.calls == found.calls:
            return found
        found = settled
    return found


def _parsed(case: Case) -> Build:
    return case.compiler.compile(_sources(case), case.settings, ast=True, keep_ast=False)


def _sources(case: Case) -> dict[str, str]:
    return with_project(case.task, case.task.sources)


@functools.cache
def _code() -> str:
    return code_hash(*(Path(str(each.__file__)).parent for each in (dcr, fuzzing, violations)))
