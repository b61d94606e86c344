"""All mutations of a function."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from tree_sitter import Node

from solexp.core.mutation import Mutation
from solexp.solidity.comments import without_comments
from solexp.solidity.mutation import solidity, yul
from solexp.solidity.mutation.mutation import Change, text
from solexp.solidity.parsing import tree

_BEFORE, _AFTER = b"contract C {\n", b"\n}\n"
_FUNCTIONS = (
    "function_definition",
    "constructor_definition",
    "modifier_definition",
    "fallback_receive_definition",
)


class _Function(msgspec.Struct, frozen=True):
    """A function as the rules see it."""

    returned: tuple[str, ...]
    results: tuple[str, ...]
    variables: dict[str, str]


def mutations(code: str) -> tuple[Mutation, ...]:
    """Every mutation of the body of ``code``, one function or modifier, in the order of their places.

    No two give the same code, and none gives the code itself, comments and white space aside. They are syntactically
    right, which is not to say that all compile. Where the grammar cannot read a piece of the code, it stays as it is.
    """
    root = tree(_BEFORE + code.encode() + _AFTER)
    function = next(_of_types(root, _FUNCTIONS), None)
    body = function and function.child_by_field_name("body")
    if function is None or body is None:
        return ()
    known = _function(function)
    seen = {_bare(code)}
    found = []
    for change in sorted(_changes(body, known), key=lambda each: (each.node.start_byte, each.new)):
        mutation = _mutation(change, code)
        same = _bare(mutation.applied(code))
        if same not in seen:
            seen.add(same)
            found.append(mutation)
    return tuple(found)


def _changes(node: Node, known: _Function) -> Iterator[Change]:
    if node.type == "ERROR" or node.is_missing:
        return
    yield from solidity.changes(node, known.returned, known.variables)
    yield from yul.changes(node, known.results)
    for child in node.children:
        yield from _changes(child, known)


def _mutation(change: Change, code: str) -> Mutation:
    start = change.node.start_byte - len(_BEFORE)
    return Mutation(
        kind=change.kind,
        start=start,
        end=change.node.end_byte - len(_BEFORE),
        old=text(change.node),
        new=change.new,
        line=code.encode()[:start].count(b"\n") + 1,
    )


def _function(node: Node) -> _Function:
    returns = next(_of_types(node, ("return_type_definition",)), None)
    results = [_typed(each) for each in _of_types(returns, ("parameter",))] if returns else []
    named = [_typed(each) for each in _of_types(node, ("parameter", "variable_declaration"))]
    return _Function(
        returned=tuple(kind for _, kind in results),
        results=tuple(name for name, _ in results if name),
        variables={name: kind for name, kind in named if name and kind},
    )


def _typed(node: Node) -> tuple[str, str]:
    """Name and type of a parameter or variable; empty where there is none."""
    kind = next((text(child) for child in node.children if child.type == "type_name"), "")
    names = [text(child) for child in node.children if child.type == "identifier"]
    kind = " ".join(kind.split())
    return names[-1] if names else "", {"uint": "uint256", "int": "int256"}.get(kind, kind)


def _of_types(node: Node, types: tuple[str, ...]) -> Iterator[Node]:
    """The nodes of these types below ``node``, the outermost of each branch."""
    for child in node.children:
        if child.type in types:
            yield child
        else:
            yield from _of_types(child, types)


def _bare(code: str) -> str:
    """The code without comments and white space."""
    return "".join(without_comments(code).split())
