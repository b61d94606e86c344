"""The functions that the language itself has."""

from __future__ import annotations

from typing import Any

import msgspec

from solexp.violations.solidity import terms
from solexp.violations.solidity.assignments import Assignments
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.guards import Kind
from solexp.violations.solidity.storage import TEXT_BYTES
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.types import ADDRESS, BYTES4, BYTES32, UINT256, Type
from solexp.violations.solidity.unit import Node
from solexp.violations.solidity.values import (
    Callable,
    Elements,
    Named,
    Number,
    Stored,
    Text,
    Tuple,
    Word,
    text,
    whole,
)


class Language(Assignments):
    """Evaluates calls of built-in functions."""

    def arguments(self, node: Node, names: list[str] | None = None) -> list[Any]:
        """Values of the arguments, evaluated in the order of the parameters."""
        given = node["arguments"]
        if node.get("names") and names is not None:
            by_name = dict(zip(node["names"], given, strict=True))
            given = [by_name[name] for name in names]
        return [self.evaluate(each) for each in given]

    # Functions of the language

    def _call_metatype(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        return Named(self.unit.type_of(node))

    def _call_addmod(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        return self._modular(node, terms.add)

    def _call_mulmod(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        return self._modular(node, terms.mul)

    def _modular(self, node: Node, operation: Any) -> Word:
        x, y, modulus = (self.word(each, UINT256) for each in self.arguments(node))
        nonzero = terms.not_(terms.eq(modulus, terms.const(0, 256)))
        if self.unit.version >= (0, 5, 0):
            self.panic(Kind.DIVISION, node, nonzero, 0x12)
        wide = operation(terms.zext(x, 512), terms.zext(y, 512))
        found = terms.urem(wide, terms.zext(modulus, 512))
        return Word(terms.extract(found, 0, 256), UINT256)

    def _call_keccak256(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        # Before 0.5 it takes any number of arguments, packed.
        if len(node["arguments"]) == 1:
            value = self.value(node["arguments"][0])
            if not isinstance(value, Word):
                return Word(self._hash(self.text(value)), BYTES32)
            return Word(self._hash(self._joined([self._packed(value)])), BYTES32)
        return Word(self._hash(self._encoded(node["arguments"], packed=True)), BYTES32)

    _call_sha3 = _call_keccak256

    @staticmethod
    def _hash(value: Text) -> Term:
        if not value.length.constant:
            return terms.keccak_text(value.data, value.length)
        width = 8 * value.length.value
        if width == 0:
            return terms.const(terms.EMPTY_HASH, 256)
        return terms.keccak(terms.extract(value.data, value.data.width - width, width))

    def _call_abiencodepacked(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        return self._encoded(node["arguments"], packed=True)

    def _call_abiencode(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        return self._encoded(node["arguments"], packed=False)

    def _call_abiencodewithselector(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        first, *rest = node["arguments"]
        selector = self.word(self.evaluate(first), BYTES4)
        found = self._encoded(rest, packed=False)
        width = 8 * found.length.value
        data = terms.extract(found.data, found.data.width - width, width) if width else None
        return self._joined([selector] if data is None else [selector, data])

    def _call_stringconcat(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        return self._encoded(node["arguments"], packed=True)

    _call_bytesconcat = _call_stringconcat

    def _encoded(self, nodes: list[Node], *, packed: bool) -> Text:
        if packed and len(nodes) == 1 and self.unit.type_of(nodes[0]).dynamic_bytes:
            return self.text(self.evaluate(nodes[0]))
        parts = []
        for node in nodes:
            value = whole(self.evaluate(node))
            kind = self.unit.type_of(node)
            if isinstance(value, Number):
                kind = Type("uint", 256 if not packed else _least_bits(int(value.value)))
                value = Word(self.word(value, kind), kind)
            if isinstance(value, Named) and value.kind.name == "this":
                value = Word(self.this, ADDRESS)
            if isinstance(value, Word):
                parts.append(self._packed(value) if packed else self._padded(value))
            elif packed and isinstance(value, Text | Stored):
                found = self.text(value)
                if not found.length.constant:
                    raise Unsupported("abi.encodePacked of a text of unknown length")
                width = 8 * found.length.value
                if width:
                    parts.append(terms.extract(found.data, found.data.width - width, width))
            else:
                raise Unsupported("abi.encode of what is no elementary value")
        return self._joined(parts)

    @staticmethod
    def _joined(parts: list[Term]) -> Text:
        if not parts:
            return text(b"")
        data = parts[0]
        for part in parts[1:]:
            data = terms.concat(data, part)
        length = terms.const(data.width // 8, 256)
        return Text(length, terms.resized_text(data, max(data.width, 8 * TEXT_BYTES)))

    def _packed(self, value: Word) -> Term:
        if self.unit.plain(value.kind).kind == "bool":
            return terms.ite(value.term, terms.const(1, 8), terms.const(0, 8))
        return value.term

    def _padded(self, value: Word) -> Term:
        kind = self.unit.plain(value.kind)
        term = self._packed(value)
        if kind.kind == "fixed_bytes":
            return terms.resized_text(term, 256)
        return terms.resized(term, 256, sign=kind.signed)

    def _call_arraypush(self, function: Callable, node: Node) -> Any:
        array = whole(function.bound)
        if not isinstance(array, Stored) or array.kind.kind != "array":
            raise Unsupported("push")
        given = self.arguments(node)
        length = self.length(array)
        self.memory.write(self.path, array.spot, 32, terms.add(length, terms.const(1, 256)))
        spot, kind = self.layout.element(array.spot, array.kind, length)
        if not given:
            return self.at(spot, kind)
        self.store(spot, kind, given[0])
        return Word(terms.add(length, terms.const(1, 256)), UINT256)

    def _call_arraypop(self, function: Callable, node: Node) -> Any:
        array = whole(function.bound)
        if not isinstance(array, Stored) or array.kind.kind != "array":
            raise Unsupported("pop")
        length = self.length(array)
        self.panic(Kind.POP, node, terms.not_(terms.eq(length, terms.const(0, 256))), 0x31)
        last = terms.sub(length, terms.const(1, 256))
        self.cut(array.spot, array.kind, last)
        self.memory.write(self.path, array.spot, 32, last)
        return Tuple(())

    def _call_objectcreation(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        kind = self.unit.type_of(node)
        length = self.word(self.evaluate(node["arguments"][0]), UINT256)
        if kind.dynamic_bytes:
            most = terms.const(TEXT_BYTES, 256)
            self.recorder.bound(self.path, terms.ule(length, most), f"new bytes: {TEXT_BYTES}")
            return Text(length, terms.const(0, 8 * TEXT_BYTES))
        count = self._room(length, "an array in memory")
        items = tuple(self.default(in_memory(kind.items[0])) for _ in range(count))
        return self.allocate(Elements(length, items), kind)

    def _NewExpression(self, node: Node) -> Any:  # noqa: N802
        kind = self.unit.type_of(node)
        return Callable(kind, None, name="new")

    def _call_wrap(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        kind = self.unit.plain(self.unit.type_of(node))
        return Word(self.word(self.value(node["arguments"][0]), kind), kind)

    _call_unwrap = _call_wrap


def _least_bits(value: int) -> int:
    return max(8, (value.bit_length() + 7) // 8 * 8)


def in_memory(kind: Type) -> Type:
    return msgspec.structs.replace(kind, location="memory") if kind.location else kind
