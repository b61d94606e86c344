"""The benchmark as a run uses it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

from solexp.benchmarks.base import select
from solexp.benchmarks.contracteval.aligned import FILE, aligned_only
from solexp.benchmarks.contracteval.posing import pose
from solexp.benchmarks.contracteval.release import FILES, TWICE, read_row, read_rows
from solexp.core import DataError, Task, UserError
from solexp.core.errors import nearest
from solexp.core.hashing import file_hash
from solexp.toolchain.homes import data_home

PARTS = ("all", *FILES)
SUBSETS = ("all", "aligned")


class ContractEval:
    """Functions of HumanEval+ and MBPP+, each with its contract and the inputs that judge it.

    ``part`` is ``humaneval``, ``mbpp`` or ``all``. ``subset`` is ``all``, or ``aligned``: the tasks whose description
    asks for some assertion, as judges have said; which these are is then marked in the task's preconditions.
    ``limit``, ``ids``, ``filter`` and ``seed`` choose tasks as `solexp.benchmarks.base.select` says; ``path`` is the
    data folder (default: ``contracteval`` in the data home).
    """

    name = "contracteval"

    def __init__(
        self,
        *,
        part: Literal["all", "humaneval", "mbpp"] = "all",
        subset: Literal["all", "aligned"] = "all",
        limit: int | None = None,
        ids: list[str] | None = None,
        filter: Mapping[str, object] | None = None,  # noqa: A002  (the key in a run's configuration)
        seed: int = 0,
        path: str | None = None,
    ) -> None:
        """Raises UserError for a part or a subset that there is not."""
        for key, value, known in (("part", part, PARTS), ("subset", subset, SUBSETS)):
            if value not in known:
                raise UserError(f"benchmark.{key}: no '{value}'; {nearest(value, known)}")
        self._parts = tuple(FILES) if part == "all" else (part,)
        self._aligned = subset == "aligned"
        self._select = partial(select, limit=limit, ids=ids, filter=filter, seed=seed)
        self.malformed: Callable[[str], None] | None = None
        """Is told of each malformed row, which is then left out; where this is None the first one ends the reading."""
        self.folder = Path(path) if path else data_home() / self.name

    @cached_property
    def _every(self) -> tuple[Task, ...]:
        return tuple(task for part in self._parts for task in self._read(part))

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        tasks: Sequence[Task] = self._every
        return self._select(aligned_only(tasks, self.folder) if self._aligned else tasks)

    def tasks(self) -> tuple[Task, ...]:
        """The chosen tasks in the release's order.

        Raises UserError when there are no data or judgements, DataError naming file and line for the first row that is
        malformed.
        """
        return self._tasks

    def every(self) -> Sequence[Task]:
        """All tasks of the chosen parts, whatever was judged of them. Raises as `tasks` does."""
        return self._every

    def data_hashes(self) -> dict[str, str]:
        """SHA-256 of the data files by name."""
        names = [FILES[part] for part in self._parts] + [FILE] * self._aligned
        return {
            name: file_hash(self.folder / name) for name in names if (self.folder / name).is_file()
        }

    def _read(self, part: str) -> list[Task]:
        tasks: dict[str, Task] = {}
        for place, line in read_rows(self.folder / FILES[part]):
            try:
                task = _posed(place, line, part, tasks)
                tasks[task.id] = task
            except DataError as error:
                if self.malformed is None:
                    raise
                self.malformed(str(error))
        return list(tasks.values())


def _posed(place: str, line: bytes, part: str, known: Collection[str]) -> Task:
    try:
        row = read_row(line)
    except ValueError as error:
        raise DataError(f"{place}: {error}") from None
    try:
        task = pose(row, part)
    except ValueError as error:
        raise DataError(f"{place}: {row.task_id}: {error}") from None
    if task.id in known:
        raise DataError(f"{place}: {task.id}: {TWICE}")
    return task
