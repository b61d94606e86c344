"""Integers and reals over terms, and comparisons between them, simplified while they are built."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from solexp.violations.python.logic import choose, not_
from solexp.violations.python.terms import POOL, Bool, Num, Number, Term, by_birth


def is_real(a: Num) -> bool:
    return a.real if isinstance(a, Term) else isinstance(a, Fraction)


def span(a: Num) -> tuple[Number | None, Number | None]:
    """What bounds a number from below and above, where known."""
    return (a.lo, a.hi) if isinstance(a, Term) else (a, a)


def _parts(a: Num) -> tuple[Number, tuple[tuple[Term, Number], ...]]:
    if not isinstance(a, Term):
        return a, ()
    return a.args if a.op == "sum" else (0, ((a, 1),))


def _sum(constant: Number, parts: Iterable[tuple[Term, Number]], real: bool) -> Num:
    coefficients: dict[Term, Number] = {}
    for term, factor in parts:
        coefficients[term] = coefficients.get(term, 0) + factor
    kept = tuple(sorted(((t, f) for t, f in coefficients.items() if f), key=lambda e: e[0].index))
    if not kept:
        return Fraction(constant) if real else constant
    if constant == 0 and len(kept) == 1 and kept[0][1] == 1:
        return kept[0][0]
    found = POOL.get().term("sum", (constant, kept))
    if not found.real and found.lo is None and found.hi is None:
        found.real = real
        low: Number | None = constant
        high: Number | None = constant
        for term, factor in kept:
            a, b = (term.lo, term.hi) if factor > 0 else (term.hi, term.lo)
            low = None if low is None or a is None else low + a * factor
            high = None if high is None or b is None else high + b * factor
        found.lo, found.hi = low, high
    return found


def add(*numbers: Num) -> Num:
    constant: Number = 0
    parts: list[tuple[Term, Number]] = []
    for number in numbers:
        own, terms = _parts(number)
        constant += own
        parts += terms
    return _sum(constant, parts, any(is_real(number) for number in numbers))


def scale(factor: Number, a: Num) -> Num:
    a = to_real(a) if isinstance(factor, Fraction) else a
    constant, terms = _parts(a)
    real = is_real(a)
    return _sum(constant * factor, [(term, each * factor) for term, each in terms], real)


def subtract(a: Num, b: Num) -> Num:
    return add(a, scale(-1, b))


def multiply(a: Num, b: Num) -> Num:
    if not isinstance(a, Term):
        return scale(a, b)
    if not isinstance(b, Term):
        return scale(b, a)
    for one, other in ((a, b), (b, a)):
        if one.op in ("ite", "rite") and one.leaves:
            condition, yes, no = one.args
            return if_(condition, multiply(yes, other), multiply(no, other))
    for one, other in ((a, b), (b, a)):
        if (few := _few(one)) is not None:
            # Few enough values to tell apart: products of unknowns are what is hard for a solver.
            found: Num = scale(few[-1], other)
            for value in reversed(few[:-1]):
                found = if_(equal(one, value), scale(value, other), found)
            return found
    real = a.real or b.real
    a, b = (to_real(a), to_real(b)) if real else (a, b)
    assert isinstance(a, Term)
    assert isinstance(b, Term)
    product = POOL.get().term("mul", tuple(sorted((a, b), key=by_birth)))
    product.real = real
    ends = [x * y for x in span(a) for y in span(b) if x is not None and y is not None]
    if len(ends) == 4:
        product.lo, product.hi = min(ends), max(ends)
    if a is b:
        product.lo = max(0, product.lo) if product.lo is not None else 0
    return product


def _few(a: Term) -> list[int] | None:
    """The values of an integer that has few."""
    if a.real or a.lo is None or a.hi is None or a.hi - a.lo > 9:
        return None
    return list(range(int(a.lo), int(a.hi) + 1))


def to_real(a: Num) -> Num:
    if not isinstance(a, Term):
        return Fraction(a)
    if a.real:
        return a
    if a.op == "sum":
        constant, terms = a.args
        return _sum(Fraction(constant), [(_real(term), factor) for term, factor in terms], True)
    return _real(a)


def _real(a: Term) -> Term:
    if a.op in ("ite", "rite"):
        found = if_(a.args[0], to_real(a.args[1]), to_real(a.args[2]))
        assert isinstance(found, Term)
        return found
    found = POOL.get().term("real", (a,))
    found.real, found.lo, found.hi = True, a.lo, a.hi
    return found


def floor(a: Num) -> Num:
    """The greatest integer that is not above a real."""
    if not isinstance(a, Term):
        return a.__floor__()
    if not a.real:
        return a
    if a.op == "real":
        return a.args[0]  # type: ignore[no-any-return]
    found = POOL.get().term("floor", (a,))
    found.lo = None if a.lo is None else a.lo.__floor__()
    found.hi = None if a.hi is None else a.hi.__floor__()
    return found


def quotient(a: Num, b: Num) -> Num:
    """A real divided by a real that is not 0."""
    a, b = to_real(a), to_real(b)
    if not isinstance(b, Term):
        return scale(Fraction(1) / b, a)
    found = POOL.get().term("div", (a, b))
    found.real = True
    return found


def floor_div(a: Num, b: Num) -> Num:
    """Of integers, ``b`` positive."""
    if not isinstance(a, Term) and not isinstance(b, Term):
        return a // b
    if b == 1:
        return a
    found = POOL.get().term("idiv", (a, b))
    low, high = span(a)
    if not isinstance(b, Term):
        found.lo = None if low is None else low // b
        found.hi = None if high is None else high // b
    return found


def modulo(a: Num, b: Num) -> Num:
    """Of integers, ``b`` positive: from 0 to ``b`` − 1."""
    if not isinstance(a, Term) and not isinstance(b, Term):
        return a % b
    if b == 1:
        return 0
    found = POOL.get().term("imod", (a, b))
    high = span(b)[1]
    found.lo, found.hi = 0, None if high is None else high - 1
    return found


def if_(condition: Bool, a: Num, b: Num) -> Num:
    """``a`` where the condition holds, else ``b``: numbers of one sort."""
    if isinstance(condition, bool):
        return a if condition else b
    if is_real(a) != is_real(b):
        a, b = to_real(a), to_real(b)
    if a is b or (not isinstance(a, Term) and not isinstance(b, Term) and a == b):
        return a
    if condition.op == "not":
        return if_(condition.args[0], b, a)
    found = POOL.get().term("rite" if is_real(a) else "ite", (condition, a, b))
    found.real = is_real(a)
    (a_low, a_high), (b_low, b_high) = span(a), span(b)
    found.lo = None if a_low is None or b_low is None else min(a_low, b_low)
    found.hi = None if a_high is None or b_high is None else max(a_high, b_high)
    found.leaves = _constant(a) and _constant(b)
    return found


def _constant(a: Num) -> bool:
    return a.leaves if isinstance(a, Term) else True


def at_most(a: Num, b: Num) -> Bool:
    """``a <= b``."""
    return _compared(subtract(a, b), "le")


def less(a: Num, b: Num) -> Bool:
    """``a < b``."""
    difference = subtract(a, b)
    if not is_real(difference):
        return _compared(add(difference, 1), "le")
    return _compared(difference, "lt")


def equal(a: Num, b: Num) -> Bool:
    return _compared(subtract(a, b), "eq")


def _compared(a: Num, op: str) -> Bool:  # noqa: PLR0911  (every way out is a simplification)
    """``a <= 0``, ``a < 0`` or ``a == 0``, written so that a comparison and its opposite share one atom."""
    if not isinstance(a, Term):
        return {"le": a <= 0, "lt": a < 0, "eq": a == 0}[op]
    low, high = a.lo, a.hi
    if op == "eq":
        if (low is not None and low > 0) or (high is not None and high < 0):
            return False
    else:
        if high is not None and (high < 0 or (high == 0 and op == "le")):
            return True
        if low is not None and (low > 0 or (low == 0 and op == "lt")):
            return False
    constant, terms = _parts(a)
    if len(terms) == 1 and terms[0][0].leaves:
        term, factor = terms[0]
        condition, yes, no = term.args
        first, second = (add(constant, scale(factor, each)) for each in (yes, no))
        return choose(condition, _compared(first, op), _compared(second, op))
    if terms[0][1] < 0:
        if op == "eq":
            a = scale(-1, a)
        elif not a.real:
            return not_(_compared(add(scale(-1, a), 1), "le"))
        else:
            return not_(_compared(scale(-1, a), "lt" if op == "le" else "le"))
    return POOL.get().term(op, (a,))
