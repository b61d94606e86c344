"""Guards as Solidity expressions: their trees, the names they use, and a form in which equal ones agree.

Read here by operator precedence (the Solidity documentation's list of operators), since tree-sitter's grammar gives an
index behind a comparison, as in ``amount <= balances[who]``, to the whole comparison.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import msgspec

_TOKEN = re.compile(
    r"""\s*(?://[^\n]*|/\*.*?\*/|
    (?P<literal>(?:hex|unicode)?"(?:[^"\\\n]|\\.)*"|(?:hex|unicode)?'(?:[^'\\\n]|\\.)*'
      |0[xX][0-9a-fA-F_]+|(?:[0-9][0-9_]*)?\.?[0-9][0-9_]*(?:[eE]-?[0-9_]+)?)
    |(?P<word>[A-Za-z_$][\w$]*)
    |(?P<mark>\*\*|<<|>>>?|<=|>=|==|!=|&&|\|\||[-+*/%<>!~&|^?:.,()\[\]{}]))""",
    re.VERBOSE | re.DOTALL,
)
_BINARY = {
    operator: level
    for level, operators in enumerate(
        ("||", "&&", "== !=", "< > <= >=", "|", "^", "&", "<< >> >>>", "+ -", "* / %", "**"), 1
    )
    for operator in operators.split()
}
_UNITS = {"wei", "gwei", "szabo", "finney", "ether"}
_UNITS |= {"seconds", "minutes", "hours", "days", "weeks", "years"}
_RESERVED = {"delete", "return", "if", "else", "for", "while", "emit", "var", "function"}

Kind = Literal[
    "name", "literal", "unary", "binary", "choice", "call", "options", "index", "member", "list"
]


class Expression(msgspec.Struct, frozen=True):
    """A node of an expression's tree."""

    kind: Kind
    text: str
    """A name, a literal with its unit, an operator, or a member's name; ``(`` or ``[`` for a list's kind of brackets;
    the names of named arguments and call options, by commas."""
    parts: tuple[Expression, ...] = ()
    """Operands in order; of a call and its options the callee and then the arguments, of an index the array and then
    the key, of a choice the condition and both values."""

    def walk(self) -> Iterator[Expression]:
        """This node and all below it, from left to right."""
        yield self
        for part in self.parts:
            yield from part.walk()


class _NoExpression(Exception):
    pass


@lru_cache(maxsize=4096)
def parsed(text: str) -> Expression | None:
    """The tree of an expression that changes nothing; None for other text."""
    try:
        return _Reader(list(_tokens(text))).whole()
    except (_NoExpression, RecursionError):
        return None


def names(text: str) -> tuple[str, ...]:
    """The names that an expression uses, each once in order: variables, functions, types, ``msg``, but no members.

    Empty for text that is no expression.
    """
    tree = parsed(text)
    found = [] if tree is None else [each.text for each in tree.walk() if each.kind == "name"]
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=4096)
def normal(text: str) -> str:
    """A form in which expressions agree that differ in blanks, needless parentheses, the order of what ``==``, ``!=``,
    ``&&``, ``||`` and other commutative operators join, the direction of a comparison, ``== true``, or a negation
    before a comparison. Text that is no expression is its own form.
    """
    tree = parsed(text)
    return " ".join(text.split()) if tree is None else shown(_ordered(tree))


def conjuncts(text: str) -> tuple[str, ...]:
    """The normal forms of what a guard joins by ``&&``, each once, in alphabetical order."""
    tree = parsed(text)
    if tree is None:
        return (normal(text),)
    return tuple(sorted({shown(part) for part in _joined(_ordered(tree), "&&")}))


def joined(text: str) -> tuple[str, ...]:
    """What a guard joins by ``&&``, in its order and as it is written but for blanks and parentheses: the compiler
    takes ``listRoot != 0`` where it does not take ``0 != listRoot``."""
    tree = parsed(text)
    return (text,) if tree is None else tuple(map(shown, _joined(tree, "&&")))


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    place = 0
    while text[place:].strip():
        found = _TOKEN.match(text, place)
        if found is None:
            raise _NoExpression
        place = found.end()
        if found.lastgroup is not None:
            yield found.lastgroup, found[found.lastgroup]


class _Reader:
    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.place = 0

    def whole(self) -> Expression:
        found = self.expression()
        if self.place < len(self.tokens):
            raise _NoExpression
        return found

    def next(self) -> tuple[str, str]:
        if self.place == len(self.tokens):
            raise _NoExpression
        self.place += 1
        return self.tokens[self.place - 1]

    def peek(self) -> str | None:
        """The mark or word that comes next."""
        if self.place == len(self.tokens):
            return None
        kind, text = self.tokens[self.place]
        return None if kind == "literal" else text

    def take(self, mark: str) -> bool:
        found = self.peek() == mark
        self.place += found
        return found

    def expect(self, mark: str) -> None:
        if not self.take(mark):
            raise _NoExpression

    def expression(self) -> Expression:
        found = self.binary(1)
        if not self.take("?"):
            return found
        yes = self.expression()
        self.expect(":")
        return Expression("choice", "?", (found, yes, self.expression()))

    def binary(self, least: int) -> Expression:
        left = self.unary()
        while (level := _BINARY.get(self.peek() or "", 0)) >= least:
            operator = self.next()[1]
            # `**` alone binds to the right.
            right = self.binary(level if operator == "**" else level + 1)
            left = Expression("binary", operator, (left, right))
        return left

    def unary(self) -> Expression:
        mark = self.peek()
        if mark not in {"!", "~", "-", "+"}:
            return self.postfix()
        self.next()
        if mark in {"-", "+"} and self.peek() == mark:
            # `--` and `++` change what they stand before.
            raise _NoExpression
        return Expression("unary", mark, (self.unary(),))

    def postfix(self) -> Expression:
        found = self.primary()
        while True:
            if self.take("."):
                kind, text = self.next()
                if kind != "word":
                    raise _NoExpression
                found = Expression("member", text, (found,))
            elif self.take("["):
                found = Expression("index", "[", (found, self.expression()))
                self.expect("]")
            elif self.take("("):
                labels, values = self.named() if self.peek() == "{" else ("", self.many(")"))
                if labels:
                    self.expect(")")
                found = Expression("call", labels, (found, *values))
            elif self.peek() == "{":
                labels, values = self.named()
                found = Expression("options", labels, (found, *values))
            else:
                return found

    def named(self) -> tuple[str, tuple[Expression, ...]]:
        """``{name: value, …}``: the names by commas, and the values."""
        self.expect("{")
        labels, values = [], []
        while True:
            kind, text = self.next()
            if kind != "word":
                raise _NoExpression
            self.expect(":")
            labels.append(text)
            values.append(self.expression())
            if not self.take(","):
                break
        self.expect("}")
        return ",".join(labels), tuple(values)

    def many(self, end: str) -> tuple[Expression, ...]:
        found: list[Expression] = []
        if self.take(end):
            return ()
        while True:
            found.append(self.expression())
            if self.take(end):
                return tuple(found)
            self.expect(",")

    def primary(self) -> Expression:
        kind, text = self.next()
        if kind == "literal":
            unit = f" {self.next()[1]}" if self.peek() in _UNITS else ""
            return Expression("literal", text + unit)
        if kind == "word":
            if text in _RESERVED:
                raise _NoExpression
            if text == "new":
                return Expression("unary", "new", (self.primary(),))
            return Expression("literal" if text in ("true", "false") else "name", text)
        if text == "(":
            values = self.many(")")
            return values[0] if len(values) == 1 else Expression("list", "(", values)
        if text == "[":
            return Expression("list", "[", self.many("]"))
        raise _NoExpression


_COMMUTATIVE = frozenset({"==", "!=", "+", "*", "&", "|", "^"})
_MIRRORED = {">": "<", ">=": "<="}
_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_TRUE, _FALSE = Expression("literal", "true"), Expression("literal", "false")


def _ordered(tree: Expression) -> Expression:
    """The same expression in the one form that `normal` describes."""
    parts = tuple(_ordered(part) for part in tree.parts)
    if tree.kind == "unary" and tree.text == "!":
        return negated(parts[0])
    if tree.kind == "binary":
        return _joining(tree.text, parts)
    return Expression(tree.kind, tree.text, parts)


def _joining(operator: str, parts: tuple[Expression, ...]) -> Expression:
    if operator in ("==", "!="):
        for truth, keeps in ((_TRUE, operator == "=="), (_FALSE, operator == "!=")):
            if truth in parts:
                other = parts[1 - parts.index(truth)]
                return other if keeps else negated(other)
    if operator in ("&&", "||"):
        joined = {shown(each): each for part in parts for each in _joined(part, operator)}
        parts = tuple(joined[key] for key in sorted(joined))
    if operator in _COMMUTATIVE:
        parts = tuple(sorted(parts, key=shown))
    if operator in _MIRRORED:
        operator, parts = _MIRRORED[operator], parts[::-1]
    return parts[0] if len(parts) == 1 else Expression("binary", operator, parts)


def _joined(tree: Expression, operator: str) -> tuple[Expression, ...]:
    if tree.kind == "binary" and tree.text == operator:
        return tuple(each for part in tree.parts for each in _joined(part, operator))
    return (tree,)


def negated(tree: Expression) -> Expression:
    """The opposite of a condition, the negation put in as far as it goes."""
    if tree.kind == "unary" and tree.text == "!":
        return tree.parts[0]
    if tree in (_TRUE, _FALSE):
        return _FALSE if tree == _TRUE else _TRUE
    if tree.kind == "binary" and tree.text in _OPPOSITE:
        return _joining(_OPPOSITE[tree.text], tree.parts)
    if tree.kind == "binary" and tree.text in ("&&", "||"):
        other = "||" if tree.text == "&&" else "&&"
        return _joining(other, tuple(negated(part) for part in tree.parts))
    return Expression("unary", "!", (tree,))


def shown(tree: Expression) -> str:  # noqa: PLR0911  (one a kind)
    """An expression as text, each operation of two or three operands in parentheses."""
    parts = [shown(part) for part in tree.parts]
    match tree.kind:
        case "binary":
            return f"({f' {tree.text} '.join(parts)})"
        case "unary":
            return f"{tree.text} {parts[0]}" if tree.text == "new" else f"{tree.text}{parts[0]}"
        case "choice":
            return f"({parts[0]} ? {parts[1]} : {parts[2]})"
        case "call" | "options":
            labels = tree.text.split(",") if tree.text else []
            given = ", ".join(
                f"{label}: {part}" for label, part in zip(labels, parts[1:], strict=False)
            ) or ", ".join(parts[1:])
            given = f"{{{given}}}" if labels else given
            return f"{parts[0]}{given}" if tree.kind == "options" else f"{parts[0]}({given})"
        case "index":
            return f"{parts[0]}[{parts[1]}]"
        case "member":
            return f"{parts[0]}.{tree.text}"
        case "list":
            return f"{tree.text}{', '.join(parts)}{')' if tree.text == '(' else ']'}"
        case _:
            return tree.text
