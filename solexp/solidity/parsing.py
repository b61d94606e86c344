"""Definitions in Solidity source, by tree-sitter.

tree-sitter recovers from errors, so this works on what models write and on every Solidity since 0.4. Where its grammar
gives up on a definition (an ERROR node around it), definitions come from the lexical level, without their members.
Positions are UTF-8 byte offsets, ends exclusive.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache

import msgspec
import tree_sitter_solidity
from tree_sitter import Language, Node, Parser

from solexp.solidity.contracts import Definition, Function
from solexp.solidity.lexing import brace_pairs, headers, mask

_KINDS = {"contract_declaration", "library_declaration", "interface_declaration"}
_FUNCTIONS = {
    "function_definition": "function",
    "constructor_definition": "constructor",
    "modifier_definition": "modifier",
    "fallback_receive_definition": "fallback",
}
_WORDS = {"visibility", "state_mutability", "payable"}


@cache
def _parser() -> Parser:
    with warnings.catch_warnings():
        # The grammar's package still hands its language over as a number.
        warnings.simplefilter("ignore", DeprecationWarning)
        return Parser(Language(tree_sitter_solidity.language()))


def tree(source: bytes) -> Node:
    """The root of the syntax tree of ``source``; what cannot be read is in nodes of type ``ERROR``."""
    return _parser().parse(source).root_node


def parses(source: str) -> bool:
    """Whether tree-sitter reads ``source`` without an error; it knows newer Solidity better than old."""
    return not _parser().parse(source.encode()).root_node.has_error


def definitions(source: str) -> tuple[Definition, ...]:
    """The contracts, libraries and interfaces of a source, in order, with their members.

    Old syntax (constructors by name, ``var``, ``throw``) and broken members are no obstacle.
    """
    data = source.encode()
    parsed = {
        (node.start_byte, node.end_byte): node
        for node in _parser().parse(data).root_node.children
        if node.type in _KINDS
    }
    # A definition that an error elsewhere has swallowed may well parse by itself.
    return tuple(
        with_members(found, data) if node is None else _with_members(found, node, 0)
        for found in outline(source)
        for node in (parsed.get((found.start, found.end)),)
    )


def outline(source: str) -> tuple[Definition, ...]:
    """The definitions of a source without their members, by headers and braces alone: quick, and proof to any error."""
    return tuple(_lexical(source))


def with_members(found: Definition, data: bytes) -> Definition:
    """A definition of the source ``data`` with its members, which are read from its own text alone."""
    alone = _parser().parse(data[found.start : found.end]).root_node
    node = next((child for child in alone.children if child.type in _KINDS), None)
    return found if node is None else _with_members(found, node, found.start)


def definition(source: str, name: str) -> Definition | None:
    """The definition of ``name`` in a source, or None."""
    return next((found for found in definitions(source) if found.name == name), None)


def functions(source: str) -> tuple[Function, ...]:
    """Every function, constructor and modifier of a source, free functions included, in order."""
    return tuple(_functions(_parser().parse(source.encode()).root_node))


def _lexical(source: str) -> Iterator[Definition]:
    """Top-level definitions by their headers and matching braces."""
    masked = mask(source)
    wide = not source.isascii()
    closing = brace_pairs(masked)
    position, shift = 0, 0
    for header in headers(masked):
        end = closing.get(header.brace)
        if end is None or header.start < position:
            continue
        # How many bytes more than characters there are before the definition, and up to its end.
        before = shift + (_surplus(source[position : header.start]) if wide else 0)
        shift = before + (_surplus(source[header.start : end]) if wide else 0)
        position = end
        yield Definition(
            kind=header.kind,
            name=header.name,
            start=header.start + before,
            end=end + shift,
            abstract=header.abstract,
            inherits=header.bases,
        )


def _surplus(text: str) -> int:
    return len(text.encode()) - len(text)


def _with_members(header: Definition, node: Node, shift: int) -> Definition:
    body = node.child_by_field_name("body")
    return msgspec.structs.replace(
        header,
        functions=tuple(_functions(body, shift)) if body is not None else (),
        parsed=not node.has_error,
    )


def _functions(node: Node, shift: int = 0) -> Iterator[Function]:
    for child in node.children:
        kind = _FUNCTIONS.get(child.type)
        if kind is not None:
            yield _function(child, kind, shift)
        elif child.type in _KINDS or child.type in {"ERROR", "contract_body"}:
            yield from _functions(child, shift)


def _function(node: Node, kind: str, shift: int) -> Function:
    body = node.child_by_field_name("body")
    words = {child.type: _text(child) for child in node.children if child.type in _WORDS}
    if kind == "fallback" and node.children and _text(node.children[0]) == "receive":
        kind = "receive"
    parameters = tuple(
        _text(kinds)
        for child in node.children
        if child.type == "parameter" and (kinds := child.child_by_field_name("type")) is not None
    )
    return Function(
        kind=kind,
        name=_text(node.child_by_field_name("name")),
        parameters=parameters,
        visibility=words.get("visibility"),
        mutability=words.get("state_mutability") or words.get("payable"),
        start=node.start_byte + shift,
        end=node.end_byte + shift,
        body_start=body.start_byte + shift if body is not None else None,
        empty=body is None
        or not any(part.is_named and part.type != "comment" for part in body.children),
    )


def _text(node: Node | None) -> str:
    return node.text.decode(errors="replace") if node is not None and node.text is not None else ""
