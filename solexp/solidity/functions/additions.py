"""What a reply defines beside the function that was asked for, and the function cannot do without."""

from __future__ import annotations

import re
from collections.abc import Sequence

from solexp.solidity.functions.candidates import Part
from solexp.solidity.functions.members import Member
from solexp.solidity.functions.scope import Declared, Scope, declarations
from solexp.solidity.functions.types import loose
from solexp.solidity.lexing import mask

_WORD = re.compile(r"[A-Za-z_$][\w$]*")


def with_additions(
    code: str,
    part: Part,
    ranges: Sequence[tuple[int, int]],
    wanted: Member,
    scope: Scope,
) -> tuple[str, list[str]]:
    """``code`` and behind it what it names of its neighbours, that nothing in ``scope`` defines; and notes on all.

    ``ranges`` are where the neighbours stand in ``part``.
    """
    offered = [
        one
        for low, high in ranges
        for one in _neighbours(part, low, high)
        if not _defined(one, wanted, scope)
    ]
    if not offered:
        return code, []
    kept: list[Declared] = []
    left = offered
    words = set(_WORD.findall(mask(code)))
    while needed := [one for one in left if one.name in words]:
        kept += needed
        left = [one for one in left if one not in needed]
        for one in needed:
            words |= set(_WORD.findall(part.masked, one.start, one.end))
    texts = [code]
    for one in sorted(kept, key=lambda each: each.start):
        line = part.text.rfind("\n", 0, one.start) + 1
        indent = part.text[line : one.start]
        texts.append((indent if not indent.strip() else "") + part.text[one.start : one.end])
    notes = []
    if kept:
        notes.append("with " + ", ".join(_named(one) for one in kept))
    if left:
        notes.append("without " + ", ".join(_named(one) for one in left))
    return "\n\n".join(texts), notes


def _neighbours(part: Part, low: int, high: int) -> list[Declared]:
    functions = [
        Declared(
            name=one.head.name,
            signature=one.head.signature,
            start=one.start,
            end=one.end,
        )
        for one in part.functions()
        if low <= one.start and one.end <= high and one.closed and one.inside[0] <= low
    ]
    covered = [(each.start, each.end) for each in functions]
    return [
        *functions,
        *(
            one
            for one in declarations(part.masked, low, high)
            if not any(start <= one.start < end for start, end in covered)
        ),
    ]


def _defined(one: Declared, wanted: Member, scope: Scope) -> bool:
    """Whether the code around the target has it already, or it is the target once more."""
    if one.signature is None:
        return one.name in scope.names
    if not one.name:
        # A constructor or the like is called by nobody.
        return True
    name = loose(one.signature)
    return name in scope.signatures or name == loose(wanted.signature)


def _named(one: Declared) -> str:
    return one.signature or one.name
