"""Solidity's lexical level: comments, strings and braces.

Works on any text, parseable or not, which tree-sitter's error recovery does not promise. Positions are character
offsets.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    r"""
      //[^\n\r]*
    | /\*.*?\*/
    | "(?:[^"\\\n\r]|\\.)*"
    | '(?:[^'\\\n\r]|\\.)*'
    """,
    re.DOTALL | re.VERBOSE,
)
_BRACE = re.compile(r"[{}]")


def mask(text: str) -> str:
    """``text`` with every comment and string blanked out, of the same length.

    A quote that is not closed on its line, or a comment that is never closed, is left as it is: in prose these are
    apostrophes and globs.

    >>> mask('a "}" b // {')
    'a     b     '
    """
    return _HIDDEN.sub(lambda match: " " * len(match[0]), text)


def closing_brace(masked: str, opening: int) -> int | None:
    """The offset just past the brace that closes the one at ``opening`` of a masked text; None if nothing does."""
    depth = 0
    for match in _BRACE.finditer(masked, opening):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    return None


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
