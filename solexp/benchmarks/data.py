"""What ``solexp data`` does, as plain structures: list, fetch, import, verify and stats."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

import msgspec

from solexp.benchmarks import rowfiles, starter, stats, taskset
from solexp.benchmarks.base import Benchmark
from solexp.benchmarks.building import card
from solexp.benchmarks.categories import PAPER_TOTALS, totals
from solexp.benchmarks.contracteval import ContractEval
from solexp.benchmarks.contracteval import release as contracteval
from solexp.benchmarks.contracts import Contracts
from solexp.benchmarks.fetching import Report
from solexp.benchmarks.solbench import SolBench
from solexp.benchmarks.solcontracteval import SolContractEval, bundle
from solexp.benchmarks.soleval import SolEval, release
from solexp.benchmarks.solidity_eval import SolidityEval
from solexp.core import SolexpError, Task, UserError
from solexp.core.errors import nearest
from solexp.core.hashing import file_hash
from solexp.solidity.functions import member_at
from solexp.solidity.parsing import definitions
from solexp.toolchain.homes import data_home

BENCHMARKS: Mapping[str, str] = {
    "starter": "solexp.benchmarks.starter.Starter",
    "solcontracteval": "solexp.benchmarks.solcontracteval.SolContractEval",
    "soleval": "solexp.benchmarks.soleval.SolEval",
    "contracteval": "solexp.benchmarks.contracteval.ContractEval",
    "solidity_eval": "solexp.benchmarks.solidity_eval.SolidityEval",
    "solbench": "solexp.benchmarks.solbench.SolBench",
    "contracts": "solexp.benchmarks.contracts.Contracts",
}
"""The benchmarks that come with solexp, by name."""

_EMBEDDED = frozenset({"starter"})
_BROUGHT = frozenset({"solidity_eval", "solbench"})
"""Whose rows nobody but the user knows a place of."""
_BUILT = frozenset({"contracts"})
"""Which nobody has published: each builds a set of one's own."""
_ALL: Mapping[str, Mapping[str, str]] = {
    "soleval": {"subset": "all"},
    "solidity_eval": {"config": "full"},
}
"""Arguments with which benchmarks have all their tasks, where they have not otherwise."""


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """One benchmark and its data."""

    name: str
    present: bool
    tasks: int | None
    """How many tasks; None where the data are absent or cannot be read."""
    where: str
    note: str = ""
    """The version where there is one; else what is wrong, or how to get the data."""


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """What a check of a benchmark's data found."""

    name: str
    tasks: int
    problems: tuple[str, ...]
    """One line for each thing that is wrong, naming the task or file."""
    undecidable: Mapping[str, int]
    """Tasks that no oracle can decide, by reason; these are no problems."""
    hashes: Mapping[str, str]
    """SHA-256 of the data files."""

    @property
    def ok(self) -> bool:
        return not self.problems


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """The paper's Table I for a benchmark of contracts, or its like for one of functions."""

    name: str
    rows: tuple[stats.Row, ...] = ()
    functions: tuple[stats.FunctionsRow, ...] = ()
    """In place of ``rows`` where single functions are to be written."""
    python: tuple[stats.PythonRow, ...] = ()
    """In place of ``rows`` where those are Python functions."""
    tokens_are: str = stats.TOKENS_ARE
    totals: Mapping[str, int] = {}
    """Tasks by category."""
    paper_totals: Mapping[str, int] = {}
    """The paper's totals, where the benchmark has a paper."""


def list_benchmarks() -> tuple[Listing, ...]:
    """Every benchmark that comes with solexp, whether its data are there or not."""
    return tuple(_listing(name) for name in BENCHMARKS)


def open_benchmark(name: str, path: Path | None = None) -> Benchmark:
    """The benchmark called ``name``, with all its tasks. Raises UserError for an unknown one."""
    if name not in BENCHMARKS:
        raise UserError(f"no benchmark '{name}'; {nearest(name, BENCHMARKS)}")
    module, _, kind = BENCHMARKS[name].rpartition(".")
    make = getattr(importlib.import_module(module), kind)
    words = _ALL.get(name, {})
    benchmark: Benchmark = make(**words) if path is None else make(path=str(path), **words)
    return benchmark


def fetch(name: str) -> Report:
    """Gets a benchmark's data from where its authors published them, into the data home."""
    return _importer(name).fetch(_folder(name))


def import_data(name: str, source: Path) -> Report:
    """Makes tasks in the data home of a copy of the authors' release."""
    if not source.is_dir():
        raise UserError(f"{source} is no folder; give the folder of the authors' release")
    return _importer(name).import_release(source, _folder(name))


def verify(name: str, benchmark: Benchmark | None = None) -> Verification:
    """Reads all data of ``benchmark`` and checks that they hold together; of all that ``name`` has where it is not
    given.
    """
    benchmark = benchmark or open_benchmark(name)
    problems: list[str] = []
    if isinstance(
        benchmark, ContractEval | Contracts | SolBench | SolContractEval | SolEval | SolidityEval
    ):
        benchmark.malformed = problems.append
    try:
        tasks = benchmark.tasks()
        hashes = benchmark.data_hashes()
        hashes.pop("version", None)
    except UserError as error:
        problems.append(str(error))
        return Verification(name=name, tasks=0, problems=tuple(problems), undecidable={}, hashes={})
    folder: Path | None = getattr(benchmark, "folder", None)
    if folder is not None:
        problems += card.changed(folder)
        problems += _changed(folder) if taskset.exists(folder) else ()
    counts = Counter(task.id for task in tasks)
    problems += [
        f"{task_id}: occurs {count} times" for task_id, count in counts.items() if count > 1
    ]
    for task in tasks:
        problems += [f"{task.id}: {wrong}" for wrong in _wrong(task)]
    return Verification(
        name=name,
        tasks=len(tasks),
        problems=tuple(problems),
        undecidable=dict(Counter(task.undecidable for task in tasks if task.undecidable)),
        hashes=hashes,
    )


def statistics(name: str, benchmark: Benchmark | None = None) -> Statistics:
    """What the tasks of ``benchmark`` consist of; of all that ``name`` has where it is not given."""
    tasks = (benchmark or open_benchmark(name)).tasks()
    if any(task.language == "python" for task in tasks):
        return Statistics(name=name, python=stats.python_table(tasks))
    if any(task.target.member for task in tasks):
        return Statistics(name=name, functions=stats.functions_table(tasks))
    return Statistics(
        name=name,
        rows=stats.table(tasks),
        totals=totals(tasks),
        paper_totals=PAPER_TOTALS if name == "solcontracteval" else {},
    )


class _Importer(Protocol):
    def fetch(self, folder: Path) -> Report: ...

    def import_release(self, source: Path, folder: Path) -> Report: ...


def _importer(name: str) -> _Importer:
    _folder(name)
    if name in _BUILT:
        raise UserError(f"nobody has published '{name}'; get it by: solexp data {_verb(name)}")
    found: _Importer = importlib.import_module(f"solexp.benchmarks.{name}.importing")
    return found


def _folder(name: str) -> Path:
    if name in _EMBEDDED:
        raise UserError(
            f"benchmark '{name}' comes with solexp; there is nothing to fetch or import"
        )
    if name not in BENCHMARKS:
        raise UserError(f"no benchmark '{name}'; {nearest(name, set(BENCHMARKS) - _EMBEDDED)}")
    return data_home() / name


def _listing(name: str) -> Listing:
    where = "within solexp" if name in _EMBEDDED else str(_folder(name))
    try:
        count = _count(name)
    except SolexpError as error:
        return Listing(name=name, present=False, tasks=None, where=where, note=str(error))
    if count is None:
        note = f"get it by: solexp data {_verb(name)}"
        return Listing(name=name, present=False, tasks=None, where=where, note=note)
    note = f"version {starter.VERSION}" if name == "starter" else ""
    return Listing(name=name, present=True, tasks=count, where=where, note=note)


def _verb(name: str) -> str:
    if name in _BUILT:
        return f"build {name} --from CONTRACTS --out SET"
    return f"import {name} --from DIR" if name in _BROUGHT else f"fetch {name}"


def _count(name: str) -> int | None:
    """How many tasks there are, without reading histories where that can be avoided; None without data."""
    if name in _EMBEDDED:
        return len(open_benchmark(name).tasks())
    folder = _folder(name)
    if name in _COUNTS:
        return _COUNTS[name](folder)
    if taskset.exists(folder):
        return taskset.header(folder).tasks
    if (folder / bundle.TASKS).is_file():
        return bundle.count(folder)
    return None


def _rows(folder: Path, config: str) -> int | None:
    """How many rows a folder holds."""
    files = rowfiles.files_of(folder, config) if folder.is_dir() else []
    return sum(1 for path in files for _ in rowfiles.read(path, ())) if files else None


_COUNTS: Mapping[str, Callable[[Path], int | None]] = {
    "soleval": release.count,
    "contracteval": contracteval.count,
    "solidity_eval": partial(_rows, config="full"),
    "solbench": partial(_rows, config="SolBench"),
}


def _changed(folder: Path) -> Iterator[str]:
    header = taskset.header(folder)
    if file_hash(folder / taskset.TASKS) != header.sha256:
        yield f"{folder / taskset.TASKS}: its hash is not the one in {taskset.HEADER}; import the data again"


def _wrong(task: Task) -> Iterator[str]:
    """What does not hold together in a task."""
    target = task.target
    source = task.sources.get(target.path)
    if source is None:
        yield f"its target is in {target.path}, which is no source of it"
        return
    if task.language == "python":
        return
    data = source.encode()
    if task.target.member:
        yield from _wrong_member(task)
        return
    if not isinstance(task.project, msgspec.UnsetType):
        return
    known = {path: definitions(text) for path, text in task.sources.items()}
    found = next((one for one in known[target.path] if one.name == target.contract), None)
    if found is None:
        yield f"{target.path} does not define {target.contract}"
    elif (found.start, found.end) != (target.start, target.end):
        yield (
            f"{target.contract} stands at bytes {found.start}..{found.end} of {target.path}, not at "
            f"{target.start}..{target.end}"
        )
    if data[target.start : target.end].decode(errors="replace") not in source:
        yield f"its target range cuts through a character of {target.path}"
    if not task.framework.strip():
        yield "it has no framework"
    if task.program is not None:
        deployed = task.program.deployment.contract
        if not any(one.name == deployed for parts in known.values() for one in parts):
            yield f"its sources do not define {deployed}, which it deploys"
        blocks = [call.block_number for call in task.program.calls]
        if blocks != sorted(blocks):
            yield "its calls are not in the order of their blocks"


def _wrong_member(task: Task) -> Iterator[str]:
    """What does not hold together in a task that wants one function."""
    target = task.target
    try:
        found = member_at(task.sources[target.path], target.contract, target.start)
    except ValueError as error:
        yield str(error)
        return
    if found.end != target.end:
        yield f"{target.member} ends at byte {found.end} of {target.path}, not at {target.end}"
    if not task.requirement.strip():
        yield "it has no requirement"
