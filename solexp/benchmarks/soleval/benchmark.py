"""The benchmark as a run uses it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Literal

from solexp.benchmarks.base import select
from solexp.benchmarks.functions import named_apart
from solexp.benchmarks.soleval.posing import CORE, pose
from solexp.benchmarks.soleval.release import ARCHIVES, DATASET, EXAMPLES, INDEX, read_tasks
from solexp.benchmarks.soleval.repositories import REPOSITORIES
from solexp.core import DataError, Project, Task, UserError
from solexp.core.errors import nearest
from solexp.core.hashing import file_hash
from solexp.solidity.foundry.files import Files, keep, read_archive
from solexp.toolchain.homes import data_home

log = logging.getLogger(__name__)

SUBSETS = ("core", "all")


class SolEval:
    """SolEval's functions, each with the tests of its repository that reach it.

    ``subset`` is ``core``, the functions with a correct signature that a known test reaches, or ``all``, each marked
    with what it is (the fact ``mark``). ``limit``, ``ids``, ``filter`` and ``seed`` choose tasks as
    `solexp.benchmarks.base.select` says; ``path`` is the data folder (default: ``soleval`` in the data home).
    """

    name = "soleval"

    def __init__(
        self,
        *,
        subset: Literal["core", "all"] = "core",
        limit: int | None = None,
        ids: list[str] | None = None,
        filter: Mapping[str, object] | None = None,  # noqa: A002  (the key in a run's configuration)
        seed: int = 0,
        path: str | None = None,
    ) -> None:
        """Raises UserError for a subset that there is not."""
        if subset not in SUBSETS:
            raise UserError(f"benchmark.subset: no '{subset}'; {nearest(subset, SUBSETS)}")
        self._subset = subset
        self._select = partial(select, limit=limit, ids=ids, filter=filter, seed=seed)
        self.malformed: Callable[[str], None] = log.warning
        """What is told of each task that contradicts its repository, in one line."""
        self.folder = Path(path) if path else data_home() / self.name

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        wanted = [
            task for task in self._every if self._subset == "all" or task.facts["mark"] == CORE
        ]
        return self._select(wanted)

    @cached_property
    def _projects(self) -> dict[str, tuple[Project, Files]]:
        """The repositories that are there, by name, their files kept for the oracles."""
        found: dict[str, tuple[Project, Files]] = {}
        for name, repository in REPOSITORIES.items():
            archive = self.folder / ARCHIVES / f"{name}.tar.gz"
            if not archive.is_file():
                continue
            files = read_archive(archive)
            project = Project(
                name=name,
                hash=keep(files),
                source_folder=repository.source_folder,
                library_folders=repository.library_folders,
                readable=repository.readable,
                gas_limit=repository.gas_limit,
            )
            found[name] = project, files
        return found

    @cached_property
    def _every(self) -> list[Task]:
        posed = []
        for place, entry, known in read_tasks(self.folder):
            project, files = self._projects.get(known.repo, (None, {}))
            text = files.get(known.source)
            try:
                source = None if text is None else text.decode()
                posed.append(pose(entry, known, project, REPOSITORIES.get(known.repo), source))
            except (DataError, UnicodeDecodeError) as error:
                self.malformed(f"{self.folder}/{place}: {error}; left out")
        if not posed:
            raise DataError(f"{self.folder} holds no usable task")
        return named_apart(posed)

    def tasks(self) -> tuple[Task, ...]:
        """The chosen tasks in the release's order.

        Tasks whose recorded text is not in their repository are left out, each with a warning. Raises UserError when
        there are no data, DataError when a file is damaged or holds nothing usable.
        """
        return self._tasks

    def every(self) -> Sequence[Task]:
        """All tasks, chosen or not, those outside of the subset too. Raises as `tasks` does."""
        return self._every

    def data_hashes(self) -> dict[str, str]:
        """SHA-256 of the data files by name."""
        names = [DATASET, EXAMPLES, INDEX]
        names += [f"{ARCHIVES}/{name}.tar.gz" for name in REPOSITORIES]
        return {
            name: file_hash(self.folder / name) for name in names if (self.folder / name).is_file()
        }
