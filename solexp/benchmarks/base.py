"""What a benchmark is, and how some of its tasks are chosen."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Protocol

from solexp.core import Task, UserError
from solexp.core.errors import nearest
from solexp.core.settings import at_least
from solexp.core.task import series


class Benchmark(Protocol):
    """A source of tasks."""

    name: str

    def tasks(self) -> Sequence[Task]:
        """The tasks chosen by the benchmark's arguments, always in the same order."""
        ...

    def data_hashes(self) -> dict[str, str]:
        """SHA-256 of every data file that the tasks come from, by name."""
        ...


def everything(benchmark: Benchmark) -> Sequence[Task]:
    """All tasks of a benchmark, chosen or not, where it tells them apart: the pool that examples may come from."""
    every: Callable[[], Sequence[Task]] = getattr(benchmark, "every", benchmark.tasks)
    return every()


FILTERS: dict[str, Callable[[Task], str]] = {
    "category": lambda task: task.category or "none",
    "series": lambda task: series(task.compiler.version),
    "compiler": lambda task: task.compiler.version,
    "target": lambda task: task.target.contract or task.target.member,
    "history": lambda task: "yes" if task.program is not None else "no",
    "decidable": lambda task: "no" if task.undecidable else "yes",
}
"""What tasks can be filtered by. A task's facts (of text, yes or no) can be used too."""


def select(
    tasks: Sequence[Task],
    *,
    limit: int | None = None,
    ids: Iterable[str] | None = None,
    filter: Mapping[str, object] | None = None,  # noqa: A002  (the name of the benchmarks' key)
    seed: int = 0,
) -> tuple[Task, ...]:
    """Some of ``tasks``, in their own order.

    ``ids`` keeps those named; a task's id up to its first ``_0x`` will do where no other task shares it. ``filter``
    keeps those whose property (`FILTERS`, or a fact) has the given value, or one of a list of values. ``limit`` then
    draws that many with ``seed``: a larger limit draws the same tasks and more. Raises UserError for an id, property or
    value that does not occur, naming the nearest.
    """
    chosen = list(tasks)
    if ids is not None:
        wanted = _resolve(ids, chosen)
        chosen = [task for task in chosen if task.id in wanted]
    for key, value in (filter or {}).items():
        values = _values(key, value, tasks)
        chosen = [task for task in chosen if _property(task, key) in values]
    if limit is not None and limit < len(chosen):
        at_least("benchmark.limit", limit)
        order = sorted(task.id for task in chosen)
        random.Random(seed).shuffle(order)
        drawn = set(order[:limit])
        chosen = [task for task in chosen if task.id in drawn]
    return tuple(chosen)


def _resolve(ids: Iterable[str], tasks: Sequence[Task]) -> set[str]:
    if isinstance(ids, str):
        ids = [ids]
    known = {task.id for task in tasks}
    short: dict[str, list[str]] = {}
    for task in tasks:
        short.setdefault(task.id.partition("_0x")[0], []).append(task.id)
    resolved = set()
    for name in ids:
        matches = [name] if name in known else short.get(name, [])
        if len(matches) != 1:
            if matches:
                raise UserError(f"task id '{name}' is short for several: {', '.join(matches)}")
            raise UserError(f"no task '{name}' in this benchmark; {_hint(name, known, short)}")
        resolved.add(matches[0])
    return resolved


def _hint(name: str, known: set[str], short: Mapping[str, object]) -> str:
    hint = nearest(name, known if "_0x" in name else short)
    return hint if len(hint) < 200 else f"{len(known)} tasks to choose from, such as {min(known)}"


def _values(key: str, value: object, tasks: Sequence[Task]) -> set[str]:
    facts = {
        name for task in tasks for name, fact in task.facts.items() if isinstance(fact, str | bool)
    }
    if key not in FILTERS and key not in facts:
        raise UserError(
            f"tasks have no property '{key}' to filter by; {nearest(key, {*FILTERS, *facts})}"
        )
    values = {
        _text(item)
        for item in (
            value if isinstance(value, Sequence | Set) and not isinstance(value, str) else [value]
        )
    }
    occurring = {_property(task, key) for task in tasks}
    for wanted in sorted(values - occurring):
        raise UserError(f"no task has {key} '{wanted}'; {nearest(wanted, occurring)}")
    return values


def _property(task: Task, key: str) -> str:
    if key in FILTERS:
        return FILTERS[key](task)
    return _text(task.facts.get(key))


def _text(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
