"""Test files with the tests taken out that are not wanted: they need not be compiled."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from solexp.solidity.functions import Member, members
from solexp.solidity.parsing import definitions

_TEST = re.compile(r"(?:test|invariant|statefulFuzz)")


def pruned(source: str, tests: Collection[str]) -> str:
    """``source`` without the test functions that are not in ``tests``, documentation included.

    Those are names, or signatures: then others of the same name go, too, unless some signature is not to be found. What
    a test that stays calls stays too. A source that cannot be read is returned as it is.
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
    wanted = _exact(tests, known)
    out = [member for member in known if _removable(member, wanted)]
    # A helper that begins like a test stays when anything that stays calls it.
    while True:
        left = _without(data, out).decode()
        staying = Counter(member.name for member in known if member not in out)
        called = [
            member
            for member in out
            if len(re.findall(rf"\b{re.escape(member.name)}\b", left)) > staying[member.name]
        ]
        if not called:
            return left
        out = [member for member in out if member not in called]


def _exact(tests: Collection[str], known: Sequence[Member]) -> set[str]:
    """Signatures, and names where not all of their signatures are known, as with parameters of a source's own types."""
    signatures = {member.signature for member in known}
    loose = {test.partition("(")[0] for test in tests if test not in signatures}
    return {test for test in tests if test.partition("(")[0] not in loose} | loose


def _removable(member: Member, wanted: Collection[str]) -> bool:
    return (
        member.kind == "function"
        and member.visibility in ("public", "external")
        and _TEST.match(member.name) is not None
        and member.name not in wanted
        and member.signature not in wanted
    )


def _without(data: bytes, out: list[Member]) -> bytes:
    parts, position = [], 0
    for member in sorted(out, key=lambda each: each.start):
        parts.append(data[position : member.doc_start])
        position = member.end
    return b"".join((*parts, data[position:]))
