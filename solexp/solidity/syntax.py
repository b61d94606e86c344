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
