"""Literals that are nearly right."""

from __future__ import annotations

import re
from collections.abc import Iterator

_DECIMAL = re.compile(r"\d+(?:_\d+)*")
_HEX = re.compile(r"0[xX][0-9a-fA-F]+")
_WORD = 1 << 256
_ADDRESS_DIGITS = 40


def neighbours(literal: str) -> Iterator[str]:
    """A whole number's neighbours and zero, in the literal's own notation; nothing for any other literal.

    An address stays as it is: its neighbours fail the checksum.

    >>> list(neighbours("0x20"))
    ['0x21', '0x1f', '0x00']
    >>> list(neighbours("1"))
    ['2', '0']
    """
    digits = len(literal) - 2
    if _HEX.fullmatch(literal):
        if digits == _ADDRESS_DIGITS:
            return
        value = int(literal, 16)
    elif _DECIMAL.fullmatch(literal):
        value, digits = int(literal.replace("_", "")), 0
    else:
        return
    for other in dict.fromkeys((value + 1, value - 1, 0)):
        if other == value or not 0 <= other < _WORD:
            continue
        if not digits:
            yield str(other)
        elif len(f"{other:x}") <= digits:
            yield f"0x{other:0{digits}x}"
