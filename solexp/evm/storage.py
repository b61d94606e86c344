"""From a compiler's storage layout to the slots worth reading, each under a label that outlives a change of layout.

Solidity documentation, "Layout of State Variables in Storage": a mapping's value for key ``k`` stands at
``keccak(k . p)``, a dynamic array's elements from ``keccak(p)`` on, and small values share a slot.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from solexp.evm.machine import Keys, Observation
from solexp.evm.words import keccak, word

ARRAY_ELEMENTS = 32
"""Elements of an array that are read, at most."""
TEXT_WORDS = 4
"""Words of a long string or byte string that are read, at most."""
DEEP_ENTRIES = 24
"""Entries of a mapping whose values are themselves strings or arrays, at most: each costs a hash here."""

MOST_DEEP = 12
"""Structs, arrays and mappings inside each other that are followed, at most: types can be recursive."""
ROOM = 8
"""A candidate may lay a variable out this much wider than the reference and still be read whole."""

BALANCE = "balance of "
"""Labels of balances begin so."""

_ZERO_DIGITS = "0" * 64
_ZERO = "0x" + _ZERO_DIGITS
_SIGNED = re.compile(r"int\d+")
_KEYS = re.compile(r"\[[^\]]*\]")

Entry = tuple[str, str]
"""Label so far, and the key or keys as hex digits."""


class Field:
    """One value in the answer of the reading program: ``label``, the word it is in, and where in that word.

    A ``signed`` value is widened by its sign, so that it reads the same whatever size it is kept in.
    """

    __slots__ = ("end", "label", "signed", "start", "word")

    def __init__(self, label: str, word: int, start: int, end: int, signed: bool = False) -> None:
        self.label = label
        self.signed = signed
        self.word = word
        self.start = start
        self.end = end


class SlotPlan:
    """What to ask the reading program for, and how to name what it answers."""

    def __init__(self, calldata: str, fields: Sequence[Field], skipped: Sequence[str]) -> None:
        self.calldata = calldata
        """Question for `solexp.evm.assembly.READER`, hex with ``0x``."""
        self.fields = tuple(fields)
        self.words = 2 + max((field.word for field in self.fields), default=-1)
        """32-byte words of an answer, the balance included."""
        self.skipped = tuple(skipped)
        """Variables that hold more than is read, such as mappings three deep."""

    def read(self, answer: str) -> dict[str, str]:
        """32-byte words by label from the answer (hex with ``0x``, the balance in front)."""
        found = {}
        for field in self.fields:
            at = 66 + 64 * field.word
            word_ = answer[at : at + 64]
            if word_ == _ZERO_DIGITS:
                # Most words are zero, and all of these are one string.
                found[field.label] = _ZERO
            elif field.end - field.start == 64:
                found[field.label] = "0x" + word_
            else:
                digits = word_[field.start : field.end]
                negative = field.signed and digits[0] in "89abcdef"
                found[field.label] = "0x" + digits.rjust(64, "f" if negative else "0")
        return found


def canonical(layout: dict[str, Any] | None) -> str:
    """A layout without the parts that differ between two compilations of the same variables."""
    if layout is None:
        return ""
    types = layout.get("types") or {}
    lines = [f"{v['label']}@{v['slot']}+{v['offset']}:{v['type']}" for v in layout["storage"]]
    lines += [
        f"{name}={t['label']}/{t.get('underlying')}/{t['encoding']}/{t['numberOfBytes']}/{t.get('key')}/{t.get('value')}/{t.get('base')}/"
        + ",".join(
            f"{m['label']}@{m['slot']}+{m['offset']}:{m['type']}" for m in t.get("members", ())
        )
        for name, t in types.items()
    ]
    return re.sub(r"\)\d+_storage|\)\d+", ")", "\n".join(lines))


def variables(layout: dict[str, Any] | None) -> tuple[str, ...]:
    """Names of the state variables, in order."""
    return () if layout is None else tuple(v["label"] for v in layout["storage"])


class Budget(NamedTuple):
    """How much of each variable is read."""

    slots_of: dict[str, int]
    """Slots by name of the variable."""
    per_mapping: int
    """Keys of each mapping."""
    flags: tuple[str, ...]
    """Which of what is read is a `bool`, as labels without keys."""


def budget(layout: dict[str, Any] | None, keys: Keys, max_slots: int) -> Budget:
    """What reading the reference takes, as the measure for the others."""
    if layout is None:
        return Budget({}, 0, ())
    planner = _Planner(layout, Observation(keys=keys, max_slots=max_slots))
    planner.plan()
    return Budget(planner.used, planner.per_mapping, tuple(sorted(planner.flags)))


def plan_slots(layout: dict[str, Any] | None, plan: Observation) -> SlotPlan:
    """The slots to read for this layout, as the plan says, and the balances that it names."""
    return _Planner(layout or {"storage": []}, plan).plan()


class _Place:
    """Where a value stands: a slot, or the same slot under each of several keys."""

    __slots__ = ("base", "entries", "kind", "offset")

    def __init__(self, kind: int, base: int, entries: Sequence[Entry], offset: int = 0) -> None:
        self.kind = kind
        self.base = base
        self.entries = entries
        self.offset = offset

    def moved(self, slots: int) -> _Place:
        return _Place(self.kind, self.base, self.entries, self.offset + slots)

    def slots(self) -> Iterable[tuple[str, int]]:
        """The slots themselves, hashed here, by label."""
        for label, key in self.entries[:DEEP_ENTRIES] if self.kind else self.entries:
            slot = self.base
            for at in range(0, 64 * self.kind, 64):
                slot = keccak(bytes.fromhex(key[at : at + 64] + word(slot)))
            yield label, (slot + self.offset) % (1 << 256)


class _Planner:
    def __init__(self, layout: dict[str, Any], plan: Observation) -> None:
        self._types: dict[str, Any] = layout.get("types") or {}
        self._variables: list[dict[str, Any]] = layout["storage"]
        self._keys = plan.keys
        self._balances = plan.balances
        self._room = plan.slots_of
        self._total = plan.max_slots if plan.slots_of is None else ROOM * plan.max_slots
        self._left = 0
        mappings = sum(t["encoding"] == "mapping" for t in self._types.values())
        self.per_mapping = plan.per_mapping or max(8, plan.max_slots // max(1, 2 * mappings))
        self.used: dict[str, int] = {}
        self.flags: set[str] = set()
        self._alike = None if plan.flags is None else frozenset(plan.flags)
        self._plain: dict[int, int] = {}
        self._groups: dict[tuple[int, int, int], tuple[_Place, int]] = {}
        self._fields: list[tuple[str, tuple[int, int, int] | None, int, int, int, bool]] = []
        self._skipped: list[str] = []
        self._depth = 0

    def plan(self) -> SlotPlan:
        for variable in self._variables:
            name = variable["label"]
            if self._room is not None and name not in self._room:
                continue
            allowed = self._total
            if self._room is not None:
                allowed = min(allowed, ROOM * self._room[name] + 64)
            self._left = allowed
            place = _Place(0, int(variable["slot"]), [(name, "")])
            self._visit(variable["type"], place, "", int(variable["offset"]))
            taken = allowed - self._left
            self.used[name] = self.used.get(name, 0) + taken
            self._total -= taken
        return self._lay_out()

    def _visit(self, name: str, place: _Place, suffix: str, offset: int) -> None:
        if self._left < 1 or self._depth >= MOST_DEEP:
            root = place.entries[0][0] if place.entries else ""
            self._skipped.append(root.partition("[")[0].partition(".")[0])
            return
        self._depth += 1
        self._follow(name, place, suffix, offset)
        self._depth -= 1

    def _follow(self, name: str, place: _Place, suffix: str, offset: int) -> None:
        kind = self._types[name]
        encoding = kind["encoding"]
        if encoding == "mapping":
            self._mapping(kind, place, suffix)
        elif encoding == "dynamic_array":
            self._value(place, suffix + ".length", 0, 32)
            for label, slot in self._deep(place, suffix):
                first = keccak(bytes.fromhex(word(slot)))
                inner = _Place(0, first, [(label, "")])
                self._elements(kind["base"], inner, ARRAY_ELEMENTS)
        elif encoding == "bytes":
            self._value(place, suffix, 0, 32)
            for label, slot in self._deep(place, suffix):
                first = keccak(bytes.fromhex(word(slot)))
                for index in range(TEXT_WORDS):
                    self._value(_Place(0, first, [(label, "")], index), f".word{index}", 0, 32)
        elif "members" in kind:
            for member in kind["members"]:
                self._visit(
                    member["type"],
                    place.moved(int(member["slot"])),
                    f"{suffix}.{member['label']}",
                    int(member["offset"]),
                )
        elif "base" in kind:
            found = re.search(r"\[(\d+)\]$", kind["label"])
            count = int(found[1]) if found else 0
            inner = place if not suffix else _relabelled(place, suffix)
            self._elements(kind["base"], inner, min(count, ARRAY_ELEMENTS))
        elif place.entries:
            underlying = _underlying(kind)
            name = _KEYS.sub("[]", place.entries[0][0] + suffix)
            flag = underlying == "bool"
            if flag:
                self.flags.add(name)
            if self._alike is not None and (name in self._alike) != flag:
                return
            signed = _SIGNED.fullmatch(underlying) is not None
            self._value(place, suffix, offset, int(kind["numberOfBytes"]), signed=signed)

    def _deep(self, place: _Place, suffix: str) -> Iterable[tuple[str, int]]:
        return [(label + suffix, slot) for label, slot in place.slots()]

    def _elements(self, base: str, place: _Place, count: int) -> None:
        size = int(self._types[base]["numberOfBytes"])
        per_slot = max(1, 32 // size) if size <= 32 else 1
        slots = (size + 31) // 32
        for index in range(count):
            at = index // per_slot if per_slot > 1 else index * slots
            self._visit(base, place.moved(at), f"[{index}]", index % per_slot * size)

    def _mapping(self, kind: dict[str, Any], place: _Place, suffix: str) -> None:
        key_type = _underlying(self._types[kind["key"]])
        if key_type.split(" ", maxsplit=1)[0] in ("string", "bytes"):
            for label, slot in place.slots():
                for text in self._keys.texts[:DEEP_ENTRIES]:
                    inner = keccak(bytes.fromhex(text + word(slot)))
                    entry = (f"{label}{suffix}[{_text(text)}]", "")
                    self._visit(kind["value"], _Place(0, inner, [entry]), "", 0)
            return
        if place.kind == 0:
            base = place.base + place.offset
            label = place.entries[0][0] + suffix
            entries = [(f"{label}[{_name(key, key_type)}]", key) for key in self._of(key_type)]
            self._visit(kind["value"], _Place(1, base, entries[: self.per_mapping]), "", 0)
        elif place.kind == 1 and place.offset == 0 and not suffix:
            entries = self._paired(place, key_type)
            self._visit(kind["value"], _Place(2, place.base, entries[: self.per_mapping]), "", 0)
        elif place.entries:
            self._skipped.append(_KEYS.sub("[]", place.entries[0][0] + suffix))

    def _paired(self, place: _Place, key_type: str) -> list[Entry]:
        if _is_address(key_type):
            labels = {key: label for label, key in place.entries}
            paired = [
                (f"{labels[first]}[{_name(second, key_type)}]", first + second)
                for first, second in self._keys.pairs
                if first in labels
            ]
            if paired:
                return paired
        inner = self._of(key_type)
        width = max(4, min(len(inner), self.per_mapping // max(1, len(place.entries))))
        return [
            (f"{label}[{_name(second, key_type)}]", first + second)
            for label, first in place.entries
            for second in inner[:width]
        ]

    def _of(self, key_type: str) -> Sequence[str]:
        if _is_address(key_type):
            return self._keys.addresses
        if key_type == "bool":
            return (word(0), word(1))
        return self._keys.words

    def _value(
        self, place: _Place, suffix: str, offset: int, size: int, *, signed: bool = False
    ) -> None:
        end = 64 - 2 * offset
        start = end - 2 * size
        if place.kind == 0:
            slot = (place.base + place.offset) % (1 << 256)
            if slot not in self._plain:
                if self._left < 1:
                    return
                self._left -= 1
                self._plain[slot] = len(self._plain)
            label = place.entries[0][0] + suffix
            self._fields.append((label, None, self._plain[slot], start, end, signed))
            return
        group = (place.kind, place.base, place.offset)
        if group not in self._groups:
            count = min(len(place.entries), self._left)
            self._left -= count
            self._groups[group] = (place, count)
        known, count = self._groups[group]
        for index, (label, _) in enumerate(known.entries[:count]):
            self._fields.append((label + suffix, group, index, start, end, signed))

    def _lay_out(self) -> SlotPlan:
        parts = []
        if self._plain:
            parts += [word(0), word(0), word(len(self._plain)), word(0), *map(word, self._plain)]
        at = len(self._plain)
        starts: dict[tuple[int, int, int] | None, int] = {None: 0}
        for group, (place, count) in self._groups.items():
            starts[group] = at
            at += count
            parts += [word(place.kind), word(place.base), word(count), word(place.offset)]
            parts += [key for _, key in place.entries[:count]]
        fields = [Field(label, starts[g] + i, s, e, n) for label, g, i, s, e, n in self._fields]
        if self._balances:
            parts += [word(3), word(0), word(len(self._balances)), word(0), *self._balances]
            fields += [
                Field(f"{BALANCE}0x{account[24:]}", at + place, 0, 64)
                for place, account in enumerate(self._balances)
            ]
        return SlotPlan("0x" + "".join(parts), fields, tuple(dict.fromkeys(self._skipped)))


def _relabelled(place: _Place, suffix: str) -> _Place:
    entries = [(label + suffix, key) for label, key in place.entries]
    return _Place(place.kind, place.base, entries, place.offset)


def _underlying(kind: dict[str, Any]) -> str:
    """What is under a user-defined value type, where that was found out; else the type's own name."""
    return str(kind.get("underlying", kind["label"]))


def _is_address(key_type: str) -> bool:
    return key_type.startswith(("address", "contract "))


def _name(key: str, key_type: str) -> str:
    if _is_address(key_type):
        return "0x" + key[24:]
    if key_type.startswith("bytes"):
        return "0x" + key
    value = int(key, 16)
    if key_type.startswith("int") and value >> 255:
        value -= 1 << 256
    return str(value)


def _text(digits: str) -> str:
    raw = bytes.fromhex(digits)
    return repr(raw.decode()) if raw.isascii() and raw.decode().isprintable() else "0x" + digits
