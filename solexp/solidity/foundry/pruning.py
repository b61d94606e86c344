"""Test files with the tests taken out that are not wanted: they need not be compiled."""

from __future__ import annotations

import re
from collections.abc import Collection

from solexp.solidity.functions import Member, members
from solexp.solidity.parsing import definitions

_TEST = re.compile(r"(?:test|invariant|statefulFuzz)")


def pruned(source: str, tests: Collection[str]) -> str:
    """``source`` without the test functions that are not in ``tests`` (names), documentation included.

    What a test that stays calls stays too. A source that cannot be read is returned as it is.
    """
    try:
        known = [
            member
            for definition in definitions(source)
            for member in members(source, definition.name)
        ]
    except ValueError:
        return source
    data = source.encode()
    out = [member for member in known if _removable(member, tests)]
    # A helper that begins like a test stays when anything that stays calls it.
    while True:
        left = _without(data, out).decode()
        called = {member for member in out if re.search(rf"\b{re.escape(member.name)}\b", left)}
        if not called:
            return left
        out = [member for member in out if member not in called]


def _removable(member: Member, tests: Collection[str]) -> bool:
    return (
        member.kind == "function"
        and member.visibility in ("public", "external")
        and _TEST.match(member.name) is not None
        and member.name not in tests
    )


def _without(data: bytes, out: list[Member]) -> bytes:
    parts, position = [], 0
    for member in sorted(out, key=lambda each: each.start):
        parts.append(data[position : member.doc_start])
        position = member.end
    return b"".join((*parts, data[position:]))
