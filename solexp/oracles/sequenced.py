"""One task's judging along sequences of calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import msgspec

from solexp.core import Build, ContractBuild, Outcome, Program, Trace, Verdict
from solexp.dcr.records import Sequences, programs
from solexp.dcr.sequences import DEPLOYMENT_GAS
from solexp.evm.abi import changing_functions, selectors
from solexp.evm.compare import Comparison, Difference, compare
from solexp.evm.deployed import Question
from solexp.evm.machine import Subject
from solexp.evm.observe import observation
from solexp.evm.storage import canonical
from solexp.oracles.base import Case, verdict
from solexp.oracles.comparing import firsts, match_rate, measures_of, with_second_look
from solexp.oracles.elsewhere import Elsewhere, SecondLook
from solexp.oracles.grounds import KEEP
from solexp.oracles.judgement import Judgement, Measures, creation_identity
from solexp.oracles.sequencing import sequences_of
from solexp.oracles.showing import Showing, Shown
from solexp.oracles.staging import Stage, stage

if TYPE_CHECKING:
    from solexp.oracles.dcr import Dcr

_SLOTS_READ = 512
_LASTING = (None, "answer")


class Compared(msgspec.Struct):
    """What a candidate made of the sequences."""

    comparison: Comparison
    calls: int
    """Calls that were compared."""
    first: tuple[int, Comparison] | None
    """The first program that tells it from the original on a deciding axis, and how."""
    deployed: Trace
    elsewhere: Elsewhere | None = None


class SequenceJudgement(Judgement):
    """The verdicts of one task's candidates."""

    def __init__(self, oracle: Dcr, case: Case) -> None:
        super().__init__(oracle.name, case)
        self._oracle = oracle
        self._told: Measures = {}
        self._reason: str | None = None
        self._stack = ExitStack()
        self._programs: list[Program] = []
        self._questions: list[Question] = []
        self._traces: list[Trace] = []
        self._deployed: Trace | None = None

    def told(self) -> Measures:
        told = self._told | {"task_decidable": self._reason is None}
        if self._reason is not None:
            told |= {"task_outcome": Outcome.UNDECIDABLE.value, "task_reason": self._reason}
        return told

    def verdicts(self) -> list[Verdict]:
        """One a candidate, in the candidates' order."""
        staged = stage(self._case, self._oracle.machine)
        with self._stack:
            if isinstance(staged, str):
                self._reason = staged
            else:
                settings = self._oracle.sequencing
                self._showing = self._stack.enter_context(
                    Showing(self._case, staged, self._oracle.machine, settings, self._oracle.axes)
                )
                self._node = self._showing.candidate
                self._prepare(staged)
            ground = None if self._reason is None else (Outcome.UNDECIDABLE, self._reason)
            builds = self.with_contract(staged, ground)
            if builds and isinstance(staged, Stage):
                self._run(staged, builds)
        return self.ready()

    def _prepare(self, staged: Stage) -> None:
        """The sequences, and what the original makes of them."""
        found = sequences_of(self._case, staged, self._oracle.sequencing, self._node)
        self._tell(found, staged.contract)
        self._reason = found.reason
        if found.reason is not None:
            return
        base = self._showing.base
        self._programs = [each for each in programs(base, found.programs) if each.calls]
        if "storage" in self._oracle.axes:
            every = [call for each in self._programs for call in each.calls]
            self._node.observe(
                observation(
                    msgspec.structs.replace(base, calls=tuple(every)),
                    staged.contract,
                    getters="never",
                    max_slots=_SLOTS_READ,
                )
            )
        self._deployed = self._node.deploy(staged.original, DEPLOYMENT_GAS)
        if self._deployed.address is None:
            self._cut(self._deployed.stopped)
            return
        self._questions = self._node.questions(self._programs)
        self._traces = self._node.run(self._questions)
        self._cut(self._traces[-1].stopped if self._traces else None)

    def _cut(self, limit: str | None) -> None:
        if limit is not None:
            self._told[KEEP] = False
            self._reason = f"this time the original used up its {limit}"

    def _tell(self, found: Sequences, contract: ContractBuild) -> None:
        known = selectors(contract)
        functions = {known[each] for each in changing_functions(contract)}
        called = found.functions(succeeded=False) & functions
        succeeded = found.functions(succeeded=True) & functions
        self._told |= {
            "dcr.task_calls": found.calls,
            "dcr.sequences": len(found.programs),
            "dcr.tried": found.tried,
            "dcr.rejected": len(found.rejected),
            "dcr.unread": len(found.unread),
            "dcr.unsettled": found.unsettled,
            "dcr.functions": len(functions),
            "dcr.functions_called": len(called),
            "dcr.functions_succeeded": len(succeeded),
            "dcr.functions_called_share": len(called) / len(functions) if functions else None,
            "dcr.functions_succeeded_share": len(succeeded) / len(functions) if functions else None,
        }

    def _run(self, staged: Stage, builds: dict[int, tuple[Build, ContractBuild]]) -> None:
        subjects, places = self.subjects(staged.original, builds, self._identity)
        ready: dict[int, Verdict] = {}
        settings = self._oracle.sequencing
        look = self._stack.enter_context(
            SecondLook(
                staged.original,
                self._showing.base,
                cpu_s=settings.cpu_s,
                memory_mb=settings.memory_mb,
            )
        )
        for index, place in places.items():
            if place not in ready:
                compared = self._compared(subjects[place], place)
                found, axes = compared.comparison, self._oracle.axes
                if self._oracle.elsewhere and not (found.diverges(axes) or found.truncated):
                    subject, plan = subjects[place], self._node.plan
                    compared.elsewhere = look.at(subject, self._programs, axes, plan)
                ready[place] = self._decided(index, compared, staged, subjects[place])
            self.again(index, ready[place])

    def _identity(self, subject: Subject) -> tuple[object, ...]:
        layout = canonical(subject.contract.storage_layout) if self._node.plan.storage else None
        return (*creation_identity(subject), layout)

    def _compared(self, subject: Subject, place: int) -> Compared:
        assert self._deployed is not None
        deployed, traces = self._deployed, self._traces
        if place:
            deployed = self._node.deploy(subject, DEPLOYMENT_GAS)
            traces = [] if self._node.address is None else self._node.run(self._questions)
        found = compare(self._deployed, deployed, self._programs[0])
        if self._node.address is None and place:
            return Compared(found, 0, None, deployed)
        rows = [found]
        first = None
        for number, (expected, got) in enumerate(zip(self._traces, traces, strict=False)):
            rows.append(compare(expected, got, self._programs[number]))
            if first is None and rows[-1].diverges(self._oracle.axes):
                first = number, rows[-1]
        calls = sum(len(trace.calls) for trace in traces)
        return Compared(_together(rows), calls, first, deployed)

    def _decided(self, index: int, compared: Compared, staged: Stage, subject: Subject) -> Verdict:
        axes, elsewhere = self._oracle.axes, compared.elsewhere
        evidence: dict[str, object] = {}
        fails = compared.comparison.diverges(axes)
        comparison = with_second_look(compared.comparison, elsewhere)
        shown = self._shown(compared, subject) if fails else None
        outcome = Outcome.FAIL if shown is not None else Outcome.PASS
        if comparison.truncated and shown is None:
            outcome = Outcome.TIMEOUT
        if comparison.truncated:
            evidence["reason"] = f"the candidate used up its {comparison.truncated}"
        if compared.first is not None:
            number, there = compared.first
            evidence["first_by_axis"] = firsts(there, self._programs[number], staged.contract)
        if shown is not None and shown.calls:
            evidence["calls"] = shown.calls
        if elsewhere is not None:
            outcome = Outcome.FAIL
            evidence |= elsewhere.told()
        measures: Measures = measures_of(comparison) | {
            "dcr.calls": compared.calls,
            "dcr.match_rate": match_rate(compared.comparison, compared.calls),
            "dcr.unconfirmed": fails and shown is None,
        }
        if comparison.truncated not in _LASTING:
            measures[KEEP] = False
        seen = shown or elsewhere
        return verdict(
            self._name,
            self._case.candidates[index],
            outcome,
            measures=self.told() | measures,
            divergence=seen.divergence if seen else None,
            counterexample=seen.counterexample if seen else None,
            evidence=evidence,
        )

    def _shown(self, compared: Compared, subject: Subject) -> Shown | None:
        """The difference made small, and seen again."""
        if compared.first is None:
            return self._showing.seen(msgspec.structs.replace(self._programs[0], calls=()), subject)
        return self._showing.small(self._programs[compared.first[0]], subject)


def _together(rows: Sequence[Comparison]) -> Comparison:
    """One comparison of all; where the first difference on an axis is, is told by its own program alone."""
    counts: Counter[str] = Counter()
    first: dict[str, Difference] = {}
    for row in rows:
        counts.update(row.counts)
        first = row.first | first
    ratios = [row.gas_ratio for row in rows if row.gas_ratio is not None]
    missing = {label: None for row in rows for label in row.missing}
    return Comparison(
        counts=dict(counts),
        first=first,
        missing=tuple(missing),
        gas_ratio=sum(ratios) / len(ratios) if ratios else None,
        over_recorded_gas=0,
        truncated=next((row.truncated for row in rows if row.truncated), None),
    )
