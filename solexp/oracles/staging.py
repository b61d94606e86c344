"""Making a task's recorded history ready to be run on its original and on candidates."""

from __future__ import annotations

import msgspec

from solexp.core import Build, ContractBuild, Program, Trace
from solexp.evm.linked import libraries_at
from solexp.evm.machine import Machine, Observation, Subject
from solexp.evm.observe import GetterRule, observation
from solexp.oracles.base import Case
from solexp.oracles.usertypes import with_underlying


class Stage(msgspec.Struct, frozen=True):
    """All that stays the same over a task's candidates."""

    program: Program
    places: tuple[int, ...]
    """Where the program's calls are in the task's own."""
    contract: ContractBuild
    """The original's build of the contract that is deployed, which need not be the one that was to be written."""
    original: Subject
    plan: Observation
    whole: tuple[Program, Trace] | None = None
    """Where calls were left out: the program with them, and the original's trace of it."""


def stage(
    case: Case,
    machine: Machine,
    *,
    limit: int | None = None,
    faithful: bool = False,
    checkpoint_every: int | None = None,
    getters: GetterRule = "never",
) -> Stage | str:
    """The stage for a task, or why there is none.

    ``limit`` runs only so many calls; ``faithful`` leaves out those whose status on the original is not the recorded
    one.
    """
    program = case.task.program
    if program is None:
        return case.task.undecidable or "the task has no recorded history"
    if limit is not None:
        program = msgspec.structs.replace(program, calls=program.calls[:limit])
    reference = case.reference()
    contract = reference.contract(program.deployment.contract) if reference.ok else None
    if contract is None or contract.creation == "0x" or contract.missing_libraries:
        return _why_no_original(reference, contract, program)
    original = subject(reference, contract, case, case.task.sources)
    contract = original.contract
    plan = observation(program, contract, checkpoint_every=checkpoint_every, getters=getters)
    places = tuple(range(len(program.calls)))
    if not faithful:
        return Stage(program, places, contract, original, plan)
    [trace] = machine.run(program, [original], plan)
    places = _faithful(program, trace)
    kept = msgspec.structs.replace(program, calls=tuple(program.calls[at] for at in places))
    return Stage(kept, places, contract, original, plan, (program, trace))


def subject(build: Build, contract: ContractBuild, case: Case, sources: dict[str, str]) -> Subject:
    """A build's contract as a machine takes it, the libraries that its own sources hold at their linked places."""
    layout = with_underlying(contract.storage_layout, sources.values())
    if layout is not contract.storage_layout:
        contract = msgspec.structs.replace(contract, storage_layout=layout)
    return Subject(contract.creation, contract, libraries_at(build, case.settings))


def _why_no_original(build: Build, contract: ContractBuild | None, program: Program) -> str:
    name = program.deployment.contract
    if not build.ok:
        return f"the original does not compile: {build.errors[0].message}"
    if contract is None:
        return f"the original's sources hold no contract '{name}'"
    if contract.missing_libraries:
        needed = ", ".join(f"'{library}'" for library in contract.missing_libraries)
        return f"the original has to be linked with {needed}"
    return f"'{name}' is abstract in the original's sources"


def _faithful(program: Program, trace: Trace) -> tuple[int, ...]:
    """The places of the calls that end as the chain recorded."""
    return tuple(
        at
        for at, (call, result) in enumerate(zip(program.calls, trace.calls, strict=False))
        if call.recorded is None or call.recorded.status == result.status
    )
