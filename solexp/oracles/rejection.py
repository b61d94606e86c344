"""Does the function refuse what its contract refuses, and nothing else? (ContractEval, §4: CSR)"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

import msgspec

from solexp.core import Candidate, Outcome, Verdict
from solexp.oracles.base import Case, verdict
from solexp.oracles.calling import calls, limits_of, unloaded
from solexp.oracles.compile import no_code
from solexp.python.asserting import part_of_contract, part_of_program
from solexp.python.codebleu import likeness
from solexp.python.contracts import asserted
from solexp.python.expected import expected, is_refusal, preconditions_of
from solexp.sandbox import CallResult, Ended
from solexp.violations.cvts import Cvt
from solexp.violations.known import Known, Source, fingerprint, known
from solexp.violations.shown import scored

Measures = dict[str, float | int | bool | str | None]


class Rejection:
    """Counts the contract-violating tests that a candidate refuses, and the valid inputs that it refuses too.

    Tests that some condition shows in its prompts are scored under none, so that conditions compare on the same tests.
    ``pass`` is for a candidate that refuses every test with AssertionError, and returns on every valid input. Decides
    nothing: a candidate that was told of no contract is none the worse. A task without tests is ``vacuous``.
    """

    name = "rejection"
    language = "python"
    decides = False

    def __init__(
        self,
        *,
        cvts: Source = "z3",
        cpu_s: float = 3.0,
        total_cpu_s: float = 30.0,
        memory_mb: int = 1024,
    ) -> None:
        """``cvts`` is where tests come from; the limits are those of oracle ``inputs``, whose calls are shared."""
        self.cvts: Source = cvts
        self.limits = limits_of(self.name, cpu_s, total_cpu_s, memory_mb)

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": 4,
            "tests": fingerprint(self.cvts),
            "limits": msgspec.to_builtins(self.limits),
            "python": platform.python_version(),
        }

    def judge(self, case: Case) -> list[Verdict]:
        """Raises UserError for a task that is no Python function, or without released tests where they are wanted."""
        given = preconditions_of(case.task)
        found = known(case.task, self.cvts, cached=case.cached)
        tests = scored(len(given.assertions), found.cvts)
        answers = expected(case.task, cached=case.cached)
        valid = [answer.args for answer in (*answers.base, *answers.plus)]
        return [self._judge(case, found, tests, valid, each) for each in case.candidates]

    def _judge(
        self,
        case: Case,
        found: Known,
        tests: Sequence[Cvt],
        valid: Sequence[str],
        candidate: Candidate,
    ) -> Verdict:
        measures: Measures = {
            "rejection.cvts": len(tests),
            "rejection.shown": len({cvt.args for cvt in found.cvts}) - len(tests),
            "rejection.dropped": found.dropped,
            "rejection.valid": len(valid),
        }
        if not found.lasts:
            measures["keep"] = False
        refused: list[CallResult] = []
        over: list[CallResult] = []
        reason = None
        if candidate.code is not None:
            refused = calls(case, candidate, [cvt.args for cvt in tests], self.limits)
            over = calls(case, candidate, valid, self.limits)
            reason = unloaded([*refused, *over])
        measures |= {
            "rejection.refused": sum(map(is_refusal, refused)),
            "rejection.refused_anyhow": sum(map(raises, refused)),
            "rejection.over_refused": sum(map(is_refusal, over)),
            "rejection.over_refused_anyhow": sum(map(raises, over)),
        }
        measures |= _alike(case, candidate)
        if candidate.code is None:
            said = no_code(self.name, candidate)
            return msgspec.structs.replace(said, measures=measures)
        evidence: dict[str, object] = {"assertions": _by_assertion(case, tests, refused)}
        if reason is not None:
            return verdict(
                self.name,
                candidate,
                Outcome.FAIL,
                measures=measures,
                evidence=evidence | {"reason": reason},
            )
        outcome = Outcome.PASS
        if not tests:
            outcome = Outcome.VACUOUS
            evidence = {"reason": "no contract-violating test of the task is left to score"}
        elif not all(map(is_refusal, refused)) or not all(map(accepts, over)):
            outcome = Outcome.FAIL
        return verdict(self.name, candidate, outcome, measures=measures, evidence=evidence)


def _alike(case: Case, candidate: Candidate) -> Measures:
    """How many assertions a candidate has, and CodeBLEU of its assertion part beside the contract's, with its parts."""
    ours = part_of_program(candidate.code or "")
    found = likeness(ours, part_of_contract(preconditions_of(case.task).statements))
    measures: Measures = {
        "rejection.assertions": sum(len(asserted(statement)) for statement in ours)
    }
    if found is None:
        return measures
    return measures | {
        "rejection.assertion_codebleu": found.codebleu,
        "rejection.assertion_ngrams": found.ngrams,
        "rejection.assertion_weighted_ngrams": found.weighted_ngrams,
        "rejection.assertion_syntax": found.syntax,
        "rejection.assertion_dataflow": found.dataflow,
    }


def raises(call: CallResult) -> bool:
    """Whether a call ended with any exception."""
    return call.ended is Ended.RAISED


def accepts(call: CallResult) -> bool:
    """Whether a call ended with a value, whatever it is."""
    return call.ended in (Ended.RETURNED, Ended.UNREADABLE)


def _by_assertion(
    case: Case, tests: Sequence[Cvt], refused: Sequence[CallResult]
) -> list[dict[str, int]]:
    """By assertion: the tests that violate it, how many are refused, and the same of those that violate no other."""
    count = len(preconditions_of(case.task).assertions)
    rows = []
    for number in range(count):
        places = [place for place, cvt in enumerate(tests) if number in cvt.violated]
        alone = [place for place in places if len(tests[place].violated) == 1]
        rows.append(
            {
                "cvts": len(places),
                "refused": sum(is_refusal(refused[place]) for place in places),
                "alone": len(alone),
                "alone_refused": sum(is_refusal(refused[place]) for place in alone),
            }
        )
    return rows
