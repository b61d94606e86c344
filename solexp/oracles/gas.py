"""What do a project's own tests use in gas with the candidate in place, and what with the reference? (SolEval, §3)"""

from __future__ import annotations

import re
from typing import Any

from solexp.core import Candidate, Outcome, Task, Verdict
from solexp.oracles.base import Case, verdict
from solexp.oracles.tests import Tests
from solexp.solidity.foundry.forge import TestResult

_CALLED_FROM_OUTSIDE = re.compile(r"\b(?:external|public)\b")

Measures = dict[str, float | int | bool | str | None]


class Gas:
    """Measures candidates that pass the oracle `Tests`, in the same runs of forge; decides nothing.

    Reference and candidate are built alike, in the project as it was pruned for those tests, and only unit tests count:
    what a test with parameters uses hangs on the inputs drawn, which repeat only for the same compiled state.
    Measures, all in gas and summed over those tests:

    ``gas_tests``
        How many unit tests reach the function. With none, the candidate is ``undecidable``.
    ``gas_reference``, ``gas_candidate``
        What the tests use, without their set-up.
    ``gas_function_reference``, ``gas_function_candidate``
        What the calls of the function itself use, where it is ``external`` or ``public`` and contracts call it.

    The evidence has the same by test.
    """

    name = "gas"
    language = "solidity"
    decides = False

    def __init__(
        self,
        *,
        fuzz_seed: int = 666,
        fuzz_runs: int = 256,
        timeout_s: float = 120.0,
        memory_mb: int = 4096,
    ) -> None:
        """The settings of the oracle `Tests` whose runs are measured: with other ones forge runs for each."""
        self.tests = Tests(
            fuzz_seed=fuzz_seed, fuzz_runs=fuzz_runs, timeout_s=timeout_s, memory_mb=memory_mb
        )

    def fingerprint(self) -> dict[str, Any]:
        return {"oracle": self.name, "version": 1, "tests": self.tests.fingerprint()}

    def judge(self, case: Case) -> list[Verdict]:
        return [
            self._judge(case, candidate, said)
            for candidate, said in zip(case.candidates, self.tests.judge(case), strict=True)
        ]

    def _judge(self, case: Case, candidate: Candidate, said: Verdict) -> Verdict:
        if said.outcome is not Outcome.PASS or candidate.code is None:
            kept: Measures = {n: said.measures[n] for n in ("keep",) if n in said.measures}
            evidence: dict[str, object] = {"reason": "it does not pass its tests"}
            return verdict(self.name, candidate, said.outcome, measures=kept, evidence=evidence)
        pairs = self.tests.beside_reference(case, candidate.code)
        measured = [
            (test, reference, found)
            for test, reference, found in pairs
            if reference.gas is not None and found.gas is not None
        ]
        measures: Measures = {"gas_tests": len(measured)}
        if not measured:
            return verdict(
                self.name,
                candidate,
                Outcome.UNDECIDABLE,
                measures=measures,
                evidence={"reason": "no unit test reaches it"},
            )
        measures["gas_reference"] = sum(reference.gas or 0 for _, reference, _ in measured)
        measures["gas_candidate"] = sum(found.gas or 0 for _, _, found in measured)
        by_test: list[dict[str, Any]] = [
            {"test": test, "reference": reference.gas, "candidate": found.gas}
            for test, reference, found in measured
        ]
        called = [each for _, *both in measured for each in both]
        if (selector := _selector(case, called)) is not None:
            for row, (_, reference, found) in zip(by_test, measured, strict=True):
                row["function_reference"] = reference.frames.get(selector)
                row["function_candidate"] = found.frames.get(selector)
            for name in ("function_reference", "function_candidate"):
                measures[f"gas_{name}"] = sum(row[name] or 0 for row in by_test)
        return verdict(
            self.name, candidate, Outcome.PASS, measures=measures, evidence={"tests": by_test}
        )


def _selector(case: Case, results: list[TestResult]) -> str | None:
    """The selector of the target; None where it has none, or none of the tests calls it from contract to contract."""
    task = case.task
    if not task.target.member or not _CALLED_FROM_OUTSIDE.search(_head(task)):
        return None
    called = {selector for result in results for selector in result.frames}
    contract = case.reference().contract(task.target.contract, task.target.path)
    if contract is None or not called:
        return None
    member = task.target.member
    if member in contract.methods:
        wanted = [member]
    else:
        # Types of the project's own have other names in its signature than in the compiler's.
        name = member.partition("(")[0]
        wanted = [each for each in contract.methods if each.partition("(")[0] == name]
    selector = f"0x{contract.methods[wanted[0]]}" if len(wanted) == 1 else None
    return selector if selector in called else None


def _head(task: Task) -> str:
    return task.reference.partition("{")[0]
