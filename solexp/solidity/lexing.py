"""Solidity's lexical level: comments, strings and braces.

Works on any text, parseable or not, which tree-sitter's error recovery does not promise. Positions are character
offsets.
"""

from __future__ import annotations

import re

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
