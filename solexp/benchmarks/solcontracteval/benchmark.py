"""The benchmark as a run uses it."""

from __future__ import annotations

from pathlib import Path

from solexp.benchmarks import taskset
from solexp.benchmarks.rowset import RecordedSet
from solexp.benchmarks.solcontracteval import bundle
from solexp.benchmarks.solcontracteval.entry import shortened
from solexp.benchmarks.solcontracteval.importing import read_creations
from solexp.core import DataError, Task


class SolContractEval(RecordedSet):
    """SolContractEval's tasks (Solidity, 0.4 to 0.8).

    ``limit``, ``ids``, ``filter`` and ``seed`` choose tasks as `solexp.benchmarks.base.select` says; ``path`` is the
    data folder (default: ``solcontracteval`` in the data home); ``calls`` keeps only that many recorded calls a task.
    """

    name = "solcontracteval"

    def _found(self) -> list[Path]:
        names = (
            (taskset.TASKS,) if taskset.exists(self.folder) else (bundle.TASKS, bundle.TRANSACTIONS)
        )
        return [self.folder / name for name in names]

    def _posed(self) -> list[Task]:
        problems: list[str] = []

        def tell(problem: str) -> None:
            problems.append(problem)
            self.malformed(f"{problem}; left out")

        if taskset.exists(self.folder):
            found = [shortened(each, self._calls) for each in taskset.read(self.folder, tell)]
        else:
            found = list(bundle.tasks(self.folder, calls=self._calls, malformed=tell))
        if problems and not found:
            raise DataError(f"{self.folder} holds no usable task; the first problem: {problems[0]}")
        return found

    def creation_inputs(self) -> dict[str, str]:
        """Inputs of the recorded creations by task id, as hex with ``0x``, the constructor's arguments included.

        The gold check sets them beside the build of the reference.
        """
        if taskset.exists(self.folder):
            return read_creations(self.folder)
        return {
            entry.id: entry.transactions[0].input
            for entry in bundle.entries(self.folder)
            if entry.transactions
        }
