"""Whether a contract, deployed afresh, does what the chain recorded: SolBehave's check of reproducibility."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from solexp.benchmarks.building.sources import Source
from solexp.core import Trace
from solexp.evm.machine import Machine, Observation, Subject
from solexp.solidity.compiler import Compiler

NOTHING_READ = Observation(at_end=False, storage=False)


class Reproduced(msgspec.Struct, frozen=True, kw_only=True):
    """How far a contract alone on an empty chain ends as recorded."""

    same: int
    """Transactions, the creation among them, whose status is the recorded one."""
    of: int
    """Transactions that were tried, the creation among them."""
    reverted: int = 0
    """Those that succeeded on the chain and fail here: most often others' contracts are missing."""
    why: str | None = None
    """Why nothing was tried, or the trying ended early."""

    @property
    def share(self) -> float:
        return self.same / self.of if self.of else 0.0


def reproduced(source: Source, most: int, compiler: Compiler, machine: Machine) -> Reproduced:
    """How many of the first ``most`` recorded transactions end as recorded (SolBehave, §4.1).

    The source, compiled as it was, is deployed afresh with the recorded arguments.
    Where the deployment fails nothing else is the same. Raises HarnessError when the machine fails.
    """
    program, settings = source.program, source.compiler
    if program is None or settings is None:
        return Reproduced(same=0, of=0, why="has no recorded history")
    build = compiler.compile({"source.sol": source.text}, settings)
    contract = build.contract(program.deployment.contract) if build.ok else None
    if contract is None or contract.creation == "0x":
        return Reproduced(same=0, of=0, why="does not compile as it was deployed")
    program = msgspec.structs.replace(program, calls=program.calls[: most - 1])
    (trace,) = machine.run(
        program, [Subject(creation=contract.creation, contract=contract)], NOTHING_READ
    )
    recorded = [program.deployment.recorded, *(call.recorded for call in program.calls)]
    return _compared(trace, [None if each is None else each.status for each in recorded])


def _compared(trace: Trace, recorded: Sequence[bool | None]) -> Reproduced:
    if trace.address is None:
        return Reproduced(
            same=int(recorded[0] is False),
            of=len(recorded),
            reverted=sum(each is True for each in recorded),
            why="cannot be deployed alone",
        )
    pairs = list(
        zip(
            recorded,
            (trace.deployment.status, *(call.status for call in trace.calls)),
            strict=False,
        )
    )
    return Reproduced(
        same=sum(told == found for told, found in pairs),
        of=len(recorded),
        reverted=sum(told is True and not found for told, found in pairs),
        why=f"used up its {trace.stopped}" if trace.stopped else None,
    )
