"""`solexp data`: which benchmarks are there, and what they hold."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from solexp.benchmarks import data as benchmarks
from solexp.benchmarks.base import Benchmark
from solexp.benchmarks.fetching import Report
from solexp.core import UserError
from solexp.core.hashing import content_hash
from solexp.report.tables import Grid, draw

BUILT = ("solidity_eval", "solbench", "contracts")
"""What is built from sources."""

_FEW_FILES = 5
"""Up to so many files are listed with their hashes; more have one hash together."""


def data(command: argparse.Namespace) -> int:
    """Do one of the verbs; returns the exit status."""
    match command.verb:
        case "list":
            return _list()
        case "fetch":
            return _report(benchmarks.fetch(command.benchmark))
        case "import":
            return _report(benchmarks.import_data(command.benchmark, Path(command.source)))
        case "verify":
            return _verify_all(command.benchmark, command.override)
        case "build" | "capture" | "natspec":
            return _make(command)
        case _:
            return _stats(command.benchmark, command.override)


def _make(command: argparse.Namespace) -> int:
    """What takes compilers, models or a network, and so has modules of its own."""
    match command.verb:
        case "build" if command.benchmark in BUILT:
            from solexp.commands import sets  # noqa: PLC0415

            return sets.build(command)
        case "build":
            from solexp.commands.building import build  # noqa: PLC0415

            return build(command)
        case "capture":
            from solexp.commands.capture import data_capture  # noqa: PLC0415

            return data_capture(command)
        case _:
            from solexp.commands.natspec import natspec  # noqa: PLC0415

            return natspec(command)


def _present() -> list[str]:
    return [row.name for row in benchmarks.list_benchmarks() if row.present]


def _list() -> int:
    rows = tuple(
        (row.name, "-" if row.tasks is None else str(row.tasks), row.where, row.note)
        for row in benchmarks.list_benchmarks()
    )
    draw(Grid(title="", columns=("benchmark", "tasks", "where", "note"), rows=rows), sys.stdout)
    return 0


def _report(report: Report) -> int:
    for problem in report.problems:
        print(f"left out: {problem}", file=sys.stderr)
    told = [*report.notes, f"{len(report.problems)} malformed rows left out"]
    print(f"{report.tasks} tasks in {report.folder}, {', '.join(told)}")
    return 0


def _verify_all(name: str | None, overrides: Sequence[str]) -> int:
    if name is not None and overrides:
        return _verify(name, _composed("verify", name, overrides))
    names = _present() if name is None else [name]
    return max(map(_verify, names), default=0)


def _verify(name: str, benchmark: Benchmark | None = None) -> int:
    found = benchmarks.verify(name, benchmark)
    print(f"{name}: {found.tasks} tasks, {len(found.problems)} problems", flush=True)
    for problem in found.problems:
        print(f"{name}: {problem}", file=sys.stderr)
    for reason, count in found.undecidable.items():
        print(f"{name}: {count} tasks undecidable: {reason}")
    if len(found.hashes) > _FEW_FILES:
        print(
            f"{name}: {len(found.hashes)} data files, one hash over all: {content_hash(found.hashes)}"
        )
    else:
        for file, digest in found.hashes.items():
            print(f"{name}: {file} sha256 {digest}")
    return 0 if found.ok else 1


def _stats(name: str, overrides: Sequence[str]) -> int:
    # What is no benchmark of its own, as a project that a path names, is what a run's configuration makes of it.
    known = name in benchmarks.BENCHMARKS and not overrides
    found = benchmarks.statistics(name, None if known else _composed("stats", name, overrides))
    if found.python:
        draw(_python(found), sys.stdout)
    else:
        draw(_functions(found) if found.functions else _contracts(found), sys.stdout)
    print(found.tokens_are)
    return 0


def _composed(verb: str, name: str, overrides: Sequence[str]) -> Benchmark:
    from solexp.config.compose import compose, plain  # noqa: PLC0415  (Hydra costs start-up)
    from solexp.config.instantiate import instantiate  # noqa: PLC0415

    for override in overrides:
        if not override.lstrip("+~").startswith("benchmark."):
            raise UserError(
                f"data {verb}: '{override}' is no key of the benchmark; give benchmark.KEY=VALUE"
            )
    config = plain(compose([f"benchmark={name}", *overrides]))
    benchmark: Benchmark = instantiate(config["benchmark"], "benchmark")
    return benchmark


def _contracts(found: benchmarks.Statistics) -> Grid:
    paper = found.paper_totals
    rows = tuple(
        (
            row.category,
            str(row.tasks),
            *((str(paper.get(row.category, "")),) if paper else ()),
            f"{row.functions:.2f}",
            f"{row.tokens:.2f}",
            f"{row.context_contracts:.2f}",
            f"{row.context_tokens:.2f}",
            f"{row.transactions:.2f}",
        )
        for row in found.rows
    )
    columns = (
        "category",
        "tasks",
        *(("in the paper",) if paper else ()),
        "functions",
        "tokens",
        "context contracts",
        "context tokens",
        "transactions",
    )
    return Grid(title=f"{found.name}, means a task", columns=columns, rows=rows)


def _functions(found: benchmarks.Statistics) -> Grid:
    rows = tuple(
        (
            row.part,
            str(row.tasks),
            f"{row.documented:.0%}",
            f"{row.lines:.2f}",
            f"{row.tokens:.2f}",
            f"{row.context_tokens:.2f}",
            f"{row.tests:.2f}",
        )
        for row in found.functions
    )
    columns = ("functions of", "tasks", "documented", "lines", "tokens", "context tokens", "tests")
    return Grid(title=f"{found.name}, means a task", columns=columns, rows=rows)


def _python(found: benchmarks.Statistics) -> Grid:
    rows = tuple(
        (
            row.part,
            str(row.tasks),
            f"{row.lines:.2f}",
            f"{row.tokens:.2f}",
            f"{row.assertions:.2f}",
            f"{row.statements:.2f}",
            f"{row.base:.2f}",
            f"{row.plus:.2f}",
        )
        for row in found.python
    )
    inputs = ("base inputs", "plus inputs")
    columns = (
        "functions of",
        "tasks",
        "lines",
        "tokens",
        "assertions",
        "helper statements",
        *inputs,
    )
    return Grid(title=f"{found.name}, means a task", columns=columns, rows=rows)
