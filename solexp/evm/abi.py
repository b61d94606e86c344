"""Naming calls and values by a contract's ABI."""

from __future__ import annotations

from typing import Any

from solexp.core import ContractBuild

_SHOWN = 80


def selectors(contract: ContractBuild) -> dict[str, str]:
    """Canonical signatures by selector (8 hex digits)."""
    return {selector: signature for signature, selector in contract.methods.items()}


def changing_functions(contract: ContractBuild) -> frozenset[str]:
    """Selectors of the functions that may change state, in the ABI."""
    found = set()
    for entry in contract.abi:
        if entry.get("type") != "function":
            continue
        if entry.get("stateMutability") in ("view", "pure") or entry.get("constant") is True:
            continue
        selector = contract.methods.get(f"{entry['name']}({','.join(input_types(entry))})")
        if selector:
            found.add(selector)
    return frozenset(found)


def input_types(entry: dict[str, Any]) -> list[str]:
    """Canonical types of the parameters of an ABI's entry: a struct as ``(uint256,bool)``."""
    return [_canonical(parameter) for parameter in entry.get("inputs", ())]


def _canonical(parameter: dict[str, Any]) -> str:
    kind: str = parameter["type"]
    if not kind.startswith("tuple"):
        return kind
    return f"({','.join(map(_canonical, parameter.get('components', ())))}){kind[5:]}"


def describe_call(contract: ContractBuild | None, data: str) -> str:
    """A call's function with its decoded arguments, such as ``transfer(0x12…, 5)``.

    Falls back to the selector where the ABI does not know it, or the arguments cannot be decoded.
    """
    if len(data) < 10:
        return "receive()" if data == "0x" else f"fallback() with {data}"
    signature = selectors(contract).get(data[2:10]) if contract is not None else None
    if signature is None:
        return f"fallback() with selector {data[:10]}"
    name, _, rest = signature.partition("(")
    # The codec takes a while to import, and is needed for evidence only.
    from eth_abi.abi import decode  # noqa: PLC0415
    from eth_abi.exceptions import DecodingError  # noqa: PLC0415

    try:
        values = decode(split_types(rest[:-1]), bytes.fromhex(data[10:]), strict=False)
    except (DecodingError, ValueError, OverflowError):
        return f"{signature} with undecodable arguments"
    return f"{name}({', '.join(map(_shown, values))})"


def split_types(types: str) -> list[str]:
    """The members of a comma-separated list of types, tuples kept whole.

    >>> split_types("address,(uint256,bool)[],bytes")
    ['address', '(uint256,bool)[]', 'bytes']
    """
    found: list[str] = []
    depth = start = 0
    for at, letter in enumerate(types):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and not depth:
            found.append(types[start:at])
            start = at + 1
    return [*found, types[start:]] if types else found


def _shown(value: object) -> str:
    if isinstance(value, bytes):
        text = "0x" + value.hex()
    elif isinstance(value, list | tuple):
        text = f"[{', '.join(map(_shown, value))}]"
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, str) and not value.startswith("0x"):
        text = repr(value)
    else:
        text = str(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def describe_output(data: str) -> str:
    """Return or revert data for a reader: the reason of a revert or panic, a single word as a number, else hex."""
    if data.startswith("0x08c379a0"):
        try:
            length = int(data[74:138], 16)
            reason = bytes.fromhex(data[138 : 138 + 2 * length]).decode(errors="replace")
        except ValueError:
            return data
        return f"revert {reason!r}"
    if data.startswith("0x4e487b71") and len(data) == 74:
        return f"panic 0x{int(data[10:], 16):02x}"
    if len(data) == 66 and all(letter in "0123456789abcdef" for letter in data[2:]):
        number = int(data, 16)
        return str(number) if number < 1 << 64 else data
    return data if len(data) <= 200 else f"{data[:200]}… ({len(data)} characters)"
