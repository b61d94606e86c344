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
    by_name: dict[str, list[Declared]] = {}
    for one in offered:
        by_name.setdefault(one.name, []).append(one)
    kept: list[Declared] = []
    queue = _WORD.findall(mask(code))
    while queue:
        for one in by_name.pop(queue.pop(), ()):
            kept.append(one)
            queue += _WORD.findall(part.masked, one.start, one.end)
    left = [one for one in offered if one.name in by_name]
    texts = [code]
    for one in sorted(kept, key=lambda each: each.start):
        line = part.text.rfind("\n", 0, one.start) + 1
        indent = part.text[line : one.start]
        texts.append((indent if not indent.strip() else "") + part.text[one.start : one.end])
    notes = []
    if kept:
        notes.append("with " + _listed(kept))
    if left:
        notes.append("without " + _listed(left))
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


def _listed(found: Sequence[Declared]) -> str:
    shown = ", ".join(one.signature or one.name for one in found[:8])
    return shown + (" and more" if len(found) > 8 else "")
