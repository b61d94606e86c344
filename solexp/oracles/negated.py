"""One task's judging by calls that the original rejects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import msgspec

from solexp.core import CallResult, Outcome, Program, Trace, Verdict
from solexp.dcr.records import programs
from solexp.dcr.sequences import DEPLOYMENT_GAS
from solexp.evm.compare import ended
from solexp.evm.deployed import Deployed, Question
from solexp.evm.machine import Subject
from solexp.evm.private import Limit
from solexp.evm.receiving import described
from solexp.oracles.asking import Reached, reached, same_error
from solexp.oracles.base import Case, verdict
from solexp.oracles.elsewhere import SecondLook
from solexp.oracles.grounds import KEEP, undeployed
from solexp.oracles.judgement import Judgement, Measures, creation_identity
from solexp.oracles.receiving import every, of_receivers
from solexp.oracles.rejecting import (
    Lead,
    Row,
    followed,
    of_history,
    of_sequences,
    of_witnesses,
    recorded,
    rejected,
)
from solexp.oracles.sequencing import sequences_of
from solexp.oracles.showing import Showing, Shown
from solexp.oracles.staging import Stage, stage

if TYPE_CHECKING:
    from solexp.oracles.negative import Negative

_SHOWN = 10
_MOST = 400
"""Rejected calls of the history that are asked."""

Answers = list[tuple[Lead, Reached[Row], str | None]]
"""What a candidate made of each lead, and which limit it used up there."""


class NegativeJudgement(Judgement):
    """The verdicts of one task's candidates."""

    def __init__(self, oracle: Negative, case: Case) -> None:
        super().__init__(oracle.name, case)
        self._oracle = oracle
        self._told: Measures = {}
        self._ground: tuple[Outcome, str] | None = None
        self._reasons: list[str] = []
        self._leads: list[Lead] = []
        self._traces: list[Trace] = []

    def told(self) -> Measures:
        told = self._told | {"task_decidable": self._ground is None}
        if self._ground is not None:
            told |= {"task_outcome": self._ground[0].value, "task_reason": self._ground[1]}
        return told

    def verdicts(self) -> list[Verdict]:
        """One a candidate, in the candidates' order."""
        machine = self._oracle.machine
        staged = stage(self._case, machine)
        with ExitStack() as stack:
            if isinstance(staged, str):
                self._ground = Outcome.UNDECIDABLE, staged
            else:
                showing = stack.enter_context(
                    Showing(self._case, staged, machine, self._oracle.sequencing, ("status",))
                )
                self._look(staged, showing)
            builds = self.with_contract(staged, self._ground)
            if builds and isinstance(staged, Stage):
                subjects, places = self.subjects(staged.original, builds, creation_identity)
                self._run(subjects, places, showing, stack)
        return self.ready()

    def _look(self, staged: Stage, showing: Showing) -> None:
        """What the original rejects."""
        oracle = self._oracle
        leads: list[Lead] = []
        along: list[Program] = []
        if {"sequences", "receivers"} & set(oracle.sources):
            found = sequences_of(self._case, staged, oracle.sequencing, showing.candidate)
            if found.reason is not None:
                self._reasons.append(found.reason)
            along = programs(showing.base, found.programs)
            if "sequences" in oracle.sources:
                leads += of_sequences(found, showing.base)
        if {"history", "receivers"} & set(oracle.sources):
            trace = recorded(staged, oracle.machine)
            along.append(followed(staged.program, trace))
            if "history" in oracle.sources:
                leads += of_history(staged.program, trace, _MOST)
        if oracle.violation is not None:
            witnesses = oracle.violation.witnesses(self._case, staged)
            leads += of_witnesses(witnesses, staged.program)
        self._leads = self._confirmed(leads, along, staged, showing.candidate)
        counts = Counter({lead.source: 0 for lead in leads})
        for lead in self._leads:
            counts[lead.source] += len(lead.rows)
        self._told["negative.task_calls"] = counts.total()
        self._told |= {f"negative.task_calls.{name}": counts[name] for name in sorted(counts)}
        if not self._leads and self._ground is None:
            why = f": {'; '.join(self._reasons)}" if self._reasons else ""
            self._ground = Outcome.VACUOUS, f"no call that the original rejects is known{why}"

    def _confirmed(
        self, leads: list[Lead], along: list[Program], staged: Stage, node: Deployed
    ) -> list[Lead]:
        """What the original rejects, seen on the node; beside that of ``leads`` what it rejects of receivers."""
        deployed = node.deploy(staged.original, DEPLOYMENT_GAS)
        if node.address is None:
            self._ground = Outcome.UNDECIDABLE, undeployed(deployed)
            return []
        try:
            # Undone at first, since what the original accepts after all would change the states that follow.
            found = _kept(leads, every(node, _questions(node, leads, undone=True)))
            if "receivers" in self._oracle.sources:
                node.renew()
                found += of_receivers(node, along, staged.original.code_at)
            node.renew()
            while True:
                self._traces = every(node, _questions(node, found))
                again = _kept(found, self._traces)
                if again == found:
                    return found
                found = again
        except Limit as limit:
            self._told[KEEP] = False
            self._ground = Outcome.UNDECIDABLE, f"this time the original used up its {limit}"
            return []

    def _run(
        self, subjects: list[Subject], places: dict[int, int], showing: Showing, stack: ExitStack
    ) -> None:
        node = showing.candidate
        questions = _questions(node, self._leads)
        undone = _questions(node, self._leads, undone=True)
        settings = self._oracle.sequencing
        look = stack.enter_context(
            SecondLook(
                subjects[0], showing.base, cpu_s=settings.cpu_s, memory_mb=settings.memory_mb
            )
        )
        ready: dict[int, Verdict] = {}
        for index, place in places.items():
            if place not in ready:
                traces = self._traces
                if place:
                    deployed = node.deploy(subjects[place], DEPLOYMENT_GAS)
                    traces = [deployed] * len(questions)
                    if node.address is not None:
                        traces = node.run(questions)
                answers = self._answers(traces)
                if _accepted(answers):
                    # What it accepted has changed the states in which the others were asked.
                    others = self._answers(node.run(undone))
                    answers = others if _accepted(others) else answers
                ready[place] = self._decided(index, answers, subjects[place], (showing, look))
            self.again(index, ready[place])

    def _answers(self, traces: Sequence[Trace]) -> Answers:
        return [
            (lead, reached(lead.states, reference, trace), trace.stopped)
            for lead, reference, trace in zip(self._leads, self._traces, traces, strict=False)
        ]

    def _decided(
        self,
        index: int,
        answers: Answers,
        subject: Subject,
        nodes: tuple[Showing, SecondLook],
    ) -> Verdict:
        showing, look = nodes
        accepted = _accepted(answers)
        asked = sum(len(found.rows) for _, found, _ in answers)
        skipped = sum(found.skipped for _, found, _ in answers)
        left = next((found.left for _, found, _ in answers if found.left), None)
        stopped = next((limit for _, _, limit in answers if limit), None)
        evidence: dict[str, object] = {}
        if left is not None:
            evidence["left_state"] = left
        outcome, shown = Outcome.PASS, None
        if accepted:
            evidence["accepted"] = [self._told_of(each) for each in accepted[:_SHOWN]]
            shown = self._shown(accepted, subject, showing)
        if shown is not None:
            outcome = Outcome.FAIL
            evidence["calls"] = shown.calls
        elif stopped is not None:
            outcome = Outcome.TIMEOUT
            evidence["reason"] = f"the candidate used up its {stopped}"
        elif left is not None and asked < skipped:
            outcome = Outcome.FAIL
            evidence["reason"] = (
                f"only {asked} of {asked + skipped} calls could be tried: {left}; "
                "what it does differently there is for replay and dcr to say"
            )
        elsewhere = None
        if outcome is Outcome.PASS and self._oracle.elsewhere:
            followed = [lead.together() for lead, found, _ in answers if found.left is None]
            elsewhere = look.at(subject, followed, ("status",))
        if elsewhere is not None:
            outcome = Outcome.FAIL
            evidence |= elsewhere.told()
        seen = shown or elsewhere
        return verdict(
            self._name,
            self._case.candidates[index],
            outcome,
            measures=self.told() | _measures(answers),
            divergence=seen.divergence if seen else None,
            counterexample=seen.counterexample if seen else None,
            evidence=evidence,
        )

    def _told_of(self, accepted: tuple[Lead, Row, CallResult, CallResult]) -> dict[str, object]:
        lead, row, expected, _ = accepted
        contract = self._case.reference().contract(lead.program.deployment.contract)
        return {
            "call": described(contract, row.call),
            "source": lead.source,
            "after": row.after,
            "sender": row.call.sender,
            "value": row.call.value,
            "expected": ended(expected),
        }

    def _shown(
        self,
        accepted: list[tuple[Lead, Row, CallResult, CallResult]],
        subject: Subject,
        showing: Showing,
    ) -> Shown | None:
        """One that is seen to be accepted once more, with the fewest calls before it."""
        for lead, row, _, _ in sorted(accepted, key=lambda each: each[1].after)[:_SHOWN]:
            shown = showing.small(_program(lead, row, showing.base), subject)
            if shown is not None:
                return shown
        return None


def _kept(leads: Sequence[Lead], traces: Sequence[Trace]) -> list[Lead]:
    found = (rejected(lead, trace) for lead, trace in zip(leads, traces, strict=False))
    return [lead for lead in found if lead is not None]


def _accepted(answers: Answers) -> list[tuple[Lead, Row, CallResult, CallResult]]:
    return [
        (lead, row, expected, got)
        for lead, found, _ in answers
        for row, expected, got in found.rows
        if got.status
    ]


def _questions(node: Deployed, leads: Sequence[Lead], *, undone: bool = False) -> list[Question]:
    asked = [lead.asked(undone=undone) for lead in leads]
    return node.questions([program for program, _ in asked], [rows for _, rows in asked])


def _program(lead: Lead, row: Row, base: Program) -> Program:
    return msgspec.structs.replace(base, calls=(*lead.program.calls[: row.after], row.call))


def _measures(answers: Answers) -> Measures:
    counts: Counter[str] = Counter()
    for lead, found, _ in answers:
        counts["skipped"] += found.skipped
        for _, expected, got in found.rows:
            said = ["asked", "accepted" if got.status else "rejected"]
            if not got.status:
                said.append("same_reason" if same_error(expected, got) else "other_reason")
            counts.update(said)
            counts.update(f"{each}.{lead.source}" for each in said[:2])
    names = ("asked", "rejected", "accepted", "same_reason", "other_reason", "skipped")
    by_source = sorted(name for name in counts if "." in name)
    return {f"negative.{name}": counts[name] for name in (*names, *by_source)}
