"""Comments: taking them out, and finding what two texts' comments share."""

from __future__ import annotations

import re

_COMMENT_OR_STRING = re.compile(
    r"""
      (?P<line>//[^\n\r]*+)
    | (?P<block>/\*.*?(?:\*/|\Z))
    | "(?:[^"\\\n\r]|\\.)*+"?
    | '(?:[^'\\\n\r]|\\.)*+'?
    """,
    re.DOTALL | re.VERBOSE,
)
_MARK = "\ufdd0"
"""Stands where a comment was; no text holds it."""
_ONLY_MARKS = re.compile(rf"^[ \t]*(?:{_MARK}[ \t]*)+\r?\n", re.MULTILINE)
_TRAILING = re.compile(rf"[ \t]*{_MARK}[ \t]*(?=\r?$)", re.MULTILINE)
_GAPS = re.compile(r"(?:[ \t]*\r?\n){3,}")
_NOT_A_BREAK = re.compile(r"[^\r\n]")
_WORDS = re.compile(r"\w+")


def without_comments(source: str) -> str:
    """``source`` without any comment: strings stay, lines that held nothing else go, and so do double gaps.

    >>> without_comments('a = "//"; // b')
    'a = "//";'
    """

    def marked(match: re.Match[str]) -> str:
        return match[0] if match.lastgroup is None else _MARK

    text = _COMMENT_OR_STRING.sub(marked, source)
    text = _ONLY_MARKS.sub("", text)
    text = _TRAILING.sub("", text)
    return _GAPS.sub("\n\n", text.replace(_MARK, " "))


def blanked_comments(source: str) -> str:
    """``source`` with blanks in place of its comments, so that every line and column stays where it is.

    >>> blanked_comments("a /* b */ = 1;")
    'a         = 1;'
    """

    def blank(match: re.Match[str]) -> str:
        return match[0] if match.lastgroup is None else _NOT_A_BREAK.sub(" ", match[0])

    return _COMMENT_OR_STRING.sub(blank, source)


def comments(source: str) -> list[str]:
    """The comments of ``source``, in order, marks included."""
    return [match[0] for match in _COMMENT_OR_STRING.finditer(source) if match.lastgroup]


def comment_spans(source: str) -> list[tuple[int, int]]:
    """Where the comments of ``source`` stand: character offsets, ends exclusive."""
    return [match.span() for match in _COMMENT_OR_STRING.finditer(source) if match.lastgroup]


def comment_words(source: str) -> list[list[str]]:
    """The words of each comment; line comments on consecutive lines are one comment each."""
    return [_WORDS.findall(comment) for comment in comments(source)]
