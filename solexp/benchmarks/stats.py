"""What a benchmark consists of: SolContractEval's Table I for benchmarks of contracts, and its like for functions.

Solidity has the one and the other, Python functions only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import fmean

import msgspec

from solexp.benchmarks.categories import CATEGORIES
from solexp.core import Preconditions, Project, Suite, Task
from solexp.solidity.parsing import definition, definitions

_TOKEN = re.compile(r"\w+|[^\w\s]")

TOKENS_ARE = "words and punctuation marks of the source, comments included; no model's tokens"


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
    measured = [(task.category or "Others", _measure(task)) for task in tasks]
    names = {category for category, _ in measured}
    order = [*(name for name in CATEGORIES if name in names), *sorted(names - set(CATEGORIES))]
    rows = [
        _row(name, [found for category, found in measured if category == name]) for name in order
    ]
    if measured:
        rows.append(_row("Overall", [found for _, found in measured]))
    return tuple(rows)


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
    """A row for every project that occurs, or for every file where there is one project; and one named ``Overall``."""
    names = [task.project.name if isinstance(task.project, Project) else "" for task in tasks]
    if len(set(names)) == 1:
        names = [task.target.path for task in tasks]
    measured = [(name, _measure_function(task)) for name, task in zip(names, tasks, strict=True)]
    parts = [*sorted(set(names)), "Overall"] if tasks else []
    return tuple(
        _functions_row(part, [each for name, each in measured if part in (name, "Overall")])
        for part in parts
    )


def _measure_function(task: Task) -> tuple[int, ...]:
    return (
        bool(task.requirement.strip()),
        task.reference.count("\n") + 1,
        tokens(task.reference),
        tokens(task.context),
        len(task.suite.tests) if isinstance(task.suite, Suite) else 0,
    )


def _functions_row(part: str, measured: Sequence[tuple[int, ...]]) -> FunctionsRow:
    documented, lines, own, context, tests = (
        fmean(values) for values in zip(*measured, strict=True)
    )
    return FunctionsRow(
        part=part,
        tasks=len(measured),
        documented=documented,
        lines=lines,
        tokens=own,
        context_tokens=context,
        tests=tests,
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
    measured = [(task.category or "Others", _measure_python(task)) for task in tasks]
    parts = [*sorted({name for name, _ in measured}), "Overall"] if tasks else []
    return tuple(
        _python_row(part, [each for name, each in measured if part in (name, "Overall")])
        for part in parts
    )


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


def _python_row(part: str, measured: Sequence[tuple[int, ...]]) -> PythonRow:
    lines, own, assertions, statements, base, plus = (
        fmean(values) for values in zip(*measured, strict=True)
    )
    return PythonRow(
        part=part,
        tasks=len(measured),
        lines=lines,
        tokens=own,
        assertions=assertions,
        statements=statements,
        base=base,
        plus=plus,
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


def _row(category: str, measured: Sequence[tuple[int, ...]]) -> Row:
    functions, own, contracts, context, transactions = (
        fmean(values) for values in zip(*measured, strict=True)
    )
    return Row(
        category=category,
        tasks=len(measured),
        functions=functions,
        tokens=own,
        context_contracts=contracts,
        context_tokens=context,
        transactions=transactions,
    )
