"""The door: a contract's guards, and calls that violate chosen ones."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from solexp.core import Build, Deployment, UserError
from solexp.violations.solidity import terms
from solexp.violations.solidity.attempts import DOMAINS, Domain, Known, Model
from solexp.violations.solidity.calldata import arguments, calldata
from solexp.violations.solidity.construction import immutables
from solexp.violations.solidity.context import Limits
from solexp.violations.solidity.evaluation import evaluate
from solexp.violations.solidity.formulas import Formulas
from solexp.violations.solidity.functions import Executed, execute, guards_of
from solexp.violations.solidity.guards import FunctionGuards
from solexp.violations.solidity.parts import Part, parts
from solexp.violations.solidity.queries import Answer, Exactness, Settings, Solution, Status
from solexp.violations.solidity.solving import Outcome, Solver
from solexp.violations.solidity.standing import Standing, constants, in_state, standing
from solexp.violations.solidity.state import Snapshot, State
from solexp.violations.solidity.tables import Tables
from solexp.violations.solidity.terms import TRUE, Term
from solexp.violations.solidity.unit import Node, Unit

MOST_TEXTS = 64


class Contract:
    """One contract of a build: its functions and their guards."""

    def __init__(
        self,
        build: Build,
        name: str,
        sources: Mapping[str, str],
        *,
        path: str | None = None,
        limits: Limits = Limits(),  # noqa: B008  (frozen)
    ) -> None:
        """Raises DataError when the build has no ASTs or no such contract."""
        self.unit = Unit(build, sources)
        self.node = self.unit.contract(name, path)
        self.limits = limits
        self._functions: dict[str, _Function] | None = None

    def functions(self) -> tuple[FunctionGuards, ...]:
        """The public state-changing functions with a body, inherited ones included."""
        return tuple(known.guards for known in self._known().values())

    def function(self, signature: str) -> FunctionGuards:
        """One of them. Raises UserError when there is none of that signature."""
        return self._found(signature).guards

    def parts(self, signature: str) -> tuple[Part, ...]:
        """Ways in which the author's guards of a function fail or hold, the same in every state."""
        return self._found(signature).parts

    def standing(self, signature: str) -> tuple[Standing, ...]:
        """What the author's guards of a function ask of the state, whatever the arguments."""
        return self._found(signature).standing

    def _known(self) -> dict[str, _Function]:
        if self._functions is None:
            self._functions = {}
            for node in self.unit.exposed(self.node):
                executed = execute(self.unit, self.node, node, None, self.limits)
                guards = guards_of(executed, self.unit, self.node)
                known = _Function(
                    node,
                    guards,
                    parts(executed.recorder, guards),
                    standing(executed.recorder, guards),
                )
                self._functions.setdefault(guards.signature, known)
        return self._functions

    def _found(self, signature: str) -> _Function:
        known = self._known()
        if signature not in known:
            raise UserError(
                f"{self.node['name']} has no public state-changing function {signature}; "
                f"it has {', '.join(known) or 'none'}"
            )
        return known[signature]

    def immutables(self, deployment: Deployment, address: str, chain_id: int = 1) -> dict[str, int]:
        """Words of the contract's immutables after a deployment, for `State.immutable`; those that cannot be told are
        left out.
        """
        deployed = Snapshot(
            address=address,
            block_number=deployment.block_number,
            timestamp=deployment.timestamp,
            chain_id=chain_id,
            contracts=frozenset({address}),
        )
        return immutables(
            self.unit,
            self.node,
            deployment.constructor_args,
            deployed,
            sender=deployment.sender,
            value=deployment.value,
        )

    def at(self, signature: str, state: State) -> Situation:
        """A function in a state, for any number of queries."""
        return Situation(self, self._found(signature), state)


class _Function(NamedTuple):
    """What is known of a function in any state."""

    node: Node
    guards: FunctionGuards
    parts: tuple[Part, ...]
    standing: tuple[Standing, ...]


class Situation:
    """A function in a state."""

    def __init__(self, contract: Contract, function: _Function, state: State) -> None:
        node, guards = function.node, function.guards
        self.contract = contract
        self.node = node
        self.guards = guards
        self.parts = function.parts
        self.state = state
        unit = contract.unit
        self.executed: Executed = execute(unit, contract.node, node, state, contract.limits)
        self.formulas = Formulas(self.executed.recorder, guards)
        parameters = self.executed.recorder.parameters
        self.known = Known(parameters, state, Tables(state), self._texts())

    def solve(
        self,
        violated: Collection[int],
        settings: Settings = Settings(),  # noqa: B008  (frozen)
        part: int | None = None,
    ) -> Answer:
        """Calls that violate exactly these guards (by number), or none of them.

        ``part``, a place in `Contract.parts`: they are to fail or hold in this way; at its border, or else beside it.
        """
        if part is None:
            return self._solved(violated, settings, TRUE)
        way = self.parts[part]
        answer = self._solved(violated, settings, way.near)
        if answer.status is Status.UNSAT and way.plain is not None:
            beside = self._solved(violated, settings, way.plain)
            answer = msgspec.structs.replace(
                beside,
                checks=answer.checks + beside.checks,
                given_up=answer.given_up or beside.given_up,
                cpu_s=answer.cpu_s + beside.cpu_s,
            )
        return answer

    def _solved(self, violated: Collection[int], settings: Settings, also: Term) -> Answer:
        start = time.process_time()
        chosen = frozenset(violated)
        for number in chosen:
            if not 0 <= number < len(self.guards.guards):
                raise UserError(f"{self.guards.signature} has no guard {number}")
        recorder = self.executed.recorder
        answer = Answer(status=Status.UNSAT)
        checks, given_up = 0, False
        for exactness, domains in self._plan(chosen, settings):
            outcome = self._outcome(chosen, exactness, settings, domains, also)
            checks += outcome.checks
            given_up |= outcome.status == "unknown"
            if outcome.status == "sat" and exactness is not None:
                found = tuple(self._solution(m, exactness) for m in outcome.models)
                answer = Answer(status=Status.SAT, solutions=found)
                break
            if outcome.status == "unknown":
                answer = Answer(status=Status.UNKNOWN, reason=outcome.reason)
            elif outcome.status == "unsat" and exactness is None:
                answer = Answer(status=Status.UNSAT)
                break
        if answer.status is Status.UNSAT and also is TRUE:
            answer = self._why_not(chosen, settings, answer)
        return msgspec.structs.replace(
            answer,
            bounds=tuple(recorder.bounds),
            checks=checks,
            given_up=given_up,
            cpu_s=time.process_time() - start,
        )

    @staticmethod
    def _plan(
        chosen: frozenset[int], settings: Settings
    ) -> Iterator[tuple[Exactness | None, Sequence[Domain]]]:
        """The questions, in order; the one of no exactness is whether there is anything to be found at all."""
        if not chosen:
            yield Exactness.ALL, DOMAINS
            return
        senses = list(settings.exactness)
        if len(chosen) == 1 and senses[0] is Exactness.ALL:
            # What violates one guard and no other violates it first: where nothing does that, no more need be asked.
            yield Exactness.ALL, DOMAINS[:1]
            yield None, DOMAINS[-1:]
            yield Exactness.ALL, DOMAINS[1:]
            senses = senses[1:]
        for exactness in senses:
            yield exactness, DOMAINS

    def _outcome(
        self,
        chosen: frozenset[int],
        exactness: Exactness | None,
        settings: Settings,
        domains: Sequence[Domain],
        also: Term,
    ) -> Outcome:
        solver = Solver(self.known, settings)
        also = in_state(also, self.state)
        if exactness is None:
            possible = terms.and_(self.formulas.query(chosen, Exactness.FIRST), also)
            return solver.solve(possible, 1, (), domains)
        formula = terms.and_(self.formulas.query(chosen, exactness), also)
        wishes = self.formulas.wishes(chosen) if exactness is Exactness.FIRST else []
        preferred = [*wishes, *solver.preferences()]
        return solver.solve(formula, settings.models, preferred, domains)

    def _texts(self) -> list[bytes]:
        """Byte strings of which hashes may have been taken."""
        keys = [key for key in self.state.keys if isinstance(key, bytes)]
        return list(dict.fromkeys([*self.contract.unit.literals, *keys]))[:MOST_TEXTS]

    def _why_not(self, chosen: frozenset[int], settings: Settings, answer: Answer) -> Answer:
        """Unsat, or unsupported where only what is unsupported stands in the way."""
        reasons = self.formulas.unsupported()
        if not reasons:
            return answer
        exactness = Exactness.FIRST if len(chosen) == 1 else Exactness.ALL
        formula = self.formulas.query(chosen, exactness, hopeful=True)
        outcome = Solver(self.known, settings).solve(formula, 1)
        if outcome.status == "unsat":
            return answer
        return Answer(status=Status.UNSUPPORTED, reason=reasons[0])

    def _solution(self, model: Model, exactness: Exactness) -> Solution:
        unit = self.contract.unit
        failing = self.failing(model)
        return Solution(
            sender=f"0x{model.get('sender', 0):040x}",
            value=model.get("value", 0),
            args=arguments(unit, self.node, model),
            input=calldata(unit, self.node, model),
            block_number=model.get("number", self.state.block_number),
            timestamp=model.get("timestamp", self.state.timestamp),
            exactness=exactness,
            first=failing[0] if failing else None,
            violated=tuple(sorted(set(failing))),
            parts=tuple(self._met(model)),
        )

    def _met(self, model: Model) -> Iterator[int]:
        """The ways of failing or holding that a call shows."""
        near = [part.near for part in self.parts]
        values = evaluate(near, model | constants(self.state, near), self.known.tables.read)
        yield from (place for place, value in enumerate(values) if value)

    def failing(self, model: Model) -> list[int]:
        """Numbers of the guards that a call violates, in order of execution, evaluated on past those that fail."""
        events = [e for e in self.executed.recorder.events if e.guard is not None]
        values = evaluate([e.fails for e in events], model, self.known.tables.read)
        numbers = [self.formulas.number(e) for e, v in zip(events, values, strict=True) if v]
        return [n for n in numbers if n is not None]


def solve(
    contract: Contract,
    signature: str,
    violated: Collection[int],
    state: State,
    settings: Settings = Settings(),  # noqa: B008  (frozen)
) -> Answer:
    """Calls of a function in a state that violate exactly the guards of these numbers; of none, calls that pass."""
    return contract.at(signature, state).solve(violated, settings)
