"""The private copy of a project in which a task's tests are run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from solexp.core import Project, Suite, Task
from solexp.oracles.base import Case
from solexp.solidity.foundry.ending import (
    Ends,
    Replay,
    replay_name,
    with_ends,
    with_replays,
)
from solexp.solidity.foundry.files import Files, kept
from solexp.solidity.foundry.forge import Fuzzing, Limits, TestRun, run_tests
from solexp.solidity.foundry.imports import closure
from solexp.solidity.foundry.pruning import pruned
from solexp.solidity.foundry.shaking import shaken
from solexp.solidity.splice import splice


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """What of a project the tests of a task need."""

    project: Project
    suite: Suite
    names: tuple[str, ...]
    """The tests' names, without parameters."""
    files: Mapping[str, bytes]
    """All files of the project."""

    def wants(self, test: str) -> bool:
        """Whether a test that forge names is one of the mapped ones.

        A mapping may spell a parameter by its struct, where forge has a tuple: then the name decides.
        """
        if test in self.suite.tests:
            return True
        name = test.partition("(")[0]
        return any(
            each.partition("(")[0] == name and "struct " in each for each in self.suite.tests
        )

    def run(
        self,
        case: Case,
        code: str,
        fuzzings: Sequence[Fuzzing],
        limits: Limits,
        *,
        prune: bool,
        lean: bool = False,
        ends: Ends | None = None,
        replays: Sequence[Replay] = (),
    ) -> list[TestRun]:
        """Runs the tests, or ``replays`` of them, with ``code`` in the target's place: once for each of ``fuzzings``.

        ``prune`` leaves out the other tests of the test file; ``lean`` leaves out all functions that nothing names, and
        builds the test file's own contracts only.
        """
        task = case.task
        files: dict[str, bytes] = {
            **self.files,
            **{path: text.encode() for path, text in splice(task, code).items()},
        }
        test_file, names = files[self.suite.path].decode(), self.names
        if prune:
            test_file, names = pruned(test_file, self.suite.tests), ()
        if ends is not None:
            test_file = with_ends(test_file, self.names, replays[0].code if replays else code, ends)
        if replays:
            test_file = with_replays(test_file, replays)
            names = tuple(replay_name(number) for number in range(len(replays)))
        files[self.suite.path] = test_file.encode()
        needed = closure(files, [self.suite.path, task.target.path], task.compiler.remappings)
        if lean:
            needed = _shaken(needed, task)
        return run_tests(
            {**_data(files, self.project), **needed},
            self.project,
            task.compiler,
            case.compiler,
            path=self.suite.path,
            names=names,
            fuzzings=fuzzings,
            limits=limits,
            only=lean,
        )


def stage(task: Task) -> Stage | str:
    """What a task's tests need; or why they cannot decide it. Raises ToolError when its project is not kept."""
    if task.undecidable:
        return task.undecidable
    if not isinstance(task.project, Project):
        return "the task is of no project with tests"
    if not isinstance(task.suite, Suite) or not task.suite.tests:
        return "no test reaches it"
    files = kept(task.project.hash)
    if task.suite.path not in files:
        return f"{task.suite.path} is not in the project"
    return Stage(
        project=task.project,
        suite=task.suite,
        names=tuple(sorted({test.partition("(")[0] for test in task.suite.tests})),
        files=files,
    )


def _data(files: Files, project: Project) -> dict[str, bytes]:
    """What tests may read."""
    return {
        path: data
        for path, data in files.items()
        if not path.endswith(".sol")
        and any(folder == "." or path.startswith(f"{folder}/") for folder in project.readable)
    }


def _shaken(files: Files, task: Task) -> dict[str, bytes]:
    """The files without what nothing names; what stands in the target's place stays whole."""
    target = task.target
    original = task.sources[target.path].encode()
    text = files[target.path].decode()
    span = (
        len(original[: target.start].decode()),
        len(text) - len(original[target.end :].decode()),
    )
    sources = {path: data.decode(errors="replace") for path, data in files.items()}
    found = shaken(sources, {target.path: span})
    return {path: source.encode() for path, source in found.items()}
