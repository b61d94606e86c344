"""One question to Z3: a formula in one domain of its parameters, with what is known of storage and hashes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import z3

from solexp.evm.words import keccak
from solexp.violations.solidity import terms
from solexp.violations.solidity.queries import Settings
from solexp.violations.solidity.recording import Parameter
from solexp.violations.solidity.state import State
from solexp.violations.solidity.tables import FRESH, Tables
from solexp.violations.solidity.terms import BOOL, FALSE, TRUE, Term
from solexp.violations.solidity.z3terms import Translation, fit

Model = dict[str, int]
Fact = tuple[Term, tuple[int, ...], int]
"""A hash, what is hashed, and what comes of it."""

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


MOST_CHECKS = 16
"""Of one formula, while wishes are given up."""


class Known:
    """What attempts share: the parameters, the state, and what was learnt of it and of hashes."""

    def __init__(
        self,
        parameters: Mapping[str, Parameter],
        state: State,
        tables: Tables,
        texts: Sequence[bytes],
    ) -> None:
        self.ctx = z3.Context()
        """Z3's answers depend on what else it has been told in one context: so each situation has its own."""
        self.parameters = parameters
        self.state = state
        self.tables = tables
        self.texts = texts
        """Byte strings of which hashes may have been taken."""
        self.facts: list[Fact] = []
        self.both_ways: list[Fact] = []
        """Hashes that come of this alone."""
        self._vocabularies: dict[str, Vocabulary] = {}

    def vocabulary(self, domain: Domain) -> Vocabulary:
        """The terms translated so far."""
        found = self._vocabularies.get(domain.name)
        if found is None or found.version != self.tables.version:
            found = self._vocabularies[domain.name] = Vocabulary(self, domain)
        return found


class Vocabulary:
    """Terms in Z3's language in one domain; good for any number of formulas, as long as the tables stay as they are."""

    def __init__(self, known: Known, domain: Domain) -> None:
        self.known = known
        self.ctx = known.ctx
        self.domain = domain
        self.version = known.tables.version
        self.variables: dict[str, Any] = {}
        self.hashes: dict[int, Any] = {}
        self.limits: list[Any] = []
        """What the domain allows."""
        self.translate = Translation(self.variable, self._load, self._keccak, self.ctx)

    def variable(self, name: str, width: int) -> Any:
        if name not in self.variables:
            self.variables[name] = self._made(name, width)
        return self.variables[name]

    def _made(self, name: str, width: int) -> Any:  # noqa: PLR0911
        if width == BOOL:
            return z3.Bool(name, self.ctx)
        parameter = self.known.parameters.get(name)
        role = parameter.role if parameter is not None else ""
        state, domain = self.known.state, self.domain
        if role == "time":
            return self._near(name, state.timestamp, 12, domain.seconds)
        if role == "number":
            return self._near(name, state.block_number, 1, domain.seconds // 12)
        if role in ("sender", "address") and domain.pool:
            found = z3.BitVec(name, width, self.ctx)
            pool = [int(each, 16) for each in state.accounts] + list(FRESH)
            if role == "address":
                pool += [int(state.address, 16), 0]
                pool += [k for k in state.keys if isinstance(k, int) and 0 < k < 1 << 160][:24]
            self.limits.append(z3.Or(*(found == each for each in dict.fromkeys(pool))))
            return found
        bits = domain.bits
        if role in ("uint", "value") and bits is not None and bits < width:
            return z3.BitVec(name, bits, self.ctx)
        if role == "int" and bits is not None and bits < width:
            return z3.SignExt(width - bits, z3.BitVec(name, bits, self.ctx))
        return z3.BitVec(name, width, self.ctx)

    def _near(self, name: str, last: int, usual: int, most: int) -> Any:
        """A time or block number: the usual one after the last or the last itself, or up to ``most`` later."""
        if self.domain.bits is None:
            return z3.BitVec(name, 64, self.ctx)
        if most == 0:
            found = z3.BitVec(name, (last + usual).bit_length(), self.ctx)
            self.limits.append(z3.Or(found == last + usual, found == last))
            return found
        width = (last + 2 * most).bit_length()
        low = z3.BitVec(f"{name} low", most.bit_length(), self.ctx)
        return z3.ZeroExt(width - low.size(), low) + z3.BitVecVal(last, width, self.ctx)

    def _load(self, term: Term, keys: list[Any]) -> Any:
        known = self.known.tables.entries(term.data)
        width = max([1, *(value.bit_length() for value in known.values())])
        ctx = self.ctx
        found: Any = z3.BoolVal(False, ctx) if term.width == BOOL else z3.BitVecVal(0, width, ctx)
        for at, value in known.items():
            fits = all(each.bit_length() <= key.size() for key, each in zip(keys, at, strict=True))
            if fits:
                here = z3.And(*(key == each for key, each in zip(keys, at, strict=True)), ctx)
                held = (
                    z3.BoolVal(True, ctx) if term.width == BOOL else z3.BitVecVal(value, width, ctx)
                )
                found = z3.If(here, held, found)
        return found

    def _keccak(self, term: Term) -> Any:
        if term.number not in self.hashes:
            self.hashes[term.number] = z3.BitVec(f"keccak {len(self.hashes)}", 256, self.ctx)
        return self.hashes[term.number]


class Attempt:
    """Z3's solver of one formula in one domain."""

    def __init__(  # noqa: PLR0917
        self,
        known: Known,
        domain: Domain,
        settings: Settings,
        formula: Term,
        wishes: Sequence[Term],
        avoided: Sequence[Model],
    ) -> None:
        self.known = known
        self.vocabulary = known.vocabulary(domain)
        self.translate = self.vocabulary.translate
        self.checks = 0
        self._found: z3.ModelRef | None = None
        self.solver = z3.SolverFor("QF_BV", ctx=known.ctx)
        self.solver.set("random_seed", settings.seed)
        self.solver.set("rlimit", settings.rlimit)
        self.solver.add(self.translate(formula))
        self._wishes = [z3.Bool(f"wish {place}", known.ctx) for place in range(len(wishes))]
        for literal, wish in zip(self._wishes, wishes, strict=True):
            self.solver.add(z3.Implies(literal, self.translate(wish)))
        self._hashes = [
            t for t in terms.nodes([formula, *wishes]) if t.op in ("keccak", "keccak_text")
        ]
        self.solver.add(*self._hash_facts())
        self.learn(known.facts)
        self.solver.add(*self.vocabulary.limits)
        for model in avoided:
            self.avoid(model)

    def check(self) -> z3.CheckSatResult:
        """Z3's verdict, wishes given up one after the other where they stand in the way."""
        places = {literal.get_id(): place for place, literal in enumerate(self._wishes)}
        kept = list(self._wishes)
        self.checks = 1
        verdict = self.solver.check()
        if verdict != z3.sat:
            return verdict
        self._found = self.solver.model()
        while kept and self.checks < MOST_CHECKS:
            self.checks += 1
            granted = self.solver.check(*kept)
            if granted == z3.sat:
                self._found = self.solver.model()
            if granted != z3.unsat:
                break
            core = [places[each.get_id()] for each in self.solver.unsat_core()]
            last = self._wishes[max(core)].get_id()
            kept = [each for each in kept if each.get_id() != last]
        return verdict

    def avoid(self, model: Model) -> None:
        """Wants another call than this one."""
        self.solver.add(self.differs(model))

    def learn(self, facts: Sequence[Fact]) -> None:
        """Adds hashes of single values."""
        numbers = {term.number for term in self._hashes}
        for term, given, hashed in facts:
            if term.number not in numbers:
                continue
            self.solver.add(z3.Implies(self._is(term, given), self._hashes_to(term, hashed)))

    def _is(self, term: Term, given: Sequence[int]) -> Any:
        """That what is hashed has these values."""
        pairs = zip(term.args, given, strict=True)
        return z3.And(*(self.translate.full(arg) == value for arg, value in pairs), self.known.ctx)

    def _hashes_to(self, term: Term, hashed: int) -> Any:
        return self.translate.full(term) == hashed

    def _hash_facts(self) -> list[Any]:
        """What is known of hashes: of the texts in play both ways, since there are no collisions."""
        found = []
        for term in self._hashes:
            for text in self.known.texts:
                given = _as_hashed(term, text)
                if given is not None:
                    same = self._hashes_to(term, keccak(text))
                    found.append(self._is(term, given) == same)
        numbers = {term.number for term in self._hashes}
        for term, inner, hashed in self.known.both_ways:
            if term.number in numbers:
                found.append(self._is(term, inner) == self._hashes_to(term, hashed))
        fixed = [term for term in self._hashes if term.op == "keccak"]
        for place, a in enumerate(fixed):
            for b in fixed[:place]:
                alike = terms.eq(a, b)
                if alike is not FALSE and alike is not TRUE:
                    same = self.translate(a) == self.translate(b)
                    found.append(self.translate(alike) == same)
        return found

    def model(self) -> Model:
        """Values of the parameters, after a check that was sat."""
        assert self._found is not None
        found = self._found
        values: Model = {}
        for name, variable in self.vocabulary.variables.items():
            value = found.eval(variable, model_completion=True)
            values[name] = int(z3.is_true(value)) if z3.is_bool(value) else value.as_long()
        return values

    def differs(self, model: Model) -> Any:
        """That some parameter has another value."""
        parts = []
        for name, value in main_parameters(model).items():
            width = self._width(name)
            mine = self.vocabulary.variable(name, width)
            if width == BOOL:
                parts.append(mine != z3.BoolVal(bool(value), self.known.ctx))
            else:
                parts.append(fit(mine, width) != value)
        return z3.Or(*parts, self.known.ctx)

    def _width(self, name: str) -> int:
        return self.known.parameters[name].width


def _as_hashed(term: Term, text: bytes) -> tuple[int, ...] | None:
    """The arguments with which a term hashes a text; None where it cannot."""
    width = term.args[0].width
    if term.op == "keccak":
        return (int.from_bytes(text, "big"),) if width == 8 * len(text) else None
    if width < 8 * len(text):
        return None
    return int.from_bytes(text.ljust(width // 8, b"\0"), "big"), len(text)


def main_parameters(model: Model) -> Model:
    """The parameters in which calls are to differ."""
    chosen = {n: v for n, v in model.items() if n.startswith("arg") or n in ("sender", "value")}
    return {n: v for n, v in chosen.items() if not n.endswith(".dirty")} or chosen
