"""From a row of EvalPlus to a task."""

from __future__ import annotations

import ast

from solexp.benchmarks.contracteval.inputs import restored
from solexp.benchmarks.contracteval.release import Row
from solexp.core import CompilerSettings, Preconditions, Target, Task
from solexp.python.contracts import function_of, parameters_of, read_contract
from solexp.python.literals import write
from solexp.python.syntax import parsed

NAMES = {"humaneval": "HumanEval+", "mbpp": "MBPP+"}
"""The parts of the benchmark as their authors call them."""


def pose(row: Row, part: str) -> Task:
    """The task of a row. Raises ValueError, in one line, for a row that cannot be one.

    A prompt of HumanEval+ is the head of the function, with its docstring; the program to write repeats it. One of
    MBPP+ is a docstring of its own, above the program.
    """
    contract = read_contract(row.contract)
    source = row.prompt + row.canonical_solution
    parameters = parameters_of(source, row.entry_point)
    path = f"{row.entry_point}.py"
    start = len(row.prompt) if part == "mbpp" else 0
    start += len(source[start:]) - len(source[start:].lstrip())
    end = len(source.rstrip())
    return Task(
        id=row.task_id,
        benchmark="contracteval",
        language="python",
        compiler=CompilerSettings(version=""),
        sources={path: source},
        target=Target(
            path=path,
            contract="",
            start=len(source[:start].encode()),
            end=len(source[:end].encode()),
            member=row.entry_point,
        ),
        framework=row.prompt.strip() + "\n",
        requirement=_description(row, source),
        category=NAMES[part],
        facts={"part": part, "assertions": len(contract.assertions)},
        preconditions=Preconditions(
            entry_point=row.entry_point,
            parameters=parameters,
            statements=contract.statements,
            assertions=contract.assertions,
            base=_literals(row, "base_input"),
            plus=_literals(row, "plus_input"),
            atol=float(row.atol),
        ),
    )


def _description(row: Row, source: str) -> str:
    """What is asked for, in words: the function's docstring, or the text of its own that a prompt is."""
    tree = parsed(source)
    found = ast.get_docstring(function_of(tree, row.entry_point)) or ast.get_docstring(tree)
    if found is None:
        raise ValueError("its prompt has no docstring")
    return found


def _literals(row: Row, key: str) -> tuple[str, ...]:
    written = []
    for number, arguments in enumerate(getattr(row, key)):
        try:
            written.append(write(restored(row.task_id, arguments)))
        except ValueError as error:
            raise ValueError(f"{key} {number}: {error}") from None
    return tuple(written)
