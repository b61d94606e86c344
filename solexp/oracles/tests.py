"""Do the project's own tests pass with the candidate in place? (SolEval, §3)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from solexp.core import (
    Candidate,
    HarnessError,
    Outcome,
    TimeLimitExceeded,
    Verdict,
)
from solexp.core.hashing import content_hash
from solexp.oracles.base import Case, verdict
from solexp.oracles.cheating import Seen, cheating, seen
from solexp.oracles.compile import no_code
from solexp.oracles.suites import Stage, stage
from solexp.solidity.foundry.ending import Ends, Replay
from solexp.solidity.foundry.forge import Fuzzing, Limits, Meddled, TestResult, TestRun
from solexp.solidity.stubs import Kind, stub_of
from solexp.store import Store
from solexp.toolchain.homes import cache_home
from solexp.toolchain.install import ensure_forge
from solexp.toolchain.node import version_of

SCHEMA = 1

_SHOWN = 5
"""How many errors or failed tests a verdict shows."""


class TestGrounds(msgspec.Struct, frozen=True, kw_only=True):
    """What a task's tests can tell at all, before any candidate is looked at."""

    __test__ = False

    outcome: Outcome | None = None
    """``undecidable`` or ``vacuous``; None when candidates can be judged."""
    reason: str | None = None
    prune: bool = True
    """Whether the tests that are not mapped are taken out of the test file first."""
    lean: bool = False
    """Whether the functions that nothing names are left out, too, and only the test file's own contracts are built."""
    tests: tuple[str, ...] = ()
    """The mapped tests that the reference passes, each with its suite."""
    killed: tuple[str, ...] = ()
    """Those of them that an emptied body fails; all of them where it does not even compile."""
    ends: Ends | None = None
    """How the test file is changed to tell the ends of tests; None where the reference does not pass it changed."""
    seen: dict[str, Seen] = {}
    """What the reference's runs show, by test."""

    def told(self) -> dict[str, float | int | bool | str | None]:
        """The measures of every verdict about the task."""
        told: dict[str, float | int | bool | str | None] = {
            "task_decidable": self.outcome is None,
            "tests": len(self.tests),
            "tests_that_tell": len(self.killed),
        }
        if self.outcome is not None:
            told |= {"task_outcome": self.outcome.value, "task_reason": self.reason}
        return told


class Tests:
    """Passes a candidate when every test passes that reaches the target, in a private copy of the project.

    The reference must pass them, and fail with its body emptied, or else the task is ``undecidable`` or ``vacuous``. A
    pass counts only when the call tree that forge keeps of each test shows no call of a cheat code that the reference's
    does not show too.
    """

    __test__ = False

    name = "tests"
    language = "solidity"
    decides = True

    def __init__(
        self,
        *,
        fuzz_seed: int = 666,
        fuzz_runs: int = 256,
        timeout_s: float = 120.0,
        memory_mb: int = 4096,
    ) -> None:
        """``fuzz_runs`` tries of each test with parameters; ``timeout_s`` and ``memory_mb`` for one candidate."""
        self.fuzzing = Fuzzing(seed=fuzz_seed, runs=fuzz_runs)
        self.limits = Limits(seconds=timeout_s, memory_mb=memory_mb)

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": 6,
            "fuzzing": msgspec.to_builtins(self.fuzzing),
            "limits": msgspec.to_builtins(self.limits),
            "forge": version_of(ensure_forge()),
        }

    def judge(self, case: Case) -> list[Verdict]:
        """Found out once a case, however many oracles ask."""
        return case.once(content_hash("judge", self.fingerprint()), lambda: self._verdicts(case))

    def beside_reference(self, case: Case, code: str) -> list[tuple[str, TestResult, TestResult]]:
        """Each mapped test by name, and how it ends with the reference and with a candidate that passes.

        Both are built alike and run under the same seed; what was run for `judge` is not run again.
        """
        staged = stage(case.task)
        if isinstance(staged, str):
            raise HarnessError(f"no candidate of {case.task.id} passes: {staged}")
        grounds = self._grounds(case, staged)
        reference, candidate = (
            {_key(result): result for result in run.results}
            for text in (case.task.reference, code)
            for run in [self._run(case, staged, text, grounds)]
        )
        return [(key, reference[key], candidate[key]) for key in grounds.tests]

    def _verdicts(self, case: Case) -> list[Verdict]:
        staged = stage(case.task)
        case.used("forge", version_of(ensure_forge()))
        if isinstance(staged, str):
            grounds = TestGrounds(outcome=Outcome.UNDECIDABLE, reason=staged)
        else:
            grounds = self._grounds(case, staged)
        return [self._judge(case, staged, grounds, candidate) for candidate in case.candidates]

    def _judge(
        self, case: Case, staged: Stage | str, grounds: TestGrounds, candidate: Candidate
    ) -> Verdict:
        if candidate.code is None:
            said = no_code(self.name, candidate)
            return msgspec.structs.replace(said, measures=grounds.told())
        if isinstance(staged, str) or grounds.outcome is Outcome.UNDECIDABLE:
            return self._said(grounds, candidate, Outcome.UNDECIDABLE, {"reason": grounds.reason})
        try:
            return self._decided(case, staged, grounds, candidate)
        except TimeLimitExceeded as error:
            return self._said(grounds, candidate, Outcome.TIMEOUT, {"reason": str(error)})
        except Meddled as error:
            return self._said(grounds, candidate, Outcome.FAIL, {"reason": str(error)}, cheats=True)

    def _decided(
        self, case: Case, staged: Stage, grounds: TestGrounds, candidate: Candidate
    ) -> Verdict:
        code = candidate.code or ""
        run = self._run(case, staged, code, grounds)
        if run.errors:
            evidence: dict[str, object] = {"errors": list(run.errors[:_SHOWN])}
            return self._said(grounds, candidate, Outcome.COMPILE_ERROR, evidence)
        if grounds.outcome is Outcome.VACUOUS:
            return self._said(grounds, candidate, Outcome.VACUOUS, {"reason": grounds.reason})
        results = {_key(result): result for result in run.results}
        failed = [key for key in grounds.tests if not (key in results and results[key].passed)]
        if failed:
            evidence = {"failed": [_shown(key, results) for key in failed[:_SHOWN]]}
            return self._said(grounds, candidate, Outcome.FAIL, evidence, failed=len(failed))

        def rerun(fuzzings: Sequence[Fuzzing]) -> list[dict[str, TestResult]]:
            tries = self._built(case, staged, code, grounds, fuzzings)
            return [{_key(result): result for result in each.results} for each in tries]

        def replay(calls: Sequence[Replay]) -> TestRun:
            (run,) = self._built(case, staged, case.task.reference, grounds, replays=calls)
            return run

        why = cheating(
            case.task.reference, code, results, expected=grounds.seen, rerun=rerun, replay=replay
        )
        if why is not None:
            return self._said(grounds, candidate, Outcome.FAIL, {"reason": why}, cheats=True)
        return self._said(grounds, candidate, Outcome.PASS, {}, failed=0)

    def _said(
        self,
        grounds: TestGrounds,
        candidate: Candidate,
        outcome: Outcome,
        evidence: dict[str, object],
        **measures: int,
    ) -> Verdict:
        return verdict(
            self.name,
            candidate,
            outcome,
            measures={**grounds.told(), **measures},
            evidence=evidence,
        )

    def _run(self, case: Case, staged: Stage, code: str, built: TestGrounds) -> TestRun:
        """Runs the tests of the test file as ``built`` says it is changed."""
        return case.once(
            content_hash(
                "run",
                self.fingerprint(),
                code,
                built.prune,
                built.lean,
                msgspec.to_builtins(built.ends),
            ),
            lambda: self._built(case, staged, code, built)[0],
        )

    def _built(
        self,
        case: Case,
        staged: Stage,
        code: str,
        built: TestGrounds,
        fuzzings: Sequence[Fuzzing] = (),
        *,
        replays: Sequence[Replay] = (),
    ) -> list[TestRun]:
        return staged.run(
            case,
            code,
            fuzzings or (self.fuzzing,),
            self.limits,
            prune=built.prune,
            lean=built.lean,
            ends=built.ends,
            replays=replays,
        )

    def _grounds(self, case: Case, staged: Stage) -> TestGrounds:
        """Found out once a task, and kept."""
        store = Store(cache_home() / "grounds", SCHEMA)
        key = content_hash(
            "tests",
            case.task.content_hash,
            self.fingerprint(),
            case.compiler.version(case.settings.version),
        )
        known = store.get(key, TestGrounds) if case.cached else None
        if known is None:
            try:
                known = self._survey(case, staged)
            except TimeLimitExceeded as error:
                # Not kept: on another day the machine may be less busy.
                return TestGrounds(
                    outcome=Outcome.UNDECIDABLE, reason=f"the reference does not pass: {error}"
                )
            if case.cached:
                store.put(key, known)
        return known

    def _survey(self, case: Case, staged: Stage) -> TestGrounds:
        reference = case.task.reference
        built, run = self._shaped(case, staged)
        if run.errors:
            first = run.errors[0]
            return TestGrounds(
                outcome=Outcome.UNDECIDABLE,
                reason=f"the project does not build: {first['message']} ({first['path']})",
            )
        passed = [result for result in run.results if staged.wants(result.test) and result.passed]
        again = run
        if (why := _failing(run, staged)) is None:
            # A reference that chance fails would fail candidates by chance too.
            seeds = msgspec.structs.replace(self.fuzzing, seed=self.fuzzing.seed + 1)
            (again,) = self._built(case, staged, reference, built, (seeds,))
            failing = _failing(again, staged)
            why = failing and f"under another seed, {failing}"
        if why is not None:
            return TestGrounds(
                outcome=Outcome.UNDECIDABLE, reason=f"the reference does not pass: {why}"
            )
        twice = {_key(result): result for result in again.results}
        grounds = msgspec.structs.replace(
            built,
            tests=tuple(_key(result) for result in passed),
            seen={_key(each): seen(reference, each, twice.get(_key(each))) for each in passed},
        )
        return msgspec.structs.replace(grounds, **self._tell(case, staged, grounds))

    def _shaped(self, case: Case, staged: Stage) -> tuple[TestGrounds, TestRun]:
        """How the test file is changed, and the reference's run: the furthest change that it passes, or else none."""
        attempts = [
            TestGrounds(ends=Ends(), lean=True),
            TestGrounds(ends=Ends(marked=staged.names), lean=True),
            TestGrounds(ends=Ends()),
            TestGrounds(ends=Ends(marked=staged.names)),
            TestGrounds(),
            # What was taken out may have been needed.
            TestGrounds(prune=False),
        ]
        for number, built in enumerate(attempts):
            run = self._run(case, staged, case.task.reference, built)
            if not run.errors and (built.ends is None or _failing(run, staged) is None):
                break
            if built.ends == Ends() and not run.errors:
                failed = {each.test.partition("(")[0] for each in run.results if not each.passed}
                ends = Ends(marked=tuple(sorted(failed)))
                attempts[number + 1] = msgspec.structs.replace(attempts[number + 1], ends=ends)
        return built, run

    def _tell(self, case: Case, staged: Stage, grounds: TestGrounds) -> dict[str, Any]:
        """Which tests tell the reference from its stub: one that compiles, if there is any."""
        kinds: Sequence[Kind] = ("empty", "revert")
        told: set[str] = set()
        for kind in kinds:
            try:
                run = self._run(case, staged, stub_of(case.task, kind), grounds)
            except TimeLimitExceeded:
                told.update(grounds.tests)
                continue
            if run.errors:
                continue
            passed = {_key(result) for result in run.results if result.passed}
            killed = {key for key in grounds.tests if key not in passed}
            if not killed:
                what = "with its body emptied" if kind == "empty" else "when it always reverts"
                return {
                    "outcome": Outcome.VACUOUS,
                    "reason": f"every test passes as well {what}",
                }
            if kind == "empty" or not told:
                told |= killed
        return {"killed": tuple(key for key in grounds.tests if not told or key in told)}


def _key(result: TestResult) -> str:
    return f"{result.suite.rpartition(':')[2]}.{result.test}"


def _failing(run: TestRun, staged: Stage) -> str | None:
    """The first of the mapped tests that does not pass, and why; None when all do."""
    mapped = [result for result in run.results if staged.wants(result.test)]
    if not mapped:
        return "none of its tests runs"
    failed = next((result for result in mapped if not result.passed), None)
    return f"{failed.test}: {failed.reason}" if failed else None


def _shown(key: str, results: Mapping[str, TestResult]) -> dict[str, str | None]:
    result = results.get(key)
    return {"test": key, "reason": result.reason if result else "the test did not run"}
