"""Operators of elementary types, each with the condition under which Solidity 0.8's checked arithmetic lets it pass."""

from __future__ import annotations

from solexp.violations.solidity import terms
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.terms import TRUE, Term
from solexp.violations.solidity.types import Type


def add(a: Term, b: Term, *, signed: bool) -> tuple[Term, Term]:
    found = terms.add(a, b)
    if signed:
        wide = terms.add(terms.sext(a, a.width + 1), terms.sext(b, a.width + 1))
        return found, terms.eq(wide, terms.sext(found, a.width + 1))
    if b.constant:
        return found, terms.ule(a, terms.const(-1 - b.value, a.width))
    if a.constant:
        return found, terms.ule(b, terms.const(-1 - a.value, a.width))
    return found, terms.ule(a, found)


def sub(a: Term, b: Term, *, signed: bool) -> tuple[Term, Term]:
    found = terms.sub(a, b)
    if signed:
        wide = terms.sub(terms.sext(a, a.width + 1), terms.sext(b, a.width + 1))
        return found, terms.eq(wide, terms.sext(found, a.width + 1))
    return found, terms.ule(b, a)


def mul(a: Term, b: Term, *, signed: bool) -> tuple[Term, Term]:
    found = terms.mul(a, b)
    return found, terms.not_(terms.overflows(a, b, signed=signed))


def div(a: Term, b: Term, *, signed: bool) -> tuple[Term, Term]:
    """The divisor's being zero apart."""
    if not signed:
        return terms.udiv(a, b), TRUE
    least = terms.eq(a, terms.const(1 << (a.width - 1), a.width))
    wraps = terms.and_(least, terms.eq(b, terms.const(-1, b.width)))
    return terms.sdiv(a, b), terms.not_(wraps)


def mod(a: Term, b: Term, *, signed: bool) -> Term:
    return terms.srem(a, b) if signed else terms.urem(a, b)


def power(base: Term, exponent: Term, *, signed: bool) -> tuple[Term, Term]:
    """``base ** exponent``, one of which must be constant."""
    width = base.width
    if exponent.constant:
        if exponent.value > width and not base.constant:
            raise Unsupported("a power with a large exponent")
        return _constant_power(base, exponent.value, signed=signed)
    if not base.constant:
        raise Unsupported("a power with neither base nor exponent constant")
    number = terms.as_signed(base.value, width) if signed else base.value
    found, fits = terms.const(0, width), terms.FALSE
    if number in (0, 1, -1):
        odd = terms.eq(terms.extract(exponent, 0, 1), terms.const(1, 1))
        zero = terms.eq(exponent, terms.const(0, exponent.width))
        rest = base if number >= 0 else terms.ite(odd, base, terms.const(1, width))
        return terms.ite(zero, terms.const(1, width), rest), TRUE
    # Beyond these exponents an even base gives zero; an odd one wraps to anything.
    if number % 2:
        raise Unsupported("a power of an odd base to a symbolic exponent")
    low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
    for place in reversed(range(width)):
        value = number**place
        here = terms.eq(exponent, terms.const(place, exponent.width))
        if value % (1 << width) or place == 0:
            found = terms.ite(here, terms.const(value, width), found)
        if low <= value < high:
            fits = terms.or_(fits, here)
    return found, fits


def _constant_power(base: Term, exponent: int, *, signed: bool) -> tuple[Term, Term]:
    width = base.width
    if base.constant:
        number = terms.as_signed(base.value, width) if signed else base.value
        found = pow(base.value, exponent, 1 << width)
        if abs(number) > 1 and exponent > width:
            return terms.const(found, width), terms.FALSE
        exact = number**exponent
        low, high = (-(1 << (width - 1)), 1 << (width - 1)) if signed else (0, 1 << width)
        return terms.const(found, width), terms.truth(low <= exact < high)
    # Square and multiply; what a checked power tells by bounds is told by the products.
    result, fits = terms.const(1, width), TRUE
    for _ in range(exponent):
        result, ok = mul(result, base, signed=signed)
        fits = terms.and_(fits, ok)
    return result, fits


def shift(operator: str, a: Term, b: Term, *, signed: bool, rounds_to_zero: bool) -> Term:
    """``<<`` and ``>>``; ``b`` is unsigned. Before 0.5 a negative number shifted right rounds towards zero."""
    width = a.width
    if b.width > width:
        large = terms.not_(terms.ult(b, terms.const(width, b.width)))
        amount = terms.ite(large, terms.const(width, width), terms.extract(b, 0, width))
        if width < 8 and (1 << width) <= width:
            raise Unsupported("a shift of a narrow value")
    else:
        amount = terms.zext(b, width)
    if operator == "<<":
        return terms.shl(a, amount)
    if not signed:
        return terms.lshr(a, amount)
    if rounds_to_zero:
        if not amount.constant:
            raise Unsupported("a negative number shifted right by a symbolic amount before 0.5")
        if amount.value >= width - 1:
            raise Unsupported("a shift right by nearly the width before 0.5")
        return terms.sdiv(a, terms.const(1 << amount.value, width))
    return terms.ashr(a, amount)


def compare(operator: str, a: Term, b: Term, *, signed: bool) -> Term:
    less, at_most = (terms.slt, terms.sle) if signed else (terms.ult, terms.ule)
    match operator:
        case "==":
            return terms.eq(a, b)
        case "!=":
            return terms.not_(terms.eq(a, b))
        case "<":
            return less(a, b)
        case "<=":
            return at_most(a, b)
        case ">":
            return less(b, a)
        case ">=":
            return at_most(b, a)
    raise Unsupported(f"the operator {operator}")


def convert(term: Term, source: Type, target: Type) -> Term:
    """A value of one elementary type as another, cut or widened as an explicit conversion does."""
    if target.kind == "bool" or source.kind == "bool":
        if source.kind != target.kind:
            raise Unsupported(f"a conversion from {source.kind} to {target.kind}")
        return term
    width = target.bits
    if source.kind == target.kind == "fixed_bytes":
        if width <= term.width:
            return terms.extract(term, term.width - width, width)
        return terms.concat(term, terms.const(0, width - term.width))
    return terms.resized(term, width, sign=source.signed)
