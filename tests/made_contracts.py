"""Python functions with contracts, made by hand."""

from __future__ import annotations

from solexp.core import CompilerSettings, Preconditions, Target, Task
from solexp.python.contracts import parameters_of, read_contract

BALANCED = """import math

def depth(text, most=3):
    '''How deep brackets are nested.'''
    deepest = level = 0
    for sign in text:
        level += {"(": 1, ")": -1}.get(sign, 0)
        deepest = max(deepest, level)
    return min(deepest, most)
"""
BALANCED_CONTRACT = """
    assert type(text) == str, "invalid inputs"
    count = 0
    for sign in text:
        assert sign in "()", "invalid inputs"
        count += 1 if sign == "(" else -1
    assert count == 0, "invalid inputs"
    assert math.isfinite(most) and most > 0, "invalid inputs"
"""


def python_task(
    program: str = BALANCED,
    contract: str = BALANCED_CONTRACT,
    entry_point: str = "depth",
    name: str = "depth",
) -> Task:
    """A task whose reference is all of ``program``."""
    read = read_contract(contract)
    return Task(
        id=name,
        benchmark="hand",
        language="python",
        compiler=CompilerSettings(version=""),
        sources={"a.py": program},
        target=Target(
            path="a.py", contract="", start=0, end=len(program.encode()), member=entry_point
        ),
        framework=program,
        requirement="How deep brackets are nested.",
        preconditions=Preconditions(
            entry_point=entry_point,
            parameters=parameters_of(program, entry_point),
            statements=read.statements,
            assertions=read.assertions,
        ),
    )


def preconditions(task: Task) -> Preconditions:
    """Those of a task that has some."""
    assert isinstance(task.preconditions, Preconditions)
    return task.preconditions
