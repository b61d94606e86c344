"""Operators: numbers as Python computes with them, and what + * | & - do to strings and containers."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from solexp.violations.python import arith
from solexp.violations.python.comparing import contains_item
from solexp.violations.python.evaluation import Evaluation
from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.terms import Num, Term
from solexp.violations.python.values import (
    NOTHING,
    Bag,
    Seq,
    Table,
    Value,
    bool_term,
    boolean,
    characters,
    code,
    floating,
    grid_of,
    int_term,
    integer,
    is_bool,
    is_number,
    is_text,
    real_term,
    sequence,
    special,
    text_of,
    type_of,
)

_NATIVE: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
    ast.LShift: operator.lshift, ast.RShift: operator.rshift,
}  # fmt: skip
_TERMS: dict[type[ast.operator], Callable[[Num, Num], Num]] = {
    ast.Add: arith.add, ast.Sub: arith.subtract, ast.Mult: arith.multiply,
}  # fmt: skip
SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<",
    ast.RShift: ">>", ast.MatMult: "@",
}  # fmt: skip

_MAX_POWER = 64
_MAX_LENGTH = 20_000


def binary(ev: Evaluation, op: ast.operator, a: Value, b: Value) -> Value:
    """``a op b``."""
    return ev.lift(lambda x, y: _binary(ev, type(op), x, y), a, b)


def _binary(ev: Evaluation, op: type[ast.operator], a: Value, b: Value) -> Value:  # noqa: PLR0911
    if is_number(a) and is_number(b):
        if _native(a) and _native(b):
            return _natively(ev, op, a, b)
        return _numbers(ev, op, a, b)
    if op is ast.Add:
        return _joined(ev, a, b)
    if op is ast.Mult:
        for one, other in ((a, b), (b, a)):
            if is_text(one) or (isinstance(one, Seq) and one.kind in ("list", "tuple")):
                return repeated(ev, one, other)
    if op is ast.Mod and is_text(a):
        return formatted(ev, a, b)
    if op in (ast.BitAnd, ast.BitOr, ast.Sub, ast.BitXor):
        if isinstance(a, Bag) and isinstance(b, Bag):
            return set_operation(ev, op, a, b)
        if any(
            isinstance(each, Seq) and each.kind in ("dict_keys", "dict_items") for each in (a, b)
        ):
            return ev.refuse(f"{SIGNS[op]} on a dict's views")
    if op is ast.BitOr and (isinstance(a, type) or isinstance(b, type)):
        return ev.refuse("| between types")
    if op is ast.BitOr and hasattr(a, "values") and hasattr(b, "values"):
        return ev.refuse("| between dicts")
    return ev.fail(TypeError)


def formatted(ev: Evaluation, a: Value, b: Value) -> Value:
    """``a % b`` of a string, of which only the failure of those without a ``%`` is expressed."""
    marked = or_(*(and_(guard, arith.equal(code(char), ord("%"))) for guard, char in characters(a)))
    ev.beyond("a string that is formatted by %", marked)
    # A tuple may be empty, and lists and dicts are taken as mappings.
    if isinstance(b, Seq | Table):
        return ev.beyond("a string that is formatted by %")
    ev.fail(TypeError, not_(marked))
    return NOTHING


def _native(value: Value) -> bool:
    return isinstance(value, bool | int | float)


def _natively(ev: Evaluation, op: type[ast.operator], a: Any, b: Any) -> Value:
    if op not in _NATIVE:
        return ev.fail(TypeError)
    if op in (ast.Pow, ast.LShift) and max(abs(a), abs(b)) > 10**6 and not isinstance(a, float):
        return ev.beyond("a power too large")
    try:
        found = _NATIVE[op](a, b)
    except (ArithmeticError, TypeError, ValueError) as error:
        return ev.fail(type(error))
    return found if isinstance(found, bool | int | float) else ev.refuse("complex numbers")


def _numbers(ev: Evaluation, op: type[ast.operator], a: Value, b: Value) -> Value:  # noqa: PLR0911
    if op in (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift):
        return _bits(ev, op, a, b)
    if op is ast.MatMult:
        return ev.fail(TypeError)
    if special(a) or special(b):
        return _with_special(ev, op, a, b)
    if op is ast.Pow:
        return _power(ev, a, b)
    if op is ast.Div:
        return _divided(ev, a, b)
    floats = type_of(a) is float or type_of(b) is float
    if op in (ast.FloorDiv, ast.Mod):
        return _floored_floats(ev, op, a, b) if floats else _floored(ev, op, a, b)
    if not floats:
        x, y = int_term(a), int_term(b)
        return integer(_TERMS[op](x, y))
    x, y = real_term(a), real_term(b)
    one, other = grid_of(a), grid_of(b)
    grid = None
    if one is not None and other is not None:
        grid = one + other if op is ast.Mult else max(one, other)
    return floating(_TERMS[op](x, y), grid)


def _with_special(ev: Evaluation, op: type[ast.operator], a: Value, b: Value) -> Value:
    """With an infinity or nan on one side and an unknown finite number on the other: only its sign matters."""
    unknown = b if special(a) else a
    term = real_term(unknown)
    signs = [(arith.less(term, 0), -1.5), (arith.equal(term, 0), 0.0), (arith.less(0, term), 1.5)]
    if op in (ast.Pow, ast.Mod, ast.FloorDiv):
        return ev.refuse(f"{SIGNS[op]} of an infinity")
    found = []
    for guard, example in signs:
        with ev.under(guard) as possible:
            if possible:
                pair = (a, example) if special(a) else (example, b)
                found.append((guard, _natively(ev, op, *pair)))
    return ev.join(found)


def _divided(ev: Evaluation, a: Value, b: Value) -> Value:
    x, y = real_term(a), real_term(b)
    zero = arith.equal(y, 0)
    ev.fail(ZeroDivisionError, zero)
    if zero is True:
        return ev.fail(ZeroDivisionError)
    grid = None
    if not isinstance(y, Term) and grid_of(a) is not None:
        numerator = abs(Fraction(y).numerator)
        if numerator & (numerator - 1) == 0:
            grid = (grid_of(a) or 0) + numerator.bit_length() - 1
    return floating(arith.quotient(x, y), grid)


def _floored(ev: Evaluation, op: type[ast.operator], a: Value, b: Value) -> Value:
    """// and % of ints: rounded down, the remainder with the divisor's sign."""
    x, y = int_term(a), int_term(b)
    zero = arith.equal(y, 0)
    ev.fail(ZeroDivisionError, zero)
    if zero is True:
        return ev.fail(ZeroDivisionError)
    positive = arith.less(0, y)
    minus_x, minus_y = arith.scale(-1, x), arith.scale(-1, y)
    if op is ast.FloorDiv:
        up = arith.floor_div(x, y) if positive is not False else 0
        down = arith.floor_div(minus_x, minus_y) if positive is not True else 0
        return integer(arith.if_(positive, up, down))
    up = arith.modulo(x, y) if positive is not False else 0
    down = arith.scale(-1, arith.modulo(minus_x, minus_y)) if positive is not True else 0
    return integer(arith.if_(positive, up, down))


def _floored_floats(ev: Evaluation, op: type[ast.operator], a: Value, b: Value) -> Value:
    x, y = real_term(a), real_term(b)
    zero = arith.equal(y, 0)
    ev.fail(ZeroDivisionError, zero)
    if zero is True:
        return ev.fail(ZeroDivisionError)
    grids = (grid_of(a), grid_of(b))
    if None in grids:
        return ev.refuse(f"{SIGNS[op]} of a float that may have been rounded")
    whole = arith.to_real(arith.floor(arith.quotient(x, y)))
    if op is ast.FloorDiv:
        return floating(whole, 0)
    return floating(arith.subtract(x, arith.multiply(y, whole)), max(g or 0 for g in grids))


def _power(ev: Evaluation, a: Value, b: Value) -> Value:  # noqa: PLR0911
    if not _native(b):
        low, high = arith.span(int_term(b)) if type_of(b) is not float else (None, None)
        if low is None or high is None or high - low > 12:
            return ev.refuse("** with an unknown exponent")
        exponents = range(int(low), int(high) + 1)
        term = int_term(b)
        return ev.join(
            [(arith.equal(term, each), _guarded_power(ev, term, a, each)) for each in exponents]
        )
    if b == 0.5:
        return ev.refuse("a square root outside int()")
    if isinstance(b, float) and not b.is_integer():
        return ev.refuse("** with a broken exponent")
    exponent = int(b)
    if abs(exponent) > _MAX_POWER:
        return ev.beyond("a power too large")
    floats = type_of(a) is float or isinstance(b, float) or exponent < 0
    if exponent < 0:
        return (
            _divided(ev, 1, _power(ev, a, -exponent))
            if type_of(a) is not float
            else ev.refuse("a negative power of a float")
        )
    if not floats:
        found: Num = 1
        for _ in range(exponent):
            found = arith.multiply(found, int_term(a))
        return integer(found)
    product: Value = 1.0
    for _ in range(exponent):
        product = _numbers(ev, ast.Mult, product, a)
    return product


def _guarded_power(ev: Evaluation, term: Num, a: Value, exponent: int) -> Value:
    with ev.under(arith.equal(term, exponent)) as possible:
        if not possible:
            return ev.join([])
        if _native(a):
            return _natively(ev, ast.Pow, a, exponent)
        return _power(ev, a, exponent)


def _bits(ev: Evaluation, op: type[ast.operator], a: Value, b: Value) -> Value:
    if type_of(a) is float or type_of(b) is float:
        return ev.fail(TypeError)
    if is_bool(a) and is_bool(b) and op not in (ast.LShift, ast.RShift):
        x, y = bool_term(a), bool_term(b)
        both, either = and_(x, y), or_(x, y)
        return boolean(
            {ast.BitAnd: both, ast.BitOr: either, ast.BitXor: and_(either, not_(both))}[op]
        )
    if isinstance(b, int):
        if op is ast.RShift and 0 <= b < 64:
            return integer(arith.if_(True, _shift_right(int_term(a), b), 0))
        if op is ast.LShift and 0 <= b < 64:
            return integer(arith.scale(2**b, int_term(a)))
        if op is ast.BitAnd and b >= 0 and (b & (b + 1)) == 0:
            return integer(arith.modulo(int_term(a), b + 1))
    return ev.refuse(f"{SIGNS[op]} of unknown ints")


def _shift_right(term: Num, by: int) -> Num:
    return arith.floor_div(term, 2**by)


def _joined(ev: Evaluation, a: Value, b: Value) -> Value:
    """``+`` of strings, lists and tuples."""
    if is_text(a) and is_text(b):
        return text_of((*characters(a), *characters(b)))
    if isinstance(a, Seq) and isinstance(b, Seq) and a.kind == b.kind in ("list", "tuple"):
        return sequence(a.kind, (*a.items, *b.items))
    return ev.fail(TypeError)


def repeated(ev: Evaluation, value: Value, times: Value) -> Value:
    """``value * times`` of a string, list or tuple."""
    if type_of(times) not in (int, bool):
        return ev.fail(TypeError)
    items = value.items if isinstance(value, Seq) else characters(value)

    def copies(n: int) -> Value:
        if len(items) * n > _MAX_LENGTH:
            return ev.beyond("a repetition too long")
        many = items * max(n, 0)
        return sequence(value.kind, many) if isinstance(value, Seq) else text_of(many)

    if isinstance(times, int):
        return copies(times)
    return each_integer(ev, int_term(times), copies, low=0, what="a repetition too long")


def each_integer(
    ev: Evaluation,
    term: Num,
    found: Callable[[int], Value],
    *,
    low: int | None,
    what: str,
) -> Value:
    """``found`` of each value that an unknown integer can have, values up to ``low`` being alike.

    As many as the limits allow; the rest lies beyond the bounds.
    """
    if not isinstance(term, Term):
        return found(int(term))
    least, most = arith.span(term)
    start = low if least is None or (low is not None and least < low) else int(least)
    if start is None:
        start = -ev.limits.steps
        ev.beyond(what, arith.less(term, start))
    end = start + ev.limits.steps
    if most is not None and most <= end:
        end = int(most)
    else:
        ev.beyond(what, arith.less(end, term))
    rows = []
    for n in range(start, end + 1):
        here = arith.at_most(term, n) if n == low and n == start else arith.equal(term, n)
        with ev.under(here) as possible:
            if possible:
                rows.append((here, found(n)))
    return ev.join(rows)


def set_operation(ev: Evaluation, op: type[ast.operator], a: Bag, b: Bag) -> Bag:
    """``| & - ^`` of sets."""
    from_a = [(guard, value, contains_item(ev, b.items, value)) for guard, value in a.items]
    if op is ast.BitAnd:
        return Bag(a.kind, [(and_(guard, there), value) for guard, value, there in from_a])
    if op is ast.Sub:
        return Bag(a.kind, [(and_(guard, not_(there)), value) for guard, value, there in from_a])
    new = [(and_(g, not_(contains_item(ev, a.items, value))), value) for g, value in b.items]
    if op is ast.BitOr:
        return Bag(a.kind, (*a.items, *new))
    return Bag(a.kind, [*((and_(g, not_(there)), value) for g, value, there in from_a), *new])
