"""What is changed in inline assembly: rules from a node of tree-sitter's to its changes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise

from tree_sitter import Node

from solexp.core.mutation import Kind
from solexp.solidity.mutation.literals import neighbours
from solexp.solidity.mutation.mutation import Change, exchanged, text

_BUILTINS: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "add": ("arithmetic", ("sub",)),
    "sub": ("arithmetic", ("add",)),
    "mul": ("arithmetic", ("div", "add")),
    "div": ("arithmetic", ("mul",)),
    "sdiv": ("arithmetic", ("div", "mul")),
    "mod": ("arithmetic", ("div",)),
    "smod": ("arithmetic", ("mod",)),
    "addmod": ("arithmetic", ("mulmod",)),
    "mulmod": ("arithmetic", ("addmod",)),
    "exp": ("arithmetic", ("mul",)),
    "lt": ("comparison", ("gt", "slt")),
    "gt": ("comparison", ("lt", "sgt")),
    "slt": ("comparison", ("sgt", "lt")),
    "sgt": ("comparison", ("slt", "gt")),
    "eq": ("comparison", ("lt", "xor")),
    "and": ("bitwise", ("or",)),
    "or": ("bitwise", ("and",)),
    "xor": ("bitwise", ("or",)),
    "shl": ("bitwise", ("shr",)),
    "shr": ("bitwise", ("shl",)),
    "sar": ("bitwise", ("shr",)),
}
_BOUNDS = {"lt": "gt", "gt": "lt", "slt": "sgt", "sgt": "slt"}
"""a < b or equal is not a > b, and so on."""
_COMMUTATIVE = frozenset({"add", "mul", "and", "or", "xor", "eq"})
_COMPARING = frozenset({"lt", "gt", "slt", "sgt"})
_ENDS = frozenset({"revert", "invalid"})
_BLOCKS = ("yul_block", "assembly_statement")
_NUMBERS = ("yul_decimal_number", "yul_hex_number")
_LEFT_ALONE = ("yul_function_call", "yul_assignment", "yul_leave", "yul_break", "yul_continue")


def changes(node: Node, results: Collection[str]) -> Iterator[Change]:
    """The changes of one node; ``results`` are the names of what the function returns."""
    parent = node.parent
    if node.type == "yul_function_call":
        yield from _call(node)
    elif node.type in _NUMBERS:
        yield from _number(node)
    elif node.type == "yul_if_statement":
        condition = node.children[1]
        yield Change("condition", condition, f"iszero({text(condition)})")
        kind: Kind = "check" if _reverts(node.children[-1]) else "statement"
        yield Change(kind, node, "")
    elif node.type == "yul_assignment" and text(node.children[0]) in results:
        yield Change("returned", node.children[-1], "0")
    if node.type in _LEFT_ALONE and parent is not None and parent.type in _BLOCKS:
        kind = "check" if _called(node) in _ENDS else "statement"
        yield Change(kind, node, "")


def _called(node: Node) -> str:
    return text(node.children[0]) if node.type == "yul_function_call" else ""


def _arguments(node: Node) -> list[Node]:
    return [child for child in node.children[1:] if child.is_named and child.type != "comment"]


def _call(node: Node) -> Iterator[Change]:
    name, given = node.children[0], _arguments(node)
    called = text(name)
    kind, others = _BUILTINS.get(called, (None, ()))
    if kind is not None:
        for other in others:
            yield Change(kind, name, other)
    if called in _BOUNDS and len(given) == 2:
        yield Change(
            "comparison", node, f"iszero({_BOUNDS[called]}({text(given[0])}, {text(given[1])}))"
        )
    if called in ("not", "iszero") and len(given) == 1:
        yield Change("bitwise" if called == "not" else "logical", node, text(given[0]))
    if called in _COMMUTATIVE or called in _COMPARING:
        return
    for left, right in pairwise(given):
        yield Change("swapped", node, exchanged(node, left, right))


def _number(node: Node) -> Iterator[Change]:
    parent = node.parent
    # As a condition, any other number than zero is the same.
    condition = parent is not None and parent.type in ("yul_for_statement", "yul_if_statement")
    for other in neighbours(text(node)):
        if not condition or int(other, 0) == 0:
            yield Change("constant", node, other)
    if text(node) == "0" and not condition:
        yield Change("constant", node, "not(0)")


def _reverts(block: Node) -> bool:
    """Whether a block's last statement ends the call."""
    inside = [child for child in block.children if child.is_named and child.type != "comment"]
    return bool(inside) and _called(inside[-1]) in _ENDS
