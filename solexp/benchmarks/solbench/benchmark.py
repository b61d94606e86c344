"""The benchmark as a run uses it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from solexp.benchmarks.functions import named_apart
from solexp.benchmarks.rowfiles import files_of, posed, read
from solexp.benchmarks.rowset import RowSet
from solexp.benchmarks.solbench.rows import pose, read_row
from solexp.core import Task
from solexp.toolchain.install import soljson_versions

NAME = "SolBench"
"""Of the file in the release."""


class SolBench(RowSet):
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
        super().__init__(path=path, limit=limit, ids=ids, filter=filter, seed=seed)

    def _found(self) -> list[Path]:
        return files_of(self.folder, NAME)

    def _posed(self) -> list[Task]:
        installed = soljson_versions()
        tasks = posed(
            chain.from_iterable(map(read, self._files)),
            lambda values, place: pose(read_row(values, place), place, installed),
            self.folder,
            self.malformed,
        )
        return named_apart(tasks)
