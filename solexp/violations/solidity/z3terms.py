"""Terms as Z3's bit-vectors, each as narrow as its value is known to be.

A term's translation is a vector of at most the term's width, whose missing high bits are zero. Products and quotients
cost with the square of the width, and most amounts need far fewer bits than 256.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from solexp.violations.solidity.terms import BOOL, Term, nodes

Variable = Callable[[str, int], Any]
Load = Callable[[Term, list[Any]], Any]


class Translation:
    """Translates terms, each once. Variables, reads of storage and hashes are given by functions."""

    def __init__(
        self,
        variable: Variable,
        load: Load,
        keccak: Callable[[Term], Any],
        ctx: z3.Context,
    ) -> None:
        self._ctx = ctx
        self._variable = variable
        self._load = load
        self._keccak = keccak
        self._known: dict[int, Any] = {}
        self._kept: list[Term] = []
        """Numbers mean the same terms only as long as these live."""

    def __call__(self, root: Term) -> Any:
        """A boolean, or a vector that may be narrower than the term."""
        self._kept.append(root)
        for term in nodes([root]):
            if term.number not in self._known:
                args = [self._known[arg.number] for arg in term.args]
                self._known[term.number] = self._one(term, args)
        return self._known[root.number]

    def full(self, root: Term) -> Any:
        """A vector of the term's own width."""
        return fit(self(root), root.width) if root.width else self(root)

    def _one(self, term: Term, args: list[Any]) -> Any:  # noqa: PLR0911, PLR0912
        width = term.width
        match term.op:
            case "const":
                if width == BOOL:
                    return z3.BoolVal(bool(term.value), self._ctx)
                return constant(term.value, self._ctx)
            case "var":
                return self._variable(str(term.data), width)
            case "load":
                return self._load(term, args)
            case "keccak" | "keccak_text":
                return self._keccak(term)
            case "not":
                return z3.Not(args[0])
            case "and":
                return z3.And(*args)
            case "ite" if width == BOOL:
                return z3.If(args[0], args[1], args[2])
            case "ite":
                return z3.If(args[0], *even(args[1], args[2]))
            case "eq" if term.args[0].width == BOOL:
                return args[0] == args[1]
            case "eq":
                a, b = even(*args)
                return a == b
            case "ult":
                return z3.ULT(*even(*args))
            case "umulo":
                return self._overflows(term.args[0].width, *args)
            case "zext":
                return args[0]
            case "extract":
                assert isinstance(term.data, int)
                return _extract(args[0], term.data, width)
            case "concat":
                return z3.Concat(args[0], fit(args[1], term.args[1].width))
            case "mul" if args[0].size() + args[1].size() <= width:
                total = args[0].size() + args[1].size()
                return fit(args[0], total) * fit(args[1], total)
            case "add" if max(args[0].size(), args[1].size()) < width:
                total = max(args[0].size(), args[1].size()) + 1
                return fit(args[0], total) + fit(args[1], total)
            case "udiv" | "urem":
                return _divided(term.op, *args)
            case "band":
                least = min(args[0].size(), args[1].size())
                return fit(args[0], least) & fit(args[1], least)
            case "bor" | "bxor":
                a, b = even(*args)
                return a | b if term.op == "bor" else a ^ b
            case "lshr":
                a, b = even(*args)
                return z3.LShR(a, b)
            case "sdiv" | "srem":
                return _divided_signed(term, *args)
        wide = [
            arg if part.width == BOOL else fit(arg, part.width)
            for arg, part in zip(args, term.args, strict=True)
        ]
        return self._wide(term, *wide)

    @staticmethod
    def _overflows(width: int, a: Any, b: Any) -> Any:
        if a.size() + b.size() <= width:
            return z3.BoolVal(False, a.ctx)
        return z3.Not(z3.BVMulNoOverflow(fit(a, width), fit(b, width), False))

    @staticmethod
    def _wide(term: Term, a: Any, b: Any = None) -> Any:  # noqa: PLR0911
        match term.op:
            case "slt":
                return a < b
            case "smulo":
                over = z3.BVMulNoOverflow(a, b, True)
                return z3.Not(z3.And(over, z3.BVMulNoUnderflow(a, b)))
            case "sext":
                return z3.SignExt(term.width - term.args[0].width, a)
            case "add":
                return a + b
            case "sub":
                return a - b
            case "mul":
                return a * b
            case "shl":
                return a << b
            case "ashr":
                return a >> b
        raise AssertionError(term.op)


def constant(value: int, ctx: z3.Context) -> Any:
    """A number, as narrow as it can be."""
    return z3.BitVecVal(value, max(1, value.bit_length()), ctx)


def fit(vector: Any, width: int) -> Any:
    """A vector widened with zeros, or cut, to a width."""
    size = vector.size()
    if size == width:
        return vector
    if z3.is_bv_value(vector):
        return z3.BitVecVal(vector.as_long(), width, vector.ctx)
    return z3.ZeroExt(width - size, vector) if size < width else z3.Extract(width - 1, 0, vector)


def even(a: Any, b: Any) -> tuple[Any, Any]:
    """Two vectors of the wider one's width."""
    width = max(a.size(), b.size())
    return fit(a, width), fit(b, width)


def _extract(a: Any, low: int, width: int) -> Any:
    if low >= a.size():
        return constant(0, a.ctx)
    return z3.Extract(min(low + width, a.size()) - 1, low, a)


def _divided(op: str, a: Any, b: Any) -> Any:
    found = z3.UDiv(*even(a, b)) if op == "udiv" else z3.URem(*even(a, b))
    least = a.size() if op == "udiv" else min(a.size(), b.size())
    return fit(_unless_zero(b, found), least)


def _divided_signed(term: Term, a: Any, b: Any) -> Any:
    wide = [fit(each, term.width) for each in (a, b)]
    # One bit more, for the least number divided by -1.
    width = min(term.width, max(map(_signed_size, wide)) + 1)
    a, b = (z3.simplify(z3.Extract(width - 1, 0, each)) for each in wide)
    found = _unless_zero(b, a / b if term.op == "sdiv" else z3.SRem(a, b))
    return z3.SignExt(term.width - width, found)


def _signed_size(vector: Any) -> int:
    """Bits that a vector takes with its sign."""
    if z3.is_bv_value(vector):
        value = vector.as_signed_long()
        return int(value.bit_length()) + 1
    kind = vector.decl().kind()
    if kind == z3.Z3_OP_SIGN_EXT:
        return int(vector.arg(0).size())
    if kind == z3.Z3_OP_ZERO_EXT:
        return int(vector.arg(0).size()) + 1
    return int(vector.size())


def _unless_zero(b: Any, found: Any) -> Any:
    """The EVM's division by zero gives zero."""
    if z3.is_bv_value(b) and b.as_long() != 0:
        return found
    return z3.If(b == 0, z3.BitVecVal(0, found.size(), found.ctx), found)
