"""Symbolic evaluation of expressions, in the order in which the compiler's legacy code generator evaluates them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import Any

from solexp.solidity.syntax import nodes
from solexp.violations.solidity import terms
from solexp.violations.solidity.conversions import Conversions
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.guards import Kind
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.types import (
    ADDRESS,
    BOOLEAN,
    BYTES1,
    BYTES4,
    UINT256,
    Type,
)
from solexp.violations.solidity.unit import Node
from solexp.violations.solidity.values import (
    Broken,
    Callable,
    Elements,
    Members,
    Named,
    Number,
    Pointer,
    Stored,
    Text,
    Tuple,
    Word,
    choose,
    text,
    whole,
)

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


class Expressions(Conversions, ABC):
    """Evaluates expressions."""

    @abstractmethod
    def call(self, node: Node) -> Any:
        """The value of a call."""

    @abstractmethod
    def call_function(
        self, function: Node, arguments: list[Any], node: Node, *, exact: bool = False
    ) -> Any:
        """What a function that is known gives."""

    def evaluate(self, node: Node) -> Any:
        """The value of an expression; of one that is unsupported, a value of which nothing is known."""
        try:
            return self.value(node)
        except Unsupported as fault:
            reason = self.refuse(fault, node)
            if _changes(node):
                self.lose(reason)
            try:
                kind = self.unit.type_of(node)
            except Unsupported:
                return Broken(reason)
            if kind.kind == "tuple":
                return Tuple(tuple(self.unknown(each, reason) for each in kind.items))
            return self.unknown(kind, reason)

    def value(self, node: Node) -> Any:
        """The value of an expression. Raises Unsupported."""
        kind = node.get("typeDescriptions", {}).get("typeIdentifier") or ""
        if kind.startswith("t_rational"):
            found = self.unit.type_of(node)
            if found.kind != "rational":
                raise Unsupported(f"a constant of type {kind}")
            return Number(Fraction(found.value, found.divisor))
        method = getattr(self, f"_{node['nodeType']}", None)
        if method is None:
            raise Unsupported(f"the expression {node['nodeType']}")
        return method(node)

    # Leaves

    def _Literal(self, node: Node) -> Any:  # noqa: N802
        kind = self.unit.type_of(node)
        if node["kind"] == "bool":
            return Word(terms.truth(node["value"] == "true"), BOOLEAN)
        if kind.kind == "literal":
            return text(bytes.fromhex(node["hexValue"]), literal=True)
        if kind.kind in ("address", "contract"):
            return Word(terms.const(int(node["value"], 16), 160), ADDRESS)
        raise Unsupported(f"the literal {node.get('value')}")

    def _Identifier(self, node: Node) -> Any:  # noqa: N802
        number = node.get("referencedDeclaration")
        found = self.unit.declarations.get(number) if isinstance(number, int) else None
        if found is None or (isinstance(number, int) and number < 0):
            return self._builtin(node)
        match found["nodeType"]:
            case "VariableDeclaration":
                return self.variable(found)
            case "FunctionDefinition":
                return Callable(self.unit.type_of(node), found, name=node["name"])
            case "EventDefinition" | "ErrorDefinition":
                return Callable(self.unit.type_of(node), found, name=node["name"])
        return Named(self._type_or_other(node), found)

    def _type_or_other(self, node: Node) -> Type:
        try:
            return self.unit.type_of(node)
        except Unsupported:
            return Type("other")

    def _builtin(self, node: Node) -> Any:
        name = node["name"]
        if name == "now":
            return Word(self.time, UINT256)
        kind = self.unit.type_of(node)
        if kind.kind == "function":
            return Callable(kind, None, name=name)
        if name == "this":
            return Named(Type("contract", 160, declaration=self.contract["id"], name="this"))
        if name == "super":
            return Named(Type("magic", name="super"))
        return Named(kind)

    def variable(self, declared: Node) -> Any:
        """The value of a variable: a local one, a state variable or a constant."""
        at = self.frame.number, declared["id"]
        if at in self.path.variables:
            return whole(self.path.variables[at])
        if declared["id"] in self.layout.spots:
            return self.at(self.layout.spots[declared["id"]], self.unit.type_of(declared))
        kind = self.unit.plain(self.unit.type_of(declared))
        if declared.get("mutability") == "immutable":
            return self.immutable(declared, kind)
        if declared.get("constant") and declared.get("value") is not None:
            return self.converted(self.value(declared["value"]), kind)
        if declared.get("stateVariable"):
            raise Unsupported(f"the state variable {declared['name']} of another contract")
        # Before 0.5 a variable is there, and zero, before it is declared.
        found = self.default(self.unit.type_of(declared))
        self.path.variables[at] = found
        return whole(found)

    def immutable(self, declared: Node, kind: Type) -> Word:
        name = declared["name"]
        if self.state is None:
            # What it holds is part of the state, which is not known yet.
            key = f"immutable {name}"
            found = terms.var(key, kind.bits)
            return Word(found, kind)
        held = self.state.immutable(name)
        if held is None:
            raise Unsupported(f"the immutable {name}, whose value is not known")
        if kind.kind == "fixed_bytes":
            return Word(terms.const(held >> (256 - kind.bits), kind.bits), kind)
        if kind.kind == "bool":
            return Word(terms.truth(bool(held)), kind)
        return Word(terms.const(held, kind.bits), kind)

    def at(self, spot: Any, kind: Type) -> Any:
        """What stands in storage: a value of elementary type, or the place."""
        plain = self.unit.plain(kind)
        if plain.scalar:
            return self.stored_word(spot, plain)
        return Stored(spot, plain)

    # Members

    def _MemberAccess(self, node: Node) -> Any:  # noqa: PLR0911, N802
        name = node["memberName"]
        inner = self.value(node["expression"])
        kind = self._type_or_other(node)
        if kind.kind == "function":
            return self._method(node, inner, kind, name)
        match whole(inner):
            case Named():
                return self._member_of_named(node, inner, name)
            case Pointer() if name in self._names(inner):
                return whole(self.members(inner).items[name])
            case Stored() if inner.kind.kind == "struct":
                return self.at(*self.layout.member(inner.spot, inner.kind, name))
            case Word() if name == "balance":
                return Word(self.memory.balance(self.path, inner.term), UINT256)
            case Word() if name in ("code", "codehash"):
                return Callable(Type("function", name=name), None, inner, name)
            case Callable() if name == "length" and inner.name == "code":
                return Word(self.code_size(inner.bound.term), UINT256)
            case Callable() if name == "selector" and inner.node is not None:
                return Word(terms.const(self.unit.selector(inner.node), 32), BYTES4)
        if name == "length":
            length = self.length(inner)
            return Word(length, Type("uint", length.width))
        raise Unsupported(f"the member {name}")

    def _names(self, pointer: Pointer) -> set[str]:
        found = self.held(pointer)
        return set(found.items) if isinstance(found, Members) else set()

    def _method(self, node: Node, inner: Any, kind: Type, name: str) -> Any:
        number = node.get("referencedDeclaration")
        found = self.unit.declarations.get(number) if isinstance(number, int) else None
        if isinstance(inner, Named):
            if inner.kind.name == "super":
                return Callable(kind, found, name=name, how="super")
            if inner.kind.name == "this":
                return Callable(kind, found, Word(self.this, ADDRESS), name)
            # ``Library.f``, ``Base.f``, ``abi.encode``, ``Type.wrap``.
            bound = None if inner.kind.kind == "magic" else inner
            return Callable(kind, found, bound, name, how="exact")
        if found is not None and found["nodeType"] == "VariableDeclaration":
            return Callable(kind, found, inner, name)
        return Callable(kind, found, inner, name)

    def _member_of_named(self, node: Node, inner: Named, name: str) -> Any:
        kind = inner.kind
        if kind.kind == "magic":
            return self._magic(kind.name, name, node)
        if kind.name == "this" and name == "balance":
            return Word(self.memory.balance(self.path, self.this), UINT256)
        if kind.kind == "type" and kind.items[0].kind == "enum":
            names = [
                each["name"]
                for each in self.unit.declarations[kind.items[0].declaration]["members"]
            ]
            plain = self.unit.plain(kind.items[0])
            return Word(terms.const(names.index(name), plain.bits), plain)
        number = node.get("referencedDeclaration")
        found = self.unit.declarations.get(number) if isinstance(number, int) else None
        if found is None:
            raise Unsupported(f"the member {name}")
        if found["nodeType"] == "VariableDeclaration":
            return self.variable(found)
        return Named(self._type_or_other(node), found)

    def _magic(self, what: str, name: str, node: Node) -> Any:  # noqa: PLR0911
        state = self.state
        match what.split("_", maxsplit=1)[0], name:
            case "message", "sender":
                return Word(self.message[0], ADDRESS)
            case "message", "value":
                return Word(self.message[1], UINT256)
            case "message", "sig":
                return Word(terms.const(self.selector, 32), BYTES4)
            case "transaction", "origin":
                return Word(self.sender, ADDRESS)
            case "block", "timestamp":
                return Word(self.time, UINT256)
            case "block", "number":
                return Word(self.number, UINT256)
            case "block", "chainid" if state is not None:
                return Word(terms.const(state.chain_id, 256), UINT256)
            case "block", "coinbase" if state is not None:
                return Word(terms.const(int(state.coinbase, 16), 160), ADDRESS)
            case "meta", ("min" | "max"):
                return self._extreme(node, name)
            case "meta", "interfaceId":
                return Word(self._interface(node), BYTES4)
        spoken = {"message": "msg", "transaction": "tx"}.get(what, what)
        raise Unsupported(f"{spoken}.{name}")

    def _extreme(self, node: Node, name: str) -> Word:
        kind = self.unit.plain(self.unit.type_of(node))
        if kind.kind == "enum":
            value = self.unit.members(kind) - 1 if name == "max" else 0
        elif kind.signed:
            value = (1 << (kind.bits - 1)) - (name == "max")
        else:
            value = -1 if name == "max" else 0
        return Word(terms.const(value, kind.bits), kind)

    def _interface(self, node: Node) -> Term:
        argument = node["expression"]["arguments"][0]
        contract = self.unit.declarations[argument["referencedDeclaration"]]
        found = 0
        for member in contract["nodes"]:
            if member["nodeType"] == "FunctionDefinition":
                found ^= self.unit.selector(member)
        return terms.const(found, 32)

    def code_size(self, account: Term) -> Term:
        """Of code at an account: only accounts without any are looked at, and the contract itself."""
        if account is self.this:
            return terms.var("code size", 256) if self.state is None else terms.const(1, 256)
        self.codeless(account)
        return terms.const(0, 256)

    def codeless(self, account: Term) -> None:
        """Looks only at calls in which an account has no code."""
        holds = terms.not_(terms.eq(account, self.this))
        # The precompiled contracts.
        holds = terms.and_(holds, terms.ult(terms.const(0x1FF, 160), account))
        found = terms.load(("code",), (account,), terms.BOOL)
        self.recorder.bound(
            self.path, terms.and_(holds, terms.not_(found)), "calls to accounts without code"
        )

    # Indexes

    def _IndexAccess(self, node: Node) -> Any:  # noqa: N802
        base = self.value(node["baseExpression"])
        if node.get("indexExpression") is None:
            raise Unsupported("a type as a value")
        index = self.value(node["indexExpression"])
        return self.element(base, index, node)

    def element(self, base: Any, index: Any, node: Node) -> Any:
        """``base[index]``, with the check of its bounds."""
        base = whole(base)
        if isinstance(base, Stored) and base.kind.kind == "mapping":
            via, key = self.via(base.kind, base.spot, index)
            return self.at(base.spot.through(via, key), base.kind.items[1])
        place = self.word(index, UINT256)
        self.check_bounds(base, place, node)
        match base:
            case Stored() if base.kind.kind == "array":
                return self.at(*self.layout.element(base.spot, base.kind, place))
            case Pointer():
                return self._item(self.elements(base), place)
            case Text() | Stored():
                return Word(self._byte(self.text(base), place), BYTES1)
            case Word() if base.kind.kind == "fixed_bytes":
                width = base.kind.bits
                shift = terms.mul(place, terms.const(8, 256))
                wide = terms.zext(base.term, 256)
                found = terms.lshr(wide, terms.sub(terms.const(width - 8, 256), shift))
                return Word(terms.extract(found, 0, 8), BYTES1)
        raise Unsupported(f"an index into {type(base).__name__.lower()}")

    def check_bounds(self, base: Any, place: Term, node: Node) -> None:
        length = terms.zext(self.length(base), 256)
        self.panic(Kind.BOUNDS, node, terms.ult(place, length), 0x32)

    def _item(self, found: Elements, place: Term) -> Any:
        if not found.items:
            raise Unsupported("an element of an array without any")
        result = found.items[-1]
        for at in reversed(range(len(found.items) - 1)):
            here = terms.eq(place, terms.const(at, 256))
            result = choose(here, found.items[at], result)
        return whole(result)

    def _byte(self, found: Text, place: Term) -> Term:
        width = found.data.width
        if place.constant:
            at = width - 8 - 8 * place.value
            return terms.extract(found.data, at, 8) if at >= 0 else terms.const(0, 8)
        wide = terms.resized(place, max(width, 256))
        data = terms.zext(found.data, max(width, 256))
        shift = terms.sub(
            terms.const(width - 8, data.width), terms.mul(wide, terms.const(8, data.width))
        )
        return terms.extract(terms.lshr(data, shift), 0, 8)

    def _IndexRangeAccess(self, node: Node) -> Any:  # noqa: ARG002, N802
        raise Unsupported("a slice")

    def _FunctionCall(self, node: Node) -> Any:  # noqa: N802
        return self.call(node)

    def _ElementaryTypeNameExpression(self, node: Node) -> Any:  # noqa: N802
        return Named(self.unit.type_of(node))

    def _FunctionCallOptions(self, node: Node) -> Any:  # noqa: N802
        function = whole(self.value(node["expression"]))
        options = {n: self.value(o) for n, o in zip(node["names"], node["options"], strict=True)}
        if not isinstance(function, Callable):
            raise Unsupported("options of a call")
        return function._replace(options={**function.options, **options})


def _changes(node: Node) -> bool:
    """Whether evaluating an expression may have changed anything by the time it turned out to be unsupported."""
    for each in nodes(node):
        kind = each["nodeType"]
        if kind == "Assignment" or (
            kind == "UnaryOperation" and each["operator"] in ("++", "--", "delete")
        ):
            return True
        if kind == "FunctionCall" and each.get("kind") == "functionCall":
            named = (each["expression"].get("typeDescriptions") or {}).get("typeIdentifier") or ""
            if "nonpayable" in named.partition("$")[0] or "payable" in named.partition("$")[0]:
                return True
    return False
