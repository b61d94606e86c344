"""The functions of a source: where each one's documentation, head and body stand, and what tells it apart."""

from __future__ import annotations

import bisect
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

import msgspec

from solexp.solidity.functions.heads import Head, Kind, heads_in, parentheses
from solexp.solidity.functions.types import Parameter
from solexp.solidity.lexing import Header, brace_pairs, headers, mask

_COMMENT = re.compile(r"//[^\n\r]*+|/\*.*?\*/", re.DOTALL)
_MARKS = re.compile(
    r"^[ \t]*(?:/\*\*?+|///?+|\*(?!/))[ \t]?|[ \t]*\*+/[ \t]*$|[ \t]+$", re.MULTILINE
)
_STATEMENT = re.compile(r"\S")


class Member(msgspec.Struct, frozen=True, kw_only=True):
    """A function with a body. Offsets are UTF-8 bytes of its source, ends exclusive."""

    kind: Kind
    name: str
    """Empty for constructors, fallback and receive functions, but those of old that are named after their contract."""
    signature: str
    """``name(type,type)`` with canonical types; ``constructor(…)``, ``fallback(…)`` and ``receive()`` for those."""
    contract: str
    """The contract or library that holds it; empty for free functions."""
    doc_start: int
    """Where the comments right above it begin; ``start`` where there are none."""
    start: int
    body_start: int
    """Where the body's brace stands."""
    end: int
    header: str
    """The text from ``start`` to ``body_start``, comments and the white space before the brace included."""
    documentation: str = ""
    """The comments right above it, as written."""
    parameters: tuple[Parameter, ...] = ()
    returns: tuple[Parameter, ...] = ()
    visibility: str | None = None
    mutability: str | None = None
    virtual: bool = False
    override: bool = False
    modifiers: tuple[str, ...] = ()
    """Modifiers and base constructors as written, white space and strings' contents taken out."""
    empty: bool = False
    """Whether the body holds nothing but white space and comments."""

    @property
    def types(self) -> tuple[str, ...]:
        """The canonical types of the parameters."""
        return tuple(parameter.type for parameter in self.parameters)

    @property
    def natspec(self) -> str:
        """The documentation, its comment marks taken off."""
        return plain(self.documentation)


def plain(comment: str) -> str:
    """The text of one or more comments, without their marks.

    >>> plain("/** @notice Pays.\\n     *  @dev Now. */")
    '@notice Pays.\\n @dev Now.'
    """
    return "\n".join(line.rstrip() for line in _MARKS.sub("", comment).strip().splitlines())


@lru_cache(maxsize=256)
def members(source: str, contract: str) -> tuple[Member, ...]:
    """The functions of ``contract`` that have a body, in order.

    Functions, constructors (those named after the contract too), modifiers, fallback (the unnamed too) and receive
    functions. Raises ValueError when the contract is not in the source.
    """
    text = _Text(source)
    header = text.definition(contract)
    if header is None:
        raise ValueError(f"{contract} is not in the source")
    found = heads_in(
        text.masked, header.brace + 1, text.braces[header.brace] - 1, text.braces, text.closing
    )
    return tuple(text.members(found, contract, named_constructors=header.kind == "contract"))


def documented(source: str, contract: str) -> dict[str, str]:
    """The documentation of every function of ``contract`` that has any, with a body or not, by signature, marks off.

    Empty when the contract is not in the source.
    """
    text = _Text(source)
    header = text.definition(contract)
    if header is None:
        return {}
    start, end = header.brace + 1, text.braces[header.brace] - 1
    found = {}
    for head, boundary in heads_in(text.masked, start, end, text.braces, text.closing):
        old = header.kind == "contract" and head.kind == "function" and head.name == contract
        named = msgspec.structs.replace(head, kind="constructor") if old else head
        gap = source[boundary : head.start]
        said = plain(gap[_documentation(gap) :])
        if said:
            found[named.signature] = said
    return found


@lru_cache(maxsize=64)
def free_functions(source: str) -> tuple[Member, ...]:
    """The functions of a source that stand outside of any contract, in order."""
    text = _Text(source)
    found = heads_in(text.masked, 0, len(source), text.braces, text.closing)
    return tuple(text.members(found, "", named_constructors=False))


def member_at(source: str, contract: str, start: int) -> Member:
    """The member that begins at a byte offset. Raises ValueError when there is none."""
    known = members(source, contract) if contract else free_functions(source)
    for member in known:
        if member.start == start:
            return member
    raise ValueError(f"no function of {contract or 'the file'} begins at byte {start}")


def identifiers(known: Sequence[Member]) -> tuple[str, ...]:
    """A name for each member that no other has: its signature, numbered where several share it."""
    seen: dict[str, int] = {}
    names = []
    for member in known:
        count = seen[member.signature] = seen.get(member.signature, 0) + 1
        names.append(member.signature if count == 1 else f"{member.signature}#{count}")
    return tuple(names)


class _Text:
    """A source, read lexically once."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.masked = mask(source)
        self.braces = brace_pairs(self.masked)
        self.closing = parentheses(self.masked)
        self.byte = _bytes_before(source)

    def definition(self, name: str) -> Header | None:
        """The first definition of ``name`` that is closed and in no other."""
        position = 0
        for header in headers(self.masked):
            end = self.braces.get(header.brace)
            if end is None or header.start < position:
                continue
            if header.name == name:
                return header
            position = end
        return None

    def members(
        self, found: Iterator[tuple[Head, int]], contract: str, *, named_constructors: bool
    ) -> Iterator[Member]:
        for head, boundary in found:
            brace = head.brace
            end = None if brace is None else self.braces.get(brace)
            if brace is None or end is None:
                continue
            named_after = named_constructors and head.kind == "function" and head.name == contract
            if named_after:
                head = msgspec.structs.replace(head, kind="constructor")  # noqa: PLW2901
            doc = boundary + _documentation(self.source[boundary : head.start])
            yield Member(
                kind=head.kind,
                name=head.name,
                signature=head.signature,
                contract=contract,
                doc_start=self.byte(doc),
                start=self.byte(head.start),
                body_start=self.byte(brace),
                end=self.byte(end),
                header=self.source[head.start : brace],
                documentation=self.source[doc : head.start].rstrip(),
                parameters=head.parameters,
                returns=head.returns,
                visibility=head.visibility,
                mutability=head.mutability,
                virtual=head.virtual,
                override=head.override,
                modifiers=head.modifiers,
                empty=not _holds_code(self.source, self.masked, brace + 1, end - 1),
            )


def _holds_code(source: str, masked: str, start: int, end: int) -> bool:
    # A string that stands alone is blank when masked, but code.
    return bool(
        _STATEMENT.search(masked, start, end) or _COMMENT.sub("", source[start:end]).strip()
    )


def _documentation(gap: str) -> int:
    """Where the comments begin that belong to what stands behind ``gap``, which holds comments and white space only.

    A comment on the line of what is before belongs there. A blank line parts comments, but not NatSpec from its
    function.
    """
    comments = list(_COMMENT.finditer(gap))
    first_line = gap.find("\n")
    start = len(gap)
    for comment in reversed(comments):
        if comment.start() < first_line and start > first_line and _spans_no_line(gap, comment):
            break
        blank = gap[comment.end() : start].count("\n") > 1
        natspec = comment[0].startswith(("///", "/**"))
        if blank and (start < len(gap) or not natspec):
            break
        start = comment.start()
    return start


def _spans_no_line(gap: str, comment: re.Match[str]) -> bool:
    """Whether nothing but what stands on the first line of ``gap`` is the comment's."""
    return "\n" not in comment[0] and "\n" in gap[comment.end() :]


def _bytes_before(source: str) -> Callable[[int], int]:
    """From character offsets to byte offsets."""
    if source.isascii():
        return lambda position: position
    # The wide characters alone: there are few.
    places = [index for index, char in enumerate(source) if ord(char) > 127]
    surplus = [0]
    for place in places:
        surplus.append(surplus[-1] + len(source[place].encode()) - 1)
    return lambda position: position + surplus[bisect.bisect_left(places, position)]
