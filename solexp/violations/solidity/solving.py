"""Calls that violate exactly the chosen guards, found by Z3 and confirmed by evaluating them in the state.

A query is a boolean term over the call's parameters. Storage is read by tables of the keys in play, and a hash is a
variable about which single facts are learnt; a model is therefore evaluated in the state itself, and where the two
differ, what differs is added and asked again. What is sat is so confirmed, and what is unsat holds for every state of
which the tables are part: tables are only wrong where a model touches them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import z3

from solexp.violations.solidity import terms
from solexp.violations.solidity.evaluation import evaluate
from solexp.violations.solidity.queries import Settings
from solexp.violations.solidity.recording import Parameter
from solexp.violations.solidity.state import State
from solexp.violations.solidity.storage import BALANCE
from solexp.violations.solidity.tables import FRESH, Tables
from solexp.violations.solidity.terms import BOOL, FALSE, TRUE, Term
from solexp.violations.solidity.z3terms import Translation

Model = dict[str, int]

HORIZON = 40 * 365 * 24 * 3600
"""Seconds after the state within which a call comes."""


class Domain:
    """How large the parameters may be: first small and human, at last whatever their types allow."""

    def __init__(self, name: str, bits: int | None, seconds: int, *, pool: bool) -> None:
        self.name = name
        self.bits = bits
        self.seconds = seconds
        self.pool = pool


DOMAINS = (
    Domain("small", 16, 0, pool=True),
    Domain("wide", 96, 1 << 26, pool=True),
    Domain("any", None, HORIZON, pool=False),
)


class Outcome:
    """What became of a formula."""

    def __init__(self) -> None:
        self.models: list[Model] = []
        self.status = "unsat"
        self.reason: str | None = None
        self.checks = 0


class Solver:
    """Finds models of formulas over one function's parameters in one state."""

    def __init__(
        self, parameters: Mapping[str, Parameter], state: State, settings: Settings, tables: Tables
    ) -> None:
        self.parameters = parameters
        self.state = state
        self.settings = settings
        self.tables = tables
        self._facts: list[tuple[Term, int, int]] = []

    def solve(self, formula: Term, count: int) -> Outcome:
        """Distinct models of a formula together with what every call must be like."""
        outcome = Outcome()
        if formula is FALSE:
            return outcome
        whole = terms.and_(formula, self.background())
        for domain in DOMAINS:
            self._search(whole, domain, count, outcome)
            if len(outcome.models) >= count:
                break
        if outcome.models:
            outcome.status = "sat"
        return outcome

    def background(self) -> Term:
        """What holds of every call: limits of its parameters, its time, and what its sender can pay."""
        state = self.state
        parts = []
        for parameter in self.parameters.values():
            if parameter.limit is not None:
                mine = terms.var(parameter.name, parameter.width)
                parts.append(terms.ult(mine, terms.const(parameter.limit, parameter.width)))
        number, when = terms.var("number", 256), terms.var("timestamp", 256)
        last_number = terms.const(state.block_number, 256)
        last_time = terms.const(state.timestamp, 256)
        later = terms.and_(terms.ult(last_number, number), terms.ult(last_time, when))
        same = terms.and_(terms.eq(number, last_number), terms.eq(when, last_time))
        parts += [
            terms.or_(same, later),
            terms.ule(when, terms.const(state.timestamp + HORIZON, 256)),
            terms.ule(number, terms.const(state.block_number + HORIZON, 256)),
        ]
        sender = terms.var("sender", 160)
        parts.append(terms.not_(terms.eq(sender, terms.const(int(state.address, 16), 160))))
        parts.append(terms.ult(terms.const(0x1FF, 160), sender))
        parts.append(terms.not_(terms.load(("code",), (sender,), BOOL)))
        parts.append(terms.ule(terms.var("value", 256), self._funds(sender)))
        return terms.and_(*parts)

    @staticmethod
    def _funds(sender: Term) -> Term:
        return terms.load((BALANCE, (160,)), (sender,), 256)

    # One domain

    def _search(self, formula: Term, domain: Domain, count: int, outcome: Outcome) -> None:
        outcome.status, outcome.reason = "unsat", None
        attempt, solver = self._begin(formula, domain, outcome)
        refined = 0
        while len(outcome.models) < count:
            outcome.checks += 1
            verdict = solver.check()
            if verdict == z3.unknown:
                outcome.status, outcome.reason = "unknown", f"Z3 gave up: {solver.reason_unknown()}"
                return
            if verdict == z3.unsat:
                return
            model = attempt.model(solver.model())
            if self.holds(formula, model):
                outcome.models.append(model)
                solver.add(attempt.differs(model))
                continue
            refined += 1
            news = self._learn(formula, model)
            if not news or refined > self.settings.refinements:
                outcome.status = "unknown"
                outcome.reason = "every model that Z3 found is refuted by hashes or storage"
                return
            attempt, solver = self._begin(formula, domain, outcome)

    def _begin(self, formula: Term, domain: Domain, outcome: Outcome) -> tuple[_Attempt, z3.Solver]:
        attempt = _Attempt(self, domain)
        solver = z3.SolverFor("QF_BV")
        solver.set("random_seed", self.settings.seed)
        solver.set("rlimit", self.settings.rlimit)
        solver.add(attempt.translate(formula), *attempt.limits(formula))
        for model in outcome.models:
            solver.add(attempt.differs(model))
        return attempt, solver

    def holds(self, formula: Term, model: Model) -> bool:
        """Whether a model is one in the state itself."""
        return bool(evaluate([formula], model, self.tables.read)[0])

    def _learn(self, formula: Term, model: Model) -> bool:
        """Takes from the state what a model got wrong; whether there was anything."""
        wanted = [t for t in terms.nodes([formula]) if t.op in ("load", "keccak", "keccak_text")]
        roots = [arg for term in wanted for arg in term.args]
        values = iter(evaluate([*roots, *wanted], model, self.tables.read))
        args = [tuple(next(values) for _ in term.args) for term in wanted]
        news = False
        for term, given in zip(wanted, args, strict=True):
            value = next(values)
            if term.op == "load":
                news |= self.tables.learn(term.data, given)
            else:
                fact = term, given[0], value
                if fact not in self._facts:
                    self._facts.append(fact)
                    news = True
        return news

    @property
    def facts(self) -> Sequence[tuple[Term, int, int]]:
        return self._facts


class _Attempt:
    """One translation of a formula, in one domain."""

    def __init__(self, solver: Solver, domain: Domain) -> None:
        self.solver = solver
        self.domain = domain
        self._variables: dict[str, Any] = {}
        self._hashes: dict[int, Any] = {}
        self._limits: list[Any] = []
        self.translate = Translation(self._variable, self._load, self._keccak)

    def _variable(self, name: str, width: int) -> Any:
        if name not in self._variables:
            self._variables[name] = self._made(name, width)
        return self._variables[name]

    def _made(self, name: str, width: int) -> Any:
        if width == BOOL:
            return z3.Bool(name)
        parameter = self.solver.parameters.get(name)
        role = parameter.role if parameter is not None else ""
        state, domain = self.solver.state, self.domain
        if role == "time":
            return self._near(name, state.timestamp, 12, domain.seconds)
        if role == "number":
            return self._near(name, state.block_number, 1, domain.seconds // 12)
        found = z3.BitVec(name, width)
        if role in ("sender", "address") and domain.pool:
            pool = [int(each, 16) for each in state.accounts] + list(FRESH)
            if role == "address":
                pool += [int(state.address, 16), 0]
                pool += [k for k in state.keys if isinstance(k, int) and 0 < k < 1 << 160][:24]
            self._limits.append(z3.Or(*(found == each for each in dict.fromkeys(pool))))
        if role in ("uint", "value", "int") and domain.bits is not None and domain.bits < width:
            small = z3.BitVec(f"{name} low", domain.bits)
            extend = z3.SignExt if role == "int" else z3.ZeroExt
            return extend(width - domain.bits, small)
        return found

    def _near(self, name: str, last: int, usual: int, most: int) -> Any:
        """A time or block number: the usual one after the last or the last itself, or up to ``most`` later."""
        found = z3.BitVec(name, 256)
        if self.domain.bits is not None and most == 0:
            self._limits.append(z3.Or(found == last + usual, found == last))
        elif self.domain.bits is not None:
            low = z3.BitVec(f"{name} low", max(8, most.bit_length()))
            return z3.ZeroExt(256 - low.size(), low) + z3.BitVecVal(last, 256)
        return found

    def _load(self, term: Term, keys: list[Any]) -> Any:
        known = self.solver.tables.entries(term.data)
        if term.width == BOOL:
            found: Any = z3.BoolVal(False)
        else:
            found = z3.BitVecVal(0, term.width)
        for at, value in known.items():
            here = z3.And(*(key == each for key, each in zip(keys, at, strict=True)))
            held = (
                z3.BoolVal(bool(value)) if term.width == BOOL else z3.BitVecVal(value, term.width)
            )
            found = z3.If(here, held, found)
        return found

    def _keccak(self, term: Term) -> Any:
        if term.number not in self._hashes:
            self._hashes[term.number] = z3.BitVec(f"keccak {len(self._hashes)}", 256)
        return self._hashes[term.number]

    def limits(self, formula: Term) -> list[Any]:
        """What holds besides the formula: the domain, and what is known of hashes."""
        known = [
            z3.Implies(self.translate(fact.args[0]) == value, self.translate(fact) == hashed)
            for fact, value, hashed in self.solver.facts
        ]
        hashes = [t for t in terms.nodes([formula]) if t.op == "keccak"]
        for place, a in enumerate(hashes):
            for b in hashes[:place]:
                same = terms.eq(a, b)
                if same is not FALSE and same is not TRUE:
                    alike = self.translate(a) == self.translate(b)
                    known.append(self.translate(same) == alike)
        return [*self._limits, *known]

    def model(self, found: z3.ModelRef) -> Model:
        """Values of the parameters."""
        values: Model = {}
        for name, variable in self._variables.items():
            value = found.eval(variable, model_completion=True)
            values[name] = int(z3.is_true(value)) if z3.is_bool(value) else value.as_long()
        return values

    def differs(self, model: Model) -> Any:
        """That some parameter has another value."""
        parts = []
        for name, value in _main(model).items():
            width = self._width(name)
            held = z3.BoolVal(bool(value)) if width == BOOL else z3.BitVecVal(value, width)
            parts.append(self._variable(name, width) != held)
        return z3.Or(*parts)

    def _width(self, name: str) -> int:
        return self.solver.parameters[name].width


def _main(model: Model) -> Model:
    """The parameters in which calls are to differ."""
    chosen = {n: v for n, v in model.items() if n.startswith("arg") or n in ("sender", "value")}
    return {n: v for n, v in chosen.items() if not n.endswith(".dirty")} or chosen
