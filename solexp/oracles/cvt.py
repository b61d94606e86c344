"""Do contract-violating tests violate what they are meant to? (ContractEval, §4.1: AVC and TS, and the exact set)"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from solexp.core import Candidate, Outcome, Task, UserError, Verdict
from solexp.core.errors import nearest
from solexp.core.preconditions import Preconditions
from solexp.core.settings import above
from solexp.oracles.base import Case, verdict
from solexp.oracles.compile import no_code
from solexp.python.expected import preconditions_of
from solexp.sandbox import Limits
from solexp.violations.checking import Checked, check
from solexp.violations.cvts import Asked, CvtSet, NotRead, decode
from solexp.violations.generated import Kept, fingerprint, generated, satisfiable

Rule = Literal["exact", "release"]
RULES = ("exact", "release")

_BATCH_S = 600.0
"""CPU seconds of all tests of a candidate: a task may have hundreds, and a reference that accepts one may be slow."""
_SHOWN = 10
"""How many tests that fail a verdict tells of."""


class Cvt:
    """Executes every test; a candidate passes when all of its tests do what they claim.

    Tests are held against the contract-aware reference and against each assertion standing alone; programs in a
    solver's language are solved first. Measures, counts unless told otherwise:

    ``cvt.tests``
        Tests that mean to violate something, unreadable ones included; with none, the candidate is ``vacuous``.
    ``cvt.rejected``
        Those that the contract-aware reference refuses with AssertionError.
    ``cvt.specific``
        The sum over tests of the share of its targets that fire alone.
    ``cvt.exact``
        Those of which every target fires alone and every other assertion stays silent.
    ``cvt.refused``
        Those that are not both rejected and exact: what the generator claims and CPython does not bear out.
    ``cvt.unreadable``
        Those whose input is no list of arguments; they violate nothing.
    ``cvt.valid``, ``cvt.valid_accepted``
        Inputs that are meant to satisfy everything, and of these those on which no assertion fires.
    ``cvt.assertions``, ``cvt.assertions_covered``
        Assertions that may be violated, and those that fire alone in some test that is rejected.
    ``cvt.combinations``, ``cvt.combinations_covered``
        Combinations that have an input, as the translator or an execution shows, and those that some test really hits.
    ``cvt.unsupported``
        Assertions that the generator says it cannot translate; ``cvt.unsat``, ``cvt.unknown`` and ``cvt.timeout`` are
        combinations by its own word.
    ``cvt.release.tests``, ``cvt.release.right``
        As the release counts: tests that violate everything are left out, inputs meant to satisfy everything are tests
        too; and those that are refused or not, as they should be.
    ``cvt.release.targeted``, ``cvt.release.specific``, ``cvt.release.merged``
        Of these, tests that are refused; and the sums over them of the share of targets that fire alone, their own and
        those of the release's merged lists.
    """

    name = "cvt"
    language = "python"
    answers = "tests"
    decides = True

    def __init__(
        self,
        *,
        rule: Rule = "exact",
        cpu_s: float = 2.0,
        memory_mb: int = 1024,
        solver_s: float = 10.0,
    ) -> None:
        """``rule`` is by what a test does what it claims: ``release`` leaves satisfied assertions out of sight.

        ``cpu_s`` and ``memory_mb`` are for executing one test, ``solver_s`` are CPU seconds for each combination of a
        program that a candidate leaves to be solved.
        """
        if rule not in RULES:
            raise UserError(f"oracle.cvt.rule: unknown '{rule}'; {nearest(rule, RULES)}")
        above("oracle.cvt.cpu_s", cpu_s)
        above("oracle.cvt.memory_mb", memory_mb)
        above("oracle.cvt.solver_s", solver_s)
        self.rule = rule
        self.limits = Limits(cpu_s=cpu_s, memory_mb=memory_mb, batch_cpu_s=_BATCH_S)
        self.solver_s = solver_s

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": 1,
            "rule": self.rule,
            "limits": msgspec.to_builtins(self.limits),
            "python": platform.python_version(),
            "solver_s": self.solver_s,
            "combinations": fingerprint(_settings()),
        }

    def judge(self, case: Case) -> list[Verdict]:
        return [self._judge(case, candidate) for candidate in case.candidates]

    def _judge(self, case: Case, candidate: Candidate) -> Verdict:
        if candidate.code is None:
            return no_code(self.name, candidate)
        pre = preconditions_of(case.task)
        try:
            found = decode(candidate.code)
        except NotRead as error:
            return verdict(
                self.name, candidate, Outcome.FAIL, evidence={"reason": f"no set of tests: {error}"}
            )
        evidence: dict[str, object] = {}
        if found.translation is not None:
            found, evidence["solved"] = self._solved(found, pre)
        checked = check(program_of(case.task), pre, found.cvts, self.limits)
        known = case.once("cvt.combinations", lambda: _combinations(case, pre))
        measures = measured(checked, found, pre, satisfiable(known.tests.asked))
        evidence |= _told(checked, found)
        outcome = self._outcome(checked, measures, pre)
        if outcome is Outcome.VACUOUS:
            said = next(iter(found.unsupported.values()), None) or _most(found.asked)
            evidence["reason"] = f"no test: {said}" if said else "no test"
        if not known.lasts or (
            isinstance(solved := evidence.get("solved"), dict) and "timeout" in solved
        ):
            measures["keep"] = False
        return verdict(self.name, candidate, outcome, measures=measures, evidence=evidence)

    def _solved(self, found: CvtSet, pre: Preconditions) -> tuple[CvtSet, dict[str, int]]:
        from solexp.violations.smt import solve  # noqa: PLC0415  (a solver is not often wanted)

        assert found.translation is not None
        solved = solve(found.translation, pre, seconds=self.solver_s)
        return solved, dict(Counter(each.status for each in solved.asked))

    def _outcome(
        self, checked: Sequence[Checked], measures: dict[str, Any], pre: Preconditions
    ) -> Outcome:
        if not measures["cvt.tests"]:
            return Outcome.VACUOUS
        if self.rule == "release":
            theirs = counted_by_the_release(checked, pre)
            missed = (one for one in theirs if one.cvt.violated and one.specific(_merged(one)) < 1)
            good = all(map(_right, theirs)) and not any(missed)
        else:
            good = not measures["cvt.refused"]
        return Outcome.PASS if good and not measures["cvt.unreadable"] else Outcome.FAIL


def measured(
    checked: Sequence[Checked],
    found: CvtSet,
    pre: Preconditions,
    known: frozenset[tuple[int, ...]],
) -> dict[str, float | int | bool | str | None]:
    """The measures of `Cvt`; ``known`` are combinations that have an input."""
    tests = [one for one in checked if one.cvt.violated]
    valid = [one for one in checked if not one.cvt.violated]
    violable = set(pre.violable)
    hit = {one.fired for one in checked if one.rejected and one.fired and not one.others}
    hit = {fired for fired in hit if violable.issuperset(fired)}
    covered = violable & {number for one in checked if one.rejected for number in one.fired}
    asked = Counter(each.status for each in found.asked)
    unread = len(found.unreadable)
    theirs = counted_by_the_release(checked, pre)
    targeted = [one for one in theirs if one.cvt.violated and one.rejected]
    return {
        "cvt.tests": len(tests) + unread,
        "cvt.rejected": sum(one.rejected for one in tests),
        "cvt.specific": sum(one.specific() for one in tests),
        "cvt.exact": sum(one.exact for one in tests),
        "cvt.refused": sum(not one.true for one in tests),
        "cvt.unreadable": unread + sum(bool(one.unreadable) for one in checked),
        "cvt.valid": len(valid),
        "cvt.valid_accepted": sum(one.exact for one in valid),
        "cvt.assertions": len(pre.violable),
        "cvt.assertions_covered": len(covered),
        "cvt.combinations": len(known | hit),
        "cvt.combinations_covered": len(hit),
        "cvt.unsupported": len(found.unsupported),
        **{f"cvt.{status}": asked[status] for status in ("unsat", "unknown", "timeout")},
        "cvt.release.tests": len(theirs),
        "cvt.release.right": sum(_right(one) for one in theirs),
        "cvt.release.targeted": len(targeted),
        "cvt.release.specific": sum(one.specific() for one in targeted),
        "cvt.release.merged": sum(one.specific(_merged(one)) for one in targeted),
    }


def counted_by_the_release(checked: Sequence[Checked], pre: Preconditions) -> list[Checked]:
    """The tests that the release evaluates: those that violate every assertion are not among them."""
    return [one for one in checked if len(one.cvt.violated) < len(pre.assertions)]


def _right(one: Checked) -> bool:
    """Whether a test is refused, or not, as it should be."""
    return one.rejected == bool(one.cvt.violated)


def _merged(one: Checked) -> tuple[int, ...]:
    return one.cvt.violated if one.cvt.merged is None else one.cvt.merged


def program_of(task: Task) -> str:
    """The whole program of a Python task, the reference in place."""
    return task.sources[task.target.path]


def _settings() -> Any:
    from solexp.violations.python import Settings  # noqa: PLC0415  (z3 costs a quarter of a second)

    return Settings()


def _combinations(case: Case, pre: Preconditions) -> Kept:
    return generated(pre, _settings(), cached=case.cached)


def _told(checked: Sequence[Checked], found: CvtSet) -> dict[str, object]:
    evidence: dict[str, object] = {}
    wrong = [one for one in checked if not (one.true if one.cvt.violated else one.exact)]
    if wrong:
        evidence["tests"] = [_row(one) for one in wrong[:_SHOWN]]
    if found.unreadable:
        evidence["unreadable"] = list(found.unreadable[:_SHOWN])
    if found.unsupported:
        evidence["unsupported"] = {str(n): said for n, said in found.unsupported.items()}
    return evidence


def _row(one: Checked) -> dict[str, object]:
    row: dict[str, object] = {"violated": list(one.cvt.violated), "args": one.cvt.args[:200]}
    if one.unreadable:
        return row | {"unreadable": one.unreadable}
    row |= {"reference": one.whole, "fired": list(one.fired)}
    if one.others:
        row["raised"] = {str(number): name for number, name in one.others.items()}
    return row


def _most(asked: Sequence[Asked]) -> str | None:
    counts = Counter(each.reason or each.status for each in asked)
    return counts.most_common(1)[0][0] if counts else None
