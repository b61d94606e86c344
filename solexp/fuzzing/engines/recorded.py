"""What Echidna and Medusa write down of the sequences that they keep, read as calls of the handler."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from solexp.core import ToolError
from solexp.evm.encoding import calldata
from solexp.evm.words import keccak, word
from solexp.fuzzing.engines.harness import Sent

_NAMES = (
    *("NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL", "BS", "HT", "LF", "VT", "FF", "CR"),
    *("SO", "SI", "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB", "CAN", "EM", "SUB"),
    *("ESC", "FS", "GS", "RS", "US", "SP"),
)
"""Of ASCII's first characters, as Haskell shows them."""
_SHORT = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "'": 39, "\\": 92}
# SOH before SO: of two names that fit, Haskell takes the longer one.
_ESCAPE = re.compile(
    r"\\(?:(\d+)|x([0-9a-fA-F]+)|o([0-7]+)|(DEL|"
    + "|".join(sorted(_NAMES, key=len, reverse=True))
    + r")|\^([@-_])|(&)|([abtnvfr\"'\\]))|(.)",
    re.DOTALL,
)


def echidna_sequence(path: Path) -> list[Sent]:
    """The calls in a file of Echidna's corpus: a JSON list of transactions, as its ``Tx`` is encoded.

    Each has its call (tag and contents: a function's name and its arguments as tagged values), the account that makes
    it (``src``) and what passes before it (``delay``: seconds, then blocks). Raises ToolError for anything else.
    """
    try:
        return [_echidna_call(each) for each in json.loads(path.read_text("utf-8"))]
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise ToolError(f"{path.name} is not what Echidna writes: {error!r}") from None


def _echidna_call(said: dict[str, Any]) -> Sent:
    seconds, blocks = (int(each, 16) for each in said["delay"])
    call = said["call"]
    data = "0x"
    if call["tag"] == "SolCall":
        name, arguments = call["contents"]
        types = [_type(each) for each in arguments]
        selector = word(keccak(f"{name}({','.join(types)})".encode()))[:8]
        data = calldata(selector, types, [_value(each) for each in arguments])
    elif call["tag"] == "SolCalldata":
        data = "0x" + _text(call["contents"]).hex()
    return Sent(_account(said["src"]), data, blocks, seconds)


_PLAIN = {
    "AbiAddress": "address",
    "AbiBool": "bool",
    "AbiString": "string",
    "AbiBytesDynamic": "bytes",
}


def _type(said: dict[str, Any]) -> str:
    """The canonical type of a tagged value, or of a type that stands by itself, as those of an array's members do."""
    tag = said["tag"].removesuffix("Type")
    held: Any = said.get("contents")
    # A value's contents begin with what a type's consist of.
    alone = tag != said["tag"]
    if tag in ("AbiUInt", "AbiInt"):
        return f"{'u' if tag == 'AbiUInt' else ''}int{held if alone else held[0]}"
    if tag == "AbiBytes":
        return f"bytes{held if alone else held[0]}"
    if tag == "AbiTuple":
        return f"({','.join(map(_type, held))})"
    if tag == "AbiArrayDynamic":
        return f"{_type(held if alone else held[0])}[]"
    if tag == "AbiArray":
        return f"{_type(held[1])}[{held[0]}]"
    return _PLAIN[tag]


def _value(said: dict[str, Any]) -> Any:
    """A tagged value as the codec takes it."""
    held: Any = said.get("contents")
    read = _READ.get(said["tag"])
    return read(held) if read is not None else [_value(each) for each in held[-1]]


def _account(said: str) -> str:
    return f"0x{int(said, 16):040x}"


def _text(shown: str) -> bytes:
    """The bytes of a string as Haskell shows it, in quotes and with escapes; hex digits behind ``0x`` too."""
    if not shown.startswith('"'):
        return bytes.fromhex(shown.removeprefix("0x"))
    found = bytearray()
    for match in _ESCAPE.finditer(shown[1:-1]):
        number, hexadecimal, octal, name, control, empty, short, plain = match.groups()
        if empty:
            continue
        if plain:
            found += plain.encode("utf-8")
            continue
        code = (
            int(number)
            if number
            else int(hexadecimal, 16)
            if hexadecimal
            else int(octal, 8)
            if octal
            else ord(control) - 64
            if control
            else _SHORT[short]
            if short
            else 127
            if name == "DEL"
            else _NAMES.index(name)
        )
        found += bytes([code]) if code < 256 else chr(code).encode("utf-8")
    return bytes(found)


_READ: dict[str, Callable[[Any], Any]] = {
    "AbiUInt": lambda held: int(held[1]),
    "AbiInt": lambda held: int(held[1]),
    "AbiAddress": _account,
    "AbiBool": bool,
    "AbiBytes": lambda held: _text(held[1]),
    "AbiBytesDynamic": _text,
    "AbiString": lambda held: _text(held).decode("utf-8", "replace"),
    "AbiTuple": lambda held: tuple(map(_value, held)),
}
"""What the contents of a tagged value are; those of arrays end with the list of their members."""


def medusa_sequence(path: Path) -> list[Sent]:
    """The calls in a file of Medusa's corpus: a JSON list of elements with the call's message and delays.

    Of the message counts who it is ``from`` and its ``data``; of the delays ``blockNumberDelay`` and
    ``blockTimestampDelay``, in seconds. Raises ToolError for anything else.
    """
    try:
        return [
            Sent(
                _account(each["call"]["from"]),
                each["call"].get("data") or "0x",
                int(each.get("blockNumberDelay") or 0),
                int(each.get("blockTimestampDelay") or 0),
            )
            for each in json.loads(path.read_text("utf-8"))
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ToolError(f"{path.name} is not what Medusa writes: {error!r}") from None


def files_below(folder: Path, parts: Sequence[str], endings: Iterable[str]) -> list[Path]:
    """Files of a corpus, those of the first of its ``parts`` first, each part in the order of its names."""
    kept = tuple(endings)
    return [
        path
        for part in parts
        for path in sorted((folder / part).rglob("*"))
        if path.is_file() and path.name.endswith(kept)
    ]
