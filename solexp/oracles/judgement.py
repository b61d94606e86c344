"""One task's judging by an oracle that runs candidates on a machine: what needs no run, and what is to be run."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping

import msgspec

from solexp.core import Build, ContractBuild, Outcome, TimeLimitExceeded, Verdict
from solexp.evm.machine import Machine, Subject
from solexp.oracles.base import Case, verdict
from solexp.oracles.compile import errors_of, no_code
from solexp.oracles.staging import Stage, subject

Measures = dict[str, float | int | bool | str | None]


def timed(judge: Callable[[], list[Verdict]], case: Case, machine: Machine) -> list[Verdict]:
    """The verdicts of a task, each with its share of the time they took; the machine's tools are noted."""
    started = time.perf_counter()
    found = judge()
    for tool, version in machine.tools().items():
        case.used(tool, version)
    share = (time.perf_counter() - started) / max(1, len(found))
    return [msgspec.structs.replace(row, seconds=share) for row in found]


class Judgement(ABC):
    """The verdicts of one task's candidates as they come, by the candidate's place."""

    def __init__(self, oracle: str, case: Case) -> None:
        self._name = oracle
        self._case = case
        self._ready: dict[int, Verdict] = {}

    @abstractmethod
    def told(self) -> Measures:
        """What every verdict says of the task."""

    def ready(self) -> list[Verdict]:
        """All verdicts, in the candidates' order."""
        return [self._ready[index] for index in range(len(self._case.candidates))]

    def settle(self, index: int, outcome: Outcome, evidence: dict[str, object]) -> None:
        """Give a candidate its verdict without a run."""
        self._ready[index] = verdict(
            self._name,
            self._case.candidates[index],
            outcome,
            evidence=evidence,
            measures=self.told(),
        )

    def compiled(self) -> Iterator[tuple[int, Build]]:
        """The candidates that compile, with their builds; the others are settled."""
        for index, candidate in enumerate(self._case.candidates):
            if candidate.code is None:
                said = no_code(self._name, candidate)
                self._ready[index] = msgspec.structs.replace(said, measures=self.told())
                continue
            try:
                build = self._case.build(candidate)
            except TimeLimitExceeded as error:
                self.settle(index, Outcome.TIMEOUT, {"reason": str(error)})
                continue
            if build.ok:
                yield index, build
            else:
                self.settle(index, Outcome.COMPILE_ERROR, errors_of(build))

    def with_contract(
        self, staged: Stage | str, ground: tuple[Outcome, str] | None
    ) -> dict[int, tuple[Build, ContractBuild]]:
        """The candidates that can be run; those that do not compile or lack the contract are settled, and all others
        as ``ground`` says where it says something."""
        builds = {}
        for index, build in self.compiled():
            if ground is not None or isinstance(staged, str):
                outcome, reason = ground or (Outcome.UNDECIDABLE, str(staged))
                self.settle(index, outcome, {"reason": reason})
                continue
            name = staged.program.deployment.contract
            contract = build.contract(name)
            if contract is None or contract.creation == "0x":
                self.settle(index, Outcome.FAIL, {"reason": f"it has no contract '{name}'"})
            else:
                builds[index] = (build, contract)
        return builds

    def again(self, index: int, said: Verdict) -> None:
        """Give a candidate the verdict of another one with the same code."""
        candidate = self._case.candidates[index]
        self._ready[index] = msgspec.structs.replace(
            said,
            batch=candidate.batch,
            repeat=candidate.repeat,
            index=candidate.index,
            round=candidate.round,
        )

    def subjects(
        self,
        original: Subject,
        builds: Mapping[int, tuple[Build, ContractBuild]],
        identity: Callable[[Subject], Hashable],
    ) -> tuple[list[Subject], dict[int, int]]:
        """What to run, the original first and each identity once; and each candidate's place in it.

        Candidates that have to be linked are settled: the original needs no library but those it has.
        """
        subjects = [original]
        known = {identity(original): 0}
        places = {}
        for index, (build, contract) in builds.items():
            if contract.missing_libraries:
                needed = ", ".join(contract.missing_libraries)
                reason = f"it cannot be deployed: it has to be linked with {needed}"
                self.settle(index, Outcome.FAIL, {"reason": reason})
                continue
            sources = self._case.sources(self._case.candidates[index])
            made = subject(build, contract, self._case, sources)
            key = identity(made)
            if key not in known:
                known[key] = len(subjects)
                subjects.append(made)
            places[index] = known[key]
        return subjects, places


def creation_identity(subject: Subject) -> tuple[object, ...]:
    """What two candidates share that no run without readings of storage tells apart."""
    return (subject.creation, *sorted(subject.code_at.items()))
