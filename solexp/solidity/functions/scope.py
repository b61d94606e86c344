"""What can be named where a function stands, and declarations that a reply brings along."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import msgspec

from solexp.solidity.functions.heads import BOUNDARY, heads_in, parentheses, read_head
from solexp.solidity.functions.types import loose
from solexp.solidity.lexing import Header, brace_pairs, headers, mask

_NAMED = re.compile(
    r"(?:struct|enum|event|error|type|contract|library|interface|modifier|function)\s++(?P<name>[\w$]++)"
)
_VARIABLE_NAME = re.compile(r"([\w$]++)\s*+(?:=(?![=>])|\Z)")
_DECLARATION = re.compile(
    r"(?:^|(?<=[;{}]))[ \t]*+(?P<all>(?P<kind>error|event|struct|enum)\s++(?P<name>[\w$]++)\s*+(?P<open>[({])"
    r"|(?:mapping\s*+\(|[\w$.]++(?:\s*+\[[^\[\];{}]*\])*+\s++(?:public|private|internal|constant|immutable)\b)"
    r"[^;{}]*;)",
    re.MULTILINE,
)


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """What is defined around a function."""

    contract: str = ""
    """The contract that holds it; empty for free functions."""
    signatures: frozenset[str] = frozenset()
    """Of all functions and modifiers of the contract, of what it inherits from, and of the files."""
    own: frozenset[str] = frozenset()
    """Of these, those of the contract itself."""
    names: frozenset[str] = frozenset()
    """Every other name that is declared there: variables, types, events, errors."""
    contracts: frozenset[str] = frozenset()
    """All contracts, libraries and interfaces of the sources."""


class Declared(msgspec.Struct, frozen=True, kw_only=True):
    """A declaration in a masked text, by character offsets."""

    name: str
    signature: str | None = None
    """Of functions and modifiers."""
    start: int
    end: int


def scope_of(sources: Iterable[str], contract: str) -> Scope:
    """The scope of a function of ``contract`` in any of ``sources``, whatever file holds what it inherits from."""
    return _scope(tuple(sources), contract)


@lru_cache(maxsize=64)
def _scope(sources: tuple[str, ...], contract: str) -> Scope:
    definitions: dict[str, tuple[str, Header]] = {}
    names: set[str] = set()
    signatures: set[str] = set()
    for source in sources:
        masked = mask(source)
        closing = brace_pairs(masked)
        for header in headers(masked):
            if header.brace in closing:
                definitions.setdefault(header.name, (masked, header))
        for found in _declared(masked, 0, len(masked)):
            (signatures if found.signature else names).add(found.signature or found.name)
    own: set[str] = set()
    queue, seen = [contract], set()
    while queue:
        name = queue.pop().rpartition(".")[2]
        if name in seen or name not in definitions:
            continue
        seen.add(name)
        masked, header = definitions[name]
        queue += header.bases
        end = brace_pairs(masked)[header.brace] - 1
        for found in _declared(masked, header.brace + 1, end):
            if found.signature is None:
                names.add(found.name)
            else:
                signatures.add(found.signature)
                if name == contract:
                    own.add(found.signature)
    return Scope(
        contract=contract,
        signatures=frozenset(signatures),
        own=frozenset(own),
        names=frozenset(names | definitions.keys()),
        contracts=frozenset(definitions),
    )


def _declared(masked: str, start: int, end: int) -> Iterator[Declared]:
    """Everything that is declared between two offsets, in no braces: functions without a body too."""
    braces, closing = brace_pairs(masked), parentheses(masked)
    for head, _ in heads_in(masked, start, end, braces, closing):
        yield Declared(
            name=head.name, signature=loose(head.signature), start=head.start, end=head.after
        )
    position = boundary = start
    while (match := BOUNDARY.search(masked, position, end)) is not None:
        position = match.end()
        if match[0] == "{":
            position = braces.get(match.start(), match.end())
            named = _NAMED.search(masked, boundary, match.start())
            if named is not None:
                yield Declared(name=named["name"], start=boundary, end=position)
                boundary = position
        elif match[0] == ";":
            text = masked[boundary : match.start()]
            named = _NAMED.match(text.strip())
            variable = _VARIABLE_NAME.search(text.strip())
            if named is not None:
                yield Declared(name=named["name"], start=boundary, end=position)
            elif variable is not None:
                yield Declared(name=variable[1], start=boundary, end=position)
            boundary = position
        elif match[0] == "}":
            boundary = position
        else:
            begun = read_head(masked, match.start(), closing)
            if begun is not None and begun.brace is not None:
                boundary = position = braces.get(begun.brace, begun.after)


def declarations(masked: str, start: int, end: int) -> Iterator[Declared]:
    """Errors, events, types and state variables between two offsets, in no braces but maybe among prose."""
    braces, closing = brace_pairs(masked), parentheses(masked)
    blocks = _outermost(braces, start, end)
    position = start
    while (match := _DECLARATION.search(masked, position, end)) is not None:
        index = bisect.bisect_right(blocks, (match.start("all"), end)) - 1
        if index >= 0 and blocks[index][1] > match.start("all"):
            position = blocks[index][1]
            continue
        if match["kind"] is None:
            stop = match.end()
            variable = _VARIABLE_NAME.search(masked[match.start("all") : stop - 1].rstrip())
            name = "" if variable is None else variable[1]
        elif match["open"] == "{":
            stop, name = braces.get(match.end() - 1, match.end()), match["name"]
        else:
            stop = masked.find(";", closing.get(match.end() - 1, match.end())) + 1
            name = match["name"]
        if stop <= 0:
            return
        if name:
            yield Declared(name=name, start=match.start("all"), end=stop)
        position = max(stop, match.end())


def _outermost(braces: dict[int, int], start: int, end: int) -> list[tuple[int, int]]:
    """The blocks between two offsets that no other block there holds, in order."""
    blocks: list[tuple[int, int]] = []
    for opened in sorted(place for place in braces if start <= place < end):
        if not blocks or opened >= blocks[-1][1]:
            blocks.append((opened, braces[opened]))
    return blocks
