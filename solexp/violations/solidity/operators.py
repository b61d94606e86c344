"""Operators, with the checks that Solidity makes of their operands and results."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from solexp.violations.solidity import arithmetic, terms
from solexp.violations.solidity.expressions import Expressions
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.guards import Kind
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.types import (
    BOOLEAN,
    Type,
    read_type,
)
from solexp.violations.solidity.unit import Node
from solexp.violations.solidity.values import (
    Elements,
    Number,
    Tuple,
    Word,
    choose,
    whole,
)

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


class Operators(Expressions):
    """Evaluates operators."""

    # Operators

    def _TupleExpression(self, node: Node) -> Any:  # noqa: N802
        parts = [None if part is None else self.value(part) for part in node["components"]]
        if node.get("isInlineArray"):
            kind = self.unit.type_of(node)
            items = tuple(self.converted(part, kind.items[0]) for part in parts)
            return self.allocate(Elements(terms.const(len(items), 256), items), kind)
        return parts[0] if len(parts) == 1 else Tuple(tuple(parts))

    def _UnaryOperation(self, node: Node) -> Any:  # noqa: N802
        if isinstance(node.get("function"), int):
            operand = self.value(node["subExpression"])
            return self.call_function(
                self.unit.declarations[node["function"]], [operand], node, exact=True
            )
        operator = node["operator"]
        if operator in ("++", "--", "delete"):
            return self.changed(node)
        kind = self.unit.plain(self.unit.type_of(node))
        operand = self.value(node["subExpression"])
        if operator == "!":
            return Word(terms.not_(self.truth(operand)), BOOLEAN)
        term = self.word(operand, kind)
        if operator == "~":
            return Word(terms.bnot(term), kind)
        if operator == "-":
            zero = terms.const(0, kind.bits)
            found, fits = arithmetic.sub(zero, term, signed=kind.signed)
            self.overflow(node, fits)
            return Word(found, kind)
        if operator == "+":
            return Word(term, kind)
        raise Unsupported(f"the operator {operator}")

    @abstractmethod
    def changed(self, node: Node) -> Any:
        """``++``, ``--`` and ``delete``."""

    def overflow(self, node: Node, fits: Term) -> None:
        """A result that must fit, where arithmetic is checked."""
        if self.frame.checked:
            self.panic(Kind.OVERFLOW, node, fits, 0x11)

    def _BinaryOperation(self, node: Node) -> Any:  # noqa: N802
        operator = node["operator"]
        left, right = node["leftExpression"], node["rightExpression"]
        if isinstance(node.get("function"), int):
            arguments = [self.value(left), self.value(right)]
            return self.call_function(
                self.unit.declarations[node["function"]], arguments, node, exact=True
            )
        if operator in ("&&", "||"):
            return self._short_circuit(operator, left, right)
        if self.evaluates_right_first(operator, left, right):
            b = self.value(right)
            a = self.value(left)
        else:
            a = self.value(left)
            b = self.value(right)
        kind = self.unit.type_of(node)
        if operator in ("<<", ">>", "**"):
            plain = self.unit.plain(kind)
            return self.operated(operator, self.word(a, plain), b, plain, node)
        if operator in _COMPARISONS:
            return self._compared(operator, a, b, node)
        plain = self.unit.plain(kind)
        return self.operated(operator, self.word(a, plain), b, plain, node)

    @staticmethod
    def evaluates_right_first(operator: str, left: Node, right: Node) -> bool:
        """The legacy code generator takes the right operand first, but for a literal of a commutative operation."""
        commutative = operator in ("+", "*", "|", "&", "^", "==", "!=")
        return not (
            commutative and right["nodeType"] == "Literal" and left["nodeType"] != "Literal"
        )

    def _short_circuit(self, operator: str, left: Node, right: Node) -> Word:
        a = self.truth(self.evaluate(left))
        with self.under(a if operator == "&&" else terms.not_(a)):
            b = terms.FALSE if self.path.dead else self.truth(self.evaluate(right))
        return Word(terms.and_(a, b) if operator == "&&" else terms.or_(a, b), BOOLEAN)

    def _compared(self, operator: str, a: Any, b: Any, node: Node) -> Word:
        kind = self._common(node, a, b)
        left, right = self.word(a, kind), self.word(b, kind)
        return Word(arithmetic.compare(operator, left, right, signed=kind.signed), BOOLEAN)

    def _common(self, node: Node, a: Any, b: Any) -> Type:
        """The type in which two operands are compared."""
        told = (node.get("commonType") or {}).get("typeIdentifier")
        if told:
            kind = self.unit.plain(read_type(told))
            if kind.scalar:
                return kind
        for value in (a, b):
            if isinstance(value, Word):
                return self.unit.plain(value.kind)
        raise Unsupported("a comparison of constants")

    def operated(self, operator: str, a: Term, right: Any, kind: Type, node: Node) -> Word:
        """A binary operation on a value of a type, with its checks."""
        signed = kind.signed
        if operator in ("<<", ">>"):
            return Word(self._shifted(operator, a, right, kind), kind)
        if operator == "**":
            exponent = self._exponent(right)
            found, fits = arithmetic.power(a, exponent, signed=signed)
            self.overflow(node, fits)
            return Word(found, kind)
        b = self.word(right, kind)
        match operator:
            case "+" | "-" | "*":
                named = {"+": arithmetic.add, "-": arithmetic.sub, "*": arithmetic.mul}
                found, fits = named[operator](a, b, signed=signed)
                self.overflow(node, fits)
                return Word(found, kind)
            case "/" | "%":
                nonzero = terms.not_(terms.eq(b, terms.const(0, b.width)))
                self.panic(Kind.DIVISION, node, nonzero, 0x12)
                if operator == "%":
                    return Word(arithmetic.mod(a, b, signed=signed), kind)
                found, fits = arithmetic.div(a, b, signed=signed)
                self.overflow(node, fits)
                return Word(found, kind)
        if operator in ("&", "|", "^"):
            if kind.kind == "bool":
                raise Unsupported(f"the operator {operator} on booleans")
            bitwise = {"&": terms.band, "|": terms.bor, "^": terms.bxor}
            return Word(bitwise[operator](a, b), kind)
        raise Unsupported(f"the operator {operator}")

    def _exponent(self, value: Any) -> Term:
        if isinstance(value, Number):
            return terms.const(int(value.value), 256)
        assert isinstance(value, Word)
        if value.kind.signed:
            raise Unsupported("a signed exponent")
        return value.term

    def _shifted(self, operator: str, a: Term, right: Any, kind: Type) -> Term:
        if isinstance(right, Number):
            amount = terms.const(min(int(right.value), 1 << 16), 256)
        else:
            if self.unit.plain(right.kind).signed:
                raise Unsupported("a shift by a signed amount")
            amount = right.term
        rounds = self.unit.version < (0, 5, 0)
        return arithmetic.shift(operator, a, amount, signed=kind.signed, rounds_to_zero=rounds)

    def _Conditional(self, node: Node) -> Any:  # noqa: N802
        condition = self.truth(self.evaluate(node["condition"]))
        kind = self.unit.type_of(node)
        with self.under(condition):
            yes = (
                None
                if self.path.dead
                else self.converted(self.evaluate(node["trueExpression"]), kind)
            )
        with self.under(terms.not_(condition)):
            no = (
                None
                if self.path.dead
                else self.converted(self.evaluate(node["falseExpression"]), kind)
            )
        if yes is None or no is None:
            return no if yes is None else yes
        return whole(choose(condition, yes, no))
