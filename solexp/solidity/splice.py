"""Putting a candidate's code where the target stands."""

from __future__ import annotations

from solexp.core import Candidate, Task
from solexp.core.reply import well_formed
from solexp.solidity.foundry.imports import with_imports


def splice(task: Task, code: str) -> dict[str, str]:
    """The task's sources by path with ``code`` in the target's place; every other byte stays as it is.

    Lone surrogates in ``code``, which no file can hold, become U+FFFD.

    Raises ValueError when the target's range does not fit its source, which a valid task excludes.
    """
    target = task.target
    source = task.sources[target.path].encode()
    if not 0 <= target.start <= target.end <= len(source):
        raise ValueError(
            f"task {task.id}: the target's range {target.start}..{target.end} does not fit {target.path} "
            f"of {len(source)} bytes"
        )
    spliced = source[: target.start] + well_formed(code).encode() + source[target.end :]
    return {**task.sources, target.path: spliced.decode()}


def sources_of(task: Task, candidate: Candidate) -> dict[str, str]:
    """What is built of a candidate that has code: the task's sources with it in the target's place; or, where an agent
    left a workspace, the target's file in it and what that imports from there."""
    if candidate.files is None:
        return splice(task, candidate.code or "")
    path = task.target.path
    files = {name: well_formed(text) for name, text in candidate.files.items()}
    return with_imports(
        {path: files.get(path, "")},
        {name: text.encode() for name, text in files.items()},
        task.compiler.remappings,
    )
