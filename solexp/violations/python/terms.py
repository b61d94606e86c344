"""Quantifier-free formulas over booleans, integers and reals: built once each, and simplified while being built.

A term is a `Term` or a plain constant: bool, int or Fraction. Equal terms are the same object within a `Pool`, so
that a contract's symbolic evaluation shares what it has in common, and a condition that cannot hold is seen at once,
which prunes the evaluation. `solexp.violations.python.solving` hands them to Z3; `value_of` evaluates them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import Any, TypeAlias


class Term:
    """A node of a formula. ``lo`` and ``hi`` bound a number, where known; ``index`` orders terms by their birth."""

    __slots__ = ("args", "hi", "index", "leaves", "lo", "negation", "op", "real")

    def __init__(self, op: str, args: tuple[Any, ...], index: int) -> None:
        self.op = op
        self.args = args
        self.index = index
        self.real = False
        self.lo: Number | None = None
        self.hi: Number | None = None
        self.leaves = False
        """Whether this is a choice between constants only."""
        self.negation: Bool | None = None
        """Its opposite, once that was made."""

    def __repr__(self) -> str:
        return f"{self.op}{self.args}"


Bool: TypeAlias = Term | bool
Number: TypeAlias = int | Fraction
Num: TypeAlias = Term | int | Fraction


class TooLarge(Exception):
    """A translation has come to more terms or alternatives than it may."""


class Pool:
    """The terms of one translation. ``groups`` names the choices and how many members each has."""

    def __init__(self) -> None:
        self.known: dict[Any, Term] = {}
        self.groups: dict[str, int] = {}
        self.limit: int | None = None
        """How many terms there may be; one more raises TooLarge."""

    def term(self, op: str, args: tuple[Any, ...]) -> Term:
        key = (op, args)
        found = self.known.get(key)
        if found is None:
            if self.limit is not None and len(self.known) >= self.limit:
                raise TooLarge
            found = Term(op, args, len(self.known))
            self.known[key] = found
        return found


POOL: ContextVar[Pool] = ContextVar("pool")


@contextmanager
def fresh_pool() -> Iterator[Pool]:
    """All terms within belong to one translation."""
    pool = Pool()
    token = POOL.set(pool)
    try:
        yield pool
    finally:
        POOL.reset(token)


def by_birth(term: Term) -> int:
    return term.index


def bool_var(name: str) -> Term:
    return POOL.get().term("bool", (name,))


def int_var(name: str, lo: int | None = None, hi: int | None = None) -> Term:
    """An integer, which the solver keeps within ``lo`` and ``hi``."""
    found = POOL.get().term("int", (name,))
    found.lo, found.hi = lo, hi
    return found


def pick(group: str, size: int, member: int) -> Bool:
    """Whether ``member`` is the one that is chosen of a group of ``size``: exactly one always is."""
    if size == 1:
        return True
    pool = POOL.get()
    pool.groups[group] = size
    return pool.term("pick", (group, member))


def value_of(term: Num | Bool, values: Mapping[Term, Number | bool], known: dict[Term, Any]) -> Any:
    """The value of a term where variables and picks have ``values``; 0 or False where they have none."""
    if not isinstance(term, Term):
        return term
    if term in known:
        return known[term]
    found = _value(term, values, known)
    known[term] = found
    return found


def _value(term: Term, values: Mapping[Term, Number | bool], known: dict[Term, Any]) -> Any:  # noqa: PLR0911, PLR0912
    op, args = term.op, term.args
    if op in ("bool", "pick"):
        return bool(values.get(term, False))
    if op == "int":
        return values.get(term, 0)
    if op == "sum":
        return args[0] + sum(value_of(each, values, known) * factor for each, factor in args[1])
    if op == "and":
        return all(value_of(each, values, known) for each in args)
    if op == "or":
        return any(value_of(each, values, known) for each in args)
    if op in ("ite", "rite"):
        return value_of(args[1] if value_of(args[0], values, known) else args[2], values, known)
    given = [value_of(each, values, known) for each in args]
    match op:
        case "not":
            return not given[0]
        case "le":
            return given[0] <= 0
        case "lt":
            return given[0] < 0
        case "eq":
            return given[0] == 0
        case "mul":
            return given[0] * given[1]
        case "real":
            return Fraction(given[0])
        case "floor":
            return given[0].__floor__()
        case "div":
            return Fraction(given[0]) / given[1] if given[1] else Fraction(0)
        case "idiv":
            return given[0] // given[1] if given[1] else 0
        case "imod":
            return given[0] % given[1] if given[1] else 0
    raise AssertionError(op)
