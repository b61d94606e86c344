"""What is known of a definition without compiling it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec


class Function(msgspec.Struct, frozen=True, kw_only=True):
    """A function, constructor, modifier, fallback or receive function. Offsets are UTF-8 bytes, ends exclusive."""

    kind: str
    """``function``, ``constructor``, ``modifier``, ``fallback`` or ``receive``."""
    name: str
    """Empty for constructors and fallbacks."""
    parameters: tuple[str, ...] = ()
    """Types as written."""
    visibility: str | None = None
    """``public``, ``external``, ``internal`` or ``private``; None where nothing is written."""
    mutability: str | None = None
    """``pure``, ``view``, ``payable`` or, in old sources, ``constant``."""
    start: int
    end: int
    body_start: int | None = None
    """Where the body's brace opens; None without a body."""
    empty: bool = False
    """Whether there is no body, or no statement in it."""


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """A contract, library or interface. Offsets are UTF-8 bytes, ends exclusive."""

    kind: str
    """``contract``, ``library`` or ``interface``."""
    name: str
    start: int
    end: int
    abstract: bool = False
    inherits: tuple[str, ...] = ()
    """Direct bases as written, without arguments."""
    functions: tuple[Function, ...] = ()
    """Members of the definition; empty where it could not be parsed."""
    parsed: bool = False
    """Whether the whole definition parsed without an error."""


def ancestors(name: str, known: Iterable[Definition]) -> tuple[Definition, ...]:
    """Everything that ``name`` inherits from among ``known``, nearest first, without ``name`` itself.

    Bases that are not known are left out; a cycle ends the search.
    """
    by_name = {found.name: found for found in known}
    result: dict[str, Definition] = {}
    queue = list(by_name[name].inherits) if name in by_name else []
    while queue:
        base = queue.pop(0).rpartition(".")[2]
        if base in by_name and base not in result and base != name:
            result[base] = by_name[base]
            queue.extend(by_name[base].inherits)
    return tuple(result.values())
