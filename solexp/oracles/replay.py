"""Does it behave as the original, call by call? SolContractEval's historical replay, and what follows from it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from solexp.core import (
    Build,
    ContractBuild,
    Outcome,
    Program,
    TimeLimitExceeded,
    Trace,
    UserError,
    Verdict,
)
from solexp.evm.anvil import AnvilMachine
from solexp.evm.compare import Comparison, Exercise, axis_set, compare, divergence, exercise
from solexp.evm.machine import Machine, Subject
from solexp.evm.observe import GetterRule, observation
from solexp.evm.storage import canonical
from solexp.oracles.base import Case, verdict
from solexp.oracles.compile import errors_of, no_code

SCHEMA = 1
"""Raised with every change of what a verdict says."""


class Replay:
    """Runs a task's recorded deployment and calls on reference and candidates, and compares the traces."""

    name = "replay"
    decides = True

    def __init__(
        self,
        *,
        axes: str | list[str] = "solcontracteval",
        fidelity: Literal["all", "faithful"] = "all",
        checkpoint_every: int | None = None,
        getters: GetterRule = "fallback",
        min_successful_calls: int = 5,
        min_selectors: int = 1,
        min_events: int = 0,
        limit: int | None = None,
        machine: Machine | None = None,
    ) -> None:
        """``axes``: which differences fail a candidate, by a name of `solexp.evm.compare.AXIS_SETS` or a list.

        ``fidelity=faithful`` leaves out the calls whose status on the reference is not the chain's.
        ``checkpoint_every`` reads the state after every so many calls, not just at the end. A task on whose reference
        fewer calls succeed, fewer functions answer or fewer events are seen than the minima is undecidable. ``limit``
        runs only so many calls of each program. ``machine`` is a private anvil by default.
        """
        self.axes = axis_set(axes)
        for setting, value in (("checkpoint_every", checkpoint_every), ("limit", limit)):
            if value is not None and value < 1:
                raise UserError(f"oracle.replay.{setting}: must be 1 or more, got {value}")
        self.fidelity = fidelity
        self.checkpoint_every = checkpoint_every
        self.getters: GetterRule = getters
        self.min_successful_calls = min_successful_calls
        self.min_selectors = min_selectors
        self.min_events = min_events
        self.limit = limit
        self.machine: Machine = machine if machine is not None else AnvilMachine()

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": SCHEMA,
            "axes": self.axes,
            "fidelity": self.fidelity,
            "checkpoint_every": self.checkpoint_every,
            "getters": self.getters,
            "minima": [self.min_successful_calls, self.min_selectors, self.min_events],
            "limit": self.limit,
            "machine": self.machine.fingerprint(),
        }

    def judge(self, case: Case) -> list[Verdict]:
        started = time.perf_counter()
        found = _Judgement(self, case).verdicts()
        share = (time.perf_counter() - started) / max(1, len(found))
        return [msgspec.structs.replace(row, seconds=share) for row in found]


class _Judgement:
    """One task's judging."""

    def __init__(self, oracle: Replay, case: Case) -> None:
        self._oracle = oracle
        self._case = case
        self._ready: dict[int, Verdict] = {}
        self._builds: dict[int, tuple[Build, ContractBuild]] = {}

    def verdicts(self) -> list[Verdict]:
        self._sort_out()
        if self._builds:
            self._run()
        return [self._ready[index] for index in range(len(self._case.candidates))]

    def _sort_out(self) -> None:
        """Settles every candidate that needs no run."""
        task = self._case.task
        for index, candidate in enumerate(self._case.candidates):
            if candidate.code is None:
                self._ready[index] = no_code(Replay.name, candidate)
                continue
            try:
                build = self._case.build(candidate)
            except TimeLimitExceeded as error:
                self._settle(index, Outcome.TIMEOUT, evidence={"reason": str(error)})
                continue
            if not build.ok:
                self._settle(index, Outcome.COMPILE_ERROR, evidence=errors_of(build))
                continue
            if task.program is None:
                self._undecidable(index, task.undecidable or "the task has no recorded history")
                continue
            contract = build.contract(task.program.deployment.contract)
            self._builds[index] = (build, contract or _nothing(task.program))

    def _run(self) -> None:
        program = self._program()
        reference = self._case.reference()
        contract = reference.contract(program.deployment.contract) if reference.ok else None
        if contract is None or contract.creation == "0x" or contract.missing_libraries:
            self._all_undecidable(_why_no_reference(reference, contract, program))
            return
        original = _subject(reference, contract, self._case)
        plan = observation(
            program,
            contract,
            checkpoint_every=self._oracle.checkpoint_every,
            getters=self._oracle.getters,
        )
        if self._oracle.fidelity == "faithful":
            [trace] = self._oracle.machine.run(program, [original], plan)
            program = _faithful(program, trace)
        subjects, places = self._subjects(original)
        traces = self._oracle.machine.run(program, subjects, plan)
        self._conclude(program, contract, traces, places)

    def _program(self) -> Program:
        program = self._case.task.program
        assert program is not None
        if self._oracle.limit is not None:
            calls = program.calls[: self._oracle.limit]
            program = msgspec.structs.replace(program, calls=calls)
        return program

    def _subjects(self, original: Subject) -> tuple[list[Subject], dict[int, int]]:
        """What to run, the reference first and each distinct code once; and each candidate's place in it."""
        subjects = [original]
        known = {_identity(original): 0}
        places = {}
        for index, (build, contract) in list(self._builds.items()):
            if contract.missing_libraries:
                needed = ", ".join(contract.missing_libraries)
                self._settle(
                    index,
                    Outcome.HARNESS_ERROR,
                    evidence={"reason": f"the code still has to be linked with {needed}"},
                )
                continue
            subject = _subject(build, contract, self._case)
            key = _identity(subject)
            if key not in known:
                known[key] = len(subjects)
                subjects.append(subject)
            places[index] = known[key]
        return subjects, places

    def _conclude(
        self,
        program: Program,
        contract: ContractBuild,
        traces: Sequence[Trace],
        places: dict[int, int],
    ) -> None:
        reference = traces[0]
        tried = exercise(program, reference, contract)
        reason = self._too_little(reference, tried)
        base = _exercise_measures(tried, program, reference)
        compared: dict[int, Comparison] = {}
        for index, place in places.items():
            if reason is not None:
                self._undecidable(index, reason, base)
                continue
            if place not in compared:
                compared[place] = compare(reference, traces[place], program)
            self._decide(index, compared[place], program, contract, base)

    def _too_little(self, reference: Trace, tried: Exercise) -> str | None:
        oracle = self._oracle
        if reference.stopped:
            return f"the original used up its {reference.stopped}"
        if reference.address is None:
            said = reference.deployment.error or reference.deployment.output
            return f"the original does not deploy ({said})"
        for least, count, what in (
            (oracle.min_successful_calls, tried.successful_calls, "calls of the original succeed"),
            (oracle.min_selectors, tried.selectors, "functions of the original answer"),
            (oracle.min_events, tried.events, "events of the original are seen"),
        ):
            if count < least:
                return f"{count} {what}, fewer than {least}"
        return None

    def _decide(
        self,
        index: int,
        comparison: Comparison,
        program: Program,
        contract: ContractBuild,
        base: dict[str, float | int | bool | str | None],
    ) -> None:
        axes = self._oracle.axes
        fails = comparison.diverges(axes)
        outcome = Outcome.FAIL if fails else Outcome.PASS
        evidence: dict[str, object] = {}
        if comparison.truncated and not fails:
            outcome = Outcome.TIMEOUT
        if comparison.truncated:
            evidence["reason"] = f"the candidate used up its {comparison.truncated}"
        if comparison.missing:
            evidence["variables_missing"] = list(comparison.missing)
        firsts = {
            axis: msgspec.to_builtins(divergence(place, program, contract))
            for axis, place in comparison.first.items()
            if axis != "gas"
        }
        if firsts:
            evidence["first_by_axis"] = firsts
        earliest = comparison.earliest(axes)
        self._ready[index] = verdict(
            Replay.name,
            self._case.candidates[index],
            outcome,
            measures=base
            | {f"diverges.{axis}": count for axis, count in comparison.counts.items()}
            | {
                "gas_ratio": comparison.gas_ratio,
                "over_recorded_gas": comparison.over_recorded_gas,
                "variables_missing": len(comparison.missing),
            },
            divergence=divergence(earliest, program, contract) if earliest else None,
            evidence=evidence,
        )

    def _all_undecidable(self, reason: str) -> None:
        for index in self._builds:
            self._undecidable(index, reason)

    def _undecidable(
        self,
        index: int,
        reason: str,
        measures: dict[str, float | int | bool | str | None] | None = None,
    ) -> None:
        self._settle(
            index, Outcome.UNDECIDABLE, evidence={"reason": reason}, measures=measures or {}
        )

    def _settle(self, index: int, outcome: Outcome, **fields: Any) -> None:
        self._ready[index] = verdict(Replay.name, self._case.candidates[index], outcome, **fields)


def _nothing(program: Program) -> ContractBuild:
    """Stands for a contract that a candidate's build lacks; it cannot be deployed."""
    return ContractBuild(
        path="", name=program.deployment.contract, abi=[], creation="0x", runtime="0x"
    )


def _why_no_reference(build: Build, contract: ContractBuild | None, program: Program) -> str:
    name = program.deployment.contract
    if not build.ok:
        return f"the original does not compile: {build.errors[0].message}"
    if contract is None:
        return f"the original's sources hold no contract {name}"
    if contract.missing_libraries:
        return f"{name} has to be linked with {', '.join(contract.missing_libraries)}"
    return f"{name} is abstract in the original's sources"


def _subject(build: Build, contract: ContractBuild, case: Case) -> Subject:
    return Subject(contract.creation, contract, _libraries(build, case))


def _libraries(build: Build, case: Case) -> dict[str, str]:
    """Runtime code of the linked libraries that the same sources hold, by the address they are linked at."""
    found = {}
    for name, address in case.settings.libraries.items():
        library = build.contract(name.rpartition(":")[2])
        if library is not None and library.runtime != "0x":
            # A library's code starts by pushing its own address, which only its deployment fills in.
            code = library.runtime
            if code.startswith("0x73" + "0" * 40):
                code = "0x73" + address[2:].lower() + code[44:]
            found[address.lower()] = code
    return found


def _identity(subject: Subject) -> tuple[object, ...]:
    layout = canonical(subject.contract.storage_layout)
    return (subject.creation, layout, tuple(sorted(subject.code_at.items())))


def _faithful(program: Program, trace: Trace) -> Program:
    """The program without the calls whose status on the reference is not the recorded one."""
    kept = [
        call
        for call, result in zip(program.calls, trace.calls, strict=False)
        if call.recorded is None or call.recorded.status == result.status
    ]
    return msgspec.structs.replace(program, calls=tuple(kept))


def _exercise_measures(
    tried: Exercise, program: Program, reference: Trace
) -> dict[str, float | int | bool | str | None]:
    known = [
        (call.recorded, result)
        for call, result in zip(program.calls, reference.calls, strict=False)
        if call.recorded is not None
    ]
    return {
        "calls": tried.calls,
        "successful_calls": tried.successful_calls,
        "selectors": tried.selectors,
        "events": tried.events,
        "functions": tried.functions,
        "functions_exercised": tried.functions_exercised,
        "functions_exercised_share": tried.share,
        "recorded_calls": len(known),
        "statuses_as_recorded": sum(r.status == result.status for r, result in known),
        "gas_as_recorded": sum(
            r.status and result.status and r.gas_used == result.gas_used for r, result in known
        ),
        "hardfork": reference.hardfork,
    }
