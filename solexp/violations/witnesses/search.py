"""Looking for witnesses: which guards, from which states, and whether the original ends each call as it should."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

import msgspec

from solexp.core import Branched, CallResult, Program
from solexp.evm.abi import describe_call
from solexp.evm.machine import Machine
from solexp.violations.solidity import (
    Answer,
    Exactness,
    FunctionGuards,
    Guard,
    Settings,
    Solution,
    Status,
    keeping,
)
from solexp.violations.witnesses.asking import OpenQuery, attempt_of
from solexp.violations.witnesses.choosing import Places, choose
from solexp.violations.witnesses.confirming import (
    Trial,
    as_call,
    columns,
    judged,
    sharing,
    trials,
    why_not,
)
from solexp.violations.witnesses.original import Guarded, Original, Situation
from solexp.violations.witnesses.records import (
    GuardRow,
    Search,
    Tried,
    Witness,
    Witnesses,
)
from solexp.violations.witnesses.removal import switches
from solexp.violations.witnesses.states import SENDER_WEALTH, History, ReachedState

_PATIENCE = 3
"""A function is given up when so many queries about it have found no answer: the others would cost as much. Which of
its guards can fail first is asked still, at less cost."""
_LESS = 4
"""By how much less."""
_PASSES = 6
"""How often a query is asked again because storage that it read was not known yet."""


def find(
    original: Original, program: Program, machine: Machine, search: Search, contract: Guarded
) -> Witnesses:
    """Witnesses for the guards of the contract that ``program`` deploys. Raises HarnessError where the node fails."""
    with keeping():
        return _Finding(original, program, machine, search, contract).witnesses()


class _Finding:
    def __init__(
        self,
        original: Original,
        program: Program,
        machine: Machine,
        search: Search,
        contract: Guarded,
    ) -> None:
        self._original = original
        self._program = program
        self._search = search
        self._contract = contract
        self._history = History(program, original.subject, machine)
        self._states: dict[int, ReachedState] = {}
        self._tried: Counter[str] = Counter()
        self._unanswered: Counter[tuple[str, str]] = Counter()
        self._shown: defaultdict[str, set[int]] = defaultdict(set)
        """By function, the parts that some call shows."""
        self._asked: set[tuple[str, int]] = set()
        """Functions in states whose storage is known, for the most part."""
        self._checks = 0
        self._cpu = 0.0

    def witnesses(self) -> Witnesses:
        trace = self._history.trace
        if trace.stopped:
            return Witnesses(reason=f"the original used up its {trace.stopped}")
        if trace.address is None:
            return Witnesses(reason="the original does not deploy")
        functions = self._contract.functions()
        program = self._program
        fixed = self._contract.immutables(program.deployment, trace.address, program.chain_id)
        self._states, places = choose(
            functions, self._contract, self._history, fixed, self._search.states
        )
        queries = [query for f in functions for query in self._queries(f, places[f.signature])]
        self._rounds(queries)
        pairs = [pair for f in functions for pair in self._pairs(f, queries)]
        self._rounds(pairs)
        parts = [each for f in functions for each in self._parts(f, places[f.signature], queries)]
        self._rounds(parts)
        queries += [*pairs, *(query for query in parts if query.after is not None)]
        return Witnesses(
            functions=tuple(f.signature for f in functions),
            guards=tuple(self._row(f, g, queries) for f in functions for g in f.guards),
            queries=tuple(query.told() for query in queries),
            witnesses=tuple(self._told_apart(functions, queries)),
            tried=Tried(**self._tried),
            kept=self._history.kept,
            states=tuple(self._states),
            checks=self._checks,
            solver_cpu_s=round(self._cpu, 3),
        )

    def _queries(self, function: FunctionGuards, places: Places) -> list[OpenQuery]:
        fine = OpenQuery(function, frozenset(), self._search.satisfied, list(places.satisfied))
        alone = (
            OpenQuery(
                function, frozenset((number,)), self._search.models, list(places.violated[number])
            )
            for number in function.numbers()
        )
        return [fine, *alone]

    def _parts(
        self, function: FunctionGuards, places: Places, queries: Sequence[OpenQuery]
    ) -> Iterator[OpenQuery]:
        """The parts of guards that can be violated, and of those of functions that can be satisfied."""
        best = {
            query.violated: query
            for query in queries
            if query.function is function and query.attempt == "confirmed"
        }
        count: Counter[tuple[int, bool]] = Counter()
        for place, part in enumerate(self._contract.parts(function.signature)):
            violated = frozenset(() if part.holds else (part.guard,))
            whole = best.get(violated)
            count[part.guard, part.holds] += 1
            if whole is None or count[part.guard, part.holds] > self._search.parts:
                continue
            usual = places.satisfied if part.holds else places.violated[part.guard]
            assert whole.after is not None
            here = list(dict.fromkeys((whole.after, *usual)))
            yield OpenQuery(function, violated, 1, here, place, exactness=whole.exactness)

    def _pairs(self, function: FunctionGuards, queries: Sequence[OpenQuery]) -> list[OpenQuery]:
        """Pairs of the author's guards, each of which can be violated alone, from the state where the first can."""
        alone = {
            number: query.after
            for query in queries
            if query.function is function and len(query.violated) == 1
            for number in query.violated
            if query.attempt == "confirmed" and function.guards[number].kind.stated
        }
        pairs = list(combinations(sorted(alone), 2))[: self._search.pairs]
        return [
            OpenQuery(function, frozenset(pair), 1, [place])
            for pair in pairs
            if (place := alone[pair[0]]) is not None
        ]

    def _rounds(self, queries: Sequence[OpenQuery]) -> None:
        """Ask queries until each is answered, or was asked in all its states."""
        while waiting := [query for query in queries if query.places]:
            self._round(waiting)

    def _round(self, queries: Sequence[OpenQuery]) -> None:
        """Ask each query at its next state, and try on the original what comes of it."""
        here = {id(query): self._states[query.places.pop(0)] for query in queries}
        self._ask(queries, here)
        self._confirm(queries, here)
        for query in queries:
            if query.attempt in ("confirmed", "unsupported"):
                query.places.clear()

    def _ask(self, queries: Sequence[OpenQuery], here: Mapping[int, ReachedState]) -> None:
        """Ask the solver. Where it read storage that was not known yet and is not zero, it is asked again."""
        groups: dict[tuple[str, int], list[OpenQuery]] = {}
        for query in queries:
            groups.setdefault((query.function.signature, here[id(query)].after), []).append(query)

        def fine(query: OpenQuery) -> OpenQuery:
            return OpenQuery(query.function, frozenset(), 1, [])

        # To satisfy all guards is to read all that they read: one question finds out what to fetch.
        quick = Settings(models=1, rlimit=self._search.rlimit, seed=self._search.seed)
        self._until_read(
            {key: members for key, members in groups.items() if key not in self._asked},
            lambda members, situation: self._answer(fine(members[0]), situation, quick),
        )
        self._asked |= groups.keys()
        self._until_read(groups, self._solve_all)

    def _until_read(
        self,
        groups: Mapping[tuple[str, int], list[OpenQuery]],
        ask: Callable[[list[OpenQuery], Situation], object],
    ) -> None:
        """Ask something of functions in states until all storage that they read was known, or zero."""
        waiting = groups
        for _ in range(_PASSES):
            missed: dict[tuple[str, int], set[int]] = {}
            for key, members in waiting.items():
                state = self._states[key[1]]
                state.touched = set()
                ask(members, self._contract.at(key[0], state))
                missed[key] = state.missing
            places = {after for _, after in missed}
            for place in places:
                slots = (found for (_, after), found in missed.items() if after == place)
                self._states[place].touched = set().union(*slots)
            self._history.fetch([self._states[place] for place in places])
            waiting = {
                key: groups[key]
                for key, slots in missed.items()
                if any(self._states[key[1]].words.get(slot) for slot in slots)
            }
            if not waiting:
                break

    def _solve_all(self, queries: list[OpenQuery], situation: Situation) -> None:
        shown = set(self._shown[queries[0].function.signature])
        for query in queries:
            if query.part is None:
                query.answer = self._solved(query, situation)
            elif query.part in shown:
                query.answer = None
            else:
                query.answer = self._solved_part(query, situation)
                shown.update(part for each in query.answer.solutions for part in each.parts)

    def _solved(self, query: OpenQuery, situation: Situation) -> Answer:
        settings = Settings(models=query.wanted, rlimit=self._search.rlimit, seed=self._search.seed)
        function = query.function
        if len(query.violated) == 1:
            # What cannot be the first to fail cannot be violated in any sense: that is soon known.
            first = msgspec.structs.replace(settings, models=1, exactness=(Exactness.FIRST,))
            if self._unanswered[function.signature, "whole"] >= _PATIENCE:
                first = msgspec.structs.replace(first, rlimit=max(1, first.rlimit // _LESS))
            found = self._answer(query, situation, first, "first")
            if found.status is not Status.SAT:
                return found
            whole = self._answer(query, situation, settings)
            return whole if whole.status is Status.SAT else found
        return self._answer(query, situation, settings)

    def _solved_part(self, query: OpenQuery, situation: Situation) -> Answer:
        exactness = Exactness(query.exactness or Exactness.ALL)
        settings = Settings(
            rlimit=self._search.rlimit, seed=self._search.seed, exactness=(exactness,)
        )
        return self._answer(query, situation, settings, "part")

    def _answer(
        self, query: OpenQuery, situation: Situation, settings: Settings, how: str = "whole"
    ) -> Answer:
        asked = query.function.signature, how
        if self._unanswered[asked] >= _PATIENCE:
            reason = f"given up: {_PATIENCE} queries about this function found no answer"
            return Answer(status=Status.UNKNOWN, reason=reason)
        answer = situation.solve(query.violated, settings, query.part)
        self._unanswered[asked] += answer.given_up
        self._checks += answer.checks
        self._cpu += answer.cpu_s
        return answer

    def _confirm(self, queries: Sequence[OpenQuery], here: Mapping[int, ReachedState]) -> None:
        """Try all solutions of a round on the original, in one run."""
        tries: dict[int, list[tuple[OpenQuery, Solution]]] = {}
        for query in queries:
            answer, after = query.answer, here[id(query)].after
            if answer is None:  # Another call shows the part.
                query.places.clear()
                continue
            if answer.status is not Status.SAT:
                query.reached(attempt_of(answer.status), answer.reason, after)
                continue
            query.reached("sat", "the value is more than any sender has", after)
            tries.setdefault(after, []).extend(
                (query, s) for s in answer.solutions if s.value <= SENDER_WEALTH
            )
        order = sorted(tries)
        if not order:
            return
        results = self._history.results(
            [(after, tuple(as_call(s) for _, s in tries[after])) for after in order]
        )
        for after, branched in zip(order, results, strict=True):
            self._settle(after, tries[after], branched)

    def _settle(
        self, after: int, tries: Sequence[tuple[OpenQuery, Solution]], branched: Branched
    ) -> None:
        for (query, solution), result in zip(tries, branched.calls, strict=True):
            problem = why_not(query.function, solution, result)
            self._tried.update(
                columns(result, violating=solution.first is not None, fine=problem is None)
            )
            if problem is not None:
                if query.attempt == "sat":
                    query.reason = problem
                continue
            query.reached("confirmed", None, after)
            if len(query.violated) < 2:
                self._shown[query.function.signature].update(solution.parts)
            query.exactness = query.exactness or solution.exactness.value
            query.found.append(self._witness(query, solution, result, after))

    def _witness(
        self, query: OpenQuery, solution: Solution, result: CallResult, after: int
    ) -> Witness:
        call = as_call(solution)
        first = solution.first if query.violated else None
        alone = first is None or not sharing(query.function, query.function.guards[first])
        return Witness(
            function=query.function.signature,
            violated=tuple(sorted(query.violated)),
            first=first,
            exactness=solution.exactness.value,
            after=after,
            call=call,
            shown=describe_call(self._original.contract, call.input),
            output=result.output if query.violated else "0x",
            invalid=bool(query.violated) and result.error is not None,
            alone=alone,
        )

    def _told_apart(
        self, functions: Sequence[FunctionGuards], queries: Sequence[OpenQuery]
    ) -> list[Witness]:
        """The witnesses, each tried on the original without its guards where these can be taken out."""
        found = [(query.function, witness) for query in queries for witness in query.found]
        made = switches(self._original.build, self._original.sources, functions)
        subject = self._original.rebuilt(made.sources) if made is not None and found else None
        if made is None or subject is None:
            return [witness for _, witness in found]
        tries: dict[int, list[Trial]] = {}
        for function, witness in found:
            tries.setdefault(witness.after, []).extend(trials(function, witness, made))
        calls = {after: [trial.call for trial in rows] for after, rows in tries.items()}
        results = self._history.same(subject, {a: each for a, each in calls.items() if each})
        told = [
            (trial, result)
            for after, rows in tries.items()
            for trial, result in zip(rows, results.get(after, ()), strict=False)
        ]
        return judged([witness for _, witness in found], told)

    def _row(
        self, function: FunctionGuards, guard: Guard, queries: Sequence[OpenQuery]
    ) -> GuardRow:
        alone = [
            query
            for query in queries
            if query.function is function
            and query.violated == {guard.number}
            and query.part is None
        ]
        row: dict[str, Any] = {"unsupported": guard.unsupported}
        if guard.unsupported is None and alone:
            row |= {"attempt": alone[0].attempt, "reason": alone[0].reason}
        return GuardRow(
            function=function.signature,
            number=guard.number,
            kind=guard.kind.value,
            path=guard.path,
            line=guard.line,
            text=guard.text,
            expected=str(guard.expected),
            inside=tuple(step.callee for step in guard.chain),
            shared=len(sharing(function, guard)),
            **row,
        )
