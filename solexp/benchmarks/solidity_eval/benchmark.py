"""The benchmark as a run uses it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Literal

from solexp.benchmarks.rowfiles import files_of, posed, read
from solexp.benchmarks.rowset import RowSet
from solexp.benchmarks.solidity_eval.posing import pose
from solexp.benchmarks.solidity_eval.rows import COLUMNS, read_row
from solexp.core import DataError, Task, UserError
from solexp.core.errors import nearest

Config = Literal["lite", "full"]
CONFIGS: tuple[Config, ...] = ("lite", "full")


class SolidityEval(RowSet):
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
        super().__init__(path=path, limit=limit, ids=ids, filter=filter, seed=seed)
        self._config = config

    def _found(self) -> list[Path]:
        return files_of(self.folder, self._config)

    def _posed(self) -> list[Task]:
        known: set[str] = set()

        def once(values: Mapping[str, object], place: str) -> Task:
            task = pose(read_row(values, place), place)
            if task.id in known:
                raise DataError(f"{place}: task_id: there is a '{task.id}' already")
            known.add(task.id)
            return task

        rows = chain.from_iterable(read(path, COLUMNS) for path in self._files)
        return posed(rows, once, self.folder, self.malformed)
