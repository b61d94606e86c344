"""Naming calls and values by a contract's ABI."""

from __future__ import annotations

from typing import Any

from solexp.core import ContractBuild, Log
from solexp.evm.words import keccak

_SHOWN = 80
_LARGE = 1 << 63


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
        selector = contract.methods.get(signature_of(entry))
        if selector:
            found.add(selector)
    return frozenset(found)


def signature_of(entry: dict[str, Any]) -> str:
    """Canonical signature of an ABI's function, event or error."""
    return f"{entry['name']}({','.join(input_types(entry))})"


def input_types(entry: dict[str, Any]) -> list[str]:
    """Canonical types of the parameters of an ABI's entry: a struct as ``(uint256,bool)``."""
    return [_canonical(parameter) for parameter in entry.get("inputs", ())]


def _canonical(parameter: dict[str, Any]) -> str:
    kind: str = parameter["type"]
    if not kind.startswith("tuple"):
        return kind
    return f"({','.join(map(_canonical, parameter.get('components', ())))}){kind[5:]}"


def output_types(contract: ContractBuild | None, data: str) -> list[str]:
    """Canonical types of what the function that is called with ``data`` returns; empty where the ABI does not tell."""
    signature = selectors(contract).get(data[2:10]) if contract is not None else None
    for entry in contract.abi if contract is not None and signature is not None else ():
        if entry.get("type") == "function" and signature_of(entry) == signature:
            return [_canonical(parameter) for parameter in entry.get("outputs", ())]
    return []


def decoded_call(
    contract: ContractBuild | None, data: str
) -> tuple[str, list[str], tuple[Any, ...]] | None:
    """A call's function, the types of its arguments and these themselves; None where the ABI does not tell."""
    signature = selectors(contract).get(data[2:10]) if contract is not None else None
    if signature is None:
        return None
    name, _, rest = signature.partition("(")
    types = split_types(rest[:-1])
    values = decoded(types, data[10:])
    return None if values is None else (name, types, values)


def decoded(types: list[str], digits: str) -> tuple[Any, ...] | None:
    """ABI-encoded values (hex without ``0x``); None where they cannot be decoded."""
    # The codec takes a while to import, and is needed for evidence only.
    from eth_abi.abi import decode  # noqa: PLC0415
    from eth_abi.exceptions import DecodingError  # noqa: PLC0415

    try:
        return tuple(decode(types, bytes.fromhex(digits), strict=False))
    except (DecodingError, ValueError, OverflowError):
        return None


def describe_call(contract: ContractBuild | None, data: str) -> str:
    """A call's function with its decoded arguments, such as ``transfer(0x12…, 5)``.

    Falls back to the selector where the ABI does not know it, or the arguments cannot be decoded.
    """
    if len(data) < 10:
        return "receive()" if data == "0x" else f"fallback() with {data}"
    signature = selectors(contract).get(data[2:10]) if contract is not None else None
    if signature is None:
        return f"fallback() with selector {data[:10]}"
    found = decoded_call(contract, data)
    if found is None:
        return f"{signature} with undecodable arguments"
    return f"{found[0]}({', '.join(map(shown_value, found[2]))})"


def describe_event(contract: ContractBuild | None, log: Log) -> str:
    """An event with its decoded values, such as ``Transfer(from: 0x12…, to: 0x34…, value: 5)``.

    Falls back to topics and data where the ABI does not know it. An indexed value of a type without fixed length is
    told by its hash, which is all that a log has of it.
    """
    for entry in contract.abi if contract is not None else ():
        if entry.get("type") != "event" or entry.get("anonymous"):
            continue
        if not log.topics or int(log.topics[0], 16) != keccak(signature_of(entry).encode()):
            continue
        fields = list(zip(entry["inputs"], input_types(entry), strict=True))
        topics = list(log.topics[1:])
        body = decoded([kind for given, kind in fields if not given["indexed"]], log.data[2:])
        if body is None or len(topics) != sum(bool(given["indexed"]) for given, _ in fields):
            break
        rest = list(body)
        parts = []
        for place, (given, kind) in enumerate(fields):
            value = _indexed(kind, topics.pop(0)) if given["indexed"] else rest.pop(0)
            parts.append(f"{given.get('name') or place}: {shown_value(value)}")
        return f"{entry['name']}({', '.join(parts)})"
    return f"[{', '.join(log.topics)}] {shown_value(log.data)}"


def _indexed(kind: str, topic: str) -> Any:
    if kind in ("string", "bytes") or kind.endswith((")", "]")):
        return topic
    values = decoded([kind], topic[2:])
    return topic if values is None else values[0]


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


def shown_value(value: object) -> str:
    """A decoded value for a reader, cut where it is long."""
    if isinstance(value, bytes):
        text = "0x" + value.hex()
    elif isinstance(value, list | tuple):
        text = f"[{', '.join(map(shown_value, value))}]"
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, int) and value > _LARGE and not value & (value + 1):
        text = f"2^{value.bit_length()}-1"
    elif isinstance(value, str) and not value.startswith("0x"):
        text = repr(value)
    else:
        text = str(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


def describe_failure(contract: ContractBuild | None, data: str) -> str:
    """Revert data for a reader: an error of the contract's own with its values, or as `describe_output` has it."""
    for entry in contract.abi if contract is not None else ():
        if entry.get("type") == "error":
            selector = f"{keccak(signature_of(entry).encode()):064x}"[:8]
            values = decoded(input_types(entry), data[10:]) if data[2:10] == selector else None
            if values is not None:
                return f"{entry['name']}({', '.join(map(shown_value, values))})"
    return describe_output(data)


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
