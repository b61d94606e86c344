"""Does it behave as the original, call by call? SolContractEval's historical replay, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from solexp.core import (
    Build,
    ContractBuild,
    Outcome,
    Program,
    Trace,
    UserError,
    Verdict,
)
from solexp.core.hashing import content_hash
from solexp.core.settings import at_least
from solexp.evm.anvil import AnvilMachine
from solexp.evm.compare import Comparison, axis_set, compare, divergence
from solexp.evm.counterexamples import counterexample
from solexp.evm.machine import Machine, Subject
from solexp.evm.observe import GetterRule
from solexp.evm.storage import canonical, plan_slots
from solexp.oracles.base import Case, verdict
from solexp.oracles.comparing import firsts, match_rate, measures_of, with_second_look
from solexp.oracles.elsewhere import Elsewhere, SecondLook, limited
from solexp.oracles.grounds import KEEP, Grounds, Minima, survey, undecidable
from solexp.oracles.judgement import Judgement, Measures, timed
from solexp.oracles.staging import Stage, stage
from solexp.store import Store
from solexp.toolchain.homes import cache_home

SCHEMA = 14
"""Raised with every change of what a verdict says."""

_LABELS_SHOWN = 40


class Replay:
    """Runs a task's recorded deployment and calls on reference and candidates, and compares the traces."""

    name = "replay"
    language = "solidity"
    decides = True

    def __init__(
        self,
        *,
        axes: str | list[str] = "solcontracteval",
        fidelity: Literal["all", "faithful"] = "all",
        checkpoint_every: int | None = None,
        getters: GetterRule = "fallback",
        min_successful_calls: int = 5,
        min_selectors: int = 1,
        min_events: int = 0,
        limit: int | None = None,
        elsewhere: bool = True,
        machine: Machine | None = None,
    ) -> None:
        """``axes``: which differences fail a candidate, by a name of `solexp.evm.compare.AXIS_SETS` or a list.

        ``fidelity=faithful`` leaves out the calls whose status on the reference is not the chain's.
        ``checkpoint_every`` reads the state after every so many calls, not just at the end. A task on whose reference
        fewer calls succeed, fewer functions answer or fewer events are seen than the minima is undecidable. ``limit``
        runs only so many calls of each program. ``elsewhere`` takes a second look at candidates that ask more than
        their original, see `solexp.oracles.elsewhere`. ``machine`` is a private anvil by default.
        """
        try:
            self.axes = axis_set(axes)
        except UserError as error:
            raise UserError(f"oracle.replay.{error}") from None
        at_least("oracle.replay.checkpoint_every", checkpoint_every)
        at_least("oracle.replay.limit", limit)
        self.fidelity = fidelity
        self.checkpoint_every = checkpoint_every
        self.getters: GetterRule = getters
        self.min_successful_calls = min_successful_calls
        self.min_selectors = min_selectors
        self.min_events = min_events
        self.limit = limit
        self.elsewhere = elsewhere
        self.machine: Machine = machine if machine is not None else AnvilMachine()

    def fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": SCHEMA,
            "axes": self.axes,
            "fidelity": self.fidelity,
            "checkpoint_every": self.checkpoint_every,
            "getters": self.getters,
            "minima": [self.min_successful_calls, self.min_selectors, self.min_events],
            "limit": self.limit,
            "elsewhere": self.elsewhere,
            "machine": self.machine.fingerprint(),
        }

    def judge(self, case: Case) -> list[Verdict]:
        found = timed(_Judgement(self, case).verdicts, case, self.machine)
        return found if self.machine.reproducible else [_not_to_keep(row) for row in found]


class _Judgement(Judgement):
    """One task's judging."""

    def __init__(self, oracle: Replay, case: Case) -> None:
        super().__init__(oracle.name, case)
        self._oracle = oracle
        self._builds: dict[int, tuple[Build, ContractBuild]] = {}
        self._grounds = Grounds()

    def verdicts(self) -> list[Verdict]:
        staged = self._stage()
        self._grounds = self._known_grounds(staged)
        self._sort_out()
        if isinstance(staged, Stage) and self._builds:
            self._run(staged)
        return self.ready()

    def told(self) -> Measures:
        return self._grounds.told()

    def _stage(self) -> Stage | str:
        oracle = self._oracle
        return stage(
            self._case,
            oracle.machine,
            limit=oracle.limit,
            faithful=oracle.fidelity == "faithful",
            checkpoint_every=oracle.checkpoint_every,
            getters=oracle.getters,
        )

    def _known_grounds(self, staged: Stage | str) -> Grounds:
        """What the task's history can tell: found out once, and kept."""
        if isinstance(staged, str):
            return undecidable(staged)
        oracle = self._oracle
        case = self._case
        if not (case.cached and oracle.machine.reproducible):
            return self._survey(staged)
        store = Store(cache_home() / "grounds", SCHEMA)
        compiler = case.reference().compiler
        key = content_hash(case.task.content_hash, oracle.fingerprint(), compiler)
        known = store.get(key, Grounds)
        if known is None:
            known = self._survey(staged)
            if known.measures.get(KEEP) is not False:
                store.put(key, known)
        return known

    def _survey(self, staged: Stage) -> Grounds:
        oracle = self._oracle
        least = Minima(oracle.min_successful_calls, oracle.min_selectors, oracle.min_events)
        found = survey(
            staged,
            self._case,
            oracle.machine,
            oracle.axes,
            least,
            getters=oracle.getters == "always",
        )
        if not staged.plan.storage:
            return found
        not_read = plan_slots(staged.contract.storage_layout, staged.plan).skipped
        return msgspec.structs.replace(found, not_read=not_read)

    def _sort_out(self) -> None:
        """Settles every candidate that needs no run."""
        program = self._case.task.program
        for index, build in self.compiled():
            if self._grounds.outcome is Outcome.UNDECIDABLE or program is None:
                self.settle(index, Outcome.UNDECIDABLE, {"reason": self._grounds.reason})
            else:
                contract = build.contract(program.deployment.contract)
                self._builds[index] = (build, contract or _nothing(program))

    def _run(self, staged: Stage) -> None:
        subjects, places = self.subjects(staged.original, self._builds, _identity)
        reference, *traces = self._oracle.machine.run(staged.program, subjects, staged.plan)
        cut = reference.stopped or (staged.whole and staged.whole[1].stopped)
        if cut:
            self._give_up(f"this time the original used up its {cut}", places)
            return
        traces.insert(0, reference)
        compared: dict[int, tuple[Comparison, Elsewhere | None]] = {}
        with SecondLook(staged.original, staged.program) as look:
            for index, place in places.items():
                if place not in compared:
                    found = compare(reference, traces[place], staged.program, getters=self._getters)
                    also = self._second_look(look, staged, reference, subjects[place], found)
                    compared[place] = found, also
                self._decide(index, compared[place], staged, (reference, traces[place]))

    def _second_look(
        self,
        look: SecondLook,
        staged: Stage,
        reference: Trace,
        candidate: Subject,
        found: Comparison,
    ) -> Elsewhere | None:
        if not self._oracle.elsewhere or found.diverges(self._oracle.axes) or found.truncated:
            return None
        program = limited(staged.program, reference)
        return look.at(candidate, [program], self._oracle.axes, staged.plan, getters=self._getters)

    @property
    def _getters(self) -> bool:
        """Whether answers of getters count where storage alone can be compared."""
        return self._oracle.getters == "always"

    def _give_up(self, reason: str, places: Iterable[int]) -> None:
        """The grounds were found on another day. No candidate can be compared with half a trace."""
        self._grounds = Grounds(
            outcome=Outcome.UNDECIDABLE,
            reason=reason,
            measures=self._grounds.measures | {KEEP: False},
        )
        for index in places:
            self.settle(index, Outcome.UNDECIDABLE, {"reason": reason})
        for index, said in self._ready.items():
            self._ready[index] = msgspec.structs.replace(said, measures=self.told())

    def _decide(
        self,
        index: int,
        compared: tuple[Comparison, Elsewhere | None],
        staged: Stage,
        traces: tuple[Trace, Trace],
    ) -> None:
        found, elsewhere = compared
        comparison = with_second_look(found, elsewhere)
        program, contract = staged.program, staged.contract
        axes = self._oracle.axes
        fails = comparison.diverges(axes)
        outcome = Outcome.FAIL if fails else Outcome.PASS
        evidence: dict[str, object] = {}
        if comparison.truncated and not fails:
            outcome = Outcome.TIMEOUT
        if comparison.truncated:
            evidence["reason"] = f"the candidate used up its {comparison.truncated}"
        if self._grounds.outcome is Outcome.VACUOUS:
            # It is run all the same, since along other axes the task may tell something.
            fails, outcome = False, Outcome.VACUOUS
            evidence["reason"] = self._grounds.reason
        if comparison.missing:
            evidence["variables_missing"] = list(comparison.missing[:_LABELS_SHOWN])
        if self._grounds.not_read:
            evidence["storage_not_read"] = list(self._grounds.not_read[:_LABELS_SHOWN])
        by_axis = firsts(comparison, program, contract)
        if by_axis:
            evidence["first_by_axis"] = by_axis
        if fails and elsewhere is not None:
            evidence |= elsewhere.told()
        earliest = comparison.earliest(axes) if fails else None
        shown = None
        if earliest is not None:
            shown = (
                counterexample(earliest, staged.places, *traces)
                if elsewhere is None
                else elsewhere.counterexample
            )
        self._ready[index] = verdict(
            Replay.name,
            self._case.candidates[index],
            outcome,
            measures=self.told()
            | measures_of(comparison)
            | {"replay.match_rate": match_rate(found, len(traces[1].calls))},
            divergence=divergence(earliest, program, contract) if earliest else None,
            counterexample=shown,
            evidence=evidence,
        )


def _not_to_keep(said: Verdict) -> Verdict:
    return msgspec.structs.replace(said, measures=said.measures | {KEEP: False})


def _nothing(program: Program) -> ContractBuild:
    """Stands for a contract that a candidate's build lacks; it cannot be deployed."""
    return ContractBuild(
        path="", name=program.deployment.contract, abi=[], creation="0x", runtime="0x"
    )


def _identity(subject: Subject) -> tuple[object, ...]:
    layout = canonical(subject.contract.storage_layout)
    return (subject.creation, layout, tuple(sorted(subject.code_at.items())))
