"""Does the function give what the reference gives, on base and plus inputs? (EvalPlus)"""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

import msgspec

from solexp.core import Candidate, Divergence, Outcome, Verdict
from solexp.oracles.base import Case, verdict
from solexp.oracles.calling import calls, limits_of, told, unloaded
from solexp.oracles.compile import no_code
from solexp.python.expected import Answer, Expected, expected, preconditions_of
from solexp.python.literals import read
from solexp.python.matching import FOREIGN, Rule, matches, rule_of, tolerances
from solexp.python.wording import call_of
from solexp.sandbox import CallResult, Ended

_SHOWN = 300
"""Characters of a call, an output or a reason in a verdict."""
_NOTHING = "the task has no input on which the reference can be compared"


class Inputs:
    """Passes a candidate that matches the reference on every base and plus input, by EvalPlus's rules.

    Expected outputs are the reference's. Inputs that the contract refuses, or on which the reference fails, are left
    out; of a task without any others candidates are ``vacuous``.
    """

    name = "inputs"
    language = "python"
    decides = True

    def __init__(
        self, *, cpu_s: float = 3.0, total_cpu_s: float = 30.0, memory_mb: int = 1024
    ) -> None:
        """``cpu_s`` of one call, ``total_cpu_s`` of all calls of one candidate, ``memory_mb`` of one call."""
        self.limits = limits_of(self.name, cpu_s, total_cpu_s, memory_mb)

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": 2,
            "limits": msgspec.to_builtins(self.limits),
            "python": platform.python_version(),
        }

    def judge(self, case: Case) -> list[Verdict]:
        """Raises UserError for a task that is no Python function."""
        known = expected(case.task, cached=case.cached)
        return [self._judge(case, known, candidate) for candidate in case.candidates]

    def _judge(self, case: Case, known: Expected, candidate: Candidate) -> Verdict:
        measures: dict[str, float | int | bool | str | None] = {
            "inputs.base": len(known.base),
            "inputs.plus": len(known.plus),
            "inputs.violating": known.violating,
            "inputs.failing": known.failing,
        }
        none = {"inputs.base_matched": 0, "inputs.plus_matched": 0}
        answers = (*known.base, *known.plus)
        if candidate.code is None:
            said = no_code(self.name, candidate)
            return msgspec.structs.replace(said, measures=measures | none)
        if not answers:
            said = verdict(self.name, candidate, Outcome.VACUOUS, measures=measures)
            return msgspec.structs.replace(said, evidence={"reason": _NOTHING})
        results = calls(case, candidate, [answer.args for answer in answers], self.limits)
        given = preconditions_of(case.task)
        rule = rule_of(case.task.id, given.entry_point)
        cut = len(known.base)
        base = _matched(known.base, results[:cut], rule, given.atol)
        plus = _matched(known.plus, results[cut:], rule, given.atol)
        matched = [*base, *plus]
        measures |= {"inputs.base_matched": sum(base), "inputs.plus_matched": sum(plus)}
        if all(matched):
            return verdict(self.name, candidate, Outcome.PASS, measures=measures)
        slow = all(
            good or call.ended is Ended.TIMEOUT for good, call in zip(matched, results, strict=True)
        )
        place = matched.index(False)
        reason = unloaded(results)
        where = None if reason else _differs(case, place, answers[place], results[place])
        reason = reason or f"{matched.count(False)} of {len(matched)} inputs do not match"
        return verdict(
            self.name,
            candidate,
            Outcome.TIMEOUT if slow else Outcome.FAIL,
            measures=measures,
            evidence={"reason": _cut(reason)},
            divergence=where,
        )


def _differs(case: Case, place: int, answer: Answer, call: CallResult) -> Divergence:
    """The first input that does not match, by its place among all."""
    entry_point = preconditions_of(case.task).entry_point
    return Divergence(
        axis="return" if call.ended is Ended.RETURNED else "status",
        index=place,
        expected=_cut(answer.value),
        got=_cut(told(call)),
        function=_cut(call_of(entry_point, answer.args)),
    )


def _matched(
    answers: Sequence[Answer], results: Sequence[CallResult], rule: Rule, atol: float
) -> list[bool]:
    """Whether each call of a series gave what was expected."""
    # What is written alike is equal, but for what holds no number; most candidates need no value read.
    found = [
        rule == "equal" and call.value == answer.value and "nan" not in answer.value
        for answer, call in zip(answers, results, strict=True)
    ]
    if all(found):
        return found
    values = [read(answer.value) for answer in answers]
    for place, tolerance in enumerate(tolerances(values, atol)):
        call = results[place]
        if not found[place] and (call.value is not None or call.foreign):
            got = FOREIGN if call.value is None else read(call.value)
            arguments: Any = read(answers[place].args)
            found[place] = matches(got, values[place], arguments, rule=rule, atol=tolerance)
    return found


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
