"""A contract with its functions' bodies taken out: what is shown of what is to be written."""

from __future__ import annotations

from collections.abc import Mapping, Set

from solexp.solidity.definitions import index_of
from solexp.solidity.functions import Member, members, replace_body
from solexp.solidity.functions.heads import Kind


def framework(source: str, contract: str, keep: Set[Kind] = frozenset()) -> str:
    """The contract with its documentation, state and signatures; every body is ``{}``.

    Bodies of the kinds in ``keep`` stay. Modifiers have the ``_`` in any case without which they would be none. Raises
    ValueError when the contract is not in the source.
    """
    text = definition_text(source, contract)
    for member in reversed(members(text, contract)):
        if member.kind not in keep:
            text = replace_body(text, member, "{ _; }" if member.kind == "modifier" else "{}")
    return text + "\n"


def definition_text(source: str, contract: str) -> str:
    """A contract's text, with the comments right above it. Raises ValueError when it is not in the source."""
    index = index_of({"": source})
    found = index.container("", contract, 0, len(source.encode()))
    if found is None:
        raise ValueError(f"{contract} is not in the source")
    return index.text(found, documented=True)


def redocumented(outline: str, contract: str, written: Mapping[str, str]) -> str:
    """``outline`` with what is ``written`` of functions, by signature, in place of the comments above them.

    A function of which nothing is written keeps its own. Raises ValueError when the contract is not in the outline.
    """
    data = outline.encode()
    parts, position = [], 0
    for member in members(outline, contract):
        said = written.get(member.signature, "").strip()
        if not said:
            continue
        start, indent = _line(data, member)
        parts += [data[position:start], _commented(said, indent)]
        position = member.start
    return b"".join((*parts, data[position:])).decode()


def _line(data: bytes, member: Member) -> tuple[int, bytes]:
    """Where a member's comments begin, or itself, and the blanks before it on its line."""
    line = data.rfind(b"\n", 0, member.start) + 1
    before = data[line : member.start]
    return member.doc_start, before if not before.strip() else b""


def _commented(said: str, indent: bytes) -> bytes:
    lines = [f"/// {each.strip()}\n".encode() for each in said.splitlines() if each.strip()]
    return indent.join(lines) + indent
