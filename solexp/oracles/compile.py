"""Does it compile?"""

from __future__ import annotations

from typing import Any, Literal

from solexp.core import Build, Candidate, Outcome, TimeLimitExceeded, Verdict
from solexp.oracles.base import Case, verdict


class Compile:
    """Passes a candidate when the compiler makes code of its sources.

    ``reading`` is ``strict`` (code generation included) or ``analysis`` (stack too deep still
    counts as compiled, as in SolContractEval's release). Both are measured on every candidate.
    """

    name = "compile"
    language = "solidity"
    decides = True

    def __init__(self, reading: Literal["strict", "analysis"] = "strict") -> None:
        self.reading = reading

    def fingerprint(self) -> dict[str, Any]:
        return {"oracle": self.name, "version": 2, "reading": self.reading}

    def judge(self, case: Case) -> list[Verdict]:
        return [self._judge(case, candidate) for candidate in case.candidates]

    def _judge(self, case: Case, candidate: Candidate) -> Verdict:
        if candidate.code is None:
            return no_code(self.name, candidate)
        try:
            build = case.build(candidate)
        except TimeLimitExceeded as error:
            return verdict(self.name, candidate, Outcome.TIMEOUT, evidence={"reason": str(error)})
        passed = build.ok or (self.reading == "analysis" and build.analysis_ok)
        return verdict(
            self.name,
            candidate,
            Outcome.PASS if passed else Outcome.COMPILE_ERROR,
            measures={
                "compiles": build.ok,
                "analysis_ok": build.analysis_ok,
                "errors": len(build.errors),
                "warnings": len(build.warnings),
            },
            evidence=errors_of(build) | ({"notes": candidate.notes} if candidate.notes else {}),
        )


def no_code(oracle: str, candidate: Candidate) -> Verdict:
    """The verdict about a reply that holds no candidate."""
    reason = candidate.no_code.value if candidate.no_code else "nothing_found"
    return verdict(oracle, candidate, Outcome.NO_CODE, evidence={"reason": reason})


def errors_of(build: Build) -> dict[str, object]:
    """A build's errors as evidence: class, kind, code, line, byte span and message of each."""
    if build.ok:
        return {}
    return {
        "errors": [
            {
                "type": error.type,
                "kind": error.kind,
                "code": error.code,
                "path": error.path,
                "line": error.line,
                "start": error.start,
                "end": error.end,
                "message": error.message,
            }
            for error in build.errors
        ]
    }
