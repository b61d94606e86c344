"""Mutants of a task's function that pass the compiler's checks."""

from __future__ import annotations

import weakref
from collections.abc import Iterator

from solexp.core import Task, TimeLimitExceeded
from solexp.core.hashing import content_hash
from solexp.core.mutation import Mutation, shuffled
from solexp.solidity import standard_json
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.imports import with_project
from solexp.solidity.mutation.mutations import mutations
from solexp.solidity.splice import splice
from solexp.store import Store
from solexp.toolchain.homes import cache_home

SCHEMA = 1


class Checked:
    """Draws mutants of tasks whose target is one function, and leaves out those that do not compile.

    The compiler parses and checks types; that code generation refuses one after all (its stack too deep) is left to
    whoever judges it. Answers are kept.
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._store = Store(cache_home() / "mutants", SCHEMA)
        self._compiler: Compiler | None = None
        self._drawn: dict[tuple[str, str], tuple[list[Mutation], Iterator[Mutation]]] = {}

    def mutants(self, task: Task) -> tuple[Mutation, ...]:
        """All mutations of the task's function, compiled or not."""
        return mutations(task.reference) if task.target.member else ()

    def mutant(self, task: Task, stream: str, rank: int) -> Mutation | None:
        """The mutation of a rank (from 0) in the order that seed, task and ``stream`` draw.

        Ranks up to the number of mutants have different ones, and the order begins anew after them. None where no
        mutant compiles.
        """
        key = task.content_hash, stream
        if key not in self._drawn:
            order = shuffled(self.mutants(task), f"{self.seed}/{task.id}/{stream}")
            self._drawn[key] = [], order
        known, rest = self._drawn[key]
        while len(known) <= rank:
            found = next((each for each in rest if self.compiles(task, each)), None)
            if found is None:
                return known[rank % len(known)] if known else None
            known.append(found)
        return known[rank]

    def compiles(self, task: Task, mutation: Mutation) -> bool:
        """Whether the task's sources with the mutation in them pass the compiler's checks.

        Raises ToolError when there is no compiler of that release.
        """
        sources = with_project(task, splice(task, mutation.applied(task.reference)))
        if self._compiler is None:
            self._compiler = Compiler(max_workers=1)
            weakref.finalize(self, self._compiler.close)
        version = self._compiler.version(task.compiler.version)
        request = standard_json.request(sources, task.compiler, code=False)
        key = content_hash(version, request)
        known = self._store.get(key, bool)
        if known is None:
            try:
                answer = self._compiler.answer(request, task.compiler.version)
            except TimeLimitExceeded:
                return False
            known = standard_json.read(answer, version, sources, task.compiler).ok
            self._store.put(key, known)
        return known
