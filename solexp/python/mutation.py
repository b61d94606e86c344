"""Mutants of Python functions: small changes of a body that ought to be noticed (DeMillo, Lipton and Sayward 1978)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

import msgspec

from solexp.core.mutation import Kind, Mutation
from solexp.python.contracts import function_of
from solexp.python.syntax import NotPython, parsed

VERSION = 1
"""Of the rules. A change of them raises it."""

_ARITHMETIC: dict[str, tuple[str, ...]] = {
    "+": ("-",),
    "-": ("+",),
    "*": ("+",),
    "/": ("*",),
    "//": ("*",),
    "%": ("*",),
    "**": ("*",),
}
_BITWISE: dict[str, tuple[str, ...]] = {
    "<<": (">>",),
    ">>": ("<<",),
    "&": ("|",),
    "|": ("&",),
    "^": ("&",),
}
_COMPARISON: dict[str, tuple[str, ...]] = {
    "<": ("<=", ">"),
    "<=": ("<", ">="),
    ">": (">=", "<"),
    ">=": (">", "<="),
    "==": ("!=",),
    "!=": ("==",),
    "in": ("not in",),
    "not in": ("in",),
    "is": ("is not",),
    "is not": ("is",),
}
_LOGICAL: dict[str, tuple[str, ...]] = {"and": ("or",), "or": ("and",)}
_OPERATOR = re.compile(
    r"(?:#[^\n]*|[\s()\\])*((?:not\s+in|is\s+not|in|is|and|or)\b|\*\*|//|<<|>>|[<>=!]=|[-+*/%&|^<>])"
)
"""The operator in what stands between its operands: parentheses, comments and line breaks may surround it."""


class _Change(msgspec.Struct, frozen=True):
    kind: Kind
    start: int
    end: int
    new: str


@lru_cache(maxsize=256)
def mutations(program: str, entry_point: str) -> tuple[Mutation, ...]:
    """Every mutation of the body of a function, in the order of their places.

    No two give the same syntax tree, and none that of the program itself. Head, docstring and the rest of the program
    stay as they are. Raises ValueError where the program does not parse or has no such function.
    """
    tree = parsed(program)
    function = function_of(tree, entry_point)
    documented = ast.get_docstring(function, clean=False) is not None
    text = _Text(program)
    changes = [
        change for statement in function.body[documented:] for change in _changes(statement, text)
    ]
    seen, found = {ast.dump(tree)}, []
    for change in sorted(changes, key=lambda each: (each.start, each.end, each.new)):
        mutation = text.mutation(change)
        try:
            same = ast.dump(parsed(mutation.applied(program)))
        except NotPython:
            continue
        if same not in seen:
            seen.add(same)
            found.append(mutation)
    return tuple(found)


class _Text:
    """A program's bytes, by the places of its syntax tree."""

    def __init__(self, program: str) -> None:
        self._data = program.encode()
        self._lines = [0]
        for line in self._data.split(b"\n"):
            self._lines.append(self._lines[-1] + len(line) + 1)

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr | ast.stmt) -> int:
        return self._lines[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def of(self, node: ast.expr | ast.stmt) -> str:
        return self._data[self.start(node) : self.end(node)].decode()

    def between(self, left: ast.expr, right: ast.expr) -> str:
        return self._data[self.end(left) : self.start(right)].decode()

    def mutation(self, change: _Change) -> Mutation:
        return Mutation(
            kind=change.kind,
            start=change.start,
            end=change.end,
            old=self._data[change.start : change.end].decode(),
            new=change.new,
            line=self._data[: change.start].count(b"\n") + 1,
        )


def _changes(node: ast.AST, text: _Text) -> Iterator[_Change]:
    yield from _of_statement(node, text)
    yield from _of_expression(node, text)
    for child in ast.iter_child_nodes(node):
        # Pieces of a formatted text have no places of their own, and annotations do nothing.
        if not isinstance(node, ast.JoinedStr) and child is not getattr(node, "annotation", None):
            yield from _changes(child, text)


def _of_statement(node: ast.AST, text: _Text) -> Iterator[_Change]:
    match node:
        case ast.If() | ast.While() | ast.IfExp():
            yield _replaced("condition", node.test, f"(not ({text.of(node.test)}))", text)
        case ast.Return(value=ast.expr() as value):
            yield _replaced("returned", value, "None", text)
        case ast.Assert() | ast.Raise():
            yield _replaced("check", node, "pass", text)
        case ast.AugAssign():
            yield _replaced("statement", node, "pass", text)
            yield from _exchanged("arithmetic", _ARITHMETIC, node.target, node.value, text)
            yield from _exchanged("bitwise", _BITWISE, node.target, node.value, text)
        case ast.Assign() | ast.Expr() | ast.Delete() | ast.Break() | ast.Continue():
            yield _replaced("statement", node, "pass", text)


def _of_expression(node: ast.AST, text: _Text) -> Iterator[_Change]:
    match node:
        case ast.BinOp():
            yield from _exchanged("arithmetic", _ARITHMETIC, node.left, node.right, text)
            yield from _exchanged("bitwise", _BITWISE, node.left, node.right, text)
        case ast.Compare():
            for left, right in pairwise([node.left, *node.comparators]):
                yield from _exchanged("comparison", _COMPARISON, left, right, text)
        case ast.BoolOp():
            for left, right in pairwise(node.values):
                yield from _exchanged("logical", _LOGICAL, left, right, text)
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert() as operator):
            kind: Kind = "logical" if isinstance(operator, ast.Not) else "arithmetic"
            yield _replaced(kind, node, f"({text.of(node.operand)})", text)
        case ast.Constant():
            for new in _constants(node.value):
                yield _replaced("constant", node, new, text)
        case ast.comprehension():
            for test in node.ifs:
                yield _replaced("condition", test, f"(not ({text.of(test)}))", text)
        case ast.Call():
            yield from _swapped(node.args, text)


def _constants(value: object) -> tuple[str, ...]:
    if isinstance(value, bool):
        return (str(not value),)
    if isinstance(value, int) and abs(value) < 2**64:
        return tuple(map(str, dict.fromkeys((value + 1, value - 1, 0))))
    return ("''",) if isinstance(value, str) and value else ()


def _replaced(kind: Kind, node: ast.expr | ast.stmt, new: str, text: _Text) -> _Change:
    return _Change(kind, text.start(node), text.end(node), new)


def _exchanged(
    kind: Kind,
    table: dict[str, tuple[str, ...]],
    left: ast.expr,
    right: ast.expr,
    text: _Text,
) -> Iterator[_Change]:
    found = _OPERATOR.match(text.between(left, right))
    if found is None:
        return
    before = len(found.string[: found.start(1)].encode())
    start = text.end(left) + before
    for new in table.get(" ".join(found[1].split()), ()):
        yield _Change(kind, start, start + len(found[1].encode()), new)


def _swapped(arguments: Sequence[ast.expr], text: _Text) -> Iterator[_Change]:
    for left, right in pairwise(arguments):
        if not isinstance(left, ast.Starred) and not isinstance(right, ast.Starred):
            new = text.of(right) + text.between(left, right) + text.of(left)
            yield _Change("swapped", text.start(left), text.end(right), new)
