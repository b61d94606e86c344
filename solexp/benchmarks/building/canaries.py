"""Canaries: texts that occur in a deleted body and nowhere in what is shown, so that whoever has them saw the body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set

from solexp.solidity.similarity import LANGUAGE_WORDS, tokens

_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_YUL = frozenset(
    word
    for line in (
        "addmod basefee blobbasefee blobhash blockhash callcode calldatacopy calldataload calldatasize callvalue",
        "caller codecopy codesize coinbase create2 datacopy dataoffset datasize delegatecall extcodecopy extcodehash",
        "extcodesize gasprice iszero linkersymbol loadimmutable mcopy memoryguard mload msize mstore mstore8 mulmod",
        "number origin prevrandao returndatacopy returndatasize sdiv selfbalance setimmutable signextend sload smod",
        "sstore staticcall stop tload tstore verbatim",
    )
    for word in line.split()
)


def words_of(text: str) -> set[str]:
    """The names and strings of a text (strings without their quotes) that somebody has chosen."""
    found = set()
    for token in tokens(text):
        if token[0] in "\"'":
            found.add(token[1:-1])
        elif _NAME.fullmatch(token) and token.lower() not in LANGUAGE_WORDS and token not in _YUL:
            found.add(token)
    return found


def lines_of(text: str) -> set[str]:
    """The lines of a text without the blanks around them."""
    return {line.strip() for line in text.splitlines()}


def canaries(
    body: str,
    shown: Iterable[str],
    *,
    most: int,
    chars: int,
    common: Set[str] = frozenset(),
    line_chars: int | None = None,
) -> tuple[str, ...]:
    """At most ``most`` canaries of ``body``, the longest first.

    Names and strings of at least ``chars`` characters that occur in none of the ``shown`` texts, not even within a
    word; and whole lines of at least ``line_chars`` characters, where that is given. What is ``common`` is no secret:
    anybody may write it. Empty where nothing is left.
    """
    visible = list(shown)
    lines = {line for line in lines_of(body) if line_chars and len(line) >= line_chars}
    found = [
        word
        for word in (words_of(body) | lines) - common
        if len(word.strip()) >= chars and not any(word in text for text in visible)
    ]
    return tuple(sorted(found, key=lambda word: (-len(word), word))[:most])
