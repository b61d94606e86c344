"""The benchmark as a run uses it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

from solexp.benchmarks import taskset
from solexp.benchmarks.base import select
from solexp.benchmarks.solcontracteval.entry import shortened
from solexp.core import DataError, Task
from solexp.core.hashing import file_hash
from solexp.toolchain.homes import data_home

log = logging.getLogger(__name__)


class Contracts:
    """The tasks of a set of contracts.

    ``limit``, ``ids``, ``filter`` and ``seed`` choose tasks as `solexp.benchmarks.base.select` says; ``path`` is the
    set's folder (default: ``contracts`` in the data home); ``calls`` keeps only that many recorded calls a task.
    """

    name = "contracts"

    def __init__(
        self,
        *,
        limit: int | None = None,
        ids: list[str] | None = None,
        filter: Mapping[str, object] | None = None,  # noqa: A002  (the key in a run's configuration)
        seed: int = 0,
        path: str | None = None,
        calls: int | None = None,
    ) -> None:
        self._select = partial(select, limit=limit, ids=ids, filter=filter, seed=seed)
        self._calls = calls
        self.malformed: Callable[[str], None] = log.warning
        """What is told of each malformed row, in one line."""
        self.folder = Path(path) if path else data_home() / self.name

    @cached_property
    def _every(self) -> list[Task]:
        found = [shortened(each, self._calls) for each in taskset.read(self.folder, self.malformed)]
        if not found:
            raise DataError(f"{self.folder} holds no usable task; build it again")
        return found

    def tasks(self) -> tuple[Task, ...]:
        """The chosen tasks in the set's order. Raises UserError where there is no set, DataError for a damaged one."""
        return self._select(self._every)

    def every(self) -> Sequence[Task]:
        """All tasks, chosen or not: the pool that examples may come from. Raises as `tasks` does."""
        return self._every

    def data_hashes(self) -> dict[str, str]:
        """SHA-256 of the file of tasks."""
        return {taskset.TASKS: file_hash(self.folder / taskset.TASKS)}
