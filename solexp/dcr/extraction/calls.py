"""Reading calls: what is demanded, what is called within the contract and so read too, and what is not known."""

from __future__ import annotations

from abc import abstractmethod

from solexp.dcr.expressions import Expression
from solexp.dcr.extraction.terms import UNKNOWN, ZERO, bounded, known, member, name
from solexp.dcr.extraction.values import ONE, Values
from solexp.violations.solidity.unit import Node

MOST_CALLS = 2000
"""Calls that are followed for one function."""
_PAYING = {"transfer", "send", "safeTransfer", "sendValue", "safeTransferETH"}
_PURE = {"keccak256", "sha256", "sha3", "ripemd160", "ecrecover", "addmod", "mulmod", "type"}


class Calls(Values):
    """Evaluates calls."""

    calls: int = 0
    under_way: tuple[int, ...] = ()
    """Functions that are being read; none is read within itself."""
    pays: bool = False
    """Whether ether or tokens have been sent."""

    @abstractmethod
    def function(self, function: Node) -> Expression:
        """What a function that is called returns."""

    def _FunctionCall(self, node: Node) -> Expression:  # noqa: N802, PLR0911
        kind = node.get("kind")
        callee = node["expression"]
        if kind == "typeConversion":
            return self._converted(callee, node)
        if kind == "structConstructorCall":
            return self._struct(callee, node)
        options: list[Node] = []
        while callee["nodeType"] == "FunctionCallOptions" or _is_option(callee):
            options += callee.get("options") or callee.get("arguments") or ()
            inner = callee["expression"]
            callee = inner["expression"] if callee["nodeType"] == "FunctionCall" else inner
        for each in options:
            self.value(each)
        if callee["nodeType"] == "MemberAccess" and (
            callee["memberName"] in _PAYING or (options and callee["memberName"] == "call")
        ):
            self.pays = True
        if (
            callee["nodeType"] == "Identifier"
            and callee.get("referencedDeclaration") not in self.unit.declarations
        ):
            return self._built_in(callee["name"], node)
        if callee["nodeType"] == "MemberAccess" and callee["memberName"] in ("push", "pop"):
            return self._resized(callee, node)
        declared = self.unit.declarations.get(callee.get("referencedDeclaration") or -1)
        if declared is not None and declared["nodeType"] == "FunctionDefinition":
            return self._called(declared, callee, node)
        base = self.value(callee["expression"]) if callee["nodeType"] == "MemberAccess" else UNKNOWN
        given = tuple(self.value(each) for each in node["arguments"])
        if callee["nodeType"] == "MemberAccess" and base == name("abi"):
            return bounded(Expression("call", "", (member(base, callee["memberName"]), *given)))
        return UNKNOWN

    def _converted(self, callee: Node, node: Node) -> Expression:
        """``address(x)`` and the like; between contracts and addresses nothing changes."""
        value = self.value(node["arguments"][0])
        target = node["typeDescriptions"].get("typeString") or ""
        if not known(value):
            return UNKNOWN
        same = value.kind != "literal" and not value.text.startswith("this")
        if same and (target.startswith(("contract ", "address")) or value == name("this")):
            return value
        shown = self.value(callee)
        if target == "address payable":
            shown = name("address")
        return Expression("call", "", (shown, value)) if known(shown) else value

    def _struct(self, callee: Node, node: Node) -> Expression:
        given = tuple(self.value(each) for each in node["arguments"])
        declared = self.unit.declarations.get(callee.get("referencedDeclaration") or -1)
        labels = list(node.get("names") or ())
        if not labels and declared is not None:
            members = declared["members"]
            # Before 0.7 mappings are no part of what is given.
            if len(members) == len(given):
                labels = [each["name"] for each in members]
        if len(labels) != len(given):
            return UNKNOWN
        return Expression("call", ",".join(labels), (name("struct"), *given))

    def _built_in(self, called: str, node: Node) -> Expression:
        given = [self.value(each) for each in node["arguments"]]
        if called in ("require", "assert"):
            self.demand(given[0])
        elif called == "revert":
            return Expression("call", "", (name("revert"),))
        elif called in _PURE:
            return bounded(Expression("call", "", (name(called), *given)))
        return UNKNOWN

    def _resized(self, callee: Node, node: Node) -> Expression:
        """``push`` and ``pop`` of an array."""
        array = self._place(callee["expression"])
        length = member(array, "length")
        if callee["memberName"] == "pop":
            self.demand(Expression("binary", ">", (length, ZERO)))
            self.store(length, ONE, "sub")
            return UNKNOWN
        for each in node["arguments"]:
            element = Expression("index", "[", (array, length))
            self.store(element, self.value(each))
        self.store(length, ONE, "add")
        return Expression("index", "[", (array, length))

    def _called(self, declared: Node, callee: Node, node: Node) -> Expression:
        arguments = [self.value(each) for each in node["arguments"]]
        names = node.get("names") or []
        owner = self.unit.contracts.get(self.unit.owner.get(declared["id"], -1))
        within = owner is None or owner in self.lineage or owner["contractKind"] == "library"
        if callee["nodeType"] == "MemberAccess":
            base = callee["expression"]
            kind = base["typeDescriptions"].get("typeIdentifier") or ""
            bound = len(arguments) + 1 == len(declared["parameters"]["parameters"])
            if bound and not kind.startswith("t_type"):
                arguments.insert(0, self.value(base))
            elif not kind.startswith(("t_type", "t_super")) and not _is_super(base):
                # A call of another contract, or of this one from outside.
                self.value(base)
                within = False
        target = self._meant(declared, callee) if within else declared
        if (
            not within
            or target.get("body") is None
            or target["id"] in self.under_way
            or self.calls >= MOST_CALLS
        ):
            return UNKNOWN
        return self._inline(target, arguments, names)

    def _meant(self, declared: Node, callee: Node) -> Node:
        """The function that a call runs: the most derived one, unless a base is named."""
        return (
            declared
            if callee["nodeType"] == "MemberAccess"
            else self.unit.resolve(declared, self.lineage)
        )

    def _inline(self, function: Node, arguments: list[Expression], names: list[str]) -> Expression:
        declared = function["parameters"]["parameters"]
        if names:
            by_name = dict(zip(names, arguments, strict=False))
            arguments = [by_name.get(each["name"], UNKNOWN) for each in declared]
        kept = self.locals
        self.locals = dict(kept)
        for place, parameter in enumerate(declared):
            self.locals[parameter["id"]] = arguments[place] if place < len(arguments) else UNKNOWN
        outer_body = self.body
        outer_unchecked, self.unchecked = self.unchecked, False
        self.calls += 1
        around, self.under_way = self.under_way, (*self.under_way, function["id"])
        found = self.function(function)
        self.under_way = around
        self.body, self.unchecked = outer_body, outer_unchecked
        self.locals = kept
        return found


def _is_option(callee: Node) -> bool:
    """``.value(…)`` and ``.gas(…)`` of before 0.7."""
    return (
        callee["nodeType"] == "FunctionCall"
        and callee["expression"]["nodeType"] == "MemberAccess"
        and callee["expression"]["memberName"] in ("value", "gas")
        and "function" in (callee["typeDescriptions"].get("typeIdentifier") or "")
    )


def _is_super(node: Node) -> bool:
    return node["nodeType"] == "Identifier" and node.get("name") == "super"
