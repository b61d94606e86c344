"""Arguments that are given as text, read by the types of a function's parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from solexp.core.errors import UserError
from solexp.dcr.expressions import Expression, parsed
from solexp.evm.abi import split_types

_UNITS = {
    "wei": 1,
    "gwei": 10**9,
    "szabo": 10**12,
    "finney": 10**15,
    "ether": 10**18,
    "seconds": 1,
    "minutes": 60,
    "hours": 3600,
    "days": 86_400,
    "weeks": 7 * 86_400,
    "years": 365 * 86_400,
}
_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": int.__add__,
    "-": int.__sub__,
    "*": int.__mul__,
    "/": int.__floordiv__,
    "%": int.__mod__,
}
_MOST_BITS = 512
_ARRAY = re.compile(r"^(.*)\[(\d*)\]$")

Account = Callable[[str], str]
"""The address that a word such as ``owner`` stands for."""


def values_of(types: Sequence[str], texts: Sequence[str], account: Account) -> tuple[Any, ...]:
    """The values, as eth_abi takes them. Raises UserError for a text that is no value of its type."""
    return tuple(_value(kind, text, account) for kind, text in zip(types, texts, strict=True))


def _value(kind: str, given: Any, account: Account) -> Any:  # noqa: PLR0911
    array = _ARRAY.match(kind)
    if array:
        parts = _list(kind, given)
        if array[2] and len(parts) != int(array[2]):
            raise _no_value(kind, given)
        return [_value(array[1], part, account) for part in parts]
    if kind.endswith(")"):
        parts, kinds = _list(kind, given), split_types(kind[1:-1])
        if len(parts) != len(kinds):
            raise _no_value(kind, given)
        return tuple(_value(each, part, account) for each, part in zip(kinds, parts, strict=True))
    text = given if isinstance(given, str) else json.dumps(given)
    text = text.strip()
    if kind == "string":
        return _unquoted(text)
    if kind == "bool":
        if text.lower() not in ("true", "false", "0", "1"):
            raise _no_value(kind, given)
        return text.lower() in ("true", "1")
    if kind == "address":
        return _address(text, account)
    if kind.startswith("bytes"):
        return _bytes(kind, text)
    value = number(text)
    bits = int(kind.removeprefix("u").removeprefix("int") or 256)
    low, high = (0, 1 << bits) if kind.startswith("u") else (-(1 << bits - 1), 1 << bits - 1)
    if value is None or not low <= value < high:
        raise _no_value(kind, given)
    return value


def _list(kind: str, given: Any) -> list[Any]:
    if isinstance(given, list | tuple):
        return list(given)
    text = str(given).strip()
    try:
        found = json.loads(text)
    except ValueError:
        # Words and addresses without quotes.
        inside = text[1:-1].strip() if text[:1] + text[-1:] in ("[]", "()") else None
        found = split_types(inside) if inside is not None else None
    if not isinstance(found, list):
        raise _no_value(kind, given)
    return found


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text


def _address(text: str, account: Account) -> str:
    text = _unquoted(text)
    inside = re.fullmatch(r"(?:address|payable)\((.*)\)", text)
    if inside:
        return _address(inside[1].strip(), account)
    if re.fullmatch(r"0[xX][0-9a-fA-F]{1,40}|0", text):
        return f"0x{int(text, 16):040x}"
    if not re.fullmatch(r"[A-Za-z_][\w. -]*", text):
        raise _no_value("address", text)
    return account(text)


def _bytes(kind: str, text: str) -> bytes:
    text = _unquoted(text)
    size = int(kind[5:] or 0)
    try:
        raw = bytes.fromhex(text[2:]) if text[:2] in ("0x", "0X") else text.encode()
    except ValueError:
        raise _no_value(kind, text) from None
    if not size:
        return raw
    if len(raw) > size:
        raise _no_value(kind, text)
    return raw.ljust(size, b"\0")


def number(text: str) -> int | None:
    """A number as Solidity writes it: ``1_000``, ``0xff``, ``1.5 ether``, ``2 ** 128 - 1``; None for anything else."""
    tree = parsed(text)
    found = _evaluated(tree) if tree is not None else None
    if found is None:
        limit = re.fullmatch(r"type\((u?)int(\d*)\)\.(max|min)", text.replace(" ", ""))
        if limit:
            signed, bits = not limit[1], int(limit[2] or 256)
            if limit[3] == "max":
                return (1 << bits - signed) - 1
            return -(1 << bits - 1) if signed else 0
    return found


def _evaluated(tree: Expression) -> int | None:  # noqa: PLR0911
    if tree.kind == "literal":
        return _literal(tree.text)
    parts = [_evaluated(part) for part in tree.parts]
    if any(part is None or abs(part).bit_length() > _MOST_BITS for part in parts):
        return None
    known = [part for part in parts if part is not None]
    if tree.kind == "unary" and tree.text == "-":
        return -known[0]
    if tree.kind == "binary" and tree.text == "**":
        base, power = known
        fits = power >= 0 and power * max(1, base.bit_length()) <= 2 * _MOST_BITS
        return base**power if fits else None
    if tree.kind == "binary" and tree.text in _OPERATIONS:
        left, right = known
        if tree.text in "/%" and not right:
            return None
        return _OPERATIONS[tree.text](left, right)
    return None


def _literal(text: str) -> int | None:
    digits, _, unit = text.replace("_", "").partition(" ")
    factor = _UNITS.get(unit, 1)
    if re.fullmatch(r"0[xX][0-9a-fA-F]+", digits):
        return int(digits, 16) * factor
    found = re.fullmatch(r"(\d*)(?:\.(\d*))?(?:[eE](\d{1,3}))?", digits)
    if not found or not (found[1] or found[2]):
        return None
    part = found[2] or ""
    whole = int((found[1] or "") + part or "0") * factor * 10 ** int(found[3] or 0)
    return whole // 10 ** len(part) if whole % 10 ** len(part) == 0 else None


def _no_value(kind: str, given: Any) -> UserError:
    return UserError(f"{given!r} is no value of type {kind}")
