"""Tasks made of a few lines of Solidity."""

from __future__ import annotations

from solexp.core import CompilerSettings, Target, Task
from solexp.solidity.definitions import index_of


def task_of(
    source: str | dict[str, str], contract: str, version: str = "0.8.17", function: str = ""
) -> Task:
    """A task whose target is ``contract``, or one function of it."""
    sources = {"a.sol": source} if isinstance(source, str) else source
    index = index_of(sources)
    whole = next(each for each in index.declarations if each.name == contract)
    found = whole
    if function:
        found = next(each for each in index.members(whole.number) if each.name == function)
    return Task(
        id="made",
        benchmark="tests",
        compiler=CompilerSettings(version=version),
        sources=sources,
        target=Target(path=whole.path, contract=contract, start=found.start, end=found.end),
        framework="",
    )
