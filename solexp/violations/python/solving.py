"""Z3 behind one small door: formulas are added, and checked under assumptions within a budget.

Z3's C interface is used without its Python classes, which cost more than the solving here. Budgets are Z3's resource
units (``rlimit``): the same queries use the same number of them on any machine, under any load.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Any

import msgspec
import z3
from z3 import z3core as c

from solexp.violations.python.terms import Bool, Num, Number, Pool, Term


class Reply(StrEnum):
    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"
    BUDGET = "budget"


class Answer(msgspec.Struct, frozen=True):
    """What Z3 says of a query."""

    reply: Reply
    core: tuple[int, ...] = ()
    """Places of assumptions that cannot hold together, where the reply is ``unsat``."""
    reason: str = ""


class Solver:
    """Formulas of one pool of terms. Holds a Z3 context of its own, whose memory ends with it."""

    def __init__(self, pool: Pool, *, budget: int, backstop_s: float, seed: int = 0) -> None:
        self._pool = pool
        self._context = z3.Context()
        self._ref = self._context.ref()
        self._solver = z3.SimpleSolver(ctx=self._context)
        self._solver.set("random_seed", seed)
        self._solver.set("timeout", int(backstop_s * 1000))
        self._solver.set("rlimit", budget)
        self._known: dict[Term, Any] = {}
        self._assumed: dict[Term, Any] = {}
        self._groups: dict[str, list[Any]] = {}
        self._sorts = {
            "bool": c.Z3_mk_bool_sort(self._ref),
            "int": c.Z3_mk_int_sort(self._ref),
            "real": c.Z3_mk_real_sort(self._ref),
        }
        self._constants: dict[Any, Any] = {}
        self.queries = 0
        self.cpu_s = 0.0
        self.last_s = 0.0
        """CPU time of the last query."""

    @property
    def used(self) -> int:
        """Resource units used so far."""
        for name, value in self._solver.statistics():
            if name == "rlimit count":
                return int(value)
        return 0

    def add(self, formula: Bool) -> None:
        self._assert(self._ast(formula))

    def check(self, assumptions: Sequence[Bool]) -> Answer:
        """Whether the formulas and all assumptions can hold together."""
        started = time.process_time()
        if any(each is False for each in assumptions):
            return Answer(
                Reply.UNSAT, tuple(n for n, each in enumerate(assumptions) if each is False)[:1]
            )
        names = [self._literal(each) for each in assumptions if isinstance(each, Term)]
        places = [n for n, each in enumerate(assumptions) if isinstance(each, Term)]
        given = (c.Ast * len(names))(*names)
        reply = c.Z3_solver_check_assumptions(self._ref, self._solver.solver, len(names), given)
        self.queries += 1
        found = self._answer(reply, names, places)
        self.last_s = time.process_time() - started
        self.cpu_s += self.last_s
        return found

    def _answer(self, reply: int, names: list[Any], places: list[int]) -> Answer:
        if reply == 1:
            return Answer(Reply.SAT)
        if reply == -1:
            by_name = {
                _id(self._ref, name): place for name, place in zip(names, places, strict=True)
            }
            core = [by_name[each.get_id()] for each in self._solver.unsat_core()]
            return Answer(Reply.UNSAT, tuple(sorted(core)))
        reason = self._solver.reason_unknown()
        spent = reason in ("canceled", "max. resource limit exceeded", "timeout")
        return Answer(Reply.BUDGET if spent else Reply.UNKNOWN, reason=reason)

    def values(self, variables: Iterable[Term]) -> dict[Term, Number | bool]:
        """What the last model gives to variables and picks; what no formula mentions is left out."""
        model = self._solver.model()
        found: dict[Term, Number | bool] = {}
        for term in variables:
            if term not in self._known:
                continue
            value = model.eval(_wrapped(self._known[term], self._context), model_completion=True)
            if z3.is_int_value(value):
                found[term] = value.as_long()
            else:
                found[term] = bool(z3.is_true(value))
        return found

    def member(self, group: str) -> int | None:
        """Which one of a group of picks the last model chooses; None where no formula mentions the group."""
        chain = self._groups.get(group)
        if chain is None:
            return None
        model = self._solver.model()
        for place, each in enumerate(chain):
            if z3.is_true(model.eval(_wrapped(each, self._context))):
                return place
        return len(chain)

    def value(self, variable: Term) -> Number | bool | None:
        """What the last model gives to a variable; None where no formula mentions it."""
        return self.values([variable]).get(variable)

    # What follows turns terms into Z3's.

    def _assert(self, ast: Any) -> None:
        c.Z3_solver_assert(self._ref, self._solver.solver, ast)

    def _literal(self, term: Term) -> Any:
        known = self._assumed.get(term)
        if known is None:
            ast = self._ast(term)
            if term.op == "bool":
                known = ast
            else:
                known = self._variable(f"assume!{len(self._assumed)}", "bool")
                self._assert(self._kept(c.Z3_mk_implies(self._ref, known, ast)))
            self._assumed[term] = known
        return known

    def _kept(self, ast: Any) -> Any:
        c.Z3_inc_ref(self._ref, ast)
        return ast

    def _variable(self, name: str, sort: str) -> Any:
        symbol = c.Z3_mk_string_symbol(self._ref, name)
        return self._kept(c.Z3_mk_const(self._ref, symbol, self._sorts[sort]))

    def _constant(self, value: Number | bool) -> Any:
        key = (type(value), value)
        known = self._constants.get(key)
        if known is None:
            if isinstance(value, bool):
                made = (c.Z3_mk_true if value else c.Z3_mk_false)(self._ref)
            else:
                sort = "real" if isinstance(value, Fraction) else "int"
                made = c.Z3_mk_numeral(self._ref, str(value), self._sorts[sort])
            known = self._constants[key] = self._kept(made)
        return known

    def _ast(self, term: Bool | Num) -> Any:
        """Z3's term. Goes through the parts without recursion, which long conjunctions would exhaust."""
        if not isinstance(term, Term):
            return self._constant(term)
        known = self._known
        todo = [term]
        while todo:
            last = todo[-1]
            if last in known:
                todo.pop()
                continue
            missing = [each for each in _parts(last) if each not in known]
            if missing:
                todo += missing
                continue
            known[last] = self._kept(self._made(last))
            todo.pop()
        return known[term]

    def _of(self, part: Bool | Num) -> Any:
        return self._known[part] if isinstance(part, Term) else self._constant(part)

    def _made(self, term: Term) -> Any:  # noqa: PLR0911, PLR0912
        ref, op, args = self._ref, term.op, term.args
        match op:
            case "bool":
                return self._variable(args[0], "bool")
            case "pick":
                return self._pick(*args)
            case "int":
                return self._integer(term)
            case "not":
                return c.Z3_mk_not(ref, self._of(args[0]))
            case "and":
                return c.Z3_mk_and(ref, len(args), self._array(args))
            case "or":
                return c.Z3_mk_or(ref, len(args), self._array(args))
            case "ite" | "rite":
                return c.Z3_mk_ite(ref, *(self._of(each) for each in args))
            case "sum":
                return self._sum(term)
            case "mul":
                return c.Z3_mk_mul(ref, 2, self._array(args))
            case "real":
                return c.Z3_mk_int2real(ref, self._of(args[0]))
            case "floor":
                return c.Z3_mk_real2int(ref, self._of(args[0]))
            case "div" | "idiv":
                return c.Z3_mk_div(ref, self._of(args[0]), self._of(args[1]))
            case "imod":
                return c.Z3_mk_mod(ref, self._of(args[0]), self._of(args[1]))
        zero = self._constant(Fraction(0) if args[0].real else 0)
        make = {"le": c.Z3_mk_le, "lt": c.Z3_mk_lt, "eq": c.Z3_mk_eq}[op]
        return make(ref, self._of(args[0]), zero)

    def _array(self, parts: Sequence[Bool | Num]) -> Any:
        return (c.Ast * len(parts))(*(self._of(each) for each in parts))

    def _sum(self, term: Term) -> Any:
        constant, parts = term.args
        real = term.real
        addends = []
        for part, factor in parts:
            ast = self._of(part)
            if factor != 1:
                by = self._constant(Fraction(factor) if real else factor)
                ast = self._kept(c.Z3_mk_mul(self._ref, 2, (c.Ast * 2)(by, ast)))
            addends.append(ast)
        if constant:
            addends.append(self._constant(Fraction(constant) if real else constant))
        return c.Z3_mk_add(self._ref, len(addends), (c.Ast * len(addends))(*addends))

    def _integer(self, term: Term) -> Any:
        made = self._variable(term.args[0], "int")
        if term.lo is not None:
            self._assert(self._kept(c.Z3_mk_ge(self._ref, made, self._constant(term.lo))))
        if term.hi is not None:
            self._assert(self._kept(c.Z3_mk_le(self._ref, made, self._constant(term.hi))))
        return made

    def _pick(self, group: str, member: int) -> Any:
        """One of a chain: the first of the group's booleans that holds, or the last member where none does."""
        chain = self._groups.get(group)
        if chain is None:
            size = self._pool.groups[group]
            chain = [self._variable(f"{group}!{n}", "bool") for n in range(size - 1)]
            self._groups[group] = chain
        parts = [self._kept(c.Z3_mk_not(self._ref, each)) for each in chain[:member]]
        parts += chain[member : member + 1]
        if len(parts) == 1:
            return parts[0]
        return c.Z3_mk_and(self._ref, len(parts), (c.Ast * len(parts))(*parts))


def _parts(term: Term) -> list[Term]:
    if term.op == "sum":
        return [each for each, _ in term.args[1]]
    return [each for each in term.args if isinstance(each, Term)]


def _id(ref: Any, ast: Any) -> int:
    return int(c.Z3_get_ast_id(ref, ast))


def _wrapped(ast: Any, context: Any) -> Any:
    return z3.z3._to_expr_ref(ast, context)
