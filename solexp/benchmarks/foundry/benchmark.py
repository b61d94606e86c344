"""The benchmark as a run uses it."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

from solexp.benchmarks.base import select
from solexp.benchmarks.foundry.posing import pose
from solexp.benchmarks.functions import all_functions, named_apart
from solexp.core import Project, Task, UserError
from solexp.core.settings import at_least
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.analysis import Analysis, analyse, is_library, test_files
from solexp.solidity.foundry.files import Files, keep, project_hash, read_archive
from solexp.solidity.foundry.folders import read_folder
from solexp.solidity.foundry.imports import closure
from solexp.solidity.foundry.settings import CONFIG, Profile, read_profile
from solexp.toolchain.install import soljson_versions

log = logging.getLogger(__name__)

_READABLE_BYTES = 64 << 20
"""What the data that tests may read can hold at most: more is not kept with the project."""


class Foundry:
    """The functions of a Foundry project, each with the project's tests that reach it.

    ``path`` is the project's folder, or a tar archive of it; ``profile`` the one of foundry.toml. Functions shorter
    than ``min_lines`` lines are no tasks, nor are those that no test reaches. ``limit``, ``ids``, ``filter`` and
    ``seed`` choose tasks as `solexp.benchmarks.base.select` says.
    """

    name = "foundry"

    def __init__(
        self,
        *,
        path: str | None = None,
        profile: str = "default",
        min_lines: int = 5,
        limit: int | None = None,
        ids: list[str] | None = None,
        filter: Mapping[str, object] | None = None,  # noqa: A002  (the key in a run's configuration)
        seed: int = 0,
    ) -> None:
        """Raises UserError for a path that is not there and for less than one line."""
        at_least("benchmark.min_lines", min_lines)
        self.path = None if path is None else Path(path)
        self._profile_name = profile
        self._min_lines = min_lines
        self._select = partial(select, limit=limit, ids=ids, filter=filter, seed=seed)
        self.malformed: Callable[[str], None] = log.warning
        """What is told of each file of the project that is of no use, in one line."""

    def tasks(self) -> tuple[Task, ...]:
        """The chosen tasks by file, in source order.

        Files that do not build are left out, each with a warning. Raises UserError when there is no such project, or
        none of its functions makes a task; DataError when its archive or its foundry.toml is malformed.
        """
        return self._tasks

    def every(self) -> Sequence[Task]:
        """All tasks, chosen or not. Raises as `tasks` does."""
        return self._every

    def data_hashes(self) -> dict[str, str]:
        """SHA-256 over the project's files, by its name."""
        return {self._place.name: project_hash(self._files)}

    @cached_property
    def _place(self) -> Path:
        if self.path is None:
            raise UserError(
                "benchmark=foundry wants a project; set benchmark.path to its folder, or a tar archive of it"
            )
        if not self.path.exists():
            raise UserError(f"benchmark.path: {self.path} is not there")
        return self.path.resolve()

    @cached_property
    def _files(self) -> Files:
        place = self._place
        return read_folder(place) if place.is_dir() else read_archive(place)

    @cached_property
    def _profile(self) -> Profile:
        profile = read_profile(self._files, str(self.path), self._profile_name)
        for setting in profile.ignored:
            self.malformed(f"{self.path}/{CONFIG}: {setting} is not followed")
        return profile

    @cached_property
    def _analysis(self) -> Analysis:
        if not test_files(self._files, self._profile):
            raise UserError(
                f"{self.path} has no tests: no function outside of its libraries is called like test…"
            )
        with Compiler(max_workers=1) as compiler:
            found = analyse(self._files, self._profile, compiler, soljson_versions())
        for problem in found.problems:
            self.malformed(f"{self.path}: {problem}")
        if not found.settings:
            raise UserError(f"{self.path}: {found.problems[0]}; no test file is left")
        return found

    @cached_property
    def _tasks(self) -> tuple[Task, ...]:
        return self._select(self._every)

    @cached_property
    def _every(self) -> list[Task]:
        analysis, profile = self._analysis, self._profile
        wanted = [
            each
            for each in analysis.functions
            if self._is_source(each.path) and any(test in analysis.settings for test in each.tests)
        ]
        project = self._project({each.path for each in wanted})
        tasks: list[Task] = []
        reached: Counter[str] = Counter()
        for path in sorted({each.path for each in wanted}):
            known = {each.start: each for each in wanted if each.path == path}
            source = self._files[path].decode(errors="replace")
            for found in all_functions(source):
                member = found[0]
                lines = source.encode()[member.start : member.end].count(b"\n") + 1
                if member.start not in known or member.empty or member.kind == "modifier":
                    continue
                reached[path] += 1
                if lines >= self._min_lines:
                    tasks.append(
                        pose(found, known[member.start], self._files, project, analysis.settings)
                    )
        if not tasks:
            raise UserError(
                f"{self.path}: no function of {self._min_lines} lines or more below {profile.source_folder}/ is "
                f"reached by a test ({sum(reached.values())} shorter ones are)"
            )
        return named_apart(tasks)

    def _is_source(self, path: str) -> bool:
        """Whether a file's functions may be tasks: no library, test or script."""
        profile = self._profile
        folder = profile.source_folder
        return (
            (folder == "." or path.startswith(f"{folder}/"))
            and not is_library(path, profile)
            and not path.startswith((f"{profile.test_folder}/", f"{profile.script_folder}/"))
            and not path.endswith((".t.sol", ".s.sol"))
        )

    def _project(self, sources: set[str]) -> Project:
        """The project, cut down to what its tests and the tasks' files need, and kept for the oracles."""
        profile, files = self._profile, self._files
        needed = closure(files, [*self._analysis.settings, *sources], profile.remappings)
        readable = {
            path: data
            for path, data in files.items()
            if not path.endswith(".sol")
            and not is_library(path, profile)
            and any(folder == "." or path.startswith(f"{folder}/") for folder in profile.readable)
        }
        size = sum(map(len, readable.values()))
        if size > _READABLE_BYTES:
            self.malformed(
                f"{self.path}: tests may read {size >> 20} MB, more than {_READABLE_BYTES >> 20}; left out"
            )
            readable = {}
        return Project(
            name=self._place.name.partition(".tar")[0],
            hash=keep({**readable, **needed, CONFIG: files.get(CONFIG, b"")}),
            source_folder=profile.source_folder,
            test_folder=profile.test_folder,
            library_folders=profile.library_folders,
            readable=profile.readable,
            gas_limit=profile.gas_limit,
        )
