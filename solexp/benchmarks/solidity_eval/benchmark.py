"""The benchmark as a run uses it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Literal

from solexp.benchmarks.base import select
from solexp.benchmarks.rowfiles import files_of, posed, read
from solexp.benchmarks.solidity_eval.posing import pose
from solexp.benchmarks.solidity_eval.rows import COLUMNS, read_row
from solexp.core import DataError, Task, UserError
from solexp.core.errors import nearest
from solexp.core.hashing import file_hash
from solexp.toolchain.homes import data_home

log = logging.getLogger(__name__)

Config = Literal["lite", "full"]
CONFIGS: tuple[Config, ...] = ("lite", "full")


class SolidityEval:
    """Functions of verified contracts, each in a workspace for an agent (Solidity Eval, 2026).

    ``config`` is ``lite`` or ``full``. ``path`` is a file of rows or a folder that holds some (default:
    ``solidity_eval`` in the data home). ``limit``, ``ids``, ``filter`` and ``seed`` choose tasks as
    `solexp.benchmarks.base.select` says.
    """

    name = "solidity_eval"

    def __init__(
        self,
        *,
        config: Config = "lite",
        path: str | None = None,
        limit: int | None = None,
        ids: list[str] | None = None,
        filter: Mapping[str, object] | None = None,  # noqa: A002  (the key in a run's configuration)
        seed: int = 0,
    ) -> None:
        """Raises UserError for a config that there is not."""
        if config not in CONFIGS:
            raise UserError(f"benchmark.config: no '{config}'; {nearest(config, CONFIGS)}")
        self.config = config
        self.folder = Path(path) if path else data_home() / self.name
        self._select = partial(select, limit=limit, ids=ids, filter=filter, seed=seed)
        self.malformed: Callable[[str], None] = log.warning
        """What is told of each malformed row, in one line."""

    @cached_property
    def _every(self) -> list[Task]:
        known: set[str] = set()

        def once(values: Mapping[str, object], place: str) -> Task:
            task = pose(read_row(values, place), place)
            if task.id in known:
                raise DataError(f"{place}: task_id: there is a '{task.id}' already")
            known.add(task.id)
            return task

        rows = chain.from_iterable(read(path, COLUMNS) for path in self._files)
        return posed(rows, once, self.folder, self.malformed)

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        return self._select(self._every)

    @cached_property
    def _files(self) -> list[Path]:
        return files_of(self.folder, self.config)

    def tasks(self) -> tuple[Task, ...]:
        """The chosen tasks in the rows' order.

        Malformed rows are left out, each with a warning that names row and field. Raises UserError when there are no
        rows, DataError when a file is damaged or holds nothing usable.
        """
        return self._tasks

    def every(self) -> Sequence[Task]:
        """All tasks, chosen or not. Raises as `tasks` does."""
        return self._every

    def data_hashes(self) -> dict[str, str]:
        """SHA-256 of the files of rows, by name."""
        return {path.name: file_hash(path) for path in self._files}
