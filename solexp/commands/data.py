"""`solexp data`: which benchmarks are there, and what they hold."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from solexp.benchmarks import data as benchmarks
from solexp.benchmarks.fetching import Report
from solexp.core.hashing import content_hash
from solexp.report.tables import Grid, draw

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
            names = [command.benchmark] if command.benchmark else _present()
            return max([_verify(name) for name in names], default=0)
        case _:
            return _stats(command.benchmark)


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


def _verify(name: str) -> int:
    found = benchmarks.verify(name)
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


def _stats(name: str) -> int:
    found = benchmarks.statistics(name)
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
    draw(Grid(title=f"{name}, means a task", columns=columns, rows=rows), sys.stdout)
    print(found.tokens_are)
    return 0
