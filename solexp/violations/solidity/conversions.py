"""Values as values of another type, and objects copied between storage and memory."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from solexp.violations.solidity import arithmetic, terms
from solexp.violations.solidity.context import Context
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.guards import Kind
from solexp.violations.solidity.storage import Leaf, Spot, Via
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.types import UINT256, Type
from solexp.violations.solidity.unit import Node
from solexp.violations.solidity.values import (
    Broken,
    Elements,
    Members,
    Named,
    Number,
    Pointer,
    Stored,
    Text,
    Word,
    text,
    whole,
)


class Conversions(Context):
    """Reading, writing and converting values."""

    def word(self, value: Any, kind: Type) -> Term:
        """The term of a value converted, implicitly, to an elementary type."""
        kind = self.unit.plain(kind)
        value = whole(value)
        match value:
            case Word():
                return arithmetic.convert(value.term, self.unit.plain(value.kind), kind)
            case Number():
                return self._number(value.value, kind)
            case Text():
                return self._text_word(value, kind)
            case Named() if value.kind.name == "this":
                return self.this
        raise Unsupported(f"{type(value).__name__.lower()} as {kind.kind}")

    def _number(self, value: Fraction, kind: Type) -> Term:
        if value.denominator != 1 and kind.kind != "fixed_bytes":
            raise Unsupported("a fraction")
        return terms.const(int(value), kind.bits)

    def _text_word(self, value: Text, kind: Type) -> Term:
        """A text as bytesN: its first bytes."""
        if kind.kind != "fixed_bytes":
            raise Unsupported(f"a text as {kind.kind}")
        return terms.extract(value.data, value.data.width - kind.bits, kind.bits)

    def truth(self, value: Any) -> Term:
        value = whole(value)
        assert isinstance(value, Word), value
        return value.term

    def converted(self, value: Any, kind: Type) -> Any:
        """A value as it is assigned to a variable of a type; objects move to memory where that is where it is."""
        kind = self.unit.plain(kind)
        if isinstance(value, Broken):
            return value
        if kind.scalar:
            return Word(self.word(value, kind), kind)
        if isinstance(value, Stored) and kind.location not in ("storage", ""):
            return self.loaded(value.spot, value.kind)
        if isinstance(value, Pointer) and value.kind.location == "calldata" != kind.location:
            return self.copied(value)
        return value

    def copied(self, value: Any) -> Any:
        """A new object in memory like one in calldata, and so all that it holds."""
        if not isinstance(value, Pointer):
            return value
        kind = _memory(value.kind)
        held = self.held(value)
        if isinstance(held, Members):
            members = {name: self.copied(each) for name, each in held.items.items()}
            return self.allocate(Members(members), kind)
        items = tuple(self.copied(each) for each in held.items)
        return self.allocate(Elements(held.length, items), kind)

    # Storage

    def loaded(self, spot: Spot, kind: Type) -> Any:
        """What storage holds, copied to memory if it is no elementary value."""
        kind = self.unit.plain(kind)
        if kind.scalar:
            return self.stored_word(spot, kind)
        if kind.dynamic_bytes:
            length = self.memory.read(self.path, spot, 32, "length")
            return Text(length, self.memory.read(self.path, spot, 32, "data"))
        if kind.kind == "struct":
            items = {}
            for name, (slot, offset, member) in self.layout.members(kind)[0].items():
                if member.kind != "mapping":
                    items[name] = self.loaded(spot.moved(slot, offset), member)
            return self.allocate(Members(items), kind)
        if kind.kind == "array":
            return self._loaded_array(spot, kind)
        raise Unsupported(f"a copy of {kind.kind} {kind.name}")

    def stored_word(self, spot: Spot, kind: Type) -> Word:
        size = self.layout.size(kind)[0]
        held = self.memory.read(self.path, spot, size)
        if kind.kind == "bool":
            return Word(terms.not_(terms.eq(held, terms.const(0, 8))), kind)
        return Word(held, kind)

    def _loaded_array(self, spot: Spot, kind: Type) -> Pointer:
        length = self.length(Stored(spot, kind))
        count = self._room(length, "an array copied from storage")
        items = tuple(
            self.loaded(*self.layout.element(spot, kind, terms.const(place, 256)))
            for place in range(count)
        )
        return self.allocate(Elements(length, items), kind)

    def _room(self, length: Term, what: str) -> int:
        """How many elements are followed of as many as ``length`` says."""
        if length.constant:
            if length.value > self.limits.known_rounds:
                raise Unsupported(f"{what} with {length.value} elements")
            return length.value
        count = self.limits.rounds
        self.recorder.bound(
            self.path, terms.ule(length, terms.const(count, 256)), f"{what}: {count} elements"
        )
        return count

    def length(self, value: Any) -> Term:
        """Length of an array or text."""
        value = whole(value)
        match value:
            case Text():
                return value.length
            case Pointer():
                return self.elements(value).length
            case Stored() if value.kind.kind == "array" and value.kind.length is not None:
                return terms.const(value.kind.length, 256)
            case Stored() if value.kind.kind == "array":
                return self.memory.read(self.path, value.spot, 32)
            case Stored() if value.kind.dynamic_bytes:
                return self.memory.read(self.path, value.spot, 32, "length")
            case Word() if value.kind.kind == "fixed_bytes":
                return terms.const(value.kind.bits // 8, 8)
        raise Unsupported(f"the length of {type(value).__name__.lower()}")

    def store(self, spot: Spot, kind: Type, value: Any) -> None:
        """Writes a value to storage, objects member by member."""
        kind = self.unit.plain(kind)
        value = whole(value)
        if kind.scalar:
            term = self.word(value, kind)
            if kind.kind == "bool":
                term = terms.ite(term, terms.const(1, 8), terms.const(0, 8))
            self.memory.write(self.path, spot, self.layout.size(kind)[0], term)
        elif kind.dynamic_bytes:
            value = self.text(value)
            self.memory.write(self.path, spot, 32, value.length, "length")
            data = terms.resized_text(value.data, Leaf((), 0, 0, 32, "data").width)
            self.memory.write(self.path, spot, 32, data, "data")
        elif kind.kind == "struct":
            self._store_struct(spot, kind, value)
        elif kind.kind == "array":
            self._store_array(spot, kind, value)
        else:
            raise Unsupported(f"an assignment of {kind.kind} {kind.name}")

    def _store_struct(self, spot: Spot, kind: Type, value: Any) -> None:
        if isinstance(value, Stored):
            value = self.loaded(value.spot, value.kind)
        items = self.members(value).items
        for name, (slot, offset, member) in self.layout.members(kind)[0].items():
            if name in items:
                self.store(spot.moved(slot, offset), member, items[name])

    def _store_array(self, spot: Spot, kind: Type, value: Any) -> None:
        if isinstance(value, Stored):
            value = self.loaded(value.spot, value.kind)
        found = self.elements(value)
        if kind.length is None:
            self.delete(spot, kind)
            self.memory.write(self.path, spot, 32, found.length)
        for place, item in enumerate(found.items):
            index = terms.const(place, 256)
            inside = terms.ult(index, found.length)
            with self.under(inside):
                if not self.path.dead:
                    self.store(*self.layout.element(spot, kind, index), item)

    def delete(self, spot: Spot, kind: Type) -> None:
        """Zeros a variable; mappings are left as they are."""
        kind = self.unit.plain(kind)
        if kind.kind == "mapping":
            return
        if kind.kind == "array" and kind.length is None:
            self.memory.write(self.path, spot, 32, terms.const(0, 256))
            self.cut(spot, kind, terms.const(0, 256))
        else:
            for leaf, _ in self._leaves(spot, kind):
                self.memory.clear(self.path, leaf, spot.keys)

    def cut(self, spot: Spot, kind: Type, floor: Term) -> None:
        """Zeros the elements of an array from an index on."""
        first, inner = self.layout.element(spot, kind, floor)
        for leaf, _ in self._leaves(first._replace(keys=spot.keys), inner):
            self.memory.clear(self.path, leaf, spot.keys, floor)

    def _leaves(self, spot: Spot, kind: Type, depth: int = 0) -> list[tuple[Leaf, Type]]:
        """Every place of a value, mappings left out; the places of arrays' elements whatever their index."""
        kind = self.unit.plain(kind)
        if depth > 6:
            raise Unsupported("deleting deeply nested storage")
        if kind.kind == "mapping":
            return []
        if kind.scalar:
            return [(spot.leaf(self.layout.size(kind)[0]), kind)]
        if kind.dynamic_bytes:
            return [(spot.leaf(32, "length"), kind), (spot.leaf(32, "data"), kind)]
        found: list[tuple[Leaf, Type]] = []
        if kind.kind == "struct":
            for slot, offset, member in self.layout.members(kind)[0].values():
                found += self._leaves(spot.moved(slot, offset), member, depth + 1)
            return found
        if kind.length is None:
            found.append((spot.leaf(32), UINT256))
        element = self.layout.element(spot, kind, terms.const(0, 256))
        return found + self._leaves(*element, depth + 1)

    def via(self, kind: Type, spot: Spot, key: Any) -> tuple[Via, Term]:
        """The way to a mapping's value, and its key."""
        wanted = self.unit.plain(kind.items[0])
        if wanted.dynamic_bytes:
            found = self.text(whole(key))
            if not found.length.constant:
                raise Unsupported("a text of unknown length as a key")
            width = 8 * found.length.value
            data = terms.extract(found.data, found.data.width - width, width) if width else None
            return Via("mapping", spot.slot, "text"), data if data is not None else terms.const(
                0, 1
            )
        term = self.word(key, wanted)
        if wanted.kind == "bool":
            return Via("mapping", spot.slot, "left"), terms.ite(
                term, terms.const(1, 8), terms.const(0, 8)
            )
        how = {"int": "sign", "fixed_bytes": "right"}.get(wanted.kind, "left")
        return Via("mapping", spot.slot, how), term

    def text(self, value: Any) -> Text:
        """A string or byte string in memory."""
        value = whole(value)
        match value:
            case Text():
                return value
            case Stored() if value.kind.dynamic_bytes:
                found = self.loaded(value.spot, value.kind)
                assert isinstance(found, Text)
                return found
        raise Unsupported(f"{type(value).__name__.lower()} as a text")

    def default(self, kind: Type) -> Any:  # noqa: PLR0911
        """What a variable holds before anything is assigned to it."""
        kind = self.unit.plain(kind)
        if kind.scalar:
            return Word(terms.const(0, kind.bits) if kind.kind != "bool" else terms.FALSE, kind)
        if kind.location == "storage" or kind.kind == "mapping":
            return Broken("a storage pointer that points nowhere")
        if kind.dynamic_bytes:
            return text(b"")
        if kind.kind == "struct":
            items = {n: self.default(k) for n, k in self._in_memory(kind)}
            return self.allocate(Members(items), kind)
        if kind.kind == "array":
            count = kind.length or 0
            if count > self.limits.known_rounds:
                return Broken(f"an array of {count} elements in memory")
            items_ = tuple(self.default(_memory(kind.items[0])) for _ in range(count))
            return self.allocate(Elements(terms.const(count, 256), items_), kind)
        return Broken(f"a variable of type {kind.kind} {kind.name}")

    def _in_memory(self, kind: Type) -> list[tuple[str, Type]]:
        return [(n, _memory(k)) for n, k in self.unit.fields(kind) if k.kind != "mapping"]

    def to_enum(self, value: Any, kind: Type, node: Node) -> Word:
        """An explicit conversion to an enum, which fails for numbers that are no member."""
        value = whole(value)
        count = self.unit.members(kind)
        plain = self.unit.plain(kind)
        if isinstance(value, Number):
            return Word(self._number(value.value, plain), plain)
        width = max(value.term.width, 16)
        wide = terms.resized(value.term, width, sign=value.kind.signed)
        self.panic(Kind.ENUM, node, terms.ult(wide, terms.const(count, width)), 0x21)
        return Word(arithmetic.convert(value.term, self.unit.plain(value.kind), plain), plain)


def _memory(kind: Type) -> Type:
    """A type as it is in memory."""
    if kind.location in ("storage", "calldata"):
        return msgspec.structs.replace(kind, location="memory")
    return kind
