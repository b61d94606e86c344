"""A benchmark whose tasks are rows of files, one a row."""

from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

from solexp.benchmarks.base import select
from solexp.benchmarks.rowfiles import files_of
from solexp.core import Task
from solexp.core.hashing import file_hash
from solexp.toolchain.homes import data_home

log = logging.getLogger(__name__)


class RowSet(ABC):
    """What benchmarks of rows have in common; each says how its rows become tasks."""

    name: str

    def __init__(
        self,
        rows: str,
        *,
        path: str | None,
        limit: int | None,
        ids: list[str] | None,
        filter: Mapping[str, object] | None,  # noqa: A002  (the key in a run's configuration)
        seed: int,
    ) -> None:
        """``rows`` names the files as `files_of` says; the others are those of `solexp.benchmarks.base.select`."""
        self.folder = Path(path) if path else data_home() / self.name
        self._rows = rows
        self._select = partial(select, limit=limit, ids=ids, filter=filter, seed=seed)
        self.malformed: Callable[[str], None] = log.warning
        """What is told of each malformed row, in one line."""

    @abstractmethod
    def _posed(self) -> list[Task]:
        """The tasks of all rows that are sound."""

    @cached_property
    def _files(self) -> list[Path]:
        return files_of(self.folder, self._rows)

    @cached_property
    def _every(self) -> list[Task]:
        return self._posed()

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        return self._select(self._every)

    def tasks(self) -> tuple[Task, ...]:
        """The chosen tasks in the rows' order.

        Malformed rows are left out, each with a warning that names row and column. Raises UserError when there are no
        rows, DataError when a file is damaged or holds nothing usable.
        """
        return self._tasks

    def every(self) -> Sequence[Task]:
        """All tasks, chosen or not. Raises as `tasks` does."""
        return self._every

    def data_hashes(self) -> dict[str, str]:
        """SHA-256 of the files of rows, by name."""
        return {path.name: file_hash(path) for path in self._files}
