"""What terms are worth once every variable and all of storage is known."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping

from solexp.evm.words import keccak
from solexp.violations.solidity.terms import ARITHMETIC, Term, as_signed, nodes, product_overflows

Read = Callable[[Hashable, tuple[int, ...]], int]
"""The value at a place of storage, given its keys."""


def evaluate(roots: Iterable[Term], values: Mapping[str, int], read: Read) -> list[int]:
    """The values of terms, booleans as 0 and 1. A variable that is not given is 0."""
    wanted = list(roots)
    found: dict[int, int] = {}
    for term in nodes(wanted):
        found[term.number] = _value(term, [found[arg.number] for arg in term.args], values, read)
    return [found[term.number] for term in wanted]


def _value(term: Term, args: list[int], values: Mapping[str, int], read: Read) -> int:  # noqa: PLR0911, PLR0912
    mask = (1 << term.width) - 1
    match term.op:
        case "const":
            return term.value
        case "var":
            return values.get(str(term.data), 0)
        case "load":
            return read(term.data, tuple(args))
        case "ite":
            return args[1] if args[0] else args[2]
        case "not":
            return 1 - args[0]
        case "and":
            return int(all(args))
        case "eq":
            return int(args[0] == args[1])
        case "ult":
            return int(args[0] < args[1])
        case "slt":
            width = term.args[0].width
            return int(as_signed(args[0], width) < as_signed(args[1], width))
        case "umulo" | "smulo":
            width = term.args[0].width
            return int(product_overflows(args[0], args[1], width, signed=term.op == "smulo"))
        case "zext":
            return args[0]
        case "sext":
            return as_signed(args[0], term.args[0].width) & mask
        case "extract":
            assert isinstance(term.data, int)
            return args[0] >> term.data & mask
        case "concat":
            return args[0] << term.args[1].width | args[1]
        case "keccak_text":
            whole = args[0].to_bytes(term.args[0].width // 8, "big")
            return keccak(whole[: args[1]])
        case "keccak":
            return keccak(args[0].to_bytes(term.args[0].width // 8, "big"))
    return ARITHMETIC[term.op](args[0], args[1], term.width) & mask
