"""A difference seen once more, on a machine that has run nothing else, and told so that anybody can see it again."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import ExitStack
from typing import NamedTuple, Self

import msgspec

from solexp.core import ContractBuild, Counterexample, Divergence, Program
from solexp.dcr.sequences import DEPLOYMENT_GAS
from solexp.evm.compare import compare, divergence
from solexp.evm.counterexamples import counterexample
from solexp.evm.deployed import Deployed
from solexp.evm.hardforks import hardfork_at
from solexp.evm.machine import Machine, Observation, Subject
from solexp.evm.receiving import described
from solexp.fuzzing.confirming import Differing
from solexp.oracles.base import Case
from solexp.oracles.sequencing import Sequencing
from solexp.oracles.staging import Stage

_TRIES = 80
"""Programs that are tried to make one smaller, about."""


class Shown(NamedTuple):
    """A difference and what shows it."""

    divergence: Divergence
    counterexample: Counterexample
    """With all its calls and its fork: it takes nothing from the task's own program but the deployment."""
    calls: list[str]
    """The calls for a reader."""


def show(
    machine: Machine,
    original: Subject,
    candidate: Subject,
    program: Program,
    axes: Collection[str],
    *,
    contract: ContractBuild,
    plan: Observation,
) -> Shown | None:
    """The first difference that ``program``, its fork fixed, shows on any of the axes; None where it shows none.

    ``contract`` is the original's and names calls; ``plan`` is what is read of the state.
    """
    # A constructor can ask for its gas, and must not learn by it that this time it is looked at once more.
    deployment = msgspec.structs.replace(program.deployment, gas=DEPLOYMENT_GAS, recorded=None)
    asked = msgspec.structs.replace(program, deployment=deployment)
    expected, got = machine.run(asked, [original, candidate], plan)
    first = compare(expected, got, program).earliest(axes)
    if first is None:
        return None
    end = len(program.calls) if first.index is None else first.index + 1
    calls = program.calls[:end]
    found = counterexample(first, range(len(program.calls)), expected, got)
    return Shown(
        divergence(first, program, contract),
        msgspec.structs.replace(found, prefix=0, kept=None, calls=calls, hardfork=program.hardfork),
        [described(contract, call) for call in calls],
    )


class Showing:
    """The nodes of one task on which candidates are set beside the original; a context manager."""

    def __init__(
        self,
        case: Case,
        staged: Stage,
        machine: Machine,
        settings: Sequencing,
        axes: Collection[str],
    ) -> None:
        program = staged.program
        deployment = program.deployment
        fork = program.hardfork or hardfork_at(deployment.block_number, deployment.timestamp)
        self.base = msgspec.structs.replace(program, calls=(), hardfork=fork)
        """What all programs have in common."""
        self._case = case
        self._staged = staged
        self._machine = machine
        self._settings = settings
        self._axes = tuple(axes)
        self._stack = ExitStack()
        self._original: Deployed | None = None
        self.candidate = self._node()
        """Where one contract after the other stands."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _node(self) -> Deployed:
        fork = self.base.hardfork
        assert fork is not None
        settings = self._settings
        node = Deployed(self.base, fork, cpu_s=settings.cpu_s, memory_mb=settings.memory_mb)
        self._stack.callback(node.close)
        for tool, version in node.tools().items():
            self._case.used(tool, version)
        return node

    def small(self, program: Program, subject: Subject) -> Shown | None:
        """The difference of a program made small, and seen again; None where it is not seen again."""
        if self._original is None:
            self._original = self._node()
            self._original.observe(self.candidate.plan)
            self._original.deploy(self._staged.original, DEPLOYMENT_GAS)
        self.candidate.deploy(subject, DEPLOYMENT_GAS)
        differing = Differing(self._original, self.candidate, None, self._axes)
        # Values are the task's own, or chosen for a reason, and smaller ones take most of the time to be found.
        small = differing.shrunk(program, self._staged.contract, values=False, most=_TRIES)
        tries = [program] if small is None else [small, program]
        found = (self.seen(each, subject) for each in tries)
        return next((shown for shown in found if shown is not None), None)

    def seen(self, program: Program, subject: Subject) -> Shown | None:
        """What a program shows on the machine of record."""
        return show(
            self._machine,
            self._staged.original,
            subject,
            program,
            self._axes,
            contract=self._staged.contract,
            plan=self.candidate.plan,
        )
