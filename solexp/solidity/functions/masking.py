"""Sources with functions' bodies taken out or put in."""

from __future__ import annotations

from collections.abc import Iterable, Set

from solexp.core.reply import well_formed
from solexp.solidity.functions.members import Member

EMPTY = "{ }"


def replace_body(source: str, member: Member, body: str) -> str:
    """``source`` with ``body``, its braces included, in the place of the member's."""
    return _replaced(source, [(member.body_start, member.end, body)])


def replace_member(source: str, member: Member, code: str) -> str:
    """``source`` with ``code`` in the place of the member's head and body; its documentation stays."""
    return _replaced(source, [(member.start, member.end, code)])


def replace_members(source: str, codes: Iterable[tuple[Member, str]]) -> str:
    """``source`` with a code each in the place of several members of it."""
    return _replaced(source, [(member.start, member.end, code) for member, code in codes])


def without_bodies(
    source: str, known: Iterable[Member], keep: Set[str] = frozenset(), body: str = EMPTY
) -> str:
    """``source`` with the bodies of ``known`` members replaced by ``body``, those left whose signature is in ``keep``.

    Everything within a body goes, its comments too.
    """
    return _replaced(
        source,
        [(member.body_start, member.end, body) for member in known if member.signature not in keep],
    )


def body_of(source: str, member: Member) -> str:
    """The member's body, its braces included."""
    return source.encode()[member.body_start : member.end].decode()


def text_of(source: str, member: Member) -> str:
    """The member's head and body."""
    return source.encode()[member.start : member.end].decode()


def _replaced(source: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """``source`` with byte ranges replaced. Raises ValueError when two overlap or one does not fit."""
    data = source.encode()
    parts, position = [], 0
    for start, end, text in sorted(edits):
        if not position <= start <= end <= len(data):
            raise ValueError(f"the range {start}..{end} overlaps another, or the source's end")
        parts += [data[position:start], well_formed(text).encode()]
        position = end
    return b"".join((*parts, data[position:])).decode()
