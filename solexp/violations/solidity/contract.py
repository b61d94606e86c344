"""The door: a contract's guards, and calls that violate chosen ones."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from solexp.core import Build, Deployment, UserError
from solexp.violations.solidity.attempts import DOMAINS, Domain, Known, Model
from solexp.violations.solidity.calldata import arguments, calldata
from solexp.violations.solidity.construction import immutables
from solexp.violations.solidity.context import Limits
from solexp.violations.solidity.evaluation import evaluate
from solexp.violations.solidity.formulas import Formulas
from solexp.violations.solidity.functions import Executed, execute, guards_of
from solexp.violations.solidity.guards import FunctionGuards
from solexp.violations.solidity.queries import Answer, Exactness, Settings, Solution, Status
from solexp.violations.solidity.solving import Outcome, Solver
from solexp.violations.solidity.state import Snapshot, State
from solexp.violations.solidity.tables import Tables
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
        self._functions: dict[str, tuple[Node, FunctionGuards]] | None = None

    def functions(self) -> tuple[FunctionGuards, ...]:
        """The public state-changing functions with a body, inherited ones included."""
        return tuple(guards for _, guards in self._known().values())

    def function(self, signature: str) -> FunctionGuards:
        """One of them. Raises UserError when there is none of that signature."""
        return self._found(signature)[1]

    def _known(self) -> dict[str, tuple[Node, FunctionGuards]]:
        if self._functions is None:
            self._functions = {}
            for node in self.unit.exposed(self.node):
                executed = execute(self.unit, self.node, node, None, self.limits)
                guards = guards_of(executed, self.unit, self.node)
                self._functions.setdefault(guards.signature, (node, guards))
        return self._functions

    def _found(self, signature: str) -> tuple[Node, FunctionGuards]:
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
        node, guards = self._found(signature)
        return Situation(self, node, guards, state)


class Situation:
    """A function in a state."""

    def __init__(
        self, contract: Contract, node: Node, guards: FunctionGuards, state: State
    ) -> None:
        self.contract = contract
        self.node = node
        self.guards = guards
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
    ) -> Answer:
        """Calls that violate exactly these guards (by number), or none of them."""
        start = time.process_time()
        chosen = frozenset(violated)
        for number in chosen:
            if not 0 <= number < len(self.guards.guards):
                raise UserError(f"{self.guards.signature} has no guard {number}")
        recorder = self.executed.recorder
        answer = Answer(status=Status.UNSAT)
        checks = 0
        for exactness, domains in self._plan(chosen, settings):
            outcome = self._outcome(chosen, exactness, settings, domains)
            checks += outcome.checks
            if outcome.status == "sat" and exactness is not None:
                found = tuple(self._solution(m, exactness) for m in outcome.models)
                answer = Answer(status=Status.SAT, solutions=found)
                break
            if outcome.status == "unknown":
                answer = Answer(status=Status.UNKNOWN, reason=outcome.reason)
            elif outcome.status == "unsat" and exactness is None:
                answer = Answer(status=Status.UNSAT)
                break
        if answer.status is Status.UNSAT:
            answer = self._why_not(chosen, settings, answer)
        return msgspec.structs.replace(
            answer,
            bounds=tuple(recorder.bounds),
            checks=checks,
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
    ) -> Outcome:
        solver = Solver(self.known, settings)
        if exactness is None:
            possible = self.formulas.query(chosen, Exactness.FIRST)
            return solver.solve(possible, 1, (), domains)
        formula = self.formulas.query(chosen, exactness)
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
        )

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
