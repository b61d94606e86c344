"""Assignments, in all their forms."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from solexp.violations.solidity import arithmetic, terms
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.operators import Operators
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.types import (
    UINT256,
    Type,
)
from solexp.violations.solidity.unit import Node
from solexp.violations.solidity.values import (
    Broken,
    Elements,
    Members,
    Named,
    Number,
    Pointer,
    Stored,
    Tuple,
    Word,
    choose,
    whole,
)


class Assignments(Operators):
    """Evaluates what writes to variables."""

    def changed(self, node: Node) -> Any:
        """``++``, ``--`` and ``delete``."""
        if node["operator"] == "delete":
            self.delete_at(node["subExpression"])
            return Tuple(())
        return self._step_by_one(node)

    def _step_by_one(self, node: Node) -> Any:
        inner = node["subExpression"]
        if self.is_length(inner):
            return self.resize(inner, node)
        write = self.reference(inner)
        old = self.value_again(inner, write)
        kind = self.unit.plain(self.unit.type_of(inner))
        term = self.word(old, kind)
        one = terms.const(1, kind.bits)
        found, fits = (arithmetic.add if node["operator"] == "++" else arithmetic.sub)(
            term, one, signed=kind.signed
        )
        self.overflow(node, fits)
        self.assign(write, Word(found, kind))
        return Word(found if node["prefix"] else term, kind)

    def _Assignment(self, node: Node) -> Any:  # noqa: N802
        left, right = node["leftHandSide"], node["rightHandSide"]
        operator = node["operator"]
        if self.is_length(left):
            return self.resize(left, node)
        value = self.evaluate(right)
        if operator == "=":
            if left["nodeType"] == "TupleExpression" and len(left["components"]) != 1:
                return self._assign_tuple(left, value)
            target = self.reference(left)
            kind = self.unit.type_of(left)
            value = self._to_assign(value, kind)
            self.assign(target, value)
            return value
        kind = self.unit.plain(self.unit.type_of(left))
        target = self.reference(left)
        old = self.word(self.value_again(left, target), kind)
        found = self.operated(operator[:-1], old, value, kind, node)
        self.assign(target, found)
        return found

    def _to_assign(self, value: Any, kind: Type) -> Any:
        if isinstance(value, Stored) and kind.location == "storage" and kind.pointer:
            return value
        if isinstance(value, Pointer) or (isinstance(value, Stored) and not kind.pointer):
            return value
        return self.converted(value, kind)

    def _assign_tuple(self, left: Node, value: Any) -> Any:
        value = whole(value)
        if not isinstance(value, Tuple):
            raise Unsupported("an assignment to several variables")
        targets = [None if part is None else self.reference(part) for part in left["components"]]
        pairs = list(zip(left["components"], targets, value.items, strict=True))
        for part, target, item in reversed(pairs):
            if part is not None:
                self.assign(target, self._to_assign(item, self.unit.type_of(part)))
        return value

    def reference(self, node: Node) -> Any:  # noqa: PLR0911
        """Where an expression that is assigned to stands, its parts evaluated."""
        match node["nodeType"]:
            case "Identifier":
                declared = self.unit.declarations[node["referencedDeclaration"]]
                if declared["id"] in self.layout.spots:
                    spot = self.layout.spots[declared["id"]]
                    return "storage", spot, self.unit.type_of(declared)
                return "local", (self.frame.number, declared["id"])
            case "MemberAccess":
                inner = self.value(node["expression"])
                if isinstance(inner, Pointer):
                    return "member", inner, node["memberName"]
                if isinstance(inner, Stored) and inner.kind.kind == "struct":
                    spot, kind = self.layout.member(inner.spot, inner.kind, node["memberName"])
                    return "storage", spot, kind
                if isinstance(inner, Named):
                    declared = self.unit.declarations[node["referencedDeclaration"]]
                    spot = self.layout.spots[declared["id"]]
                    return "storage", spot, self.unit.type_of(declared)
            case "IndexAccess":
                return self._element_reference(node)
            case "TupleExpression" if len(node["components"]) == 1:
                return self.reference(node["components"][0])
        raise Unsupported(f"an assignment to {node['nodeType']}")

    def _element_reference(self, node: Node) -> Any:
        base = whole(self.value(node["baseExpression"]))
        index = self.value(node["indexExpression"])
        if isinstance(base, Stored) and base.kind.kind == "mapping":
            via, key = self.via(base.kind, base.spot, index)
            return "storage", base.spot.through(via, key), base.kind.items[1]
        place = self.word(index, UINT256)
        self.check_bounds(base, place, node)
        if isinstance(base, Stored) and base.kind.kind == "array":
            spot, kind = self.layout.element(base.spot, base.kind, place)
            return "storage", spot, kind
        if isinstance(base, Pointer):
            return "item", base, place
        raise Unsupported("an assignment to a byte of a text")

    def value_again(self, node: Node, target: Any) -> Any:
        """What stands where `reference` leads, without evaluating its parts again."""
        match target:
            case "local", at:
                return (
                    whole(self.path.variables[at])
                    if at in self.path.variables
                    else self.value(node)
                )
            case "storage", spot, kind:
                return self.at(spot, kind)
            case "member", pointer, name:
                return whole(self.members(pointer).items[name])
            case "item", pointer, place:
                return self._item(self.elements(pointer), place)
        raise Unsupported("a compound assignment")

    def assign(self, target: Any, value: Any) -> None:
        """Writes to where `reference` leads."""
        match target:
            case "local", at:
                self.path.variables[at] = value
            case "storage", spot, kind:
                if isinstance(value, Broken):
                    raise Unsupported(value.reason)
                self.store(spot, kind, value)
            case "member", pointer, name:
                kept = self._kept(value)
                self.replace(pointer, lambda old: Members({**old.items, name: kept}))
            case "item", pointer, place:
                item = self._kept(value)
                self.replace(pointer, lambda old: _with_item(old, place, item))

    def _kept(self, value: Any) -> Any:
        """A value as it is kept in memory."""
        return self.loaded(value.spot, value.kind) if isinstance(value, Stored) else value

    def delete_at(self, node: Node) -> None:
        target = self.reference(node)
        if target[0] == "storage":
            self.delete(target[1], target[2])
        else:
            self.assign(target, self.default(self.unit.type_of(node)))

    def is_length(self, node: Node) -> bool:
        """Whether an expression is the length of an array in storage, which could be assigned before 0.6."""
        if node["nodeType"] != "MemberAccess" or node["memberName"] != "length":
            return False
        kind = self._type_or_other(node["expression"])
        return kind.kind == "array" and kind.location == "storage" and self.unit.version < (0, 6, 0)

    def resize(self, left: Node, node: Node) -> Any:
        """An assignment to an array's length."""
        operator = node["operator"]
        value = (
            self.evaluate(node["rightHandSide"]) if operator.endswith("=") else Number(Fraction(1))
        )
        array = whole(self.value(left["expression"]))
        assert isinstance(array, Stored)
        old = self.length(array)
        new = self.word(value, UINT256)
        if operator in ("++", "+="):
            new = terms.add(old, new)
        elif operator in ("--", "-="):
            new = terms.sub(old, new)
        elif operator != "=":
            raise Unsupported(f"the operator {operator} on a length")
        self.memory.write(self.path, array.spot, 32, new)
        with self.under(terms.ult(new, old)):
            if not self.path.dead:
                self.cut(array.spot, array.kind, new)
        return Word(old if operator in ("++", "--") and not node["prefix"] else new, UINT256)


def _with_item(old: Elements, place: Term, item: Any) -> Elements:
    """An array with another element at a place."""
    items = (
        choose(terms.eq(place, terms.const(at, 256)), item, each)
        for at, each in enumerate(old.items)
    )
    return Elements(old.length, tuple(items))
