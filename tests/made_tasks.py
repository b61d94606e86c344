"""Tasks made for tests that look at something else."""

from __future__ import annotations

from typing import Any

from solexp.core import CompilerSettings, Target, Task


def whole_source(name: str = "t", source: str = "contract A {}", **fields: Any) -> Task:
    """A task that wants all of a file of one contract, ``A``."""
    given = {
        "benchmark": "hand",
        "compiler": CompilerSettings(version="0.8.17"),
        "sources": {"a.sol": source},
        "target": Target(path="a.sol", contract="A", start=0, end=len(source.encode())),
        "framework": source,
    }
    return Task(id=name, **{**given, **fields})
