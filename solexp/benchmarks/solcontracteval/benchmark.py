"""The benchmark as a run uses it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

from solexp.benchmarks import taskset
from solexp.benchmarks.base import select
from solexp.benchmarks.solcontracteval import bundle
from solexp.benchmarks.solcontracteval.entry import shortened
from solexp.benchmarks.solcontracteval.importing import read_creations
from solexp.core import DataError, Task
from solexp.core.hashing import file_hash
from solexp.toolchain.homes import data_home

log = logging.getLogger(__name__)


class SolContractEval:
    """SolContractEval's tasks (Solidity, 0.4 to 0.8).

    ``limit``, ``ids``, ``filter`` and ``seed`` choose tasks as `solexp.benchmarks.base.select` says; ``path`` is the
    data folder (default: ``solcontracteval`` in the data home); ``calls`` keeps only that many recorded calls a task.
    """

    name = "solcontracteval"

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
    def _tasks(self) -> tuple[Task, ...]:
        return self._select(self._every)

    @cached_property
    def _every(self) -> list[Task]:
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

    def tasks(self) -> tuple[Task, ...]:
        """The chosen tasks in the release's order.

        Malformed rows are left out, each with a warning that names file and line. Raises UserError when there are no
        data, DataError when a file is damaged or holds nothing usable.
        """
        return self._tasks

    def every(self) -> Sequence[Task]:
        """All tasks, chosen or not: the pool that examples may come from. Raises as `tasks` does."""
        return self._every

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

    def data_hashes(self) -> dict[str, str]:
        """SHA-256 of the data files by name."""
        names = (
            (taskset.TASKS,) if taskset.exists(self.folder) else (bundle.TASKS, bundle.TRANSACTIONS)
        )
        return {name: file_hash(self.folder / name) for name in names}
