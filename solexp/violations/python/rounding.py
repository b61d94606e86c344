"""Operators and functions of one number: signs, absolute values, rounding, square roots."""

from __future__ import annotations

import ast
from fractions import Fraction

from solexp.violations.python import arith
from solexp.violations.python.evaluation import Evaluation
from solexp.violations.python.logic import and_, not_
from solexp.violations.python.merging import lifted
from solexp.violations.python.terms import Num
from solexp.violations.python.values import (
    SBool,
    SFloat,
    SInt,
    Value,
    boolean,
    floating,
    int_term,
    integer,
    is_number,
    type_of,
)


def unary(ev: Evaluation, op: ast.unaryop, a: Value) -> Value:
    """``op a``."""
    if isinstance(op, ast.Not):
        return boolean(not_(ev.truth(a)))
    return ev.lift(lambda x: _unary(ev, op, x), a)


def _unary(ev: Evaluation, op: ast.unaryop, a: Value) -> Value:
    if not is_number(a):
        return ev.fail(TypeError)
    if isinstance(op, ast.Invert):
        if type_of(a) is float:
            return ev.fail(TypeError)
        return integer(arith.subtract(-1, int_term(a)))
    if isinstance(a, float) and not isinstance(a, bool):
        return -a if isinstance(op, ast.USub) else +a
    factor = -1 if isinstance(op, ast.USub) else 1
    if isinstance(a, SFloat):
        return floating(arith.scale(factor, a.term), a.grid)
    return integer(arith.scale(factor, int_term(a)))


def absolute(ev: Evaluation, a: Value) -> Value:
    """``abs(a)``."""
    if not is_number(a):
        return ev.fail(TypeError)
    if isinstance(a, bool | int | float):
        return abs(a)
    if isinstance(a, SFloat):
        return floating(magnitude(a.term), a.grid)
    return integer(magnitude(int_term(a)))


def magnitude(term: Num) -> Num:
    """The absolute value of a number."""
    return arith.if_(arith.less(term, 0), arith.scale(-1, term), term)


def truncated(term: Num) -> Num:
    """A real, rounded towards 0."""
    negative = arith.less(term, 0)
    return arith.if_(
        negative, arith.scale(-1, arith.floor(arith.scale(-1, term))), arith.floor(term)
    )


def rounded(ev: Evaluation, a: Value) -> Value:
    """``round(a)``: to the nearest int, halves to the even one."""
    if not is_number(a):
        return ev.fail(TypeError)
    if isinstance(a, SInt | SBool):
        return integer(int_term(a))
    if isinstance(a, bool | int | float):
        try:
            return lifted(round(a))
        except (ValueError, OverflowError) as error:
            return ev.fail(type(error))
    if a.grid is None:
        return ev.refuse("round of a float that may have been rounded")
    half = arith.add(a.term, Fraction(1, 2))
    up = arith.floor(half)
    tie = arith.equal(arith.to_real(up), half)
    odd = arith.equal(arith.modulo(up, 2), 1)
    return integer(arith.if_(and_(tie, odd), arith.subtract(up, 1), up))


def square_root_floor(ev: Evaluation, term: Num, *, highest: int) -> Num:
    """The integer square root of an integer that is not negative, up to ``highest``."""
    ev.beyond("a square root too large", arith.less((highest + 1) ** 2 - 1, term))
    roots = [arith.if_(arith.at_most(n * n, term), 1, 0) for n in range(1, highest + 1)]
    return arith.add(0, *roots)
