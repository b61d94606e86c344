"""The benchmark as a run uses it."""

from __future__ import annotations

from pathlib import Path

from solexp.benchmarks import taskset
from solexp.benchmarks.rowset import RecordedSet
from solexp.benchmarks.solcontracteval.entry import shortened
from solexp.core import DataError, Task


class Contracts(RecordedSet):
    """The tasks of a set of contracts.

    ``limit``, ``ids``, ``filter`` and ``seed`` choose tasks as `solexp.benchmarks.base.select` says; ``path`` is the
    set's folder (default: ``contracts`` in the data home); ``calls`` keeps only that many recorded calls a task.
    """

    name = "contracts"

    def _found(self) -> list[Path]:
        return [self.folder / taskset.TASKS]

    def _posed(self) -> list[Task]:
        found = [shortened(each, self._calls) for each in taskset.read(self.folder, self.malformed)]
        if not found:
            raise DataError(f"{self.folder} holds no usable task; build it again")
        return found
