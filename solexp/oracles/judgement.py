"""One task's judging by an oracle that runs candidates on a machine: what needs no run, and what is to be run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping

import msgspec

from solexp.core import Build, ContractBuild, Outcome, TimeLimitExceeded, Verdict
from solexp.evm.machine import Subject
from solexp.oracles.base import Case, verdict
from solexp.oracles.compile import errors_of, no_code
from solexp.oracles.staging import subject
from solexp.solidity.splice import splice

Measures = dict[str, float | int | bool | str | None]


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
            code = self._case.candidates[index].code or ""
            made = subject(build, contract, self._case, splice(self._case.task, code))
            key = identity(made)
            if key not in known:
                known[key] = len(subjects)
                subjects.append(made)
            places[index] = known[key]
        return subjects, places
