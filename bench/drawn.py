"""Starter's contracts with mutants that nobody chose: changes of single functions, drawn by a seed.

    solexp run experiments=oracle_calibration +benchmark.mutants=8 benchmark._target_=bench.drawn.Drawn \
        sampling.batches.greedy.n=9 tracking=none

Labelled mutants were written beside the oracles, and oracles were mended until they caught them. These show what is
caught of others. Each is a change by `solexp.solidity.mutation` that compiles; none has a label, so some are
equivalent: what no oracle flags has to be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import msgspec

from solexp.benchmarks.starter import Starter
from solexp.core import Task
from solexp.solidity.compiler import Compiler
from solexp.solidity.functions import members
from solexp.solidity.mutation.mutations import mutations
from solexp.solidity.splice import splice


class Drawn(Starter):
    """The benchmark ``starter`` with so many drawn mutants of each target in place of the labelled ones."""

    def __init__(self, *, mutants: int = 8, seed: int = 0, **chosen: Any) -> None:
        """``seed`` draws mutants and tasks; the rest is `Starter`'s."""
        super().__init__(seed=seed, **chosen)
        self._seed = seed
        self._mutants = mutants

    def tasks(self) -> Sequence[Task]:
        """The chosen tasks, in order of their ids."""
        with Compiler(max_workers=1) as compiler:
            return [self._drawn(task, compiler) for task in super().tasks()]

    def _drawn(self, task: Task, compiler: Compiler) -> Task:
        changed = list(_changed(task))
        Random(f"{self._seed}/{task.id}").shuffle(changed)
        labelled = set(task.mutants.values())
        found: dict[str, str] = {}
        for name, code in changed:
            if len(found) == self._mutants:
                break
            if code not in labelled and compiler.compile(splice(task, code), task.compiler).ok:
                found[f"{len(found)} {name}"] = code
        labels = dict.fromkeys(found, "hidden")
        return msgspec.structs.replace(
            task, mutants=found, mutant_labels=labels, mutant_faults=msgspec.UNSET
        )


def _changed(task: Task) -> Iterator[tuple[str, str]]:
    """The target with every change of every function but its constructor, by a name that says where and what."""
    source = task.sources[task.target.path].encode()
    for member in members(source.decode(), task.target.contract):
        if member.kind == "constructor":
            continue
        text = source[member.start : member.end].decode()
        before = source[task.target.start : member.start].decode()
        after = source[member.end : task.target.end].decode()
        for mutation in mutations(text):
            yield f"{member.signature} {mutation.name}", before + mutation.applied(text) + after
