"""Models as calls: arguments as Python values, and the calldata itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eth_abi.abi import encode

from solexp.violations.solidity.storage import TEXT_BYTES
from solexp.violations.solidity.terms import as_signed
from solexp.violations.solidity.types import Type
from solexp.violations.solidity.unit import Node, Unit, kind_of

Model = Mapping[str, int]


def arguments(unit: Unit, function: Node, model: Model) -> tuple[object, ...]:
    """The arguments that a model means, as eth_abi takes them."""
    if kind_of(function) != "function":
        return ()
    declared = function["parameters"]["parameters"]
    return tuple(_value(unit, unit.type_of(d), f"arg{n}", model) for n, d in enumerate(declared))


def _value(unit: Unit, kind: Type, name: str, model: Model) -> Any:  # noqa: PLR0911
    kind = unit.plain(kind)
    value = model.get(name, 0)
    match kind.kind:
        case "bool":
            return bool(value)
        case "int":
            return as_signed(value, kind.bits)
        case "address" | "contract":
            return f"0x{value:040x}"
        case "fixed_bytes":
            return value.to_bytes(kind.bits // 8, "big")
        case "bytes" | "string":
            raw = value.to_bytes(TEXT_BYTES, "big")[: model.get(f"{name}.length", 0)]
            return raw if kind.kind == "bytes" else raw.decode("utf-8", "surrogateescape")
        case "struct":
            fields = unit.fields(kind)
            return tuple(_value(unit, each, f"{name}.{field}", model) for field, each in fields)
        case "array":
            count = kind.length if kind.length is not None else model.get(f"{name}.length", 0)
            return [_value(unit, kind.items[0], f"{name}[{n}]", model) for n in range(count)]
    return value


def spread(unit: Unit, kind: Type, name: str, value: Any, into: dict[str, int]) -> None:
    """The other way round: adds the values of the variables that an argument stands for."""
    kind = unit.plain(kind)
    match kind.kind:
        case "address" | "contract":
            into[name] = int(value, 16)
        case "fixed_bytes":
            into[name] = int.from_bytes(value, "big")
        case "bytes" | "string":
            raw = value.encode() if isinstance(value, str) else value
            into[f"{name}.length"] = len(raw)
            into[name] = int.from_bytes(raw[:TEXT_BYTES].ljust(TEXT_BYTES, b"\0"), "big")
        case "struct":
            for (field, each), part in zip(unit.fields(kind), value, strict=True):
                spread(unit, each, f"{name}.{field}", part, into)
        case "array":
            if kind.length is None:
                into[f"{name}.length"] = len(value)
            for place, part in enumerate(value):
                spread(unit, kind.items[0], f"{name}[{place}]", part, into)
        case _:
            into[name] = int(value) % (1 << max(1, kind.bits))


def calldata(unit: Unit, function: Node, model: Model) -> str:
    """The call's input as hex, words that are no value of their type included."""
    kind = kind_of(function)
    if kind != "function":
        return "0x"
    declared = function["parameters"]["parameters"]
    kinds = [unit.type_of(each) for each in declared]
    values = [_bytes(each) for each in arguments(unit, function, model)]
    body = bytearray(encode([_as_bytes(unit.abi(each)) for each in kinds], values))
    at = 0
    for number, each in enumerate(kinds):
        if model.get(f"arg{number}.dirty"):
            _spoil(body, at, unit.plain(each), unit)
        at += _head(unit, each)
    return f"0x{unit.selector(function):08x}{body.hex()}"


def _bytes(value: Any) -> Any:
    """A string as its bytes, which need not be UTF-8."""
    if isinstance(value, str) and not value.startswith("0x"):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, list | tuple):
        return type(value)(_bytes(each) for each in value)
    return value


def _as_bytes(kind: str) -> str:
    return kind.replace("string", "bytes")


def _head(unit: Unit, kind: Type) -> int:
    """Bytes that an argument takes in the head."""
    kind = unit.plain(kind)
    if kind.kind == "array" and kind.length is not None:
        inner = _head(unit, kind.items[0])
        return 32 if _dynamic(unit, kind.items[0]) else kind.length * inner
    if kind.kind == "struct":
        fields = [each for _, each in unit.fields(kind)]
        return (
            32
            if any(_dynamic(unit, each) for each in fields)
            else sum(_head(unit, e) for e in fields)
        )
    return 32


def _dynamic(unit: Unit, kind: Type) -> bool:
    kind = unit.plain(kind)
    if kind.kind == "array":
        return kind.length is None or _dynamic(unit, kind.items[0])
    if kind.kind == "struct":
        return any(_dynamic(unit, each) for _, each in unit.fields(kind))
    return kind.dynamic_bytes


def _spoil(body: bytearray, at: int, kind: Type, unit: Unit) -> None:
    """Makes a word no value of its type."""
    word = int.from_bytes(body[at : at + 32], "big")
    match kind.kind:
        case "bool":
            word = 2
        case "enum":
            word = unit.members(kind)
        case "fixed_bytes":
            word |= 1
        case "int":
            word ^= 1 << 255
        case _:
            word |= 1 << kind.bits
    body[at : at + 32] = word.to_bytes(32, "big")
