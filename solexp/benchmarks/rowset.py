"""A benchmark whose tasks are read from files in a folder."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

from solexp.benchmarks.base import select
from solexp.core import Task
from solexp.core.hashing import file_hash
from solexp.toolchain.homes import data_home


class RowSet(ABC):
    """What such benchmarks have in common; each says which files there are, and how their rows become tasks."""

    name: str

    def __init__(
        self,
        *,
        path: str | None,
        limit: int | None,
        ids: list[str] | None,
        filter: Mapping[str, object] | None,  # noqa: A002  (the key in a run's configuration)
        seed: int,
    ) -> None:
        """``path`` is the folder, or a file (default: the benchmark's in the data home); the others are those of
        `solexp.benchmarks.base.select`.
        """
        self.folder = Path(path) if path else data_home() / self.name
        self._select = partial(select, limit=limit, ids=ids, filter=filter, seed=seed)
        self.malformed: Callable[[str], None] = logging.getLogger(type(self).__module__).warning
        """What is told of each malformed row, in one line."""

    @abstractmethod
    def _posed(self) -> list[Task]:
        """The tasks of all rows that are sound."""

    @abstractmethod
    def _found(self) -> list[Path]:
        """The files of rows. Raises UserError where there are none."""

    @cached_property
    def _files(self) -> list[Path]:
        return self._found()

    @cached_property
    def _every(self) -> list[Task]:
        return self._posed()

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        return self._select(self._every)

    def tasks(self) -> tuple[Task, ...]:
        """The chosen tasks in the rows' order.

        Malformed rows are left out, each with a warning that names its place. Raises UserError when there are no
        rows, DataError when a file is damaged or holds nothing usable.
        """
        return self._tasks

    def every(self) -> Sequence[Task]:
        """All tasks, chosen or not: the pool that examples may come from. Raises as `tasks` does."""
        return self._every

    def data_hashes(self) -> dict[str, str]:
        """SHA-256 of the files of rows, by name."""
        return {path.name: file_hash(path) for path in self._files}


class RecordedSet(RowSet):
    """Tasks with recorded calls, of which a run may take the first ones."""

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
        """``calls`` keeps only that many recorded calls a task; the others are those of `RowSet`."""
        super().__init__(path=path, limit=limit, ids=ids, filter=filter, seed=seed)
        self._calls = calls
