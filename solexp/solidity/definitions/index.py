"""Every definition of a set of sources, members of contracts included.

Found by the lexical level alone, so that code which does not compile has an index too, whatever its Solidity: members
end at their semicolon or closing brace. All positions are UTF-8 byte offsets, ends exclusive.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from solexp.solidity.lexing import brace_pairs, headers, mask

CONTAINERS = frozenset({"contract", "interface", "library"})
CALLABLES = frozenset({"function", "constructor", "fallback", "receive", "modifier"})

_WORD = re.compile(r"[\w$]+")
_STOP = re.compile(r"[;{(\[}\])]")
_CLOSES = {"(": ")", "[": "]"}
# What ends at the brace that closes it; all else ends at a semicolon.
_BRACED = CALLABLES | {"struct", "enum"}
_PLAIN = {"event", "error", "using", "type", "import", "pragma", "struct", "enum", "modifier"}
_NAME_BEHIND = re.compile(r"\s*([\w$]+)")
_CALLED = re.compile(r"\s*([\w$]*)\s*\(")
_HIDDEN = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LOOSE = re.compile(r"(?<=[(\[]) | (?=[)\],;])")
_VARIABLE = re.compile(r"([\w$]+)\s*\Z")


class Declaration(msgspec.Struct, frozen=True, kw_only=True):
    """One definition. A contract's own range holds its members'."""

    number: int
    """Its place in the index."""
    path: str
    kind: str
    """``contract``, ``interface``, ``library``, ``function``, ``constructor``, ``fallback``, ``receive``, ``modifier``,
    ``variable``, ``struct``, ``enum``, ``event``, ``error``, ``type``, ``using``, ``import`` or ``pragma``."""
    name: str
    """Empty where it has none."""
    contract: int | None = None
    """Number of the contract that it is a member of; None at the level of the file."""
    documented: int
    """Where the comments right above it start, or ``start``."""
    start: int
    end: int
    brace: int | None = None
    """Where the brace of its body opens, if it has one."""
    bases: tuple[str, ...] = ()
    """What a contract inherits from, as written, without arguments."""


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """All declarations of a set of sources: by path, then in source order, a contract before its members."""

    declarations: tuple[Declaration, ...]
    sources: dict[str, bytes]

    def text(self, declaration: Declaration, *, documented: bool = False) -> str:
        """The declaration as it is written, on wish with the comments right above it."""
        start = declaration.documented if documented else declaration.start
        return self.sources[declaration.path][start : declaration.end].decode("utf-8", "replace")

    def header(self, declaration: Declaration) -> str:
        """What stands before the body, on one line, without comments: ``function f(uint256 a) public``."""
        end = declaration.end if declaration.brace is None else declaration.brace
        text = self.sources[declaration.path][declaration.start : end].decode("utf-8", "replace")
        line = " ".join(_HIDDEN.sub(" ", text).split()).removesuffix(";").rstrip()
        return _LOOSE.sub("", line)

    def words(self, number: int) -> list[str]:
        """The words of a declaration's header."""
        return _WORD.findall(self.header(self.declarations[number]))

    def members(self, number: int) -> list[Declaration]:
        """The members of a contract."""
        return [each for each in self.declarations if each.contract == number]

    def constructors(self, number: int | None) -> list[int]:
        """Numbers of a contract's constructors, which old Solidity names after the contract; none for None."""
        if number is None:
            return []
        name = self.declarations[number].name
        return [
            each.number
            for each in self.members(number)
            if each.kind == "constructor" or (each.kind == "function" and each.name == name)
        ]

    def at(self, path: str, offset: int) -> Declaration | None:
        """The innermost declaration around a byte."""
        found = None
        for each in self.declarations:
            if each.path == path and each.start <= offset < each.end:
                found = each
        return found

    def container(self, path: str, name: str, start: int, end: int) -> Declaration | None:
        """The contract ``name`` whose range lies within, or holds, ``start`` to ``end``."""
        for each in self.declarations:
            if each.kind in CONTAINERS and each.path == path and each.name == name:
                inside = start <= each.start and each.end <= end
                if inside or (each.start <= start and end <= each.end):
                    return each
        return None


def index_of(sources: dict[str, str]) -> Index:
    """The index of sources by path. Never fails: what is no definition is not in it."""
    return _index_of(tuple(sources.items()))


@lru_cache(maxsize=32)
def _index_of(sources: tuple[tuple[str, str], ...]) -> Index:
    declarations: list[Declaration] = []
    for path, text in sources:
        declarations.extend(_of_file(path, text, len(declarations)))
    return Index(
        declarations=tuple(declarations), sources={path: text.encode() for path, text in sources}
    )


def _of_file(path: str, text: str, first: int) -> Iterator[Declaration]:
    # One character a byte: offsets are bytes then, and nothing but comments and strings holds other letters.
    raw = text.encode("utf-8", "replace").decode("latin-1")
    masked = mask(raw)
    closing = brace_pairs(masked)
    contracts = {header.start: header for header in headers(masked) if header.brace in closing}
    starts = sorted(contracts)
    position, number = 0, first
    while True:
        # A contract's header may have braces in its bases' arguments, so it is read by those who know.
        upcoming = next((start for start in starts if start >= position), len(masked))
        for member in _members(masked, closing, position, upcoming):
            yield _declaration(raw, path, number, None, after=position, found=member)
            position, number = member[3], number + 1
        if upcoming == len(masked):
            return
        header = contracts[upcoming]
        end = closing[header.brace]
        owner = number
        head = (header.kind, header.name, header.start, end, header.brace)
        contract = _declaration(raw, path, owner, None, after=position, found=head)
        yield msgspec.structs.replace(contract, bases=header.bases)
        number += 1
        position = header.brace + 1
        for member in _members(masked, closing, position, end - 1):
            yield _declaration(raw, path, number, owner, after=position, found=member)
            position, number = member[3], number + 1
        position = end


_Found = tuple[str, str, int, int, int | None]


def _declaration(
    raw: str, path: str, number: int, owner: int | None, *, after: int, found: _Found
) -> Declaration:
    kind, name, start, end, brace = found
    return Declaration(
        number=number,
        path=path,
        kind=kind,
        name=name,
        contract=owner,
        documented=_documented(raw, after, start),
        start=start,
        end=end,
        brace=brace,
    )


def _documented(raw: str, after: int, start: int) -> int:
    """Where the comments directly above a definition start.

    What stands on the line on which the definition before it ended belongs to that one, and a comment that is set off
    by blank lines to nobody.
    """
    gap = raw[after:start]
    line = gap.find("\n")
    if line < 0:
        return start
    begin = start
    for comment in reversed(list(_HIDDEN.finditer(gap))):
        if after and comment.start() < line:
            break
        between = gap[comment.end() : begin - after]
        # A licence is the file's, and the compiler takes no second one.
        if between.strip() or between.count("\n") > 2 or "SPDX-License-Identifier" in comment[0]:
            break
        begin = after + comment.start()
    return begin


def _members(masked: str, closing: dict[int, int], start: int, end: int) -> Iterator[_Found]:
    """What is defined between ``start`` and ``end``, at the level of a file or of a contract's body."""
    position = start
    while (word := _WORD.search(masked, position, end)) is not None:
        begin = word.start()
        stop, brace = _end(masked, closing, word[0], begin, end)
        if stop is None:
            return
        kind, name = _kind_and_name(masked[begin:stop], brace is not None)
        if kind:
            yield kind, name, begin, stop, brace
        position = stop


def _end(
    masked: str, closing: dict[int, int], word: str, start: int, limit: int
) -> tuple[int | None, int | None]:
    """Where a member that begins with ``word`` ends, and where its body opens."""
    position = start
    while (stop := _STOP.search(masked, position, limit)) is not None:
        mark, place = stop[0], stop.start()
        if mark == ";":
            return place + 1, None
        if mark in _CLOSES:
            inner = _closed(masked, place, limit)
            if inner is None:
                return None, None
            position = inner
        elif mark == "{":
            if place not in closing or closing[place] > limit:
                return None, None
            if word in _BRACED:
                return closing[place], place
            position = closing[place]
        else:
            # A stray closing mark: what was begun is none.
            return place + 1, None
    return None, None


def _closed(masked: str, place: int, limit: int) -> int | None:
    """The offset behind the bracket that closes the one at ``place``."""
    opening = masked[place]
    shut = _CLOSES[opening]
    depth = 0
    for match in re.compile(rf"[{re.escape(opening + shut)}]").finditer(masked, place, limit):
        depth += 1 if match[0] == opening else -1
        if depth == 0:
            return match.end()
    return None


def _kind_and_name(text: str, braced: bool) -> tuple[str, str]:
    first = _WORD.match(text)
    word = first[0] if first else ""
    behind = _NAME_BEHIND.match(text, len(word))
    if word == "function":
        called = _CALLED.match(text, len(word))
        if called is not None and (called[1] or braced):
            name = called[1]
            # Solidity 0.4 and 0.5 write the fallback as a function without a name.
            return ("function" if name else "fallback"), name
        return "variable", _variable(text)
    if word in ("constructor", "fallback", "receive") and re.match(r"\s*\(", text[len(word) :]):
        return word, ""
    if word in ("using", "import", "pragma"):
        return word, behind[1] if behind else ""
    # ``error`` and ``type`` are names in old Solidity.
    if word in _PLAIN and behind is not None:
        return word, behind[1]
    name = _variable(text)
    return ("variable", name) if name and name != word else ("", "")


def _variable(text: str) -> str:
    """The last word before the value or the semicolon."""
    depth, end = 0, len(text)
    for place, mark in enumerate(text):
        if mark in "([":
            depth += 1
        elif mark in ")]":
            depth -= 1
        elif mark in "=;" and depth == 0:
            end = place
            break
    match = _VARIABLE.search(text[:end].rstrip())
    return match[1] if match else ""
