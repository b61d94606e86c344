"""A contract that makes the same calls of an original and a candidate, and its calls read back as programs."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from importlib import resources
from typing import Any, NamedTuple

import msgspec

from solexp.core import Program
from solexp.evm.abi import decoded, split_types
from solexp.evm.evidence.cast import checksummed
from solexp.evm.machine import RICH
from solexp.evm.words import keccak, word
from solexp.fuzzing.drawing import BLOCK_S, GAS, PAUSES, Step, program
from solexp.fuzzing.settings import FALLBACK, RECEIVE, Constants, Entry, Unit

DEPLOYMENT_GAS = 120_000_000
"""Limit of every deployment, the original's and candidates' alike."""
MOST_WEI = (1 << 79) - 1
_RESTLESS = 8
"""Before one call in so many time passes."""
_DUST = 64
"""One call in so many sends a wei to a function that takes none."""
_COPIES = 3
"""Functions that a handler has at least, so that letting time pass is not most of what it does."""
_MOST_PAUSES = 48
_MOST_WORTH = 128
_SHORTEST = 60
_LONGEST = 20 * 365 * 86_400
_PASS = "pass(uint256)"
_ARRAY = re.compile(r"^(.*)(\[\d*\])$")


class Sent(NamedTuple):
    """A call of the handler, as an engine tells it."""

    sender: str
    data: str
    """0x, selector and arguments."""
    blocks: int = 0
    """Since the call before, by the engine's own doing."""
    seconds: int = 0


class Harness(msgspec.Struct, frozen=True):
    """One unit's handler."""

    source: str
    slots: dict[str, tuple[int, Entry]]
    """The function that each of the handler's functions calls, and its place among the unit's, by selector."""
    pauses: tuple[int, ...]
    """Seconds."""

    @property
    def selectors(self) -> list[str]:
        """Of the handler's functions, 8 hex digits each."""
        return [*self.slots, _selector(_PASS)]

    def program(
        self, base: Program, sent: Iterable[Sent], places: dict[str, str], *, restless: bool
    ) -> Program:
        """Calls of the handler as calls of the contract. Accounts of the engine that stand for others are replaced as
        ``places`` says. ``restless``: whether the handler lets time pass by itself.

        Calls that are none of the handler's only let their time pass.
        """
        steps: list[Step] = []
        blocks = seconds = 0
        for each in sent:
            blocks, seconds = blocks + each.blocks, seconds + each.seconds
            selector, digits = each.data[2:10], each.data[10:]
            pause = self._pause(each, selector, restless=restless)
            if pause:
                blocks, seconds = blocks + 1 + pause // BLOCK_S, seconds + pause
            if selector not in self.slots:
                continue
            _, entry = self.slots[selector]
            values = decoded(_types(entry), digits)
            if values is None:
                continue
            value = _wei(entry, each.data, values)
            given = tuple(_replaced(each, places) for each in values[: len(entry.types)])
            sender = places.get(each.sender.lower(), each.sender.lower())
            steps.append(Step(entry, sender, given, value, blocks, seconds))
            blocks = seconds = 0
        return program(base, steps)

    def _pause(self, sent: Sent, selector: str, *, restless: bool) -> int:
        if not restless:
            return 0
        if selector == _selector(_PASS):
            return self.pauses[int(sent.data[10:74] or "0", 16) % len(self.pauses)]
        drawn = keccak(bytes.fromhex(sent.data[2:] + sent.sender[2:]))
        return self.pauses[(drawn >> 8) % len(self.pauses)] if drawn % _RESTLESS == 0 else 0


def harness(
    template: str,
    unit: Unit,
    base: Program,
    *,
    stated: Constants,
    senders: Sequence[str],
    axes: Collection[str],
    libraries: Iterable[str] = (),
) -> Harness:
    """The handler of a unit. ``template`` names the file with what is particular to an engine."""
    entries = [*unit.entries, *unit.views, *((RECEIVE, FALLBACK) if unit.loose else ())]
    copies = -(-_COPIES // len(entries))
    structs: dict[str, str] = {}
    slots: dict[str, tuple[int, Entry]] = {}
    functions = []
    for number, (place, entry) in enumerate(list(enumerate(entries)) * copies):
        declared = [_declared(kind, structs) for kind in entry.types]
        value = "_dust()" if not entry.view else "0"
        data = (
            f"abi.encodePacked(bytes4(0x{entry.selector}), msg.data[4:])"
            if entry.selector
            else '""'
        )
        if _takes_ether(entry):
            declared.append("uint256 value")
            value = "value & MOST_WEI"
            if entry.selector and all(map(_static, entry.types)):
                # With dynamic arguments, the amount between them and their offsets does no harm.
                end = 4 + 32 * sum(map(_words, entry.types))
                data = f"abi.encodePacked(bytes4(0x{entry.selector}), msg.data[4:{end}])"
        elif entry is FALLBACK:
            data = f'hex"{entry.selector}"'
        name = f"f{number}"
        functions.append(
            f"    /// {entry.signature}\n"
            f"    function {name}({', '.join(declared)}) external {{\n"
            f"        _both({place}, {value}, {data});\n"
            f"    }}"
        )
        slots[_selector(f"{name}({','.join(_types(entry))})")] = (place, entry)
    waits = [
        near for n in stated.numbers if _SHORTEST <= n <= _LONGEST for near in (n, n - 1, n + 1)
    ]
    pauses = tuple(dict.fromkeys((*PAUSES, *waits)))[:_MOST_PAUSES]
    deployment = base.deployment
    made = Harness("", slots, pauses)
    parts = {
        "GAS": str(GAS),
        "DUST": str(_DUST),
        "STATUS": _flag("status" in axes),
        "REVERT": _flag("revert" in axes),
        "RETURN": _flag("return" in axes),
        "EVENTS": _flag("events" in axes),
        "DEPLOYER": checksummed(deployment.sender.lower()),
        "PAUSES": "".join(f"{each:016x}" for each in pauses),
        "NUMBER": str(deployment.block_number),
        "TIME": str(deployment.timestamp),
        "BLOCK_S": str(BLOCK_S),
        "DEPLOYMENT_GAS": str(DEPLOYMENT_GAS),
        "LIBRARIES": "".join(each[2:] for each in libraries),
        "VALUE": str(deployment.value),
        "RICH": str(RICH),
        "RESTLESS": str(_RESTLESS),
        "WORTH": "\n".join(_worth(stated)),
        "ENTRIES": "\n\n".join((*structs.values(), *functions)),
        "SELECTORS": "".join(made.selectors),
        "SENDERS": "".join(each[2:] for each in senders),
    }
    files = resources.files(__package__)
    text = "".join(files.joinpath(name).read_text("utf-8") for name in ("Beside.sol", template))
    source = re.sub(r"/\*<(\w+)>\*/", lambda found: parts[found[1]], text)
    return msgspec.structs.replace(made, source=source)


def _flag(on: bool) -> str:
    return str(on).lower()


def _selector(signature: str) -> str:
    return word(keccak(signature.encode()))[:8]


def _takes_ether(entry: Entry) -> bool:
    return entry.payable or entry is RECEIVE


def _types(entry: Entry) -> list[str]:
    """Of the handler's function."""
    return [*entry.types, "uint256"] if _takes_ether(entry) else list(entry.types)


def _wei(entry: Entry, data: str, values: Sequence[Any]) -> int:
    if _takes_ether(entry):
        return int(values[-1]) & MOST_WEI
    return int(not entry.view and keccak(bytes.fromhex(data[2:])) % _DUST == 0)


def _replaced(value: Any, places: dict[str, str]) -> Any:
    if isinstance(value, str):
        return places.get(value, value)
    if isinstance(value, tuple | list):
        return type(value)(_replaced(each, places) for each in value)
    return value


def _worth(stated: Constants) -> Iterable[str]:
    numbers = [number for number in stated.numbers if 0 <= number < 1 << 256]
    texts = [int.from_bytes(text[:32].ljust(32, b"\0")) for text in stated.texts]
    for number in (*numbers[:_MOST_WORTH], *texts[:_MOST_WORTH]):
        yield (
            f"            sum += {number:#x};" if number >> 160 else f"            sum += {number};"
        )
    for account in stated.addresses[:_MOST_WORTH]:
        yield f"            sum += uint160(address({checksummed(account)}));"


def _declared(kind: str, structs: dict[str, str]) -> str:
    """A parameter of a canonical type; structs that it takes are added."""
    plain = _named(kind, structs)
    whole = kind in ("bytes", "string") or kind.endswith((")", "]"))
    return f"{plain} calldata" if whole else plain


def _named(kind: str, structs: dict[str, str]) -> str:
    array = _ARRAY.match(kind)
    if array:
        return _named(array[1], structs) + array[2]
    if not kind.endswith(")"):
        return kind
    fields = [f"{_named(part, structs)} x{at};" for at, part in enumerate(split_types(kind[1:-1]))]
    if kind not in structs:
        structs[kind] = f"    struct S{len(structs)} {{ {' '.join(fields)} }}"
    return f"S{list(structs).index(kind)}"


def _static(kind: str) -> bool:
    array = _ARRAY.match(kind)
    if array:
        return array[2] != "[]" and _static(array[1])
    if kind.endswith(")"):
        return all(map(_static, split_types(kind[1:-1])))
    return kind not in ("bytes", "string")


def _words(kind: str) -> int:
    """Of a static type."""
    array = _ARRAY.match(kind)
    if array:
        return int(array[2][1:-1]) * _words(array[1])
    return sum(map(_words, split_types(kind[1:-1]))) if kind.endswith(")") else 1
