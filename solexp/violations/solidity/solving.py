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
from solexp.violations.solidity.z3terms import Translation, fit

Model = dict[str, int]

HORIZON = 40 * 365 * 24 * 3600
"""Seconds after the state within which a call comes."""


MOST_PREFERENCES = 24


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
        self.facts: list[tuple[Term, int, int]] = []

    def solve(self, formula: Term, count: int, wishes: Sequence[Term] = ()) -> Outcome:
        """Distinct models of a formula together with what every call must be like.

        Of the ``wishes`` as many hold as can be, the last ones being given up first.
        """
        outcome = Outcome()
        if formula is FALSE:
            return outcome
        whole = terms.and_(formula, self.background())
        for domain in DOMAINS:
            self._search(whole, domain, count, outcome, wishes)
            if len(outcome.models) >= count:
                break
        if outcome.models:
            outcome.status = "sat"
            outcome.models = self._plain(whole, outcome.models, wishes)
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

    def _search(
        self,
        formula: Term,
        domain: Domain,
        count: int,
        outcome: Outcome,
        wishes: Sequence[Term],
    ) -> None:
        outcome.status, outcome.reason = "unsat", None
        attempt = _Attempt(self, domain, formula, wishes, outcome.models)
        refined = 0
        while len(outcome.models) < count:
            verdict = attempt.check()
            outcome.checks += attempt.checks
            if verdict == z3.unknown:
                outcome.status = "unknown"
                outcome.reason = f"Z3 gave up: {attempt.solver.reason_unknown()}"
                return
            if verdict == z3.unsat:
                return
            model = attempt.model()
            if self.holds(formula, model):
                outcome.models.append(model)
                attempt.avoid(model)
                continue
            refined += 1
            if not self._learn(formula, model) or refined > self.settings.refinements:
                outcome.status = "unknown"
                outcome.reason = "every model that Z3 found is refuted by hashes or storage"
                return
            attempt = _Attempt(self, domain, formula, wishes, outcome.models)

    def _plain(self, formula: Term, models: Sequence[Model], wishes: Sequence[Term]) -> list[Model]:
        """The models with plainer numbers, as far as they stay apart and do no less."""
        found: list[Model] = []
        for model in models:
            granted = evaluate(wishes, model, self.tables.read)
            kept = [wish for wish, holds in zip(wishes, granted, strict=True) if holds]
            plainer = self._plainer(terms.and_(formula, *kept), model)
            apart = all(
                _main(plainer) != _main(each) for each in (*found, *models) if each != model
            )
            found.append(plainer if apart else model)
        return found

    def _plainer(self, formula: Term, model: Model) -> Model:
        others = dict(model)
        for name, value in model.items():
            parameter = self.parameters.get(name)
            if parameter is None or parameter.role not in ("uint", "value", "int"):
                continue
            for plain in _plainer(value, parameter):
                others[name] = plain
                if self.holds(formula, others):
                    break
                others[name] = value
        return others

    def preferences(self) -> list[Term]:
        """What makes a call look like one: amounts that are not zero, accounts that differ, lists with something in."""
        state = self.state
        found = []
        seen = [terms.var("sender", 160)]
        for parameter in self.parameters.values():
            mine = terms.var(parameter.name, parameter.width)
            if not parameter.name.startswith("arg"):
                continue
            if parameter.role in ("uint", "int", "length", "bytes"):
                found.append(terms.not_(terms.eq(mine, terms.const(0, parameter.width))))
            elif parameter.role == "address":
                others = [terms.const(0, 160), terms.const(int(state.address, 16), 160), *seen]
                found += [terms.not_(terms.eq(mine, other)) for other in others]
                seen.append(mine)
        return found[:MOST_PREFERENCES]

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
                if fact not in self.facts:
                    self.facts.append(fact)
                    news = True
        return news


def _plainer(value: int, parameter: Parameter) -> list[int]:
    """Numbers that a reader would rather see, the plainest first."""
    if value >> (parameter.width - 1):
        return []
    least = (0,) if parameter.role == "value" else ()
    plain = [each for each in (*least, 1, 2, 10, 100, 1000) if each < value]
    digits = len(str(value))
    for kept in range(1, 4):
        unit = 10 ** max(0, digits - kept)
        plain += [value // unit * unit, -(-value // unit) * unit]
    return [each for each in dict.fromkeys(plain) if each != value and (each or least)]


class _Attempt:
    """One translation of a formula, in one domain, and Z3's solver of it."""

    def __init__(
        self,
        owner: Solver,
        domain: Domain,
        formula: Term,
        wishes: Sequence[Term],
        avoided: Sequence[Model],
    ) -> None:
        self.owner = owner
        self.domain = domain
        self._variables: dict[str, Any] = {}
        self._hashes: dict[int, Any] = {}
        self._limits: list[Any] = []
        self.translate = Translation(self._variable, self._load, self._keccak)
        self.checks = 0
        self.solver = z3.SolverFor("QF_BV")
        self.solver.set("random_seed", owner.settings.seed)
        self.solver.set("rlimit", owner.settings.rlimit)
        self.solver.add(self.translate(formula))
        self._wishes = [z3.Bool(f"wish {place}") for place in range(len(wishes))]
        for literal, wish in zip(self._wishes, wishes, strict=True):
            self.solver.add(z3.Implies(literal, self.translate(wish)))
        self.solver.add(*self._known([formula, *wishes]), *self._limits)
        for model in avoided:
            self.avoid(model)

    def check(self) -> z3.CheckSatResult:
        """Z3's verdict, wishes given up one after the other where they stand in the way."""
        places = {literal.get_id(): place for place, literal in enumerate(self._wishes)}
        kept = list(self._wishes)
        self.checks = 1
        verdict = self.solver.check()
        if verdict != z3.sat or not kept:
            return verdict
        while True:
            self.checks += 1
            verdict = self.solver.check(*kept)
            if verdict == z3.sat:
                return verdict
            if verdict == z3.unknown:
                return self.solver.check()
            core = [places[each.get_id()] for each in self.solver.unsat_core()]
            last = self._wishes[max(core)].get_id()
            kept = [each for each in kept if each.get_id() != last]

    def avoid(self, model: Model) -> None:
        """Wants another call than this one."""
        self.solver.add(self.differs(model))

    def _variable(self, name: str, width: int) -> Any:
        if name not in self._variables:
            self._variables[name] = self._made(name, width)
        return self._variables[name]

    def _made(self, name: str, width: int) -> Any:
        if width == BOOL:
            return z3.Bool(name)
        parameter = self.owner.parameters.get(name)
        role = parameter.role if parameter is not None else ""
        state, domain = self.owner.state, self.domain
        if role == "time":
            return self._near(name, state.timestamp, 12, domain.seconds)
        if role == "number":
            return self._near(name, state.block_number, 1, domain.seconds // 12)
        if role in ("sender", "address") and domain.pool:
            found = z3.BitVec(name, width)
            pool = [int(each, 16) for each in state.accounts] + list(FRESH)
            if role == "address":
                pool += [int(state.address, 16), 0]
                pool += [k for k in state.keys if isinstance(k, int) and 0 < k < 1 << 160][:24]
            self._limits.append(z3.Or(*(found == each for each in dict.fromkeys(pool))))
            return found
        bits = domain.bits
        if role in ("uint", "value") and bits is not None and bits < width:
            return z3.BitVec(name, bits)
        if role == "int" and bits is not None and bits < width:
            return z3.SignExt(width - bits, z3.BitVec(name, bits))
        return z3.BitVec(name, width)

    def _near(self, name: str, last: int, usual: int, most: int) -> Any:
        """A time or block number: the usual one after the last or the last itself, or up to ``most`` later."""
        if self.domain.bits is None:
            return z3.BitVec(name, 64)
        if most == 0:
            found = z3.BitVec(name, (last + usual).bit_length())
            self._limits.append(z3.Or(found == last + usual, found == last))
            return found
        width = (last + 2 * most).bit_length()
        low = z3.BitVec(f"{name} low", most.bit_length())
        return z3.ZeroExt(width - low.size(), low) + z3.BitVecVal(last, width)

    def _load(self, term: Term, keys: list[Any]) -> Any:
        known = self.owner.tables.entries(term.data)
        width = max([1, *(value.bit_length() for value in known.values())])
        found: Any = z3.BoolVal(False) if term.width == BOOL else z3.BitVecVal(0, width)
        for at, value in known.items():
            fits = all(each.bit_length() <= key.size() for key, each in zip(keys, at, strict=True))
            if fits:
                here = z3.And(*(key == each for key, each in zip(keys, at, strict=True)))
                held = z3.BoolVal(True) if term.width == BOOL else z3.BitVecVal(value, width)
                found = z3.If(here, held, found)
        return found

    def _keccak(self, term: Term) -> Any:
        if term.number not in self._hashes:
            self._hashes[term.number] = z3.BitVec(f"keccak {len(self._hashes)}", 256)
        return self._hashes[term.number]

    def _known(self, roots: Sequence[Term]) -> list[Any]:
        """What is known of hashes."""
        known = []
        for fact, value, hashed in self.owner.facts:
            hashed_input = self.translate.full(fact.args[0])
            known.append(z3.Implies(hashed_input == value, self.translate(fact) == hashed))
        hashes = [t for t in terms.nodes(roots) if t.op == "keccak"]
        for place, a in enumerate(hashes):
            for b in hashes[:place]:
                same = terms.eq(a, b)
                if same is not FALSE and same is not TRUE:
                    alike = self.translate(a) == self.translate(b)
                    known.append(self.translate(same) == alike)
        return known

    def model(self) -> Model:
        """Values of the parameters."""
        found = self.solver.model()
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
            mine = self._variable(name, width)
            if width == BOOL:
                parts.append(mine != z3.BoolVal(bool(value)))
            else:
                parts.append(fit(mine, width) != value)
        return z3.Or(*parts)

    def _width(self, name: str) -> int:
        return self.owner.parameters[name].width


def _main(model: Model) -> Model:
    """The parameters in which calls are to differ."""
    chosen = {n: v for n, v in model.items() if n.startswith("arg") or n in ("sender", "value")}
    return {n: v for n, v in chosen.items() if not n.endswith(".dirty")} or chosen
