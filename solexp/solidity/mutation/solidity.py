"""What is changed in Solidity: rules from a node of tree-sitter's to its changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from tree_sitter import Node

from solexp.core.mutation import Kind
from solexp.solidity.mutation.literals import neighbours
from solexp.solidity.mutation.mutation import Change, exchanged, text

_OPERATORS: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "+": ("arithmetic", ("-",)),
    "-": ("arithmetic", ("+",)),
    "*": ("arithmetic", ("/", "+")),
    "/": ("arithmetic", ("*",)),
    "%": ("arithmetic", ("/",)),
    "**": ("arithmetic", ("*",)),
    "++": ("arithmetic", ("--",)),
    "--": ("arithmetic", ("++",)),
    "+=": ("arithmetic", ("-=",)),
    "-=": ("arithmetic", ("+=",)),
    "*=": ("arithmetic", ("/=",)),
    "/=": ("arithmetic", ("*=",)),
    "%=": ("arithmetic", ("/=",)),
    "<": ("comparison", ("<=", ">")),
    "<=": ("comparison", ("<", ">=")),
    ">": ("comparison", (">=", "<")),
    ">=": ("comparison", (">", "<=")),
    "==": ("comparison", ("!=",)),
    "!=": ("comparison", ("==",)),
    "&&": ("logical", ("||",)),
    "||": ("logical", ("&&",)),
    "&": ("bitwise", ("|",)),
    "|": ("bitwise", ("&",)),
    "^": ("bitwise", ("|",)),
    "<<": ("bitwise", (">>",)),
    ">>": ("bitwise", ("<<",)),
    "&=": ("bitwise", ("|=",)),
    "|=": ("bitwise", ("&=",)),
    "^=": ("bitwise", ("|=",)),
    "<<=": ("bitwise", (">>=",)),
    ">>=": ("bitwise", ("<<=",)),
}
_UNARY: dict[str, Kind] = {"!": "logical", "~": "bitwise", "-": "arithmetic"}
_ORDERED = ("-", "/", "%", "**", "<<", ">>")
"""Operators whose operands may not change places."""
_CHECKS = ("require", "assert")
_INTEGER = re.compile(r"u?int\d*")
_BYTES = re.compile(r"bytes\d+")
_DEFAULTS = {
    "address": "address(0)",
    "address payable": "payable(address(0))",
    "bool": "false",
    "bytes": '""',
    "string": '""',
}
_CONDITIONED = ("if_statement", "while_statement", "do_while_statement", "ternary_expression")
_BLOCKS = ("function_body", "block_statement")


def changes(
    node: Node, returned: tuple[str, ...], variables: Mapping[str, str]
) -> Iterator[Change]:
    """The changes of one node.

    ``returned`` are the types that the function returns, ``variables`` the types of its parameters and variables by
    name.
    """
    match node.type:
        case "binary_expression" | "augmented_assignment_expression" | "update_expression":
            yield from _operators(node)
        case "unary_expression":
            yield from _unary(node)
        case "number_literal":
            for other in neighbours(text(node)):
                yield Change("constant", node, other)
        case "boolean_literal":
            yield Change("constant", node, "false" if text(node) == "true" else "true")
        case "member_expression":
            yield from _extreme(node)
        case "return_statement":
            yield from _returned(node, returned, variables)
        case "call_expression" | "emit_statement":
            yield from _swapped(node)
        case "assignment_expression":
            yield from _assigned(node, variables)
    if node.type in _CONDITIONED:
        yield from _negated(node)
    if node.type == "statement":
        yield from _removed(node)


def default(kind: str) -> str | None:
    """The default value of a type, as an expression; None for one that has no short one."""
    if kind in _DEFAULTS:
        return _DEFAULTS[kind]
    if _INTEGER.fullmatch(kind):
        return "0"
    if _BYTES.fullmatch(kind):
        return f"{kind}(0)"
    return f"new {kind}(0)" if kind.endswith("[]") else None


def _operators(node: Node) -> Iterator[Change]:
    for child in node.children:
        kind, others = _OPERATORS.get(text(child), (None, ())) if not child.is_named else (None, ())
        if kind is not None:
            for other in others:
                yield Change(kind, child, other)
    if node.type == "binary_expression" and text(node.children[1]) in _ORDERED:
        yield Change("swapped", node, exchanged(node, node.children[0], node.children[2]))


def _unary(node: Node) -> Iterator[Change]:
    kind = _UNARY.get(text(node.children[0]))
    if kind is not None:
        yield Change(kind, node, text(node.children[1]))


def _extreme(node: Node) -> Iterator[Change]:
    """``type(T).max`` and ``type(T).min``."""
    whole = text(node)
    if whole.startswith("type(") and whole.endswith((".max", ".min")):
        other = whole[:-3] + ("min" if whole.endswith("max") else "max")
        yield Change("constant", node, other)
        yield Change("constant", node, f"({whole} {'-' if whole.endswith('max') else '+'} 1)")


def _negated(node: Node) -> Iterator[Change]:
    condition = next((child for child in node.children if child.type == "expression"), None)
    if condition is not None:
        yield Change("condition", condition, f"!({text(condition)})")


def _returned(
    node: Node, returned: tuple[str, ...], variables: Mapping[str, str]
) -> Iterator[Change]:
    value = next((child for child in node.children if child.type == "expression"), None)
    if value is None or len(returned) != 1:
        return
    kind, whole = returned[0], text(value)
    if kind == "bool":
        yield Change("returned", value, f"!({whole})")
        yield Change("returned", value, "true")
    if (empty := default(kind)) is not None:
        yield Change("returned", value, empty)
    for name, other in variables.items():
        if other == kind and name != whole:
            yield Change("returned", value, name)


def _assigned(node: Node, variables: Mapping[str, str]) -> Iterator[Change]:
    """What a variable of the function is set to."""
    left, right = node.children[0], node.children[-1]
    if (empty := default(variables.get(text(left), ""))) is not None:
        yield Change("returned", right, empty)


def _swapped(node: Node) -> Iterator[Change]:
    given = [child for child in node.children if child.type == "call_argument"]
    for left, right in pairwise(given):
        pair = text(left), text(right)
        if not any(each.startswith(("{", '"')) for each in pair):
            yield Change("swapped", node, exchanged(node, left, right))


def _removed(node: Node) -> Iterator[Change]:
    inner = node.children[0]
    parent = node.parent
    if parent is None:
        return
    nothing = "" if parent.type in _BLOCKS else "{}"
    match inner.type:
        case "expression_statement":
            called = text(inner).partition("(")[0].strip()
            yield Change("check" if called in _CHECKS else "statement", node, nothing)
        case "emit_statement" | "return_statement" | "break_statement" | "continue_statement":
            yield Change("statement", node, nothing)
        case "revert_statement":
            yield Change("check", node, nothing)
        case "if_statement" if "else" not in [child.type for child in inner.children]:
            ends = _only(inner.children[-1])
            yield Change("check" if ends == "revert_statement" else "statement", node, nothing)


def _only(node: Node) -> str:
    """The type of the one statement of a block; that of the block itself where it holds more."""
    while node.type in ("statement", "block_statement", "expression_statement"):
        inside = [child for child in node.children if child.is_named and child.type != "comment"]
        if len(inside) != 1:
            break
        node = inside[0]
    return "revert_statement" if re.match(r"revert\s*\(", text(node)) else node.type
