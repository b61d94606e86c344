"""Calls: conversions and constructors, the language's own functions, and functions that are inlined."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

from solexp.violations.solidity import terms
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.guards import Expected, Kind, Step
from solexp.violations.solidity.language import Language, in_memory
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.types import ADDRESS, BOOLEAN, UINT256
from solexp.violations.solidity.unit import Node, is_view
from solexp.violations.solidity.values import (
    Callable,
    Members,
    Pointer,
    Stored,
    Tuple,
    Word,
    constant_text,
    text,
    whole,
)

_PURE_UNKNOWN = {
    "ecrecover": "ecrecover",
    "sha256": "sha256",
    "ripemd160": "ripemd160",
    "blockhash": "blockhash",
    "blobhash": "blobhash",
    "gasleft": "gasleft",
    "abidecode": "abi.decode",
}


class Around(NamedTuple):
    """The ``if`` that does nothing but end a call."""

    node: Node
    at: Term
    """Under which condition it is met."""
    test: Term
    """That its condition does not hold."""


class Calls(Language):
    """Evaluates calls."""

    def call(self, node: Node) -> Any:
        kind = node.get("kind")
        if kind == "typeConversion":
            return self._conversion(node)
        if kind == "structConstructorCall":
            return self._construct(node)
        function = whole(self.value(node["expression"]))
        if not isinstance(function, Callable):
            raise Unsupported("a call of what is no function")
        name = function.kind.name
        method = getattr(self, f"_call_{name}", None)
        if method is not None:
            return method(function, node)
        if name in _PURE_UNKNOWN:
            for argument in node["arguments"]:
                self.evaluate(argument)
            raise Unsupported(_PURE_UNKNOWN[name])
        raise Unsupported(f"a call of {function.name or name} ({name})")

    # Conversions

    def _conversion(self, node: Node) -> Any:
        kind = self.unit.plain(self.unit.type_of(node))
        value = whole(self.value(node["arguments"][0]))
        if kind.kind == "enum":
            return self.to_enum(value, kind, node)
        if kind.scalar:
            return Word(self.word(value, kind), kind)
        if kind.dynamic_bytes and isinstance(value, Stored):
            return Stored(value.spot, kind)
        return value

    def _construct(self, node: Node) -> Pointer:
        kind = self.unit.type_of(node)
        fields = [(n, k) for n, k in self.unit.fields(kind) if k.kind != "mapping"]
        given = self.arguments(node, [name for name, _ in fields])
        items = {
            name: self._kept(self.converted(value, in_memory(k)))
            for (name, k), value in zip(fields, given, strict=True)
        }
        return self.allocate(Members(items), kind)

    # Ends

    def _call_require(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        given = node["arguments"]
        holds = self.truth(self.evaluate(given[0]))
        if len(given) == 1:
            self.guard(Kind.REQUIRE, node, holds, Expected(data="empty"))
        elif _is_error(given[1]):
            declared = self._error(given[1])
            self.guard(Kind.ERROR, node, holds, declared)
        else:
            self.guard(Kind.REQUIRE, node, holds, self._reason(given[1]))
        return Tuple(())

    def _call_assert(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        self.panic(Kind.ASSERT, node, self.truth(self.evaluate(node["arguments"][0])), 0x01)
        return Tuple(())

    def _call_revert(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        given = node["arguments"]
        expected = self._reason(given[0]) if given else Expected(data="empty")
        self.fail(Kind.REVERT, node, expected)
        return Tuple(())

    def fail(self, kind: Kind, node: Node, expected: Expected) -> None:
        """An end that reverts: a guard against being here. Execution goes on behind it."""
        around = self.around(node)
        if around is None:
            self.guard(kind, node, terms.FALSE, expected)
        else:
            self.guard(kind, node, terms.FALSE, expected, around.node, (around.at, around.test))

    def around(self, node: Node) -> Around | None:  # noqa: ARG002
        """What there is of an end besides itself."""
        return None

    def _reason(self, node: Node) -> Expected:
        self.quiet += 1
        value = self.evaluate(node)
        self.quiet -= 1
        try:
            found = constant_text(self.text(value))
        except Unsupported:
            found = None
        return Expected(
            data="string", text=None if found is None else found.decode("utf-8", "replace")
        )

    def _error(self, node: Node) -> Expected:
        """What a custom error is like, its arguments evaluated."""
        self.quiet += 1
        for argument in node["arguments"]:
            self.evaluate(argument)
        self.quiet -= 1
        inner = node["expression"]
        declared = self.unit.declarations.get(inner.get("referencedDeclaration"))
        if declared is None:
            return Expected(data="any")
        return Expected(data="error", signature=self.unit.signature(declared))

    def _call_event(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        self.arguments(node)
        return Tuple(())

    def _call_selfdestruct(self, function: Callable, node: Node) -> Any:  # noqa: ARG002
        self.arguments(node)
        self.path = self.path.under(terms.FALSE)
        return Tuple(())

    # Ether

    def _call_transfer(self, function: Callable, node: Node) -> Any:
        paid = self._pay(function, self.word(self.arguments(node)[0], UINT256))
        self.guard(Kind.TRANSFER, node, paid, Expected(data="empty"))
        return Tuple(())

    def _call_send(self, function: Callable, node: Node) -> Any:
        return Word(self._pay(function, self.word(self.arguments(node)[0], UINT256)), BOOLEAN)

    def _call_barecall(self, function: Callable, node: Node) -> Any:
        self.arguments(node)
        amount = function.options.get("value", None)
        wei = terms.const(0, 256) if amount is None else self.word(amount, UINT256)
        paid = Word(self._pay(function, wei), BOOLEAN)
        if self.unit.version < (0, 5, 0):
            return paid
        return Tuple((paid, text(b"")))

    def _pay(self, function: Callable, wei: Term) -> Term:
        """Ether sent to an account without code; whether there was enough."""
        account = self.word(function.bound, ADDRESS)
        self.codeless(account)
        enough = terms.ule(wei, self.memory.balance(self.path, self.this))
        with self.under(enough):
            if not self.path.dead:
                self.memory.pay(self.path, self.this, terms.neg(wei))
                self.memory.pay(self.path, account, wei)
        return enough

    def _call_setvalue(self, function: Callable, node: Node) -> Any:
        inner = whole(function.bound)
        assert isinstance(inner, Callable)
        return inner._replace(options={**inner.options, "value": self.arguments(node)[0]})

    def _call_setgas(self, function: Callable, node: Node) -> Any:
        self.arguments(node)
        inner = whole(function.bound)
        assert isinstance(inner, Callable)
        return inner

    # Inlined functions

    def _call_internal(self, function: Callable, node: Node) -> Any:
        definition = function.node
        if definition is None or definition["nodeType"] != "FunctionDefinition":
            held = whole(self.value(node["expression"])) if definition is None else None
            if not isinstance(held, Callable) or held.node is None:
                raise Unsupported("a call of a function that is not known")
            definition = held.node
        names = [each["name"] for each in definition["parameters"]["parameters"]]
        bound = [function.bound] if function.kind.bound else []
        given = bound + self.arguments(node, names[len(bound) :])
        if function.how == "super":
            return self.call_function(self._next(definition), given, node, exact=True)
        return self.call_function(definition, given, node, exact=function.how == "exact")

    _call_delegatecall = _call_internal

    def _next(self, function: Node) -> Node:
        """What ``super.f`` means here."""
        here = self.frame.contract
        assert here is not None
        after = [each["id"] for each in self.lineage].index(here["id"]) + 1
        rest = self.lineage[after:]
        wanted = self.unit.key(function)
        for contract in rest:
            for member in contract["nodes"]:
                same = member["nodeType"] == "FunctionDefinition" and member.get("body") is not None
                if same and self.unit.key(member) == wanted:
                    found: Node = member
                    return found
        raise Unsupported(f"super.{function['name']}")

    def _call_external(self, function: Callable, node: Node) -> Any:
        definition = function.node
        target = whole(function.bound)
        to_itself = isinstance(target, Word) and target.term is self.this
        if not to_itself or definition is None:
            account = target.term if isinstance(target, Word) else None
            return self._elsewhere(function, node, account)
        if definition["nodeType"] == "VariableDeclaration":
            return self.getter(definition, self.arguments(node))
        names = [each["name"] for each in definition["parameters"]["parameters"]]
        given = self.arguments(node, names)
        before = self.message
        value = function.options.get("value")
        self.message = (
            self.this,
            terms.const(0, 256) if value is None else self.word(value, UINT256),
        )
        found = self.call_function(definition, given, node)
        self.message = before
        return found

    def _elsewhere(self, function: Callable, node: Node, account: Term | None = None) -> Any:
        """A call to another contract: what it does and returns is not known.

        A call of a function of an ``account`` without code fails, be it that its code is looked for before (Solidity
        documentation, "External Function Calls") or that what it returns is missed.
        """
        self.arguments(node)
        definition = function.node
        reason = f"a call to another contract, {function.name}"
        named = self.refuse(reason, node)
        passes = self.recorder.unknown_value(terms.BOOL, named)
        if account is None or self.unit.creates:
            self.guard(Kind.CALL, node, passes, Expected(data="any"))
        else:
            there = terms.not_(self._empty(account))
            self.guard(Kind.CALL, node, there, Expected(data="empty"))
            self.guard(Kind.CALL, node, terms.implies(there, passes), Expected(data="any"))
        kind = self.unit.type_of(node)
        static = self.unit.version >= (0, 5, 0)
        if definition is None or not static or not _reads(definition):
            self.lose(named)
        if kind.kind == "tuple":
            return Tuple(tuple(self.unknown(each, named) for each in kind.items))
        return self.unknown(kind, named)

    def _empty(self, account: Term) -> Term:
        """Whether an account surely has no code: it is no precompiled contract, and not the contract itself."""
        zero, last = terms.const(0, 160), terms.const(0x1FF, 160)
        common = terms.or_(terms.eq(account, zero), terms.ult(last, account))
        code = terms.load(("code",), (account,), terms.BOOL)
        return terms.and_(common, terms.not_(terms.eq(account, self.this)), terms.not_(code))

    def _call_creation(self, function: Callable, node: Node) -> Any:
        return self._elsewhere(function, node)

    def _call_baredelegatecall(self, function: Callable, node: Node) -> Any:
        return self._elsewhere(function, node)

    _call_barecallcode = _call_baredelegatecall
    _call_barestaticcall = _call_baredelegatecall

    def call_function(
        self, function: Node, arguments: list[Any], node: Node, *, exact: bool = False
    ) -> Any:
        """What an inlined function returns."""
        private = function.get("visibility") == "private"
        if not exact and not private:
            function = self.unit.resolve(function, self.lineage)
        if function.get("body") is None:
            declared = self._variable_for(function)
            if declared is not None:
                return self.getter(declared, arguments)
            raise Unsupported(f"a call of {function['name']}, which has no body")
        if len(self.chain) >= self.limits.depth:
            raise Unsupported(f"calls more than {self.limits.depth} deep")
        place = self.unit.place(node)
        step = Step(function["name"], place.path, place.start, place.line)
        before = self.chain
        self.chain = (*before, step)
        found = self.run_function(function, arguments)
        self.chain = before
        return found

    def _variable_for(self, function: Node) -> Node | None:
        """The public state variable whose getter implements a function."""
        for contract in self.lineage:
            for member in contract["nodes"]:
                if (
                    member["nodeType"] == "VariableDeclaration"
                    and member["name"] == function["name"]
                    and member.get("visibility") == "public"
                ):
                    found: Node = member
                    return found
        return None

    def getter(self, declared: Node, arguments: list[Any]) -> Any:
        """What the getter of a public state variable returns."""
        value = self.variable(declared)
        for argument in arguments:
            if not isinstance(value, Stored) or value.kind.kind != "mapping":
                raise Unsupported("the getter of an array")
            value = self.element(value, argument, declared)
        if isinstance(value, Stored) and value.kind.kind == "struct":
            members = [
                self.at(*self.layout.member(value.spot, value.kind, name))
                for name, kind in self.unit.fields(value.kind)
                if kind.kind not in ("mapping", "array")
            ]
            return Tuple(tuple(members)) if len(members) != 1 else members[0]
        return value

    @abstractmethod
    def run_function(self, function: Node, arguments: list[Any]) -> Any:
        """Execute a function of the contract."""


def _is_error(node: Node) -> bool:
    kind = (node.get("typeDescriptions") or {}).get("typeIdentifier") or ""
    return bool(kind.startswith("t_error"))


def _reads(definition: Node) -> bool:
    """Whether a call of a function cannot change anything."""
    return definition["nodeType"] == "VariableDeclaration" or is_view(definition)
