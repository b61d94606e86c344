"""What a condition comes to when little is known: before anything has happened, or after one thing has.

A value is a number, or ``POSITIVE`` (some amount, address or time, not zero), or None when it can be anything. Amounts
and addresses that a caller chooses count as positive: calls about nothing are not what a life cycle is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Final, Literal

from solexp.dcr.expressions import Expression
from solexp.dcr.extraction.terms import family

POSITIVE: Final = "positive"
Value = int | Literal["positive"] | None
Look = Callable[[str], Value]
"""What a variable of the contract holds, by its family."""

_UNITS = {
    "wei": 1, "gwei": 10**9, "szabo": 10**12, "finney": 10**15, "ether": 10**18, "seconds": 1,
    "minutes": 60, "hours": 3600, "days": 86_400, "weeks": 604_800, "years": 31_536_000,
}  # fmt: skip
_CONTEXT = {"msg.sender", "tx.origin", "block.timestamp", "block.number", "this", "block.coinbase"}
_POSITIVE_TYPES = re.compile(r"uint\d*|address( payable)?|contract .*")


class Estimator:
    """Estimates expressions of one contract."""

    def __init__(self, state: frozenset[str], enums: Mapping[str, tuple[str, ...]]) -> None:
        self.state = state
        """Names of its variables."""
        self.enums = enums
        """Members of its enums, in order."""

    def of(self, tree: Expression, look: Look, parameters: Mapping[str, str]) -> Value:  # noqa: PLR0911
        """What an expression comes to; ``parameters`` has the types of what the caller chooses."""
        match tree.kind:
            case "literal":
                return number(tree.text)
            case "name" | "member" | "index":
                return self._place(tree, look, parameters)
            case "unary":
                inner = self.of(tree.parts[0], look, parameters)
                return _not(inner) if tree.text == "!" else None
            case "binary":
                values = [self.of(part, look, parameters) for part in tree.parts]
                return reduce(lambda a, b: combined(a, tree.text, b), values)
            case "choice":
                asked = self.of(tree.parts[0], look, parameters)
                if asked is None:
                    one, other = (self.of(part, look, parameters) for part in tree.parts[1:])
                    return one if one == other else None
                return self.of(tree.parts[1 if asked else 2], look, parameters)
            case "call":
                return self._call(tree, look, parameters)
            case _:
                return None

    def _place(  # noqa: PLR0911
        self, tree: Expression, look: Look, parameters: Mapping[str, str]
    ) -> Value:
        at = family(tree)
        if at is None:
            return self._type_limit(tree)
        root = at.partition(".")[0]
        if tree.kind == "name" and at in parameters:
            return POSITIVE if _POSITIVE_TYPES.fullmatch(parameters[at]) else None
        if at.startswith("constructor "):
            return POSITIVE
        if at in _CONTEXT or at == "now":
            return POSITIVE
        members = self.enums.get(at.rpartition(".")[0].rpartition(".")[2])
        if members is not None and at.rpartition(".")[2] in members:
            return members.index(at.rpartition(".")[2])
        if root in self.state and root not in parameters:
            return look(at)
        return None

    @staticmethod
    def _type_limit(tree: Expression) -> Value:
        """``type(uint256).max``"""
        base = tree.parts[0] if tree.kind == "member" else None
        if base is not None and base.kind == "call" and base.parts[0].text == "type":
            bits = re.fullmatch(r"uint(\d*)", base.parts[1].text)
            if bits is not None and tree.text == "max":
                return int(2 ** int(bits[1] or 256)) - 1
        return None

    def _call(self, tree: Expression, look: Look, parameters: Mapping[str, str]) -> Value:
        callee = tree.parts[0]
        if tree.text or len(tree.parts) != 2 or callee.kind != "name":
            return None
        inner = self.of(tree.parts[1], look, parameters)
        bits = re.fullmatch(r"uint(\d*)", callee.text)
        if bits is not None and isinstance(inner, int):
            # uint256(-1), as it was written before 0.8.
            return inner % int(2 ** int(bits[1] or 256))
        return inner if callee.text not in ("keccak256", "sha256", "sha3", "type") else None


def number(text: str) -> Value:
    """A literal's value; None for texts."""
    word, _, unit = text.partition(" ")
    if word in ("true", "false"):
        return int(word == "true")
    word = word.replace("_", "")
    try:
        if word[:2] in ("0x", "0X"):
            return int(word, 16)
        found = re.fullmatch(r"(\d*)\.?(\d*)(?:[eE](-?\d+))?", word)
        if found is None or not (found[1] or found[2]):
            return None
        power = int(found[3] or 0) - len(found[2])
        digits = int((found[1] + found[2]) or 0) * _UNITS.get(unit, 1)
        if abs(power) > 100:
            return None
        return digits * int(10**power) if power >= 0 else digits // int(10**-power)
    except ValueError:
        return None


def _not(value: Value) -> Value:
    return None if value is None else int(value == 0)


def combined(left: Value, operator: str, right: Value) -> Value:  # noqa: PLR0911
    """What an operation comes to."""
    match operator:
        case "&&":
            if left == 0 or right == 0:
                return 0
            return None if left is None or right is None else 1
        case "||":
            if left not in (0, None) or right not in (0, None):
                return 1
            return None if left is None or right is None else 0
        case "==" | "!=":
            same = _same(left, right)
            return None if same is None else int(same == (operator == "=="))
        case "<" | ">" | "<=" | ">=":
            return _compared(left, operator, right)
        case "+" if POSITIVE in (left, right):
            return POSITIVE
        case "*" if 0 in (left, right):
            return 0
        case "*" if left is not None and right is not None and POSITIVE in (left, right):
            return POSITIVE
    if isinstance(left, int) and isinstance(right, int):
        return _computed(left, operator, right)
    return None


def _same(left: Value, right: Value) -> bool | None:
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    if {left, right} == {0, POSITIVE}:
        return False
    return None


def _compared(left: Value, operator: str, right: Value) -> Value:
    if operator in ("<", "<="):
        left, right, operator = right, left, {"<": ">", "<=": ">="}[operator]
    if isinstance(left, int) and isinstance(right, int):
        return int(left > right if operator == ">" else left >= right)
    if left == POSITIVE and right == 0:
        return 1
    if left == 0 and (right == POSITIVE or operator == ">"):
        return 0
    if right == 0 and operator == ">=":
        return 1
    return None


def _computed(left: int, operator: str, right: int) -> Value:  # noqa: PLR0911
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/" if right:
            return left // right
        case "%" if right:
            return left % right
        case "**" if right <= 256 and left.bit_length() <= 64:
            return int(left**right)
    return None
