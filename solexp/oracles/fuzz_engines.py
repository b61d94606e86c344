"""The engines of the oracle `fuzz`: its own, and programs that are given original and candidate side by side."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from solexp.core import Call, Program, Trace, UserError
from solexp.evm.deployed import NOTHING, Deployed
from solexp.evm.machine import Observation, Subject
from solexp.fuzzing import Asked, Reference, Unit
from solexp.fuzzing.engines import Engine, EngineName, Lead, Told
from solexp.fuzzing.engines.base import Beside, told
from solexp.fuzzing.engines.forge import Forge
from solexp.fuzzing.engines.outside import Outside
from solexp.fuzzing.engines.tools import TOOLS
from solexp.oracles.base import Case
from solexp.oracles.fuzz_original import FuzzedOriginal
from solexp.solidity.foundry.forge import Limits
from solexp.toolchain.install import ensure_forge
from solexp.toolchain.node import on_path, version_of

if TYPE_CHECKING:
    from solexp.oracles.fuzz import Fuzz

UNSEEDED = ("medusa",)
"""Engines that draw others each time."""
_MOST_UNCONFIRMED = 8
"""Differences of a function that may turn out to be none before it is left at that."""


class Own:
    """Sequences found on the original, asked of each candidate in the order in which they were found."""

    def __init__(
        self,
        source: FuzzedOriginal,
        original: Deployed,
        candidate: Deployed,
        axes: Collection[str],
        plan: Callable[[Sequence[Call]], Observation],
    ) -> None:
        """The original stands on ``original``, each candidate on ``candidate``. ``plan`` says what state is read
        behind sequences of such calls.
        """
        self._source = source
        self._original = original
        self._candidate = candidate
        self._axes = tuple(axes)
        self._plan = plan
        self._references: dict[str, Reference] = {}
        self._asked: tuple[str, Asked] | None = None

    def explore(self, unit: Unit) -> Told:
        """Find the unit's sequences. Raises HarnessError when a node fails."""
        found = self._source.reference(unit, self._original, self._candidate)
        self._references[unit.name] = found
        return told(found)

    def leads(self, unit: Unit, subject: Subject) -> Iterator[Lead]:  # noqa: ARG002
        """Whatever differs between what the original did and what stands deployed does."""
        asked = self._of(unit)
        start = 0
        for _ in range(_MOST_UNCONFIRMED):
            tried = asked.of(self._candidate, start)
            if tried.difference is None:
                yield Lead(None, tried.calls, tried.stopped)
                return
            yield Lead(asked.reference.programs[tried.at], tried.calls)
            start = tried.at + 1

    def programs(self, unit: Unit) -> tuple[Program, ...]:
        """The unit's sequences."""
        return self._references[unit.name].programs

    def _of(self, unit: Unit) -> Asked:
        if self._asked is None or self._asked[0] != unit.name:
            reference = self._references[unit.name]
            plan = self._plan([call for each in reference.programs for call in each.calls])
            states: list[Trace] = []
            self._original.renew()
            self._original.observe(plan)
            self._candidate.observe(plan)
            if plan is not NOTHING and reference.programs:
                states = self._original.run(self._original.questions(reference.programs))
            self._asked = unit.name, Asked(reference, self._original, self._axes, states)
        return self._asked[1]


class _Kept:
    """An engine whose findings of originals are kept."""

    def __init__(self, source: FuzzedOriginal, engine: Beside) -> None:
        self._source = source
        self._engine = engine

    def explore(self, unit: Unit) -> Told:
        found = self._source.kept(
            unit, lambda: self._engine.explore(unit), Told, pack=_same, unpack=_same
        )
        self._engine.know(unit, found)
        return found

    def leads(self, unit: Unit, subject: Subject) -> Iterator[Lead]:
        return self._engine.leads(unit, subject)


def _same(found: Told) -> Told:
    return found


def beside(
    oracle: Fuzz,
    case: Case,
    source: FuzzedOriginal,
    *,
    original: Subject,
    base: Program,
    nodes: tuple[Deployed, Deployed],
    unit: Unit,
) -> Engine:
    """An engine of other people's making, for one task. On the first of ``nodes`` stands the original, on the second
    each candidate in turn; ``unit`` is one of the units.

    Raises HarnessError when the node fails.
    """
    node, _ = nodes
    assert node.address is not None
    looked = source.looked(unit, node)
    limits = Limits(seconds=10 * oracle.cpu_s, cpu_s=oracle.cpu_s, memory_mb=oracle.memory_mb)
    if oracle.engine == "forge":
        case.used("forge", version_of(ensure_forge()))
        engine: Beside = Forge(
            original=original,
            twin=source.twin,
            base=base,
            address=node.address,
            looked=looked,
            compiler=case.compiler,
            settings=oracle.settings,
            axes=oracle.axes,
            limits=limits,
        )
    else:
        engine = Outside(
            TOOLS[oracle.engine],
            original=original,
            twin=source.twin,
            base=base,
            nodes=nodes,
            looked=looked,
            compiler=case.compiler,
            settings=oracle.settings,
            axes=oracle.axes,
            limits=limits,
        )
    return _Kept(source, engine)


def refuse(engine: EngineName, axes: Collection[str]) -> None:
    """Raises UserError where an engine cannot do what it is asked to."""
    if engine != "solexp" and "storage" in axes:
        raise UserError(
            f"oracle.fuzz.axes: engine {engine} cannot compare storage; leave storage out, or use engine solexp"
        )
    if engine in TOOLS and "events" in axes:
        raise UserError(
            f"oracle.fuzz.axes: engine {engine} cannot compare events; leave events out, or use engine solexp or forge"
        )
    if engine in TOOLS and shutil.which(engine) is None:
        raise UserError(
            f"oracle.fuzz.engine: {engine} is not on PATH; install {engine}, or use engine solexp or forge"
        )


def engine_fingerprint(engine: EngineName) -> list[str]:
    """An engine's name, and its version where it is a program of its own."""
    if engine == "forge":
        return [engine, version_of(ensure_forge())]
    found = on_path(engine) if engine in TOOLS else None
    return [engine, found[1]] if found else [engine]
