"""Solidity's lexical level: comments, strings, braces and the headers of definitions.

Works on any text, parseable or not, which tree-sitter's error recovery does not promise. Positions are character
offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

# Possessive, and matching what is never closed as well, so that no text is scanned twice.
_HIDDEN = re.compile(
    r"""
      //[^\n\r]*+
    | /\*.*?\*/
    | "(?:[^"\\\n\r]|\\.)*+(")?
    | '(?:[^'\\\n\r]|\\.)*+(')?
    """,
    re.DOTALL | re.VERBOSE,
)
_BRACE = re.compile(r"[{}]")
KEYWORDS = ("contract", "library", "interface")
_NAMED = re.compile(r"(?P<kind>contract|library|interface)\s++(?P<name>[\w$]++)\s*+")
_CLAUSE = re.compile(r"(?:is|layout)\b")
_HEADER_TOKEN = re.compile(r"[(){};]")
_WORD_BEFORE = re.compile(r"[\w$.]")
_PATH = r"[\w$]++(?:\s*+\.\s*+[\w$]++)*+"
_LEADING_PATH = re.compile(rf"\s*+({_PATH})")
_BASES = re.compile(rf"(?:is\s++{_PATH}\s*+(?:,\s*+{_PATH}\s*+)*+)?")
_LAYOUT = re.compile(r"\blayout\s++at\b(?:(?!\bis\b).)*+", re.DOTALL)
_PROSE = re.compile(r"[:!?]")
_VISIBLE = re.compile(r"\S")
_BODY_TOKEN = re.compile(
    r"[{};]|(?<![\w$])(?:function|constructor|modifier|fallback|receive)(?![\w$])"
)
_STAR = "\ufdd0"
"""Stands for the star of a comment that is never closed; no text holds it."""


def mask(text: str) -> str:
    """``text`` with every comment and string blanked out, of the same length.

    A quote that is not closed on its line, or a comment that is never closed, is left as it is: in prose these are
    apostrophes and globs.

    >>> mask('a "}" b // {')
    'a     b     '
    """
    last = text.rfind("*/") + 2 if "*/" in text else 0
    if text.find("/*", last) < 0:
        return _HIDDEN.sub(_blank, text)
    closed = text[:last] + text[last:].replace("/*", "/" + _STAR)
    return _HIDDEN.sub(_blank, closed).replace(_STAR, "*")


def _blank(match: re.Match[str]) -> str:
    found = match[0]
    closed = found[0] == "/" or match.lastindex is not None
    return " " * len(found) if closed else found


def brace_pairs(masked: str) -> dict[int, int]:
    """Where each opening brace of a masked text is closed: the offset just past its ``}``.

    Braces that nothing closes are left out.
    """
    pairs, opened = {}, []
    for match in _BRACE.finditer(masked):
        if match[0] == "{":
            opened.append(match.start())
        elif opened:
            pairs[opened.pop()] = match.end()
    return pairs


def stray_brace(masked: str, start: int, end: int) -> int | None:
    """The offset just past the last ``}`` between ``start`` and ``end`` that nothing opens; None if there is none."""
    depth, last = 0, None
    for match in _BRACE.finditer(masked, start, end):
        if match[0] == "{":
            depth += 1
        elif depth:
            depth -= 1
        else:
            last = match.end()
    return last


class Header(msgspec.Struct, frozen=True):
    """From ``contract`` (or ``abstract``, ``library``, ``interface``) to the brace that opens the definition."""

    start: int
    brace: int
    """Where the opening brace stands."""
    kind: str
    name: str
    abstract: bool = False
    bases: tuple[str, ...] = ()
    """What it inherits from, without arguments and white space."""
    strict: bool = True
    """Whether a compiler would take it; a trailing comma among the bases is one reason why not."""
    prose: bool = False
    """Whether it holds a colon, an exclamation or a question mark, as sentences on contracts do."""


def headers(masked: str) -> list[Header]:
    """The headers of a masked text, in order. One ends before the next keyword, so that no text is read twice."""
    # Looking for the keywords first is five times quicker than a search for the whole pattern.
    places = sorted(place for word in KEYWORDS for place in _places(masked, word))
    named = [
        match
        for place in places
        if not (place and _WORD_BEFORE.match(masked, place - 1))
        and (match := _NAMED.match(masked, place)) is not None
    ]
    limits = [match.start() for match in named[1:]] + [len(masked)]
    return [
        header
        for match, limit in zip(named, limits, strict=False)
        if (header := _header(masked, match, limit)) is not None
    ]


def _places(text: str, word: str) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + 1)


def _header(masked: str, match: re.Match[str], limit: int) -> Header | None:
    place, position = match.span()
    start = masked.rfind("abstract", max(0, place - 200), place)
    abstract = (
        start >= 0
        and masked[start + 8 : place].isspace()
        and not (start and _WORD_BEFORE.match(masked, start - 1))
    )
    start = start if abstract else place
    if masked.startswith("{", position):
        return Header(start, position, match["kind"], match["name"], abstract=abstract)
    if not _CLAUSE.match(masked, position):
        return None
    brace, clause = _opening(masked, position, limit)
    if brace is None:
        return None
    clause = _LAYOUT.sub("", clause).strip()
    bases = [_LEADING_PATH.match(base) for base in clause.removeprefix("is").split(",")]
    return Header(
        start,
        brace,
        match["kind"],
        match["name"],
        abstract=abstract,
        bases=tuple("".join(base[1].split()) for base in bases if base is not None),
        strict=_BASES.fullmatch(clause) is not None,
        prose=_PROSE.search(clause) is not None,
    )


def _opening(masked: str, start: int, limit: int) -> tuple[int | None, str]:
    """The brace that opens a definition, and the header's text up to there, without what parentheses hold.

    A brace within parentheses belongs to a base's arguments, unless the parentheses never close.
    """
    depth, first, position = 0, None, start
    outside = []
    for token in _HEADER_TOKEN.finditer(masked, start, limit):
        if depth == 0:
            outside.append(masked[position : token.start()])
        position = token.end()
        if token[0] == ";" or (token[0] == "}" and depth == 0):
            break
        if token[0] == "{" and depth == 0:
            return token.start(), "".join(outside)
        if token[0] == "{" and first is None:
            first = token.start()
        depth = max(0, depth + (1 if token[0] in "({" else -1))
    return first, "" if first is None else masked[start:first]


def bodies(masked: str) -> int:
    """How many functions, constructors and modifiers of a masked definition do something."""
    count, depth, waiting = 0, 0, False
    for token in _BODY_TOKEN.finditer(masked):
        if token[0] == "{":
            # A struct in a modifier's arguments opens behind a parenthesis.
            if waiting and masked[token.start() - 1] != "(":
                waiting = False
                inside = _VISIBLE.search(masked, token.end())
                count += inside is not None and inside[0] != "}"
            depth += 1
        elif token[0] == "}":
            depth = max(0, depth - 1)
        elif token[0] == ";":
            waiting = False
        elif depth <= 1:
            waiting = True
    return count
