"""What does Slither find in it? (SolEval's Vul) Decides nothing: it is there to be read beside the scores."""

from __future__ import annotations

import atexit
import functools
from collections import Counter
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import msgspec

from solexp.core import (
    Build,
    Candidate,
    Outcome,
    Task,
    TimeLimitExceeded,
    UserError,
    Verdict,
)
from solexp.core.errors import nearest
from solexp.core.hashing import content_hash
from solexp.core.reply import well_formed
from solexp.core.settings import above
from solexp.oracles.base import Case, verdict
from solexp.oracles.compile import errors_of, no_code
from solexp.solidity.foundry.imports import with_project
from solexp.solidity.slither.client import SlitherProcess
from solexp.solidity.slither.findings import (
    CONFIDENCES,
    IMPACTS,
    Analysis,
    Confidence,
    Finding,
    Impact,
    Limits,
    Subject,
    Thresholds,
)
from solexp.solidity.splice import splice
from solexp.store import Store
from solexp.toolchain.homes import cache_home

SCHEMA = 1

_SHOWN = 10
"""How many findings a verdict tells of."""
_WORDS = 600
"""Characters of a finding's description."""


class Static:
    """Counts what Slither finds in each candidate that compiles; every one that was analysed passes.

    A finding counts when one of the pieces of code that it names lies in the target. Measures, of a candidate that was
    analysed:

    ``static.findings``
        How many count.
    ``static.new_findings``
        How many of them the reference does not have too, see `Finding.key`; None where it could not be analysed.
    ``static.DETECTOR``, ``static.new.DETECTOR``
        The same by detector; only those that find something.

    An analysis that passes a limit or fails is a fault of the harness, whoever wrote the code.
    """

    name = "static"
    language = "solidity"
    decides = False
    wants_asts = True
    """Lets builds come with their ASTs from the first (see `Case`), so that none is made twice."""

    def __init__(
        self,
        *,
        impact: Impact = "high",
        confidence: Confidence = "high",
        timeout_s: float = 60.0,
        memory_mb: int = 2048,
    ) -> None:
        """``impact`` and ``confidence`` are the least that a detector must have; the limits are for one analysis."""
        self.thresholds = Thresholds(
            impact=_checked("impact", impact, IMPACTS),  # type: ignore[arg-type]
            confidence=_checked("confidence", confidence, CONFIDENCES),  # type: ignore[arg-type]
        )
        above("oracle.static.timeout_s", timeout_s)
        above("oracle.static.memory_mb", memory_mb)
        self.limits = Limits(seconds=timeout_s, memory_mb=memory_mb)

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": 1,
            "slither": metadata.version("slither-analyzer"),
            "thresholds": msgspec.to_builtins(self.thresholds),
            "limits": msgspec.to_builtins(self.limits),
        }

    def judge(self, case: Case) -> list[Verdict]:
        case.used("slither", metadata.version("slither-analyzer"))
        reference: Analysis | None = None
        found = []
        for candidate in case.candidates:
            if candidate.code is None:
                found.append(no_code(self.name, candidate))
                continue
            try:
                build = case.build(candidate)
                if not build.ok:
                    found.append(self._uncompiled(candidate, build))
                    continue
                analysis = self._analysis(case, candidate.code)
            except TimeLimitExceeded as error:
                reason = {"reason": str(error)}
                found.append(verdict(self.name, candidate, Outcome.TIMEOUT, evidence=reason))
                continue
            reference = self._reference(case) if reference is None else reference
            found.append(self._judged(case.task, candidate, candidate.code, analysis, reference))
        return found

    def _uncompiled(self, candidate: Candidate, build: Build) -> Verdict:
        return verdict(self.name, candidate, Outcome.COMPILE_ERROR, evidence=dict(errors_of(build)))

    def _judged(
        self,
        task: Task,
        candidate: Candidate,
        code: str,
        analysis: Analysis,
        reference: Analysis,
    ) -> Verdict:
        if analysis.failure is not None:
            reason: dict[str, object] = {"reason": analysis.failure}
            return verdict(self.name, candidate, Outcome.HARNESS_ERROR, evidence=reason)
        findings = within_target(task, code, analysis)
        measures: dict[str, float | int | bool | str | None] = {
            "static.findings": len(findings),
            "static.new_findings": None,
            **{f"static.{name}": count for name, count in _by_detector(findings)},
        }
        evidence: dict[str, object] = {}
        if reference.failure is None:
            new = not_among(findings, within_target(task, task.reference, reference))
            measures["static.new_findings"] = len(new)
            measures |= {f"static.new.{name}": count for name, count in _by_detector(new)}
        else:
            measures["keep"] = False
            evidence["reference"] = reference.failure
            new = []
        if findings:
            evidence["findings"] = [
                _told(finding, new=finding in new) for finding in findings[:_SHOWN]
            ]
        return verdict(self.name, candidate, Outcome.PASS, measures=measures, evidence=evidence)

    def _reference(self, case: Case) -> Analysis:
        """Found out once a task, and kept."""
        store = Store(cache_home() / "grounds", SCHEMA)
        key = content_hash(
            "static",
            case.task.content_hash,
            self.fingerprint(),
            case.compiler.version(case.settings.version),
        )
        known = store.get(key, Analysis) if case.cached else None
        if known is None:
            known = self._of_reference(case)
            if case.cached and known.failure is None:
                store.put(key, known)
        return known

    def _of_reference(self, case: Case) -> Analysis:
        try:
            build = case.reference()
            if build.ok:
                return self._analysis(case, case.task.reference)
        except TimeLimitExceeded as error:
            return Analysis(failure=f"the original does not compile: {error}")
        return Analysis(failure=f"the original does not compile: {build.errors[0].message}")

    def _analysis(self, case: Case, code: str) -> Analysis:
        """What Slither finds with ``code``, which compiles, in the target's place."""
        sources = with_project(case.task, splice(case.task, code))
        sources = {path: well_formed(text) for path, text in sources.items()}
        try:
            build = case.compiled(sources)
            if build.asts is None:
                build = case.compiler.compile(sources, case.settings, ast=True, keep_ast=False)
            return _process().analyse(
                Subject(
                    version=case.settings.version,
                    sources=sources,
                    asts=build.asts or {},
                    thresholds=self.thresholds,
                ),
                self.limits,
            )
        except RecursionError:
            return Analysis(failure="the compiler's AST is nested too deeply to be read")


def within_target(task: Task, code: str, analysis: Analysis) -> list[Finding]:
    """The findings with a piece of code in the target, in whose place ``code`` stands."""
    start = task.target.start
    end = start + len(well_formed(code).encode())
    return [each for each in analysis.findings if each.within(task.target.path, start, end)]


def not_among(findings: Sequence[Finding], reference: Sequence[Finding]) -> list[Finding]:
    """The findings whose key the reference's have not, or not as often."""
    left = Counter(each.key for each in reference)
    new = []
    for each in findings:
        if left[each.key]:
            left[each.key] -= 1
        else:
            new.append(each)
    return new


def _by_detector(findings: Sequence[Finding]) -> list[tuple[str, int]]:
    return sorted(Counter(each.detector for each in findings).items())


def _told(finding: Finding, *, new: bool) -> dict[str, object]:
    return {
        "detector": finding.detector,
        "impact": finding.impact,
        "confidence": finding.confidence,
        "description": finding.description[:_WORDS],
        "new": new,
    }


@functools.cache
def _process() -> SlitherProcess:
    """This process's Slither: it stays from one task to the next."""
    process = SlitherProcess()
    atexit.register(process.close)
    return process


def _checked(setting: str, value: str, known: Sequence[str]) -> str:
    if value not in known:
        raise UserError(f"oracle.static.{setting}: unknown '{value}'; {nearest(value, known)}")
    return value
