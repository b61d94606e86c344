"""Storage as functional arrays, one for each place that is read or written, indexed by the keys on the way to it.

Solidity documentation, "Layout of State Variables in Storage": a mapping's value for key ``k`` stands at
``keccak(k . p)``, a dynamic array's elements from ``keccak(p)`` on, and small values share a slot. Two places with
different ways to them are taken to be different slots, as they are unless Keccak-256 has a collision.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, cast

from solexp.evm.words import keccak, word
from solexp.violations.solidity import terms
from solexp.violations.solidity.evaluation import Read
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.state import State
from solexp.violations.solidity.terms import FALSE, TRUE, Term

TEXT_BYTES = 96
"""Bytes of a string or byte string that are followed, at most."""

Form = Literal["value", "length", "data"]
"""``value``: a value of ``size`` bytes; ``length`` and ``data``: of a string or byte string, the data left-aligned."""


class Via(NamedTuple):
    """A key or index on the way to a place."""

    how: Literal["mapping", "dynamic", "fixed"]
    slot: int
    """Where the mapping or array stands, counted from where the way before it leads."""
    key: str = ""
    """Of a mapping: ``left`` or ``right`` for the padding of its keys, ``sign``, or ``text``."""
    stride: int = 1
    """Slots an element, of an array."""
    per_slot: int = 1
    size: int = 32
    """Bytes an element, where several share a slot."""


class Leaf(NamedTuple):
    """A place of one value, whatever the keys."""

    way: tuple[Via, ...]
    slot: int
    offset: int
    size: int
    form: Form = "value"
    space: Literal["storage", "transient", "balance"] = "storage"

    @property
    def width(self) -> int:
        """Of the value, in bits."""
        if self.form == "data":
            return 8 * TEXT_BYTES
        return 256 if self.form == "length" else 8 * self.size


BALANCE = Leaf((), 0, 0, 32, space="balance")
"""Wei of an account, whose address is the key."""


class Spot(NamedTuple):
    """A place with its keys, on the way to a value."""

    way: tuple[Via, ...]
    keys: tuple[Term, ...]
    slot: int
    offset: int = 0
    space: Literal["storage", "transient"] = "storage"

    def moved(self, slots: int, offset: int) -> Spot:
        return self._replace(slot=self.slot + slots, offset=offset)

    def through(self, via: Via, key: Term) -> Spot:
        return self._replace(way=(*self.way, via), keys=(*self.keys, key), slot=0, offset=0)

    def leaf(self, size: int, form: Form = "value") -> Leaf:
        return Leaf(self.way, self.slot, self.offset, size, form, self.space)


class Written:
    """An array after a write under ``condition`` to all whose keys begin with ``keys``."""

    __slots__ = ("before", "floor", "keys", "known", "value")

    def __init__(
        self, before: Array, keys: tuple[Term, ...], value: Term, floor: Term | None
    ) -> None:
        self.before = before
        self.keys = keys
        self.value = value
        self.floor = floor
        """Where given, the write reaches all indexes from it on, after ``keys``."""
        self.known: dict[tuple[int, ...], Term] = {}


class Chosen:
    """One array or another."""

    __slots__ = ("condition", "known", "no", "yes")

    def __init__(self, condition: Term, yes: Array, no: Array) -> None:
        self.condition = condition
        self.yes = yes
        self.no = no
        self.known: dict[tuple[int, ...], Term] = {}


class Initial:
    """What storage holds before the call."""

    __slots__ = ("leaf", "state")

    def __init__(self, leaf: Leaf, state: State | None) -> None:
        self.leaf = leaf
        self.state = state


Array = Initial | Written | Chosen


def read(array: Array, keys: tuple[Term, ...]) -> Term:
    """The value under these keys."""
    if isinstance(array, Initial):
        return _initial(array, keys)
    at = tuple(key.number for key in keys)
    found = array.known.get(at)
    if found is None:
        if isinstance(array, Chosen):
            found = terms.ite(array.condition, read(array.yes, keys), read(array.no, keys))
        else:
            same = TRUE
            for mine, wanted in zip(array.keys, keys, strict=False):
                same = terms.and_(same, _same(mine, wanted))
            if array.floor is not None:
                same = terms.and_(same, terms.ule(array.floor, keys[len(array.keys)]))
            older = array.value if same is TRUE else read(array.before, keys)
            found = terms.ite(same, array.value, older)
        array.known[at] = found
    return found


def _same(a: Term, b: Term) -> Term:
    # Text keys have their own lengths.
    return terms.eq(a, b) if a.width == b.width else FALSE


def _initial(array: Initial, keys: tuple[Term, ...]) -> Term:
    leaf = array.leaf
    if leaf.space == "transient":
        return terms.const(0, leaf.width)
    place = leaf, tuple(key.width for key in keys)
    if array.state is not None and all(key.constant for key in keys):
        value = reader(array.state)(place, tuple(key.value for key in keys))
        return terms.const(value, leaf.width)
    return terms.load(place, keys, leaf.width)


def merged(condition: Term, yes: Array, no: Array) -> Array:
    return yes if yes is no else Chosen(condition, yes, no)


def locate(leaf: Leaf, keys: tuple[int, ...], widths: tuple[int, ...]) -> tuple[int, int]:
    """Slot, and offset in bytes from its low end, of a place with these keys."""
    at, offset = 0, 0
    for via, key, width in zip(leaf.way, keys, widths, strict=True):
        base = (at + via.slot) % (1 << 256)
        if via.how == "mapping":
            at = keccak(_padded(via.key, key, width) + bytes.fromhex(word(base)))
            continue
        if via.how == "dynamic":
            base = keccak(bytes.fromhex(word(base)))
        if via.per_slot > 1:
            at = base + key // via.per_slot
            offset = key % via.per_slot * via.size
        else:
            at = base + key * via.stride
    return (at + leaf.slot) % (1 << 256), offset + leaf.offset


def _padded(how: str, key: int, width: int) -> bytes:
    raw = key.to_bytes((width + 7) // 8, "big")
    if how == "text":
        return raw
    if how == "right":
        return raw.ljust(32, b"\0")
    if how == "sign" and key >> (width - 1):
        return raw.rjust(32, b"\xff")
    return raw.rjust(32, b"\0")


def reader(state: State) -> Read:
    """Reads values in a state; a place is a leaf with the widths of its keys."""

    def value(place: object, keys: tuple[int, ...]) -> int:
        leaf, widths = cast("tuple[Leaf, tuple[int, ...]]", place)
        if leaf.space == "balance":
            return state.balance(f"0x{keys[0]:040x}")
        slot, offset = locate(leaf, keys, widths)
        held = state.read(slot)
        if leaf.form == "value":
            return held >> (8 * offset) & ((1 << leaf.width) - 1)
        length = held >> 1 if held & 1 else (held & 0xFF) >> 1
        return length if leaf.form == "length" else _text(state, slot, held, length)

    return value


def _text(state: State, slot: int, held: int, length: int) -> int:
    if held & 1 == 0:
        return (held >> 8 << 8) << (8 * (TEXT_BYTES - 32))
    if length > TEXT_BYTES:
        raise Unsupported(f"a text of {length} bytes in storage")
    first = keccak(bytes.fromhex(word(slot)))
    raw = b"".join(bytes.fromhex(word(state.read(first + n))) for n in range((length + 31) // 32))
    return int.from_bytes(raw[:length].ljust(TEXT_BYTES, b"\0"), "big")
