"""Terms as Z3's bit-vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import z3

from solexp.violations.solidity.terms import BOOL, Term, nodes


class Translation:
    """Translates terms, each once. Variables, reads of storage and hashes are given by functions."""

    def __init__(
        self,
        variable: Callable[[str, int], Any],
        load: Callable[[Term, list[Any]], Any],
        keccak: Callable[[Term], Any],
    ) -> None:
        self._variable = variable
        self._load = load
        self._keccak = keccak
        self._known: dict[int, Any] = {}
        self._kept: list[Term] = []

    def forget(self, roots: Iterable[Term]) -> None:
        """Translates these, and all that they are part of, anew."""
        del roots
        self._known.clear()

    def __call__(self, root: Term) -> Any:
        self._kept.append(root)
        for term in nodes([root]):
            if term.number not in self._known:
                self._known[term.number] = self._one(
                    term, [self._known[a.number] for a in term.args]
                )
        return self._known[root.number]

    def _one(self, term: Term, args: list[Any]) -> Any:  # noqa: PLR0911, PLR0912
        match term.op:
            case "const":
                return (
                    z3.BoolVal(bool(term.value))
                    if term.width == BOOL
                    else z3.BitVecVal(term.value, term.width)
                )
            case "var":
                return self._variable(str(term.data), term.width)
            case "load":
                return self._load(term, args)
            case "keccak" | "keccak_text":
                return self._keccak(term)
            case "not":
                return z3.Not(args[0])
            case "and":
                return z3.And(*args)
            case "ite":
                return z3.If(args[0], args[1], args[2])
            case "eq":
                return args[0] == args[1]
            case "ult":
                return z3.ULT(args[0], args[1])
            case "slt":
                return args[0] < args[1]
            case "umulo":
                return z3.Not(z3.BVMulNoOverflow(args[0], args[1], False))
            case "smulo":
                over = z3.BVMulNoOverflow(args[0], args[1], True)
                return z3.Not(z3.And(over, z3.BVMulNoUnderflow(args[0], args[1])))
            case "zext":
                return z3.ZeroExt(term.width - term.args[0].width, args[0])
            case "sext":
                return z3.SignExt(term.width - term.args[0].width, args[0])
            case "extract":
                assert isinstance(term.data, int)
                return z3.Extract(term.data + term.width - 1, term.data, args[0])
            case "concat":
                return z3.Concat(args[0], args[1])
        return self._arithmetic(term.op, args[0], args[1])

    @staticmethod
    def _arithmetic(op: str, a: Any, b: Any) -> Any:
        match op:
            case "add":
                return a + b
            case "sub":
                return a - b
            case "mul":
                return a * b
            case "band":
                return a & b
            case "bor":
                return a | b
            case "bxor":
                return a ^ b
            case "shl":
                return a << b
            case "lshr":
                return z3.LShR(a, b)
            case "ashr":
                return a >> b
        divided = {"udiv": z3.UDiv, "urem": z3.URem, "sdiv": _sdiv, "srem": z3.SRem}[op](a, b)
        if z3.is_bv_value(b) and b.as_long() != 0:
            return divided
        # The EVM's division by zero gives zero.
        return z3.If(b == 0, z3.BitVecVal(0, a.size()), divided)


def _sdiv(a: Any, b: Any) -> Any:
    return a / b
