"""The private copy of a project in which a task's tests are run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from solexp.core import Project, Suite, Task
from solexp.oracles.base import Case
from solexp.solidity.foundry.forge import Fuzzing, Limits, TestRun, run_tests
from solexp.solidity.foundry.imports import closure
from solexp.solidity.foundry.pruning import pruned
from solexp.solidity.foundry.shaking import shaken
from solexp.solidity.splice import splice

Way = Literal["lean", "pruned", "whole"]
"""How much of the project is built: ``whole`` is all that the test file imports; ``pruned`` leaves out its other tests;
``lean`` leaves out the functions that nothing names, too, and builds the test file's own contracts only."""


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """What of a project the tests of a task need."""

    project: Project
    suite: Suite
    names: tuple[str, ...]
    """The tests' names, without parameters."""
    files: Mapping[str, bytes]
    """All files of the project."""

    def run(self, case: Case, code: str, fuzzing: Fuzzing, limits: Limits, *, way: Way) -> TestRun:
        """Runs the tests with ``code`` in the target's place."""
        task = case.task
        files: dict[str, bytes] = {
            **self.files,
            **{path: text.encode() for path, text in splice(task, code).items()},
        }
        if way != "whole":
            test_file = files[self.suite.path].decode()
            files[self.suite.path] = pruned(test_file, self.names).encode()
        needed = closure(files, [self.suite.path, task.target.path], task.compiler.remappings)
        if way == "lean":
            needed = _shaken(needed, task)
        return run_tests(
            {**_data(files, self.project), **needed},
            self.project,
            task.compiler,
            case.compiler,
            path=self.suite.path,
            names=self.names if way == "whole" else (),
            fuzzing=fuzzing,
            limits=limits,
            only=way == "lean",
        )


def _shaken(files: Mapping[str, bytes], task: Task) -> dict[str, bytes]:
    """The files without what nothing names; what stands in the target's place stays whole."""
    target = task.target
    original = task.sources[target.path].encode()
    start = len(original[: target.start].decode())
    text = files[target.path].decode()
    end = len(text) - len(original[target.end :].decode())
    sources = {path: data.decode(errors="replace") for path, data in files.items()}
    return {
        path: source.encode()
        for path, source in shaken(sources, {target.path: (start, end)}).items()
    }
