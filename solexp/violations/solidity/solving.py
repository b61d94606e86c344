"""Calls that violate exactly the chosen guards, found by Z3 and confirmed by evaluating them in the state.

A query is a boolean term over the call's parameters. Storage is read by tables of the keys in play, and a hash is a
variable about which single facts are learnt; a model is therefore evaluated in the state itself, and where the two
differ, what differs is added and asked again. What is sat is so confirmed; what is unsat is so for the keys in play.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import z3

from solexp.violations.solidity import terms
from solexp.violations.solidity.attempts import (
    DOMAINS,
    HORIZON,
    Attempt,
    Domain,
    Known,
    Model,
    main_parameters,
)
from solexp.violations.solidity.climbing import climb
from solexp.violations.solidity.evaluation import evaluate
from solexp.violations.solidity.queries import Settings
from solexp.violations.solidity.recording import Parameter
from solexp.violations.solidity.storage import BALANCE
from solexp.violations.solidity.terms import BOOL, FALSE, Term

MOST_PREFERENCES = 24
MOST_HASHES = 4
HASHES_EACH = 144


class Outcome:
    """What became of a formula."""

    def __init__(self) -> None:
        self.models: list[Model] = []
        self.status = "unsat"
        self.reason: str | None = None
        self.checks = 0


class Solver:
    """Finds models of formulas over one function's parameters in one state."""

    def __init__(self, known: Known, settings: Settings) -> None:
        self.known = known
        self.parameters = known.parameters
        self.state = known.state
        self.settings = settings
        self.tables = known.tables

    def solve(
        self,
        formula: Term,
        count: int,
        wishes: Sequence[Term] = (),
        domains: Sequence[Domain] = DOMAINS,
    ) -> Outcome:
        """Distinct models of a formula together with what every call must be like.

        Of the ``wishes`` as many hold as can be, the last ones being given up first.
        """
        outcome = Outcome()
        if formula is FALSE:
            return outcome
        whole = terms.and_(formula, self.background())
        self._hash_keys(whole)
        for domain in domains:
            self._search(whole, domain, count, outcome, wishes)
            # What Z3 cannot tell of small amounts, it cannot of large ones.
            if len(outcome.models) >= count or outcome.status == "unknown":
                break
        if outcome.status == "unknown" and not outcome.models:
            found = climb(self.known, whole, outcome.models, self.settings.seed)
            outcome.models += [found] if found is not None else []
        if outcome.models:
            outcome.status = "sat"
            outcome.models = self._plain(whole, outcome.models, wishes)
        return outcome

    def _hash_keys(self, formula: Term) -> None:
        """Hashes of what is in play, which may be keys of mappings: ``bids[keccak256(abi.encode(msg.sender, id))]``."""
        hashes = [t for t in terms.nodes([formula]) if t.op == "keccak"]
        found: list[int] = []
        for term in hashes[:MOST_HASHES]:
            names = [(str(t.data), t.width) for t in terms.nodes([term]) if t.op == "var"]
            if not 0 < len(names) <= 3:
                continue
            most = max(2, int(HASHES_EACH ** (1 / len(names))))
            pools = [self.tables.pool(width)[:most] for _, width in names]
            for values in product(*pools):
                model = dict(zip((name for name, _ in names), values, strict=True))
                given, hashed = evaluate([term.args[0], term], model, self.tables.read)
                found.append(hashed)
                fact = term, (given,), hashed
                if fact not in self.known.both_ways:
                    self.known.both_ways.append(fact)
        self.tables.add_words(found)

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
        attempt = Attempt(self.known, domain, self.settings, formula, wishes, outcome.models)
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
            facts = len(self.known.facts)
            stored = self._learn(formula, model)
            if refined > self.settings.refinements or (
                not stored and len(self.known.facts) == facts
            ):
                outcome.status = "unknown"
                outcome.reason = "every model that Z3 found is refuted by hashes or storage"
                return
            if stored:
                attempt = Attempt(
                    self.known, domain, self.settings, formula, wishes, outcome.models
                )
            else:
                attempt.learn(self.known.facts[facts:])

    def _plain(self, formula: Term, models: Sequence[Model], wishes: Sequence[Term]) -> list[Model]:
        """The models with plainer numbers, as far as they stay apart and do no less."""
        found: list[Model] = []
        for model in models:
            granted = evaluate(wishes, model, self.tables.read)
            kept = [wish for wish, holds in zip(wishes, granted, strict=True) if holds]
            plainer = self._plainer(terms.and_(formula, *kept), model)
            apart = all(
                main_parameters(plainer) != main_parameters(each)
                for each in (*found, *models)
                if each != model
            )
            found.append(plainer if apart else model)
        return found

    def _plainer(self, formula: Term, model: Model) -> Model:
        others = dict(model)
        for name, value in model.items():
            parameter = self.parameters.get(name)
            if parameter is None or parameter.role not in ("uint", "value", "int"):
                continue
            for plain in _rounded(value, parameter):
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
        """Takes from the state what a model got wrong, of storage and of hashes; whether there was any of storage."""
        wanted = [t for t in terms.nodes([formula]) if t.op in ("load", "keccak", "keccak_text")]
        roots = [arg for term in wanted for arg in term.args]
        values = iter(evaluate([*roots, *wanted], model, self.tables.read))
        args = [tuple(next(values) for _ in term.args) for term in wanted]
        news = False
        for term, given in zip(wanted, args, strict=True):
            value = next(values)
            if term.op == "load":
                news |= self.tables.learn(term.data, given)
            elif (term, given, value) not in self.known.facts:
                self.known.facts.append((term, given, value))
        return news


def _rounded(value: int, parameter: Parameter) -> list[int]:
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
