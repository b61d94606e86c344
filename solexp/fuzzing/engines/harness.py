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
from solexp.fuzzing.looking import Looked, senders
from solexp.fuzzing.settings import FALLBACK, RECEIVE, Constants, Entry, Unit
from solexp.fuzzing.values import STRANGERS

DEPLOYMENT_GAS = 120_000_000
"""Limit of every deployment, the original's and candidates' alike."""
MOST_WEI = (1 << 79) - 1
_RESTLESS = 8
"""Before one call in so many time passes."""
_DUST = 64
"""One call in so many sends a wei to a function that takes none."""
_LEAST = 3
"""Functions that a handler has at least, so that letting time pass is not most of what it does."""
_MOST_PAUSES = 48
_MOST_WORTH = 128
_SHORTEST = 60
_LONGEST = 20 * 365 * 86_400
_NAMED, _STRANGE = 2, 2
_MOST_NUMBERS = 64
_ADDRESS = 255
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
    slots: dict[str, tuple[tuple[int, Entry], ...]]
    """The functions that each of the handler's functions calls, one at a time, and their places among the unit's, by
    selector."""
    pauses: tuple[int, ...]
    """Seconds."""
    numbers: tuple[int, ...]
    accounts: tuple[str, ...]

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
        now = base.deployment.timestamp + BLOCK_S
        blocks = seconds = 0
        for each in sent:
            blocks, seconds = blocks + each.blocks, seconds + each.seconds
            selector, digits = each.data[2:10], each.data[10:]
            # What the handler lets pass after it has read the clock.
            pause = self._pause(each, selector, restless=restless)
            read = now + seconds
            if pause:
                blocks, seconds = blocks + 1 + pause // BLOCK_S, seconds + pause
            called = self.called(each)
            if called is None:
                continue
            _, entry = called
            values = decoded(_types(entry), digits)
            if values is None:
                continue
            given = tuple(_replaced(value, places) for value in self._tuned(entry, values, read))
            sender = places.get(each.sender.lower(), each.sender.lower())
            wei = self._wei(entry, each.data, values, read)
            steps.append(Step(entry, sender, given, wei, blocks, seconds))
            now, blocks, seconds = now + seconds, 0, 0
        return program(base, steps)

    def called(self, sent: Sent) -> tuple[int, Entry] | None:
        """What a call of the handler calls, and its place among the unit's; None for nothing."""
        group = self.slots.get(sent.data[2:10])
        if group is None:
            return None
        return group[int(sent.data[10:74], 16) % len(group)] if len(group) > 1 else group[0]

    def _tuned(self, entry: Entry, values: Sequence[Any], now: int) -> Iterable[Any]:
        """The arguments that the handler makes of those that it was given, as its own ``_tuned`` does."""
        at = 0
        for kind, value in zip(entry.types, values, strict=False):
            size = _words(kind) if _static(kind) else 1
            how = _kinds(kind)[0]
            if how == _ADDRESS:
                drawn = _drawn(int(value, 16), at)
                accounts = self.accounts
                yield accounts[(drawn >> 8) % len(accounts)] if drawn % 4 else value
            elif how:
                yield self._number(value, _drawn(value, at), now) & ((1 << 8 * how) - 1)
            else:
                yield value
            at += size

    def _number(self, value: int, drawn: int, now: int) -> int:
        more = drawn >> 8
        numbers, pauses = self.numbers, self.pauses
        made = {
            2: value % (1 << (more % 65)),
            3: more % 8,
            4: more % 1024,
            5: numbers[more % len(numbers)],
            6: numbers[more % len(numbers)] + (drawn >> 128) % 3 - 1,
            7: now + pauses[more % len(pauses)],
        }
        return made.get(drawn % 8, value)

    def _wei(self, entry: Entry, data: str, values: Sequence[Any], now: int) -> int:
        if _takes_ether(entry):
            return self._number(values[-1], _drawn(values[-1], 255), now) & MOST_WEI
        return int(not entry.view and keccak(bytes.fromhex(data[2:])) % _DUST == 0)

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
    accounts: Sequence[str],
    axes: Collection[str],
    libraries: Iterable[str] = (),
    **more: str,
) -> Harness:
    """The handler of a unit. ``template`` names the file with what an engine needs besides, ``more`` is for that."""
    looks = tuple(entry for entry in unit.views if not entry.types)
    asks = [entry for entry in unit.views if entry.types]
    entries = [*unit.entries, *looks, *asks, *((RECEIVE, FALLBACK) if unit.loose else ())]
    places = {entry: place for place, entry in enumerate(entries)}
    # What changes something is there twice, and views for which nothing is drawn are one function.
    groups: list[tuple[Entry, ...]] = [
        (entry,) for entry in (*unit.entries, *entries) if entry not in looks
    ]
    groups += [looks] if looks else []
    groups *= -(-_LEAST // len(groups))
    structs: dict[str, str] = {}
    slots: dict[str, tuple[tuple[int, Entry], ...]] = {}
    functions = []
    for number, group in enumerate(groups):
        name = f"f{number}"
        parameters, text = _function(group, places[group[0]], structs)
        about = ", ".join(entry.signature for entry in group)
        functions.append(f"    /// {about}\n    function {name}{text}")
        slots[_selector(f"{name}({','.join(parameters)})")] = tuple(
            (places[entry], entry) for entry in group
        )
    waits = [
        near for n in stated.numbers if _SHORTEST <= n <= _LONGEST for near in (n, n - 1, n + 1)
    ]
    pauses = tuple(dict.fromkeys((*PAUSES, *waits)))[:_MOST_PAUSES]
    deployment = base.deployment
    numbers = tuple(n for n in stated.numbers if 0 <= n < 1 << 256)[:_MOST_NUMBERS] or (1,)
    made = Harness("", slots, pauses, numbers, tuple(dict.fromkeys(accounts)))
    parts = {
        "GAS": str(GAS),
        "DUST": str(_DUST),
        "STATUS": _flag("status" in axes),
        "REVERT": _flag("revert" in axes),
        "RETURN": _flag("return" in axes),
        "EVENTS": _flag("events" in axes),
        "DEPLOYER": checksummed(deployment.sender.lower()),
        "PAUSES": "".join(f"{each:016x}" for each in pauses),
        "NUMBERS": "".join(map(word, numbers)),
        "ACCOUNTS": "".join(each[2:] for each in made.accounts),
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
        "SENDERS": "".join(each[2:] for each in accounts),
        **more,
    }
    files = resources.files(__package__)
    text = "".join(files.joinpath(name).read_text("utf-8") for name in ("Beside.sol", template))
    source = re.sub(r"/\*<(\w+)>\*/", lambda found: parts[found[1]], text)
    return msgspec.structs.replace(made, source=source)


def _function(group: Sequence[Entry], place: int, structs: dict[str, str]) -> tuple[list[str], str]:
    """Types of a function that calls those of a group, the first of which is at ``place``, and its text behind its
    name; structs that it takes are added."""
    entry = group[0]
    if len(group) > 1:
        packed = "".join(each.selector for each in group)
        chosen = f'abi.encodePacked(bytes4(_at(hex"{packed}", 4, which)))'
        # These stand beside one another, since they are of one kind.
        return ["uint256"], _text("uint256 which", f"{place} + which % {len(group)}", "0", chosen)
    declared = [_declared(kind, structs) for kind in entry.types]
    value = "_dust()" if not entry.view else "0"
    data = f"abi.encodePacked(bytes4(0x{entry.selector}), msg.data[4:])" if entry.selector else '""'
    if _takes_ether(entry):
        declared.append("uint256 value")
        value = "_wei(value)"
        if entry.selector and all(map(_static, entry.types)):
            # With dynamic arguments, the amount between them and their offsets does no harm.
            end = 4 + 32 * sum(map(_words, entry.types))
            data = f"abi.encodePacked(bytes4(0x{entry.selector}), msg.data[4:{end}])"
    elif entry is FALLBACK:
        data = f'hex"{entry.selector}"'
    kinds = bytes(how for kind in entry.types for how in _kinds(kind)).hex()
    if kinds.strip("0"):
        data = f'_tuned({data}, hex"{kinds}")'
    return _types(entry), _text(", ".join(declared), str(place), value, data)


def _text(declared: str, place: str, value: str, data: str) -> str:
    return f"({declared}) external {{\n        _both({place}, {value}, {data});\n    }}"


def cast(base: Program, seed: int, looked: Looked) -> tuple[str, ...]:
    """Who sends calls: the deployer twice as often, as engines draw all alike, and a few others."""
    deployer, *others = senders(base, seed, looked.accounts)
    named, strangers = others[:-STRANGERS], others[-STRANGERS:]
    return (deployer, deployer, *named[:_NAMED], *strangers[:_STRANGE])


def _flag(on: bool) -> str:
    return str(on).lower()


def _selector(signature: str) -> str:
    return word(keccak(signature.encode()))[:8]


def _takes_ether(entry: Entry) -> bool:
    return entry.payable or entry is RECEIVE


def _types(entry: Entry) -> list[str]:
    """Of the handler's function."""
    return [*entry.types, "uint256"] if _takes_ether(entry) else list(entry.types)


def _drawn(value: int, at: int) -> int:
    return keccak(bytes.fromhex(word(value) + word(at)))


def _kinds(kind: str) -> list[int]:
    """How each word of a type is tuned: not at all, as an address, or as a number of so many bytes."""
    if kind == "address":
        return [_ADDRESS]
    if kind.startswith("uint") and not kind.endswith("]"):
        return [int(kind[4:]) // 8]
    return [0] * (_words(kind) if _static(kind) else 1)


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
