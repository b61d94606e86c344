"""Reading the expressions of a function: what each is worth, and what evaluating it demands and stores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeVar

from solexp.dcr.expressions import Expression
from solexp.dcr.extraction.behaviour import Write
from solexp.dcr.extraction.terms import (
    FALSE,
    UNKNOWN,
    ZERO,
    binary,
    bounded,
    family,
    joined,
    keyed,
    known,
    member,
    name,
    opposite,
    places,
)
from solexp.solidity.syntax import nodes
from solexp.violations.solidity.unit import Node, Unit

ONE = Expression("literal", "1")


_K = TypeVar("_K", int, str)


class Branch(NamedTuple):
    """What differs between two ways through a function."""

    locals: dict[int, Expression]
    stored: dict[str, Expression]


class Values(ABC):
    """Evaluates all expressions but calls."""

    def __init__(self, unit: Unit, contract: Node) -> None:
        self.unit = unit
        self.contract = contract
        self.lineage = unit.lineage(contract)
        self.guards: list[Expression] = []
        self.writes: list[Write] = []
        self.path: list[Expression] = []
        """Conditions of what is read now."""
        self.base = 0
        """How many of them are those of the call of the function that is read."""
        self.locals: dict[int, Expression] = {}
        self.stored: dict[str, Expression] = {}
        """What this call has put into variables without keys."""
        self.passed: list[Expression] = []
        """Those of the conditions that only say that a function has not returned before."""
        self.returns: list[tuple[Expression | None, Expression]] = []
        self.body: Callable[[], None] | None = None
        """What stands for ``_`` in a modifier."""
        self.unchecked = False
        self.state = {
            node["name"]: node
            for base in reversed(self.lineage)
            for node in base["nodes"]
            if node["nodeType"] == "VariableDeclaration"
        }

    # Branches

    def branch(self) -> Branch:
        return Branch(dict(self.locals), dict(self.stored))

    def enter(self, branch: Branch) -> None:
        self.locals, self.stored = dict(branch.locals), dict(branch.stored)

    def merge(self, asked: Expression, first: Branch, second: Branch) -> None:
        """Goes on behind both."""

        def either(one: dict[_K, Expression], other: dict[_K, Expression]) -> dict[_K, Expression]:
            return {
                key: (
                    one[key]
                    if one.get(key) == other.get(key)
                    else self._choice(asked, one.get(key), other.get(key))
                )
                for key in one | other
            }

        self.locals = either(first.locals, second.locals)
        self.stored = either(first.stored, second.stored)

    @staticmethod
    def _choice(asked: Expression, yes: Expression | None, no: Expression | None) -> Expression:
        if yes is None or no is None or not all(map(known, (asked, yes, no))):
            return UNKNOWN
        return bounded(Expression("choice", "?", (asked, yes, no)))

    def changed_in(self, node: Node) -> Iterator[int]:
        """Locals that a part of a function assigns."""
        for each in nodes(node):
            target = None
            if each["nodeType"] == "Assignment":
                target = each["leftHandSide"]
            elif each["nodeType"] == "UnaryOperation" and each["operator"] in (
                "++",
                "--",
                "delete",
            ):
                target = each["subExpression"]
            for inner in nodes(target) if target is not None else ():
                if inner["nodeType"] == "Identifier":
                    found = inner.get("referencedDeclaration")
                    if found in self.locals:
                        yield found

    # Places

    def places(self, tree: Expression) -> Iterator[Expression]:
        """The places in storage that an expression reads."""
        for place in places(tree):
            root = family(place)
            if root is not None and root.partition(".")[0] in self.state:
                yield place

    def is_stored(self, tree: Expression) -> bool:
        root = family(tree)
        return root is not None and root.partition(".")[0] in self.state

    def store(
        self, place: Expression, value: Expression, how: Literal["set", "add", "sub"] = "set"
    ) -> None:
        """Something is assigned to a place in storage."""
        if not self.is_stored(place):
            return
        self.writes.append(Write(place, value, how, joined(self.path)))
        if not keyed(place):
            at = family(place) or ""
            old = self.stored.get(at, place)
            new = value if how == "set" else binary(old, "+" if how == "add" else "-", value)
            self.stored[at] = new if not self.path or known(joined(self.path) or FALSE) else UNKNOWN

    def default(self, declared: Node) -> Expression:
        """What a local holds that is given nothing."""
        kind = declared["typeDescriptions"].get("typeString") or ""
        return FALSE if kind == "bool" else ZERO if kind.startswith(("uint", "int")) else UNKNOWN

    # Expressions

    def value(self, node: Node) -> Expression:
        """What an expression is worth, what it does noted."""
        found = getattr(self, f"_{node['nodeType']}", None)
        if found is None:
            return UNKNOWN
        value: Expression = found(node)
        return value

    def _Identifier(self, node: Node) -> Expression:  # noqa: N802
        number = node.get("referencedDeclaration")
        if number in self.locals:
            return self.locals[number]
        declared = self.unit.declarations.get(number) if isinstance(number, int) else None
        if declared is not None and declared["nodeType"] == "VariableDeclaration":
            if declared.get("constant") and declared.get("value") is not None:
                return self.value(declared["value"])
            if not declared.get("stateVariable"):
                return UNKNOWN
            return self.stored.get(declared["name"], name(declared["name"]))
        if node["name"] == "now":
            return member(name("block"), "timestamp")
        return name(node["name"])

    def _Literal(self, node: Node) -> Expression:  # noqa: N802
        if node.get("kind") in ("string", "unicodeString", "hexString"):
            text = (node.get("value") or "").replace("\\", "\\\\").replace('"', '\\"')
            return Expression("literal", f'"{text}"')
        unit = f" {node['subdenomination']}" if node.get("subdenomination") else ""
        return Expression("literal", f"{node['value']}{unit}")

    def _ElementaryTypeNameExpression(self, node: Node) -> Expression:  # noqa: N802
        kind = node["typeName"]
        return name(kind if isinstance(kind, str) else kind["name"])

    def _MemberAccess(self, node: Node) -> Expression:  # noqa: N802
        number = node.get("referencedDeclaration")
        declared = self.unit.declarations.get(number) if isinstance(number, int) else None
        if declared is not None and declared.get("stateVariable"):
            if declared.get("constant") and declared.get("value") is not None:
                return self.value(declared["value"])
            return self.stored.get(declared["name"], name(declared["name"]))
        base = self.value(node["expression"])
        if base.kind == "call" and base.text and node["memberName"] in base.text.split(","):
            # A struct just made.
            return base.parts[1 + base.text.split(",").index(node["memberName"])]
        if not known(base):
            return UNKNOWN
        found = member(base, node["memberName"])
        return self.stored.get(family(found) or "", found) if not keyed(found) else found

    def _IndexAccess(self, node: Node) -> Expression:  # noqa: N802
        base = self.value(node["baseExpression"])
        if node.get("indexExpression") is None:
            return UNKNOWN
        index = self.value(node["indexExpression"])
        kind = node["baseExpression"]["typeDescriptions"].get("typeString") or ""
        if kind.replace(" storage ref", "").replace(" storage pointer", "").endswith("[]") and (
            known(base) and known(index) and self.is_stored(base)
        ):
            self.demand(binary(index, "<", member(base, "length")))
        return bounded(Expression("index", "[", (base, index)))

    def _TupleExpression(self, node: Node) -> Expression:  # noqa: N802
        parts = [UNKNOWN if each is None else self.value(each) for each in node["components"]]
        if len(parts) == 1 and not node.get("isInlineArray"):
            return parts[0]
        return Expression("list", "[" if node.get("isInlineArray") else "(", tuple(parts))

    def _Conditional(self, node: Node) -> Expression:  # noqa: N802
        asked = self.value(node["condition"])
        found = []
        for part, path in (("trueExpression", asked), ("falseExpression", UNKNOWN)):
            self.path.append(path)
            found.append(self.value(node[part]))
            self.path.pop()
        return self._choice(asked, *found)

    def _BinaryOperation(self, node: Node) -> Expression:  # noqa: N802
        left = self.value(node["leftExpression"])
        if node["operator"] in ("&&", "||"):
            # The right side is reached only by some values of the left.
            self.path.append(UNKNOWN)
            right = self.value(node["rightExpression"])
            self.path.pop()
        else:
            right = self.value(node["rightExpression"])
        if node["operator"] == "-":
            self._no_less(left, right)
        return binary(left, node["operator"], right)

    def _no_less(self, left: Expression, right: Expression) -> None:
        """Checked subtraction from something stored."""
        if self.unit.checked and not self.unchecked and self.is_stored(left) and known(right):
            self.demand(binary(left, ">=", right))

    def _UnaryOperation(self, node: Node) -> Expression:  # noqa: N802
        operator = node["operator"]
        place = self.value(node["subExpression"])
        if operator in ("++", "--"):
            return self._step(node, place)
        if operator == "delete":
            self.store(self._place(node["subExpression"]), _empty(node["subExpression"]))
            return UNKNOWN
        if operator == "!" and known(place):
            return opposite(place)
        return Expression("unary", operator, (place,))

    def _step(self, node: Node, value: Expression) -> Expression:
        operator = node["operator"]
        inner = node["subExpression"]
        if operator == "--":
            self._no_less(value, ONE)
        new = binary(value, operator[0], ONE)
        self._assign(inner, new, "add" if operator == "++" else "sub", ONE)
        return new if node["prefix"] else value

    def _Assignment(self, node: Node) -> Expression:  # noqa: N802
        value = self.value(node["rightHandSide"])
        left = node["leftHandSide"]
        if left["nodeType"] == "TupleExpression":
            parts = value.parts if value.kind == "list" else ()
            for place, each in enumerate(left["components"]):
                if each is not None:
                    self._assign(each, parts[place] if place < len(parts) else UNKNOWN)
            return value
        operator = node["operator"][:-1]
        if not operator:
            self._assign(left, value)
            return value
        old = self.value(left)
        if operator == "-":
            self._no_less(old, value)
        new = binary(old, operator, value)
        if operator in ("+", "-"):
            self._assign(left, new, "add" if operator == "+" else "sub", value)
        else:
            self._assign(left, new)
        return new

    def _assign(
        self,
        node: Node,
        value: Expression,
        how: Literal["set", "add", "sub"] = "set",
        by: Expression | None = None,
    ) -> None:
        number = node.get("referencedDeclaration")
        if node["nodeType"] == "Identifier" and number in self.locals:
            self.locals[number] = value
            return
        if _in_memory(node):
            return
        place = self._place(node)
        if how == "set" and value.kind == "binary" and value.parts[0] == place:
            # x = x + y
            step: dict[str, Literal["add", "sub"]] = {"+": "add", "-": "sub"}
            how, by = step.get(value.text, "set"), value.parts[1]
        self.store(place, value if how == "set" or by is None else by, how)

    def _place(self, node: Node) -> Expression:
        """The place an expression names, not what has been put there."""
        kept, self.stored = self.stored, {}
        found = self.value(node)
        self.stored = kept
        return found

    @abstractmethod
    def demand(self, asked: Expression) -> None:
        """What must hold for the call to go on."""


def _in_memory(node: Node) -> bool:
    """Whether an assignment's target is part of something in memory."""
    while node["nodeType"] in ("MemberAccess", "IndexAccess"):
        node = node["expression" if node["nodeType"] == "MemberAccess" else "baseExpression"]
        if " memory" in (node["typeDescriptions"].get("typeString") or ""):
            return True
    return False


def _empty(node: Node) -> Expression:
    kind = node["typeDescriptions"].get("typeString") or ""
    if kind.startswith(("address", "contract")):
        return Expression("call", "", (name("address"), ZERO))
    return FALSE if kind == "bool" else ZERO
