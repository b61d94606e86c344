"""The benchmark as a run uses it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from pathlib import Path

from solexp.benchmarks.base import select
from solexp.benchmarks.functions import named_apart
from solexp.benchmarks.rowfiles import files_of, posed, read
from solexp.benchmarks.solbench.rows import pose, read_row
from solexp.core import Task
from solexp.core.hashing import file_hash
from solexp.toolchain.homes import data_home
from solexp.toolchain.install import soljson_versions

log = logging.getLogger(__name__)

NAME = "SolBench"
"""Of the file in the release."""


class SolBench:
    """Functions of verified contracts, to be completed or repaired where they stand (SolBench).

    ``path`` is a file of rows, or a folder that holds ``SolBench.parquet`` (default: ``solbench`` in the data home).
    ``limit``, ``ids``, ``filter`` and ``seed`` choose tasks as `solexp.benchmarks.base.select` says.
    """

    name = "solbench"

    def __init__(
        self,
        *,
        path: str | None = None,
        limit: int | None = None,
        ids: list[str] | None = None,
        filter: Mapping[str, object] | None = None,  # noqa: A002  (the key in a run's configuration)
        seed: int = 0,
    ) -> None:
        self.folder = Path(path) if path else data_home() / self.name
        self._select = partial(select, limit=limit, ids=ids, filter=filter, seed=seed)
        self.malformed: Callable[[str], None] = log.warning
        """What is told of each malformed row, in one line."""

    @cached_property
    def _every(self) -> list[Task]:
        installed = soljson_versions()
        tasks = posed(
            chain.from_iterable(map(read, self._files)),
            lambda values, place: pose(read_row(values, place), place, installed),
            self.folder,
            self.malformed,
        )
        return named_apart(tasks)

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        return self._select(self._every)

    @cached_property
    def _files(self) -> list[Path]:
        return files_of(self.folder, NAME)

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
