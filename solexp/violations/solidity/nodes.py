"""Bit-vector terms: immutable, shared, simplified as they are built.

A term of width 0 is a boolean. Arithmetic is the EVM's: modulo 2^width, and division by zero gives zero. ``load`` reads
a place of storage before the call, ``keccak`` hashes the bytes of its argument, most significant first.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from weakref import WeakValueDictionary

BOOL = 0


class Term:
    """A node; equal terms are one object."""

    __slots__ = ("__weakref__", "args", "data", "number", "op", "width")

    op: str
    args: tuple[Term, ...]
    width: int
    data: Hashable
    """What is no term: the value of a constant, the name of a variable, the place that is read, the low bit of an
    extract."""
    number: int
    """Order of making."""

    def __repr__(self) -> str:
        return show(self)

    @property
    def value(self) -> int:
        """Of a constant; 0 or 1 for booleans."""
        assert isinstance(self.data, int)
        return self.data

    @property
    def constant(self) -> bool:
        return self.op == "const"


_known: WeakValueDictionary[tuple[object, ...], Term] = WeakValueDictionary()
_count = 0
_kept: list[Term] | None = None
_lasting: list[Term] = []


@contextmanager
def keeping() -> Iterator[None]:
    """Knows none of the terms that were made before, and keeps all that are made.

    Their order then hangs neither on what the process did earlier, nor on when unused ones are collected. Terms from
    within are not for use behind it, nor those from before within.
    """
    global _kept, _known, _count  # noqa: PLW0603
    if _kept is not None:
        yield
        return
    before = _known, _count
    _known = WeakValueDictionary((_key(term), term) for term in _lasting)
    _count = max(term.number for term in _lasting)
    _kept = []
    try:
        yield
    finally:
        (_known, _count), _kept = before, None


def lasting(term: Term) -> Term:
    """A term that a module holds: known everywhere."""
    _lasting.append(term)
    return term


def _key(term: Term) -> tuple[object, ...]:
    return (term.op, term.width, term.data, *(arg.number for arg in term.args))


def make(op: str, args: tuple[Term, ...], width: int, data: Hashable = None) -> Term:
    """The one node of these parts, not simplified."""
    global _count  # noqa: PLW0603  (numbers only order terms)
    key = (op, width, data, *(arg.number for arg in args))
    found = _known.get(key)
    if found is None:
        found = Term()
        found.op, found.args, found.width, found.data = op, args, width, data
        _count += 1
        found.number = _count
        _known[key] = found
        if _kept is not None:
            _kept.append(found)
    return found


def const(value: int, width: int) -> Term:
    """A number, reduced to the width."""
    return make("const", (), width, value & ((1 << width) - 1))


TRUE = lasting(make("const", (), BOOL, 1))
FALSE = lasting(make("const", (), BOOL, 0))


def truth(value: bool) -> Term:
    return TRUE if value else FALSE


def var(name: str, width: int) -> Term:
    return make("var", (), width, name)


def load(place: Hashable, keys: tuple[Term, ...], width: int) -> Term:
    """What storage holds at a place before the call."""
    return make("load", keys, width, place)


def as_signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


# Booleans


def not_(a: Term) -> Term:
    if a.constant:
        return truth(not a.value)
    if a.op == "not":
        return a.args[0]
    return make("not", (a,), BOOL)


def and_(*terms: Term) -> Term:
    parts: dict[int, Term] = {}
    for term in terms:
        for part in term.args if term.op == "and" else (term,):
            if part.constant:
                if not part.value:
                    return FALSE
                continue
            if not_(part).number in parts:
                return FALSE
            parts[part.number] = part
    # What is known to hold simplifies a disjunction that is also to hold.
    for part in tuple(parts.values()):
        if part.op == "not" and part.args[0].op == "and":
            left = [each for each in part.args[0].args if each.number not in parts]
            if len(left) < len(part.args[0].args):
                del parts[part.number]
                return and_(*parts.values(), not_(and_(*left)))
    if not parts:
        return TRUE
    if len(parts) == 1:
        return next(iter(parts.values()))
    return make("and", tuple(parts[number] for number in sorted(parts)), BOOL)


def or_(*terms: Term) -> Term:
    if len(terms) == 2:
        a, b = ({p.number: p for p in (t.args if t.op == "and" else (t,))} for t in terms)
        # (p and c) or (p and not c) is p: where branches meet again.
        only_a, only_b = a.keys() - b.keys(), b.keys() - a.keys()
        if len(only_a) == len(only_b) == 1:
            left, right = a[min(only_a)], b[min(only_b)]
            if left is not_(right):
                return and_(*(a[number] for number in a.keys() & b.keys()))
        if not only_a:
            return terms[0]
        if not only_b:
            return terms[1]
    return not_(and_(*map(not_, terms)))


def implies(a: Term, b: Term) -> Term:
    return or_(not_(a), b)


def ite(c: Term, a: Term, b: Term) -> Term:  # noqa: PLR0911
    if c.constant:
        return a if c.value else b
    if a is b:
        return a
    if c.op == "not":
        return ite(c.args[0], b, a)
    if a.width == BOOL:
        if a.constant:
            return or_(c, b) if a.value else and_(not_(c), b)
        if b.constant:
            return or_(not_(c), a) if b.value else and_(c, a)
    if a.op == "ite" and a.args[0] is c:
        return ite(c, a.args[1], b)
    if b.op == "ite" and b.args[0] is c:
        return ite(c, a, b.args[2])
    return make("ite", (c, a, b), a.width)


# Comparisons


def eq(a: Term, b: Term) -> Term:  # noqa: PLR0911, PLR0912
    assert a.width == b.width, (a.width, b.width)
    if a is b:
        return TRUE
    for quotient, factor in ((a, b), (b, a)):
        # c = a * b; c / a == b: how libraries ask whether a product fits.
        if quotient.op == "udiv" and quotient.args[0].op == "mul":
            divisor = quotient.args[1]
            if quotient.args[0].args in ((divisor, factor), (factor, divisor)):
                zero = const(0, a.width)
                fits = not_(overflows(divisor, factor, signed=False))
                return ite(eq(divisor, zero), eq(factor, zero), fits)
    if a.constant and b.constant:
        return FALSE
    if a.constant:
        a, b = b, a
    if a.width == BOOL:
        if b.constant:
            return a if b.value else not_(a)
        if a is not_(b):
            return FALSE
    elif b.constant:
        found = _eq_constant(a, b.value)
        if found is not None:
            return found
    elif a.op == b.op == "keccak":
        # Keccak-256 is taken to have no collisions.
        return eq(a.args[0], b.args[0]) if a.args[0].width == b.args[0].width else FALSE
    elif a.op == b.op == "zext" and a.args[0].width == b.args[0].width:
        return eq(a.args[0], b.args[0])
    if not b.constant and a.number > b.number:
        a, b = b, a
    return make("eq", (a, b), BOOL)


def _eq_constant(a: Term, value: int) -> Term | None:
    if a.op == "zext":
        inner = a.args[0].width
        return FALSE if value >> inner else eq(a.args[0], const(value, inner))
    if a.op == "ite":
        yes, no = a.args[1], a.args[2]
        if yes.constant or no.constant:
            wanted = const(value, a.width)
            return ite(a.args[0], eq(yes, wanted), eq(no, wanted))
    if a.op == "concat":
        high, low = a.args
        return and_(
            eq(high, const(value >> low.width, high.width)), eq(low, const(value, low.width))
        )
    return None


def ult(a: Term, b: Term) -> Term:  # noqa: PLR0911
    if a.constant and b.constant:
        return truth(a.value < b.value)
    if a is b or (b.constant and b.value == 0) or (a.constant and a.value == (1 << a.width) - 1):
        return FALSE
    if a.op == "zext" and b.constant and b.value >> a.args[0].width:
        return TRUE
    if b.op == "zext" and a.constant and a.value >> b.args[0].width:
        return FALSE
    if a.op == b.op == "zext" and a.args[0].width == b.args[0].width:
        return ult(a.args[0], b.args[0])
    if b.constant and b.value == 1:
        return eq(a, const(0, a.width))
    if a.constant and a.value == 0:
        return not_(eq(b, a))
    return make("ult", (a, b), BOOL)


def ule(a: Term, b: Term) -> Term:
    return not_(ult(b, a))


def slt(a: Term, b: Term) -> Term:
    if a.constant and b.constant:
        return truth(as_signed(a.value, a.width) < as_signed(b.value, b.width))
    if a is b:
        return FALSE
    return make("slt", (a, b), BOOL)


def sle(a: Term, b: Term) -> Term:
    return not_(slt(b, a))


def overflows(a: Term, b: Term, *, signed: bool) -> Term:
    """Whether a product does not fit."""
    if a.constant:
        a, b = b, a
    if b.constant:
        if b.value in (0, 1):
            return FALSE
        if not signed:
            return ult(const(((1 << a.width) - 1) // b.value, a.width), a)
        if a.constant:
            return truth(product_overflows(a.value, b.value, a.width, signed=True))
    return make("smulo" if signed else "umulo", (a, b), BOOL)


def product_overflows(a: int, b: int, width: int, *, signed: bool) -> bool:
    if not signed:
        return a * b >> width != 0
    product = as_signed(a, width) * as_signed(b, width)
    return not -(1 << (width - 1)) <= product < 1 << (width - 1)


# Walking


def nodes(roots: Iterable[Term]) -> Iterator[Term]:
    """Every node below the roots once, arguments before what they are arguments of."""
    seen: set[int] = set()
    stack = [(root, False) for root in roots]
    while stack:
        term, ready = stack.pop()
        if ready:
            yield term
        elif term.number not in seen:
            seen.add(term.number)
            stack.append((term, True))
            stack.extend((arg, False) for arg in term.args)


def show(term: Term, depth: int = 6) -> str:
    """For a reader, cut off below ``depth``."""
    if term.constant:
        return str(bool(term.value)).lower() if term.width == BOOL else str(term.value)
    if term.op == "var":
        return str(term.data)
    if depth == 0:
        return "…"
    inner = ", ".join(show(arg, depth - 1) for arg in term.args)
    extra = f"{term.data}; " if term.data is not None else ""
    return f"{term.op}({extra}{inner})"
