"""Putting a candidate's code where the target stands."""

from __future__ import annotations

from solexp.core import Task
from solexp.core.reply import well_formed


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
