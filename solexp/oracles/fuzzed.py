"""One task's judging by differential fuzzing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from solexp.core import Outcome, Verdict
from solexp.fuzzing import Unit, units
from solexp.fuzzing.engines import Told
from solexp.oracles.base import Case, verdict
from solexp.oracles.fuzz_candidates import Fuzzed, Fuzzing
from solexp.oracles.fuzz_engines import UNSEEDED
from solexp.oracles.grounds import KEEP
from solexp.oracles.judgement import Judgement, Measures, creation_identity
from solexp.oracles.staging import stage

if TYPE_CHECKING:
    from solexp.oracles.fuzz import Fuzz

_UNLASTING = ("time", "memory")
"""Limits of which nobody can say that they would be used up another time."""


class FuzzJudgement(Judgement):
    """The verdicts of one task's candidates."""

    def __init__(self, oracle: Fuzz, case: Case) -> None:
        super().__init__(oracle.name, case)
        self._oracle = oracle
        self._told: Measures = {
            "fuzz.engine": oracle.engine,
            "fuzz.scope": oracle.settings.scope,
        }
        if oracle.engine in UNSEEDED:
            self._told[KEEP] = False
        self._ground: tuple[Outcome, str] | None = None
        self._fuzzed: frozenset[str] = frozenset()
        """Signatures of the functions that are called."""
        self._vacuous: frozenset[str] = frozenset()
        """Of these, functions of which every call fails on the original."""

    @property
    def vacuous(self) -> frozenset[str]:
        """Signatures of the functions of which every call fails on the original, once it was explored."""
        return self._vacuous

    def told(self) -> Measures:
        told: Measures = dict(self._told)
        told["task_decidable"] = self._ground is None
        if self._ground is not None:
            told |= {"task_outcome": self._ground[0].value, "task_reason": self._ground[1]}
        return told

    def verdicts(self) -> list[Verdict]:
        """One a candidate, in the candidates' order."""
        staged = stage(self._case, self._oracle.machine, limit=0)
        if isinstance(staged, str):
            self._ground = Outcome.UNDECIDABLE, staged
            self.with_contract(staged, self._ground)
            return self.ready()
        chosen, left_out = units(staged.contract, self._oracle.settings)
        self._told["fuzz.left_out"] = len(left_out)
        if not chosen:
            which = "can be called with such arguments" if left_out else "changes state"
            self._ground = Outcome.UNDECIDABLE, f"no function of the original {which}"
            self.with_contract(staged, self._ground)
            return self.ready()
        with Fuzzing(self._oracle, self._case, staged) as fuzzing:
            reason = fuzzing.explore(chosen)
            self._look_at(chosen, fuzzing.told, reason)
            builds = self.with_contract(staged, self._undecidable())
            subjects, places = self.subjects(staged.original, builds, creation_identity)
            found = fuzzing.run(chosen, subjects) if places else []
        for index, place in places.items():
            self._decide(index, found[place])
        return self.ready()

    def _look_at(
        self, chosen: tuple[Unit, ...], explored: dict[str, Told], reason: str | None
    ) -> None:
        """What the task can tell at all."""
        known = explored.values()
        cuts = [told.cut for told in known if told.cut]
        fuzzed = {entry.signature: entry for unit in chosen for entry in unit.entries}
        reached = {selector for told in known for selector in told.reached}
        self._fuzzed = frozenset(fuzzed)
        self._vacuous = frozenset(
            signature for signature, entry in fuzzed.items() if entry.selector not in reached
        )
        self._told |= {
            "fuzz.functions": len(fuzzed),
            "fuzz.sequences": sum(told.sequences for told in known),
            "fuzz.task_calls": sum(told.calls for told in known),
            "fuzz.succeeded": sum(told.succeeded for told in known),
            "fuzz.costly": sum(told.costly for told in known),
            "fuzz.unstable": sum(told.unstable for told in known),
            "fuzz.cut": len(cuts),
        }
        lasting = next((cut for cut in cuts if cut in _UNLASTING), None)
        if reason is not None:
            self._ground = Outcome.UNDECIDABLE, reason
        elif lasting is not None:
            self._told[KEEP] = False
            self._ground = Outcome.UNDECIDABLE, f"this time the original used up its {lasting}"
        elif not reached and self._oracle.rule == "strict":
            self._ground = Outcome.VACUOUS, "every call of the original fails"

    def _undecidable(self) -> tuple[Outcome, str] | None:
        # Candidates of a vacuous task are run all the same: they may differ in where the original fails.
        vacuous = self._ground is not None and self._ground[0] is Outcome.VACUOUS
        return None if vacuous else self._ground

    def _decide(self, index: int, fuzzed: Fuzzed) -> None:
        evidence: dict[str, object] = {}
        divergent = {shown.function for shown in fuzzed.shown}
        if fuzzed.shown:
            outcome = Outcome.FAIL
            evidence["calls"] = fuzzed.shown[0].calls
            if fuzzed.shown[0].elsewhere is not None:
                evidence["elsewhere"] = fuzzed.shown[0].elsewhere
            evidence["functions"] = {
                shown.function: {
                    "axis": shown.divergence.axis,
                    "call": shown.divergence.function,
                    "expected": shown.divergence.expected,
                    "got": shown.divergence.got,
                }
                for shown in fuzzed.shown
            }
        elif fuzzed.stopped:
            outcome = Outcome.TIMEOUT
            evidence["reason"] = f"the candidate used up its {fuzzed.stopped}"
        elif fuzzed.doubt:
            outcome = Outcome.UNDECIDABLE
            evidence["reason"] = fuzzed.doubt
        elif self._ground is not None:
            outcome = self._ground[0]
            evidence["reason"] = self._ground[1]
        else:
            outcome = Outcome.PASS
        vacuous = self._vacuous - divergent
        measures: Measures = {
            "fuzz.calls": fuzzed.calls,
            "fuzz.divergent": len(divergent),
            "fuzz.vacuous": len(vacuous),
            "fuzz.equivalent": len(self._fuzzed - divergent - vacuous),
            "fuzz.unconfirmed": fuzzed.unconfirmed,
        }
        first = fuzzed.shown[0] if fuzzed.shown else None
        self._ready[index] = verdict(
            self._name,
            self._case.candidates[index],
            outcome,
            measures=self.told() | measures,
            divergence=first.divergence if first else None,
            counterexample=first.counterexample if first else None,
            evidence=evidence,
        )
