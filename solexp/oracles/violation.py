"""Does it reject what the original rejects? Transactions that violate chosen guards of the original, by a solver."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import msgspec

from solexp import violations
from solexp.core import (
    Build,
    CallResult,
    ContractBuild,
    Counterexample,
    Divergence,
    Outcome,
    Program,
    Trace,
    UserError,
    Verdict,
)
from solexp.core.hashing import content_hash, file_hash
from solexp.core.settings import above, at_least
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import Branch, Machine, Observation, Subject
from solexp.oracles.asking import same_error
from solexp.oracles.base import Case, verdict
from solexp.oracles.elsewhere import Elsewhere, SecondLook, elsewhere_too, limited
from solexp.oracles.judgement import Judgement, Measures, creation_identity, timed
from solexp.oracles.staging import Stage, stage, subject
from solexp.oracles.witnessing import (
    Asked,
    ask,
    counterexample,
    divergence,
    measures,
    shown,
    together,
)
from solexp.solidity.foundry.imports import with_project
from solexp.store import Store
from solexp.toolchain.homes import cache_home
from solexp.violations.witnesses import Search, Witness, Witnesses, leading

SCHEMA = 3
"""Raised with every change of what a verdict says."""
WITNESS_SCHEMA = 2
"""Raised with every change of what a witness is: looking for them is what takes the time."""

_SHOWN = 10
_PARTS = ("solidity", "witnesses")

ErrorRule = Literal["any", "same"]


class Violation:
    """Asks every candidate what the original rejects, and what it does not.

    A witness is a call from a state that the task's program reaches, see `solexp.violations.witnesses`. All start from
    the state as the candidate itself has it, so they are only asked where the calls before ended as on the original.
    Measures, of a candidate that was asked:

    ``violation.asked``, ``violation.rejected``, ``violation.same_error``
        Calls that violate a guard; those that the candidate rejects; those with the original's revert data.
    ``violation.satisfying``, ``violation.accepted``
        Calls that satisfy every guard, and those that the candidate accepts.
    ``violation.guards``, ``violation.guards_held``
        Guards at which the original ends some call that was asked, and those of which the candidate rejects all.
    ``violation.skipped``
        Calls that were not asked, since the candidate had left the original's state.
    ``violation.asked.KIND``, ``violation.rejected.KIND``, ``violation.same_error.KIND``
        The same by kind of guard, such as ``require``.
    """

    name = "violation"
    language = "solidity"
    decides = True

    def __init__(
        self,
        *,
        error: ErrorRule = "any",
        models: int = 2,
        satisfying: int = 3,
        parts: int = 3,
        pairs: int = 6,
        states: int = 8,
        rlimit: int = 500_000,
        seed: int = 0,
        timeout_s: float = 120.0,
        memory_mb: int = 2048,
        elsewhere: bool = True,
        machine: Machine | None = None,
    ) -> None:
        """``error=same`` fails also a candidate that rejects with other revert data than the original.

        ``models`` calls are wanted for each guard alone, ``satisfying`` for each function that satisfy all, and
        ``pairs`` pairs of guards a function are tried, from at most ``states`` states of the program. Besides,
        ``parts`` parts and borders of each guard are asked for, on either side. ``rlimit`` is Z3's work on one check.
        ``elsewhere`` takes a second look at candidates that ask more than their original, see
        `solexp.oracles.elsewhere`. The limits are `solexp.evm.anvil.AnvilMachine`'s, which ``machine`` is by default.
        """
        if error not in ("any", "same"):
            raise UserError(f"oracle.violation.error: must be any or same, got {error!r}")
        for setting, value, least in (
            ("models", models, 1),
            ("satisfying", satisfying, 0),
            ("parts", parts, 0),
            ("pairs", pairs, 0),
            ("states", states, 3),
            ("rlimit", rlimit, 1),
        ):
            at_least(f"oracle.violation.{setting}", value, least)
        above("oracle.violation.timeout_s", timeout_s)
        above("oracle.violation.memory_mb", memory_mb)
        self.error: ErrorRule = error
        self.elsewhere = elsewhere
        self.memory_mb = memory_mb
        self.search = Search(
            models=models,
            satisfied=satisfying,
            parts=parts,
            pairs=pairs,
            states=states,
            rlimit=rlimit,
            seed=seed,
        )
        self.machine: Machine = (
            machine
            if machine is not None
            else AnvilMachine(timeout_s=timeout_s, memory_mb=memory_mb)
        )

    def fingerprint(self) -> dict[str, Any]:
        said = {"error": self.error, "verdict": SCHEMA, "elsewhere": self.elsewhere}
        return said | self._search_fingerprint()

    def _search_fingerprint(self) -> dict[str, Any]:
        return {
            "oracle": self.name,
            "version": WITNESS_SCHEMA,
            "search": msgspec.to_builtins(self.search),
            "z3": metadata.version("z3-solver"),
            "code": _code(),
            "machine": self.machine.fingerprint(),
        }

    def judge(self, case: Case) -> list[Verdict]:
        case.used("z3", metadata.version("z3-solver"))
        return timed(_Judgement(self, case).verdicts, case, self.machine)

    def witnesses(self, case: Case, staged: Stage) -> Witnesses:
        """The task's witnesses: found once, and kept."""
        store = Store(cache_home() / "witnesses", WITNESS_SCHEMA)
        compiler = case.compiler.version(case.settings.version)
        key = content_hash(case.task.content_hash, self._search_fingerprint(), compiler)
        known = store.get(key, Witnesses) if case.cached else None
        if known is None:
            known = self._search(case, staged)
            if case.cached:
                store.put(key, known)
        return known

    def _search(self, case: Case, staged: Stage) -> Witnesses:
        # The solver takes a while to load, and most tasks' witnesses are known already.
        from solexp.violations.solidity import Contract  # noqa: PLC0415
        from solexp.violations.witnesses.original import Original  # noqa: PLC0415
        from solexp.violations.witnesses.search import find  # noqa: PLC0415

        sources = with_project(case.task, case.task.sources)
        try:
            build = case.compiler.compile(sources, case.settings, ast=True, keep_ast=False)
        except RecursionError:
            return Witnesses(reason="the compiler's AST is nested too deeply to be read")

        def rebuilt(changed: dict[str, str]) -> Subject | None:
            other = case.compiler.compile(changed, case.settings)
            made = other.contract(staged.original.contract.name) if other.ok else None
            return subject(other, made, case, changed) if made is not None else None

        contract = Contract(build, staged.original.contract.name, sources)
        original = Original(staged.original, build, sources, rebuilt)
        return find(original, staged.program, self.machine, self.search, contract)


class _Judgement(Judgement):
    """One task's judging."""

    def __init__(self, oracle: Violation, case: Case) -> None:
        super().__init__(oracle.name, case)
        self._oracle = oracle
        self._told: Measures = {}

    def told(self) -> Measures:
        return dict(self._told)

    def verdicts(self) -> list[Verdict]:
        staged = stage(self._case, self._oracle.machine)
        witnesses = Witnesses(reason=staged) if isinstance(staged, str) else None
        if witnesses is None and isinstance(staged, Stage):
            witnesses = self._oracle.witnesses(self._case, staged)
        assert witnesses is not None
        ground = self._ground(witnesses)
        builds = self.with_contract(staged, ground)
        if isinstance(staged, Stage) and builds:
            self._run(staged, witnesses, builds)
        return self.ready()

    def _ground(self, witnesses: Witnesses) -> tuple[Outcome, str] | None:
        """Why the task cannot be judged; None where it can."""
        counts = witnesses.counts()
        found = {"guards": counts.found, "translated": counts.translated}
        found |= {"satisfiable": counts.satisfiable, "confirmed": counts.confirmed}
        found |= {"witnesses": len(witnesses.witnesses), "functions": len(witnesses.functions)}
        self._told = {f"violation.task.{name}": number for name, number in found.items()}
        ground: tuple[Outcome, str] | None = None
        if witnesses.reason is not None:
            ground = Outcome.UNDECIDABLE, witnesses.reason
        elif not any(witness.violated for witness in witnesses.witnesses):
            what = "no guard was found" if not counts.found else "no violation was confirmed"
            ground = Outcome.VACUOUS, f"{what} in the original"
        self._told["task_decidable"] = ground is None
        if ground is not None:
            self._told |= {"task_outcome": ground[0].value, "task_reason": ground[1]}
        return ground

    def _run(
        self,
        staged: Stage,
        witnesses: Witnesses,
        builds: dict[int, tuple[Build, ContractBuild]],
    ) -> None:
        subjects, places = self.subjects(staged.original, builds, creation_identity)
        by_state: dict[tuple[int, bool], list[Witness]] = defaultdict(list)
        for witness in witnesses.witnesses:
            by_state[witness.after, bool(witness.violated)].append(witness)
        states = [by_state[state] for state in sorted(by_state)]
        program = leading(staged.program, witnesses.kept[: max(by_state)[0]])
        traces = self._traces(program, subjects, states)
        reference = traces[0]
        violating = together(states, limited(program, reference))
        seen: dict[int, Elsewhere | None] = {}
        with SecondLook(staged.original, program, memory_mb=self._oracle.memory_mb) as look:
            for index, place in places.items():
                if reference.stopped:
                    reason = f"this time the original used up its {reference.stopped}"
                    self._told["keep"] = False
                    self.settle(index, Outcome.UNDECIDABLE, {"reason": reason})
                    continue
                asked = ask(states, reference, traces[place])
                self._decide(index, asked, traces[place], witnesses)
                said = self._ready[index]
                if said.outcome is Outcome.PASS and asked.left is None and self._oracle.elsewhere:
                    if place not in seen:
                        seen[place] = look.at(subjects[place], [violating], ("status",))
                    if (found := seen[place]) is not None:
                        self._ready[index] = elsewhere_too(said, found)

    def _traces(
        self, program: Program, subjects: list[Subject], states: Sequence[Sequence[Witness]]
    ) -> list[Trace]:
        """What each subject does. Calls that violate a guard undo themselves by failing. Where one accepts any, which
        changes the states that follow, it is asked again with all of them undone."""

        def run(subjects: list[Subject], *, undone: bool) -> list[Trace]:
            branches = tuple(
                Branch(
                    rows[0].after,
                    tuple(witness.call for witness in rows),
                    undone=undone or not rows[0].violated,
                )
                for rows in states
            )
            plan = Observation(storage=False, branches=branches)
            return self._oracle.machine.run(program, subjects, plan)

        traces = run(subjects, undone=False)
        accepting = [place for place, trace in enumerate(traces) if _accepts(states, trace)]
        if accepting:
            others = run([subjects[0], *(subjects[place] for place in accepting)], undone=True)[1:]
            for place, trace in zip(accepting, others, strict=True):
                if _accepts(states, trace):
                    traces[place] = trace
        return traces

    def _decide(self, index: int, asked: Asked, trace: Trace, witnesses: Witnesses) -> None:
        accepted = [row for row in asked.violating if row[2].status]
        other = [
            row for row in asked.violating if not row[2].status and not same_error(row[1], row[2])
        ]
        refused = [row for row in asked.satisfying if not row[1].status]
        evidence: dict[str, object] = {}
        if asked.left is not None:
            evidence["left_state"] = asked.left
        first: Divergence | None = None
        for name, rows in (("accepted", accepted), ("other_error", other)):
            if rows:
                evidence[name] = [
                    shown(witness, witnesses, expected, got)
                    for witness, expected, got in rows[:_SHOWN]
                ]
        if refused:
            evidence["refused"] = [
                shown(witness, witnesses, None, got) for witness, got in refused[:_SHOWN]
            ]
        shows: Counterexample | None = None
        decides: tuple[str, Witness, CallResult | None, CallResult] | None = None
        if accepted:
            decides = ("status", *accepted[0])
        elif refused:
            decides = ("status", refused[0][0], None, refused[0][1])
        elif other and self._oracle.error == "same":
            decides = ("revert", *other[0])
        if decides is not None:
            axis, witness, expected, got = decides
            first = divergence(axis, witness, witnesses, expected, got)
            shows = counterexample(axis, witness, witnesses, expected, got)
        outcome = Outcome.PASS if first is None else Outcome.FAIL
        if first is None and trace.stopped:
            outcome = Outcome.TIMEOUT
            evidence["reason"] = f"the candidate used up its {trace.stopped}"
        elif first is None and asked.gone:
            outcome = Outcome.FAIL
            evidence["reason"] = f"{asked.left}, where the original's stands"
        elif first is None and not asked.violating:
            outcome = Outcome.FAIL
            evidence["reason"] = (
                f"no call could be tried: {asked.left}; what it does differently there is for replay to say"
            )
        elif first is None and asked.left is not None and not asked.satisfying:
            # One that rejects whatever it is sent would pass.
            outcome = Outcome.FAIL
            evidence["reason"] = f"nothing that it should accept could be tried: {asked.left}"
        self._ready[index] = verdict(
            Violation.name,
            self._case.candidates[index],
            outcome,
            measures=self.told() | measures(asked, witnesses),
            divergence=first,
            counterexample=shows,
            evidence=evidence,
        )


def _accepts(states: Sequence[Sequence[Witness]], trace: Trace) -> bool:
    """Whether any call that violates a guard succeeds."""
    return any(
        result.status
        for rows, branched in zip(states, trace.branches, strict=False)
        if rows[0].violated
        for result in branched.calls
    )


@functools.cache
def _code() -> str:
    """Hash of what reads guards and looks for witnesses: nothing else says that these find others now."""
    folder = Path(violations.__file__).parent
    files = sorted(path for part in _PARTS for path in (folder / part).rglob("*.py"))
    return content_hash([[path.name, file_hash(path)] for path in files])
