"""What an oracle is given, and what it gives back."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from solexp.core import Build, Candidate, CompilerSettings, Outcome, Task, Verdict
from solexp.core.hashing import content_hash
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.imports import with_project
from solexp.solidity.splice import sources_of

T = TypeVar("T")


class Case:
    """One task with all its candidates, and the builds that the oracles share.

    Every distinct text is compiled once, however many candidates hold it and however many oracles ask.
    """

    def __init__(
        self,
        task: Task,
        candidates: Sequence[Candidate],
        compiler: Compiler,
        *,
        cached: bool = True,
        asts: bool = False,
    ) -> None:
        """``cached``: whether oracles may keep what they find out, and use what was kept.

        ``asts``: whether some oracle wants the ASTs of builds, so that all come with them.
        """
        self.task = task
        self.asts = asts
        self.cached = cached
        self.candidates = tuple(candidates)
        self.compiler = compiler
        self._builds: dict[str, Build] = {}
        self._tools: dict[str, str] = {}
        self._found: dict[str, Any] = {}

    def among(self, candidates: Sequence[Candidate]) -> Case:
        """The same case with some of its candidates only; builds are shared."""
        some = copy.copy(self)
        some.candidates = tuple(candidates)
        return some

    def tools(self) -> dict[str, str]:
        """Versions of the tools used so far, by name, such as ``solc 0.8.17``."""
        return dict(self._tools)

    def used(self, tool: str, version: str) -> None:
        """Note the version of a tool that an oracle used, for the run's manifest."""
        self._tools[tool] = version

    def once(self, key: str, find: Callable[[], T]) -> T:
        """What ``find`` gives the first time; oracles that share ``key`` share it."""
        if key not in self._found:
            self._found[key] = find()
        return self._found[key]  # type: ignore[no-any-return]

    @property
    def settings(self) -> CompilerSettings:
        """The task's compiler settings."""
        return self.task.compiler

    def reference(self) -> Build:
        """The build of the task's own sources."""
        return self.compiled(self.task.sources)

    def build(self, candidate: Candidate) -> Build:
        """The build of a candidate that has code."""
        if candidate.code is None:
            raise ValueError(f"candidate {candidate.key} of {candidate.task_id} has no code")
        return self.compiled(self.sources(candidate))

    def sources(self, candidate: Candidate) -> dict[str, str]:
        """What is built of a candidate."""
        return sources_of(self.task, candidate)

    def compiled(self, sources: dict[str, str]) -> Build:
        """The build of any sources under the task's settings, with all that they import from the task's project."""
        sources = with_project(self.task, sources)
        key = content_hash(sources)
        if key not in self._builds:
            built = self._built(sources)
            self.used(f"solc {self.task.compiler.version}", built.compiler)
            self._builds[key] = built
        return self._builds[key]

    def _built(self, sources: dict[str, str]) -> Build:
        if self.asts:
            try:
                return self.compiler.compile(sources, self.settings, ast=True, keep_ast=False)
            except RecursionError:
                # Nested deeper than JSON can be read here; what the compiler says of it still counts.
                pass
        return self.compiler.compile(sources, self.settings)


class Oracle(Protocol):
    """Judges all candidates of a task together, since they share the reference's build and trace."""

    name: str
    decides: bool
    """Whether this oracle's failures keep a candidate from passing."""

    def judge(self, case: Case) -> list[Verdict]:
        """One verdict a candidate, in the candidates' order."""
        ...

    def fingerprint(self) -> dict[str, Any]:
        """Every setting and tool version that a verdict depends on."""
        ...


def verdict(oracle: str, candidate: Candidate, outcome: Outcome, **fields: Any) -> Verdict:
    """A verdict about ``candidate``; ``fields`` are those of `Verdict`."""
    return Verdict(
        task_id=candidate.task_id,
        batch=candidate.batch,
        repeat=candidate.repeat,
        index=candidate.index,
        round=candidate.round,
        oracle=oracle,
        outcome=outcome,
        **fields,
    )
