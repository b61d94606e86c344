"""Asking a task's candidates what its original was asked, and making sure of what differs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

import msgspec

from solexp.core import Call, Counterexample, Divergence, Program, Trace
from solexp.evm.abi import selectors
from solexp.evm.compare import compare, divergence
from solexp.evm.counterexamples import counterexample
from solexp.evm.deployed import NOTHING, Deployed
from solexp.evm.hardforks import hardfork_at
from solexp.evm.machine import Observation, Subject
from solexp.evm.observe import observation
from solexp.fuzzing import Differing, Unit
from solexp.fuzzing.engines import Engine, Told
from solexp.fuzzing.engines.harness import DEPLOYMENT_GAS
from solexp.oracles.base import Case
from solexp.oracles.elsewhere import SecondLook
from solexp.oracles.fuzz_engines import Own, beside
from solexp.oracles.fuzz_original import FuzzedOriginal
from solexp.oracles.grounds import undeployed
from solexp.oracles.showing import show
from solexp.oracles.staging import Stage

if TYPE_CHECKING:
    from solexp.oracles.fuzz import Fuzz

_SLOTS_READ = 512


class Shown(msgspec.Struct, frozen=True):
    """A difference that was made small and seen again."""

    function: str
    """Signature of the function at whose call it is, or after which; the unit's name where it is none."""
    divergence: Divergence
    counterexample: Counterexample | None
    """None where it takes too many calls."""
    calls: list[str]
    """The calls that lead to it, for a reader."""
    elsewhere: str | None = None
    """Where a second look has found it."""


class Fuzzed(msgspec.Struct):
    """What came of one contract."""

    calls: int = 0
    """Calls that were compared."""
    shown: list[Shown] = []
    """One a unit at most, in the units' order."""
    unconfirmed: int = 0
    stopped: str | None = None
    """The limit that it used up."""
    doubt: str | None = None
    """Why it says nothing that no difference was shown."""


class Fuzzing:
    """One task's fuzzing, with the nodes it needs; a context manager."""

    def __init__(self, oracle: Fuzz, case: Case, staged: Stage) -> None:
        self.told: dict[str, Told] = {}
        """By unit."""
        self._oracle = oracle
        self._staged = staged
        program = staged.program
        deployment = program.deployment
        self._fork = program.hardfork or hardfork_at(deployment.block_number, deployment.timestamp)
        self._base = msgspec.structs.replace(program, calls=(), hardfork=self._fork)
        self._source = FuzzedOriginal(
            case, staged.original, self._base, oracle.settings, oracle.search_fingerprint()
        )
        self._stack = ExitStack()
        self._original = self._node()
        self._candidate = self._node()
        self._twin: Deployed | None = None
        self._case = case
        self._deployed: Trace | None = None
        self._engine: Engine | None = None
        self._look: SecondLook | None = None

    def _node(self) -> Deployed:
        oracle = self._oracle
        node = Deployed(
            self._base,
            self._fork,
            cpu_s=oracle.cpu_s,
            memory_mb=oracle.memory_mb,
            answer_mb=oracle.answer_mb,
        )
        self._stack.callback(node.close)
        return node

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def explore(self, chosen: Sequence[Unit]) -> str | None:
        """Find the sequences of every unit; why there are none, where the original does not deploy."""
        self._deployed = self._original.deploy(self._staged.original, DEPLOYMENT_GAS)
        for tool, version in self._original.tools().items():
            self._case.used(tool, version)
        if self._original.address is None:
            return undeployed(self._deployed)
        engine = self._engine = self._made(chosen[0])
        for unit in chosen:
            self._original.renew()
            self.told[unit.name] = engine.explore(unit)
        return None

    def _made(self, unit: Unit) -> Engine:
        if self._oracle.engine == "solexp":
            return Own(
                self._source,
                self._original,
                self._candidate,
                self._oracle.axes,
                lambda calls: self._plan(calls) if "storage" in self._oracle.axes else NOTHING,
            )
        return beside(
            self._oracle,
            self._case,
            self._source,
            original=self._staged.original,
            base=self._base,
            nodes=(self._original, self._candidate),
            unit=unit,
        )

    def run(self, chosen: Sequence[Unit], subjects: Sequence[Subject]) -> list[Fuzzed]:
        """What comes of each subject; the first is the original itself, and needs no run."""
        everything = sum(told.calls for told in self.told.values())
        found = [Fuzzed(calls=everything), *(Fuzzed() for _ in subjects[1:])]
        for unit in chosen:
            for subject, fuzzed in zip(subjects[1:], found[1:], strict=True):
                self._try(unit, subject, fuzzed)
        return found

    def _plan(self, calls: Sequence[Call]) -> Observation:
        program = msgspec.structs.replace(self._base, calls=tuple(calls))
        return observation(program, self._staged.contract, getters="never", max_slots=_SLOTS_READ)

    def _try(self, unit: Unit, subject: Subject, fuzzed: Fuzzed) -> None:
        if fuzzed.stopped or (fuzzed.shown and fuzzed.shown[0].divergence.axis == "deployment"):
            return
        deployed = self._candidate.deploy(subject, DEPLOYMENT_GAS)
        assert self._deployed is not None
        if deployed.stopped:
            fuzzed.stopped = deployed.stopped
            return
        unlike = compare(self._deployed, deployed, self._base).earliest(self._oracle.axes)
        if unlike is not None:
            if not fuzzed.shown:
                fuzzed.shown.append(
                    Shown(
                        unit.name,
                        divergence(unlike, self._base, self._staged.contract),
                        counterexample(unlike, (), self._deployed, deployed),
                        [],
                    )
                )
            if self._candidate.address is None:
                return
        assert self._engine is not None
        for lead in self._engine.leads(unit, subject):
            fuzzed.calls += lead.calls
            fuzzed.stopped = lead.stopped
            if lead.program is None:
                fuzzed.doubt = fuzzed.doubt or lead.doubt
                if not (fuzzed.stopped or lead.doubt):
                    self._second_look(unit, subject, fuzzed)
                return
            shown = self._confirmed(unit, lead.program, subject)
            if shown is not None:
                fuzzed.shown.append(shown)
                return
            fuzzed.unconfirmed += 1

    def _second_look(self, unit: Unit, subject: Subject, fuzzed: Fuzzed) -> None:
        """Other engines make their calls inside a contract, so that their sequences cannot be had."""
        if not (self._oracle.elsewhere and isinstance(self._engine, Own)):
            return
        oracle = self._oracle
        if self._look is None:
            self._look = self._stack.enter_context(
                SecondLook(
                    self._staged.original,
                    self._base,
                    cpu_s=oracle.cpu_s,
                    memory_mb=oracle.memory_mb,
                )
            )
        programs = self._engine.programs(unit)
        found = self._look.at(subject, programs, oracle.axes, self._candidate.plan)
        if found is not None:
            shown = found.divergence, found.counterexample, found.calls, found.place
            fuzzed.shown.append(Shown(unit.name, *shown))

    def _confirmed(self, unit: Unit, program: Program, subject: Subject) -> Shown | None:
        """A difference made small, and seen once more on a machine that has run nothing else."""
        contract = self._staged.contract
        differing = Differing(
            self._original, self._candidate, self._standing_twin(), self._oracle.axes
        )
        small = differing.shrunk(program, contract)
        if small is None:
            return None
        plan = NOTHING
        if "storage" in self._oracle.axes:
            plan = self._plan(small.calls)
        shown = show(
            self._oracle.machine,
            self._staged.original,
            subject,
            msgspec.structs.replace(small, hardfork=self._fork),
            self._oracle.axes,
            contract=contract,
            plan=plan,
        )
        if shown is None:
            return None
        calls = shown.counterexample.calls
        function = selectors(contract).get(calls[-1].input[2:10]) if calls else None
        return Shown(function or unit.name, *shown)

    def _standing_twin(self) -> Deployed | None:
        if self._twin is None:
            twin = self._source.twin
            if twin is None:
                return None
            self._twin = self._node()
            self._twin.deploy(twin, DEPLOYMENT_GAS)
        self._twin.observe(self._candidate.plan)
        return self._twin if self._twin.address == self._original.address else None
