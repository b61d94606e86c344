"""Functions that make a scalar of another one: int, float, str, round and the like."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from solexp.violations.python import arith, texts
from solexp.violations.python.arithmetic import binary
from solexp.violations.python.comparing import hashable
from solexp.violations.python.evaluation import Evaluation
from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.regex import matches
from solexp.violations.python.rounding import rounded, truncated
from solexp.violations.python.terms import Bool, Num, Term
from solexp.violations.python.values import (
    Opaque,
    SBool,
    SFloat,
    SInt,
    Text,
    Value,
    code,
    floating,
    grid_of,
    int_term,
    integer,
    is_bool,
    is_int,
    is_number,
    is_text,
    listed,
    real_term,
    special,
    text_of,
    type_of,
)


def to_int(ev: Evaluation, value: Value, base: Value) -> Value:  # noqa: PLR0911
    if base is not None:
        return natively(ev, int, value, base)
    if isinstance(value, str) or special(value):
        return natively(ev, int, value)
    if isinstance(value, Text):
        valid, number = texts.number_in(value)
        ev.fail(ValueError, not_(valid))
        return integer(number)
    if isinstance(value, SFloat):
        if value.grid is None:
            return ev.refuse("int of a float that may have been rounded")
        return integer(truncated(value.term))
    if is_number(value):
        return int(value) if isinstance(value, int | float) else integer(int_term(value))
    return ev.fail(TypeError)


def to_float(ev: Evaluation, value: Value) -> Value:
    if isinstance(value, str | int | float):
        return natively(ev, float, value)
    if is_number(value):
        return floating(real_term(value), grid_of(value))
    if isinstance(value, Text):
        return _float_of_text(ev, value)
    return ev.fail(TypeError)


_DECIMAL = r"\s*[+-]?(\d(_?\d)*\.?(\d(_?\d)*)?|\.\d(_?\d)*)([eE][+-]?\d(_?\d)*)?\s*"
_WORDS = {
    r"\s*\+?inf(inity)?\s*": float("inf"),
    r"\s*-inf(inity)?\s*": float("-inf"),
    r"\s*[+-]?nan\s*": float("nan"),
}


def _float_of_text(ev: Evaluation, value: Text) -> Value:
    number = matches(_DECIMAL, value, "fullmatch")
    words: list[tuple[Bool, Value]] = [
        (matches(pattern, value, "fullmatch", re.IGNORECASE), said)
        for pattern, said in _WORDS.items()
    ]
    word = or_(*(guard for guard, _ in words))
    ev.fail(ValueError, and_(not_(number), not_(word)))
    whole, term = texts.number_in(value)
    ev.beyond("a float written with a point or an exponent", and_(number, not_(whole)))
    return ev.join([*words, (not_(word), floating(arith.to_real(term), None))])


def to_str(ev: Evaluation, value: Value) -> Value:
    if is_text(value):
        return value
    if value is None or isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, SBool):
        return ev.join([(value.term, "True"), (not_(value.term), "False")])
    if isinstance(value, SInt):
        return text_of(_digits(ev, value.term, signed=True))
    if isinstance(value, SFloat):
        return _written_float(ev, value)
    return ev.refuse(f"str of a {type_of(value).__name__}")


_DIGITS = 7


def _digits(ev: Evaluation, term: Num, *, signed: bool) -> list[tuple[Any, Any]]:
    """The decimal digits of an int, as characters that are there or not."""
    negative = arith.less(term, 0)
    size = arith.if_(negative, arith.scale(-1, term), term)
    ev.beyond("an int too long to be written", arith.at_most(10**_DIGITS, size))
    found: list[tuple[Any, Any]] = [(and_(negative, signed), "-")]
    for place in reversed(range(_DIGITS)):
        guard = arith.at_most(10**place, size) if place else True
        code = arith.add(arith.modulo(arith.floor_div(size, 10**place), 10), 48)
        found.append((guard, code if isinstance(code, Term) else chr(int(code))))
    return found


def _written_float(ev: Evaluation, value: SFloat) -> Value:
    if value.grid is None or value.grid > 3:
        return ev.refuse("str of a float that may have been rounded")
    eighths = arith.floor(arith.scale(Fraction(8), value.term))
    negative = arith.less(eighths, 0)
    size = arith.if_(negative, arith.scale(-1, eighths), eighths)
    whole, rest = arith.floor_div(size, 8), arith.modulo(size, 8)
    digits = _digits(ev, whole, signed=False)
    rows = []
    for n in range(8):
        tail = str(n / 8)[1:]
        chars = [(negative, "-"), *digits[1:], *((True, char) for char in tail)]
        rows.append((arith.equal(rest, n), text_of(chars)))
    return ev.join(rows)


def to_ord(ev: Evaluation, value: Value) -> Value:
    if not is_text(value):
        return ev.fail(TypeError)
    if isinstance(value, str):
        return natively(ev, ord, value)
    if len(value.items) != 1 or value.items[0][0] is not True:
        return ev.refuse("ord of a string of unknown length")
    return integer(code(value.items[0][1]))


def to_chr(ev: Evaluation, value: Value) -> Value:
    if not is_int(value) and not is_bool(value):
        return ev.fail(TypeError)
    return (
        natively(ev, chr, value) if isinstance(value, int) else ev.refuse("chr of an unknown int")
    )


def to_hash(ev: Evaluation, value: Value) -> Value:
    hashable(ev, value)
    return Opaque("a hash")


def natively(ev: Evaluation, function: Callable[..., Any], *given: Any) -> Value:
    if not all(each is None or isinstance(each, bool | int | float | str) for each in given):
        return ev.refuse(f"{function.__name__} of such a value")
    try:
        return function(*given)
    except (ArithmeticError, TypeError, ValueError) as error:
        return ev.fail(type(error))


def to_round(ev: Evaluation, value: Value, digits: Value) -> Value:
    if digits is None:
        return rounded(ev, value)
    if is_number(value) and type_of(value) is not float and isinstance(digits, int) and digits >= 0:
        return integer(int_term(value))
    if is_number(value):
        return natively(ev, round, value, digits)
    return ev.fail(TypeError)


def to_divmod(ev: Evaluation, a: Value, b: Value) -> Value:
    if not (is_number(a) and is_number(b)):
        return ev.fail(TypeError)
    return listed([binary(ev, ast.FloorDiv(), a, b), binary(ev, ast.Mod(), a, b)], "tuple")


def to_pow(ev: Evaluation, a: Value, b: Value, modulus: Value) -> Value:
    if modulus is not None:
        return ev.refuse("pow with a modulus")
    return binary(ev, ast.Pow(), a, b)
