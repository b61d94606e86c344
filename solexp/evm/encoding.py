"""Calldata of calls whose arguments are given as Python values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solexp.evm.words import word


def is_primitive(kind: str) -> bool:
    """Whether a canonical type is a number, an address, a boolean or fixed bytes: one word of calldata."""
    return not (kind.endswith(("]", ")")) or kind in ("string", "bytes") or "fixed" in kind)


def calldata(selector: str, types: Sequence[str], values: Sequence[Any]) -> str:
    """A call's data as hex with ``0x``; values as eth_abi takes them, addresses as ``0x…``."""
    if all(map(is_primitive, types)):
        # The codec takes ten times as long, which is longer than the call.
        return f"0x{selector}{''.join(map(_word, values))}"
    from eth_abi.abi import encode  # noqa: PLC0415

    return f"0x{selector}{encode(types, values).hex()}"


def _word(value: Any) -> str:
    if isinstance(value, str):
        return value[2:].rjust(64, "0")
    if isinstance(value, bytes):
        return value.hex().ljust(64, "0")
    return word(value if value >= 0 else value + (1 << 256))
