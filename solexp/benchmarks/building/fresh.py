"""Fresh deployments: does a contract come to life, and how much of its recorded history does it reproduce?"""

from __future__ import annotations

import msgspec

from solexp.core import CompilerSettings, HarnessError, Program
from solexp.evm.anvil import AnvilMachine
from solexp.evm.linked import libraries_at
from solexp.evm.machine import Machine, Observation, Subject
from solexp.solidity.compiler import Compiler


class Reproduction(msgspec.Struct, frozen=True):
    """How recorded calls end on a fresh deployment."""

    calls: int
    """Recorded calls that were made; those without a record are not counted."""
    alike: int
    """Of these, those whose status is the recorded one."""

    @property
    def share(self) -> float | None:
        """None without a recorded call."""
        return self.alike / self.calls if self.calls else None

    def why_not(self, least: float) -> str | None:
        """Why it does not reproduce enough, or None where it does (SolBehave: at least 80 % of the first 200)."""
        if self.share is None:
            return "has no recorded calls to reproduce"
        if self.share < least:
            return f"reproduces too little of its history: {self.alike} of {self.calls} calls"
        return None


class Fresh:
    """Deploys contracts on a private node, as the oracles do."""

    def __init__(self, machine: Machine | None = None) -> None:
        self.machine: Machine = machine or AnvilMachine()

    def run(
        self, source: str, settings: CompilerSettings, program: Program, compiler: Compiler
    ) -> Reproduction | str:
        """What a fresh deployment makes of a program's calls, or why there is no deployment."""
        name = program.deployment.contract
        build = compiler.compile({"source.sol": source}, settings)
        contract = build.contract(name)
        if contract is None or contract.creation == "0x":
            return "what is deployed is not there or abstract"
        subject = Subject(contract.creation, contract, libraries_at(build, settings))
        try:
            [trace] = self.machine.run(program, [subject], Observation(at_end=False))
        except HarnessError as error:
            return f"could not be tried: {error}"
        if not trace.deployment.status:
            return f"cannot be deployed afresh: {trace.deployment.error or 'its constructor fails'}"
        if trace.stopped:
            return f"passes a limit: {trace.stopped}"
        recorded = [
            (call.recorded.status, result.status)
            for call, result in zip(program.calls, trace.calls, strict=True)
            if call.recorded is not None
        ]
        return Reproduction(len(recorded), sum(chain == ours for chain, ours in recorded))
