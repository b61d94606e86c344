"""Sources with the functions taken out that nothing names: they need not be read by the compiler.

What a test imports is mostly a library of its framework, of which it uses little; reading it takes the compiler longer
than all else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from functools import lru_cache
from typing import NamedTuple

from solexp.solidity.lexing import brace_pairs, headers, mask

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_FUNCTION = re.compile(r"\bfunction\s+([A-Za-z_$][\w$]*)\s*\([^;{}]*([;{])")
_DECLARED = re.compile(r"\blibrary\s+[\w$]+")
_IMPORT = re.compile(r"(?<![\w$])import\b[^;]*;")
_INTERNAL = re.compile(r"\b(?:internal|private)\b")
_ASKED = re.compile(r"\btype\s*\(\s*(?:[\w$]+\s*\.\s*)*([\w$]+)\s*\)")
_RENAMED = re.compile(r"([\w$]+)\s+as\s+([\w$]+)")


class _Function(NamedTuple):
    """A function that can go when nothing names it. Offsets are characters; the comments before it are part of it."""

    name: str
    start: int
    end: int
    words: frozenset[str]
    kind: str
    """``contract``, ``library`` or ``interface``."""
    owner: str
    """The name of that."""


class _Parts(NamedTuple):
    functions: tuple[_Function, ...]
    words: frozenset[str]
    """Every name outside of those functions, of import directives and of where libraries are declared."""
    asked: frozenset[str]
    """The names in ``type(…)``."""
    renamed: frozenset[tuple[str, str]]
    """Names and what they are called instead, where they are imported."""


def shaken(sources: Mapping[str, str], spared: Mapping[str, tuple[int, int]]) -> dict[str, str]:
    """``sources`` without the functions that nothing can mean which stays.

    Those are internal and private functions, and the functions of interfaces, whose names stand nowhere but in
    functions that go; and those of libraries that nothing names. Interfaces of which ``type(I)`` is asked stay whole.
    No function that goes leaves a trace in compiled code, the hash of its metadata excepted. ``spared`` are spans, in
    characters, by path: what overlaps them stays.
    """
    known = {path: _parts(source, spared.get(path)) for path, source in sources.items()}
    renamed = {pair for parts in known.values() for pair in parts.renamed}
    asked = frozenset[str]().union(*(parts.asked for parts in known.values()))
    asked |= {name for name, alias in renamed if alias in asked}
    live: set[str] = set()
    waiting = [parts.words for parts in known.values()]
    functions = [function for parts in known.values() for function in parts.functions]
    while waiting:
        while waiting:
            live |= waiting.pop()
        live |= {name for name, alias in renamed if alias in live}
        left = []
        for function in functions:
            if _stays(function, live, asked):
                waiting.append(function.words)
            else:
                left.append(function)
        functions = left
    out = set(functions)
    return {
        path: _without(sources[path], [each for each in parts.functions if each in out])
        for path, parts in known.items()
    }


def _stays(function: _Function, live: Set[str], asked: Set[str]) -> bool:
    if function.kind == "interface" and function.owner in asked:
        return True
    return function.name in live and (function.kind != "library" or function.owner in live)


def _without(source: str, out: list[_Function]) -> str:
    parts, position = [], 0
    for function in out:
        parts.append(source[position : function.start])
        position = function.end
    return "".join((*parts, source[position:]))


@lru_cache(maxsize=512)
def _parts(source: str, spared: tuple[int, int] | None) -> _Parts:
    masked = mask(source)
    functions = [
        _Function(name, start, end, frozenset(_WORD.findall(masked, start, end)), kind, owner)
        for name, start, end, kind, owner in _removable(masked)
        if spared is None or end <= spared[0] or start >= spared[1]
    ]
    rest, position = [], 0
    for function in functions:
        rest.append(masked[position : function.start])
        position = function.end
    rest.append(masked[position:])
    outside = " ".join(rest)
    imports = " ".join(_IMPORT.findall(outside))
    return _Parts(
        tuple(functions),
        frozenset(_WORD.findall(_DECLARED.sub(" ", _IMPORT.sub(" ", outside)))),
        frozenset(_ASKED.findall(masked)),
        frozenset(_RENAMED.findall(imports)),
    )


def _removable(masked: str) -> Iterator[tuple[str, int, int, str, str]]:
    """Name, start, end, and the kind and name of what it stands in."""
    braces = brace_pairs(masked)
    for header in headers(masked):
        end = braces.get(header.brace)
        if end is None:
            continue
        position = header.brace
        while (found := _FUNCTION.search(masked, position, end)) is not None:
            position = found.end()
            start = found.start()
            while masked[start - 1].isspace():
                start -= 1
            if found[2] == ";":
                if header.kind == "interface":
                    yield found[1], start, position, header.kind, header.name
            elif (closed := braces.get(position - 1)) is not None:
                if _INTERNAL.search(found[0]):
                    yield found[1], start, closed, header.kind, header.name
                position = closed
