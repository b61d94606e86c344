"""What a benchmark consists of: SolContractEval's Table I for benchmarks of contracts, and its like for functions.

Solidity has the one and the other, Python functions only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import TypeVar

import msgspec

from solexp.benchmarks.categories import CATEGORIES
from solexp.core import Preconditions, Project, Suite, Task
from solexp.core.task import series
from solexp.solidity.parsing import definition, definitions

_TOKEN = re.compile(r"\w+|[^\w\s]")

TOKENS_ARE = "words and punctuation marks of the source, comments included; no model's tokens"


R = TypeVar("R", bound=msgspec.Struct)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A category's row: counts are means over its tasks, but for ``tasks``."""

    category: str
    tasks: int
    functions: float
    """Functions of the reference that have a body, constructors and modifiers left out."""
    tokens: float
    """Tokens of the reference (see `TOKENS_ARE`)."""
    context_contracts: float
    """Contracts, libraries and interfaces in the context."""
    context_tokens: float
    transactions: float
    """Recorded transactions, the deployment included."""


def table(tasks: Sequence[Task]) -> tuple[Row, ...]:
    """A row for every category that occurs, in the paper's order, and one named ``Overall``; none for no tasks."""
    found = ((task.category or "Others", _measure(task)) for task in tasks)
    return _table(Row, found, first=CATEGORIES)


class FunctionsRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row for the functions of one project or file: counts are means over its tasks, but for ``tasks``."""

    part: str
    tasks: int
    documented: float
    """Share of tasks with a requirement."""
    lines: float
    """Lines of the reference."""
    tokens: float
    """Tokens of the reference (see `TOKENS_ARE`)."""
    context_tokens: float
    tests: float
    """Tests of the project that reach the function."""


def functions_table(tasks: Sequence[Task]) -> tuple[FunctionsRow, ...]:
    """A row for every project that occurs, or for every file of the one there is; and one named ``Overall``.

    Functions of single files have a row for each series of compilers.
    """
    names = [
        task.project.name if isinstance(task.project, Project) else series(task.compiler.version)
        for task in tasks
    ]
    if len({task.project for task in tasks}) == 1 and isinstance(tasks[0].project, Project):
        names = [task.target.path for task in tasks]
    return _table(FunctionsRow, zip(names, map(_measure_function, tasks), strict=True))


def _measure_function(task: Task) -> tuple[int, ...]:
    return (
        bool(task.requirement.strip()),
        task.reference.count("\n") + 1,
        tokens(task.reference),
        tokens(task.context),
        len(task.suite.tests) if isinstance(task.suite, Suite) else 0,
    )


class PythonRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row for the Python functions of one part: counts are means over its tasks, but for ``tasks``."""

    part: str
    tasks: int
    lines: float
    """Lines of the reference."""
    tokens: float
    """Tokens of the reference (see `TOKENS_ARE`)."""
    assertions: float
    """Assertions of the contract."""
    statements: float
    """Helper statements of the contract."""
    base: float
    plus: float
    """Inputs that judge it."""


def python_table(tasks: Sequence[Task]) -> tuple[PythonRow, ...]:
    """A row for every category that occurs, and one named ``Overall``; none for no tasks."""
    return _table(PythonRow, ((task.category or "Others", _measure_python(task)) for task in tasks))


def _measure_python(task: Task) -> tuple[int, ...]:
    known = task.preconditions
    if not isinstance(known, Preconditions):
        known = Preconditions(entry_point="", parameters=(), statements=(), assertions=())
    return (
        task.reference.count("\n") + 1,
        tokens(task.reference),
        len(known.assertions),
        len(known.statements) - sum(text.startswith("assert") for text in known.statements),
        len(known.base),
        len(known.plus),
    )


def tokens(source: str) -> int:
    """Tokens of a source (see `TOKENS_ARE`)."""
    return len(_TOKEN.findall(source))


def _measure(task: Task) -> tuple[int, ...]:
    target = definition(task.reference, task.target.contract)
    functions = target.functions if target is not None else ()
    return (
        sum(found.kind == "function" and found.body_start is not None for found in functions),
        tokens(task.reference),
        len(definitions(task.context)),
        tokens(task.context),
        0 if task.program is None else 1 + len(task.program.calls),
    )


def _table(
    kind: type[R], measured: Iterable[tuple[str, Sequence[int]]], first: Sequence[str] = ()
) -> tuple[R, ...]:
    """A row for each name, those of ``first`` before the others, and one named ``Overall``; none for no measures."""
    by_name: dict[str, list[Sequence[int]]] = {}
    for name, row in measured:
        by_name.setdefault(name, []).append(row)
    order = [*(name for name in first if name in by_name), *sorted(by_name.keys() - set(first))]
    rows = [_row(kind, name, by_name[name]) for name in order]
    if rows:
        rows.append(_row(kind, "Overall", [row for name in order for row in by_name[name]]))
    return tuple(rows)


def _row(kind: type[R], name: str, measured: Sequence[Sequence[int]]) -> R:
    """A row whose fields are its name, the number of tasks, and the means in the order of the measures."""
    fields = kind.__struct_fields__
    means = [fmean(values) for values in zip(*measured, strict=True)]
    return kind(**dict(zip(fields, (name, len(measured), *means), strict=True)))
