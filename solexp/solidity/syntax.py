"""The compiler's syntax trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every node of a syntax tree, or of a part of one, in no order that matters."""
    stack = [tree]
    while stack:
        part = stack.pop()
        if isinstance(part, list):
            stack.extend(part)
        elif isinstance(part, dict):
            if "nodeType" in part:
                yield part
            stack.extend(value for value in part.values() if isinstance(value, dict | list))


def named_by(node: dict[str, Any]) -> Iterator[int]:
    """Ids of the declarations that an AST node names."""
    meant = node.get("referencedDeclaration")
    if isinstance(meant, int):
        yield meant
    kind = node.get("nodeType")
    if kind in ("BinaryOperation", "UnaryOperation") and isinstance(node.get("function"), int):
        yield node["function"]
    if kind == "InlineAssembly":
        for each in node.get("externalReferences") or ():
            # Before 0.6 each reference was an object with the name as its only key.
            for one in [each] if "declaration" in each else list(each.values()):
                if isinstance(one, dict) and isinstance(one.get("declaration"), int):
                    yield one["declaration"]
