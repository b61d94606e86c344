"""Values of an ABI as Solidity writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from solexp.core import ContractBuild
from solexp.evm.abi import decoded, decoded_call, input_types
from solexp.evm.evidence.cast import checksummed

MOST = 6
"""Arguments that are written out; the compiler's stack does not take many more."""


def arguments(contract: ContractBuild | None, data: str, names: Mapping[str, str]) -> str:
    """An expression for calldata: ``abi.encodeWithSignature(…)`` where that gives these very bytes, else hex.

    ``names`` are expressions by address (lower case).
    """
    found = decoded_call(contract, data)
    if found is not None:
        name, types, values = found
        written = _written(types, values, data[10:], names)
        if written is not None:
            signature = f'"{name}({",".join(types)})"'
            return f"abi.encodeWithSignature({', '.join([signature, *written])})"
    return f'hex"{data[2:]}"'


def constructor_arguments(contract: ContractBuild, data: str, names: Mapping[str, str]) -> str:
    """An expression for a constructor's encoded arguments: ``abi.encode(…)``, or hex where that gives other bytes."""
    entries = [entry for entry in contract.abi if entry.get("type") == "constructor"]
    types = input_types(entries[0]) if entries else []
    values = decoded(types, data[2:])
    written = None if values is None else _written(types, values, data[2:], names)
    return f'hex"{data[2:]}"' if written is None else f"abi.encode({', '.join(written)})"


def _written(
    types: list[str], values: Sequence[Any], digits: str, names: Mapping[str, str]
) -> list[str] | None:
    """The values as literals; None where one has none, or they are not encoded as these hex digits."""
    from eth_abi.abi import encode  # noqa: PLC0415  (takes a while to import)

    if len(values) > MOST or encode(types, values).hex() != digits:
        return None
    written = [_literal(kind, value, names) for kind, value in zip(types, values, strict=True)]
    known = [text for text in written if text is not None]
    return known if len(known) == len(written) else None


def address(text: str, names: Mapping[str, str]) -> str:
    """An address by its name, or as a literal."""
    return names.get(text.lower()) or checksummed(text)


def _literal(kind: str, value: Any, names: Mapping[str, str]) -> str | None:
    """None for arrays and structs, which have no literals."""
    if kind.endswith(("]", ")")):
        return None
    if kind == "address":
        return address(value, names)
    if kind == "bool":
        return str(value).lower()
    if kind.startswith(("string", "bytes")):
        return _bytes(kind, value)
    return _number(kind, value)


def _bytes(kind: str, value: Any) -> str:
    if kind == "string":
        if value.isascii() and value.isprintable() and not set('"\\') & set(value):
            return f'"{value}"'
        return f'string(hex"{value.encode().hex()}")'
    return f'hex"{value.hex()}"' if kind == "bytes" else f'{kind}(hex"{value.hex()}")'


def _number(kind: str, value: int) -> str | None:
    if not kind.startswith(("uint", "int")):
        return None
    bits = int(kind.removeprefix("u").removeprefix("int")) - (kind[0] == "i")
    return f"type({kind}).max" if value == (1 << bits) - 1 and bits > 8 else f"{kind}({value})"
