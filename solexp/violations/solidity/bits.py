"""Arithmetic and widths of bit-vector terms."""

from __future__ import annotations

from collections.abc import Callable

from solexp.evm.words import keccak as hashed
from solexp.violations.solidity.nodes import Term, as_signed, const, ite, make

# Arithmetic


def _binary(op: str, a: Term, b: Term) -> Term:
    assert a.width == b.width, (op, a.width, b.width)
    if a.constant and b.constant:
        return const(ARITHMETIC[op](a.value, b.value, a.width), a.width)
    return make(op, (a, b), a.width)


def add(a: Term, b: Term) -> Term:
    if a.constant:
        a, b = b, a
    if b.constant:
        if b.value == 0:
            return a
        if a.op == "add" and a.args[1].constant:
            return add(a.args[0], add(a.args[1], b))
    return _binary("add", a, b)


def sub(a: Term, b: Term) -> Term:
    if a is b:
        return const(0, a.width)
    if b.constant:
        return add(a, const(-b.value, b.width))
    return _binary("sub", a, b)


def mul(a: Term, b: Term) -> Term:
    if a.constant:
        a, b = b, a
    if b.constant and b.value in (0, 1):
        return a if b.value else b
    return _binary("mul", a, b)


def udiv(a: Term, b: Term) -> Term:
    if (b.constant and b.value == 1) or (a.constant and a.value == 0):
        return a
    if b.constant and b.value & (b.value - 1) == 0 and b.value:
        return lshr(a, const(b.value.bit_length() - 1, a.width))
    return _binary("udiv", a, b)


def urem(a: Term, b: Term) -> Term:
    if a.constant and a.value == 0:
        return a
    if b.constant and b.value & (b.value - 1) == 0 and b.value:
        return band(a, const(b.value - 1, a.width))
    return _binary("urem", a, b)


def sdiv(a: Term, b: Term) -> Term:
    return _binary("sdiv", a, b)


def srem(a: Term, b: Term) -> Term:
    return _binary("srem", a, b)


def band(a: Term, b: Term) -> Term:
    if a.constant:
        a, b = b, a
    if b.constant:
        if b.value == 0:
            return b
        if b.value == (1 << b.width) - 1:
            return a
    return a if a is b else _binary("band", a, b)


def bor(a: Term, b: Term) -> Term:
    if a.constant:
        a, b = b, a
    return a if a is b or (b.constant and b.value == 0) else _binary("bor", a, b)


def bxor(a: Term, b: Term) -> Term:
    if a is b:
        return const(0, a.width)
    return _binary("bxor", a, b)


def bnot(a: Term) -> Term:
    return bxor(a, const(-1, a.width))


def neg(a: Term) -> Term:
    return sub(const(0, a.width), a)


def shl(a: Term, b: Term) -> Term:
    """``b`` is unsigned, of the same width; a shift by the width or more gives zero."""
    return a if b.constant and b.value == 0 else _binary("shl", a, b)


def lshr(a: Term, b: Term) -> Term:
    return a if b.constant and b.value == 0 else _binary("lshr", a, b)


def ashr(a: Term, b: Term) -> Term:
    return a if b.constant and b.value == 0 else _binary("ashr", a, b)


def _sdiv(a: int, b: int, width: int) -> int:
    x, y = as_signed(a, width), as_signed(b, width)
    if y == 0:
        return 0
    found = abs(x) // abs(y)
    return found if (x < 0) == (y < 0) else -found


def _srem(a: int, b: int, width: int) -> int:
    x, y = as_signed(a, width), as_signed(b, width)
    if y == 0:
        return 0
    return abs(x) % abs(y) * (-1 if x < 0 else 1)


ARITHMETIC: dict[str, Callable[[int, int, int], int]] = {
    "add": lambda a, b, _: a + b,
    "sub": lambda a, b, _: a - b,
    "mul": lambda a, b, _: a * b,
    "udiv": lambda a, b, _: a // b if b else 0,
    "urem": lambda a, b, _: a % b if b else 0,
    "sdiv": _sdiv,
    "srem": _srem,
    "band": lambda a, b, _: a & b,
    "bor": lambda a, b, _: a | b,
    "bxor": lambda a, b, _: a ^ b,
    "shl": lambda a, b, width: a << b if b < width else 0,
    "lshr": lambda a, b, width: a >> b if b < width else 0,
    "ashr": lambda a, b, width: as_signed(a, width) >> min(b, width),
}
"""Meaning of the binary operations, before the result is reduced to the width."""


# Widths


def zext(a: Term, width: int) -> Term:
    """Widened with zeros."""
    if width == a.width:
        return a
    if a.constant:
        return const(a.value, width)
    if a.op == "zext":
        return zext(a.args[0], width)
    return make("zext", (a,), width)


def sext(a: Term, width: int) -> Term:
    """Widened by its sign."""
    if width == a.width:
        return a
    if a.constant:
        return const(as_signed(a.value, a.width), width)
    return make("sext", (a,), width)


def extract(a: Term, low: int, width: int) -> Term:  # noqa: PLR0911
    """``width`` bits from bit ``low`` on."""
    if low == 0 and width == a.width:
        return a
    if a.constant:
        return const(a.value >> low, width)
    if a.op == "extract":
        assert isinstance(a.data, int)
        return extract(a.args[0], a.data + low, width)
    if a.op == "zext":
        inner = a.args[0]
        if low >= inner.width:
            return const(0, width)
        if low + width <= inner.width:
            return extract(inner, low, width)
        if low == 0:
            return zext(inner, width)
    if a.op == "concat":
        high, lower = a.args
        if low >= lower.width:
            return extract(high, low - lower.width, width)
        if low + width <= lower.width:
            return extract(lower, low, width)
    if a.op == "ite" and (a.args[1].constant or a.args[2].constant):
        return ite(a.args[0], extract(a.args[1], low, width), extract(a.args[2], low, width))
    return make("extract", (a,), width, low)


def concat(high: Term, low: Term) -> Term:  # noqa: PLR0911
    width = high.width + low.width
    if high.constant and low.constant:
        return const(high.value << low.width | low.value, width)
    if high.constant and high.value == 0:
        return zext(low, width)
    joined = _adjacent(high, low)
    if joined is not None:
        return joined
    if low.op == "concat":
        joined = _adjacent(high, low.args[0])
        if joined is not None:
            return concat(joined, low.args[1])
    if high.op == "concat":
        joined = _adjacent(high.args[1], low)
        if joined is not None:
            return concat(high.args[0], joined)
        return concat(high.args[0], concat(high.args[1], low))
    return make("concat", (high, low), width)


def _adjacent(high: Term, low: Term) -> Term | None:
    """The bits that two extracts of one term make together."""
    if high.constant and low.constant:
        return const(high.value << low.width | low.value, high.width + low.width)
    if high.op == low.op == "extract" and high.args[0] is low.args[0]:
        assert isinstance(high.data, int) and isinstance(low.data, int)
        if high.data == low.data + low.width:
            return extract(high.args[0], low.data, high.width + low.width)
    return None


def keccak(a: Term) -> Term:
    """Keccak-256 of the bytes of a term, whose width is a multiple of 8."""
    if a.constant:
        return const(hashed(a.value.to_bytes(a.width // 8, "big")), 256)
    return make("keccak", (a,), 256)


EMPTY_HASH = hashed(b"")


def keccak_text(data: Term, length: Term) -> Term:
    """Keccak-256 of the first ``length`` bytes of left-aligned data, zeros after them."""
    if length.constant:
        width = 8 * length.value
        if width == 0:
            return const(EMPTY_HASH, 256)
        return keccak(extract(data, data.width - width, width))
    return make("keccak_text", (data, length), 256)


def resized(a: Term, width: int, *, sign: bool = False) -> Term:
    """Cut or widened to a width."""
    if width <= a.width:
        return extract(a, 0, width)
    return sext(a, width) if sign else zext(a, width)


def resized_text(a: Term, width: int) -> Term:
    """Left-aligned data cut or widened at their right end."""
    if width <= a.width:
        return extract(a, a.width - width, width)
    return concat(a, const(0, width - a.width))


def bit(a: Term) -> Term:
    """A boolean as one bit."""
    return ite(a, const(1, 1), const(0, 1))
