"""User-defined value types (Solidity 0.8.8): what is under each, which the compiler's storage layout does not say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from solexp.solidity.lexing import brace_pairs, headers, mask

_PREFIX = "t_userDefinedValueType("
_DEFINITION = re.compile(r"(?<![\w$])type\s++([\w$]++)\s++is\s++(\w++)(?:\s++payable)?\s*+;")


def with_underlying(layout: dict[str, Any] | None, sources: Iterable[str]) -> dict[str, Any] | None:
    """The layout, its user-defined value types told apart by ``underlying``, such as ``int64``.

    Left as it is where there are none. A type whose name the sources define more than once, and not alike, gets no
    ``underlying``.
    """
    types: Mapping[str, Any] = (layout or {}).get("types") or {}
    if layout is None or not any(name.startswith(_PREFIX) for name in types):
        return layout
    known: dict[str, set[str]] = {}
    for text in sources:
        for label, under in _definitions(mask(text)):
            known.setdefault(label, set()).add(under)
    told = {
        name: kind | {"underlying": next(iter(known[kind["label"]]))}
        if name.startswith(_PREFIX) and len(known.get(kind["label"], ())) == 1
        else kind
        for name, kind in types.items()
    }
    return layout | {"types": told}


def _definitions(masked: str) -> Iterator[tuple[str, str]]:
    """Each type's name as layouts give it, such as ``Fixed`` or ``Box.Fixed``, and what is under it."""
    found = list(_DEFINITION.finditer(masked))
    if not found:
        return
    ends = brace_pairs(masked)
    bodies = [
        (head.brace, ends.get(head.brace, len(masked)), head.name) for head in headers(masked)
    ]
    for match in found:
        at = match.start()
        around = [f"{name}." for brace, end, name in bodies if brace < at < end]
        yield f"{around[-1] if around else ''}{match[1]}", match[2]
