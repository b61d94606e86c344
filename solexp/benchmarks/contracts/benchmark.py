"""The benchmark as a run uses it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from solexp.benchmarks import taskset
from solexp.benchmarks.rowset import RowSet
from solexp.benchmarks.solcontracteval.entry import shortened
from solexp.core import DataError, Task


class Contracts(RowSet):
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
        super().__init__(path=path, limit=limit, ids=ids, filter=filter, seed=seed)
        self._calls = calls

    def _found(self) -> list[Path]:
        return [self.folder / taskset.TASKS]

    def _posed(self) -> list[Task]:
        found = [shortened(each, self._calls) for each in taskset.read(self.folder, self.malformed)]
        if not found:
            raise DataError(f"{self.folder} holds no usable task; build it again")
        return found
