"""Bodies without a head: what models answer that were shown the head, or asked to go on behind it."""

from __future__ import annotations

import re

import msgspec

from solexp.solidity.functions.candidates import Part
from solexp.solidity.functions.heads import Head, read_tail
from solexp.solidity.functions.members import Member
from solexp.solidity.parsing import parses

_BRACE = re.compile(r"[{}]")
_SENTENCE_END = re.compile(r"[;}]\s*\Z")
_DEFINES = re.compile(
    r"^\s*(?:pragma\b|import\b|(?:abstract\s+)?contract\s+\w|library\s+\w|interface\s+\w|function\s+\w|modifier\s+\w"
    r"|constructor\s*\(|event\s+\w|error\s+\w+\s*\(|struct\s+\w+\s*\{|enum\s+\w+\s*\{)",
    re.MULTILINE,
)
_LINE_ENDS = re.compile(r"[;{}(),&|+\-*/=?:<>]\s*\Z")
_CODE_LINE = re.compile(r"[;{}]\s*\Z")
_OLD = re.compile(r"\bvar\b|\bthrow\s*;|\bsuicide\s*\(|\bsha3\s*\(")
_PARSED_CHARS = 100_000


class Body(msgspec.Struct, frozen=True):
    """A function's text that was put together."""

    code: str
    notes: tuple[str, ...]
    end: int
    """Where it ends in the part, by character offset."""
    head: Head | None = None
    """The head's tail as the model wrote it; None for the wanted one."""


def statements(text: str) -> bool:
    """Whether ``text`` reads as the inside of a body: prose does not."""
    part = Part(text)
    code = part.masked.strip()
    if not code or not _SENTENCE_END.search(code) or _DEFINES.search(part.masked):
        return False
    if len(text) <= _PARSED_CHARS and parses(
        f"contract C {{ function f() public {{\n{text}\n}} }}"
    ):
        return True
    lines = [line for line in part.masked.splitlines() if line.strip()]
    return bool(_OLD.search(code)) and all(_LINE_ENDS.search(line) for line in lines)


def bare(part: Part, wanted: Member) -> Body | None:
    """The body that a part consists of: with braces or without, with the tail of a head or a brace too many."""
    found = tail(part, wanted) or continuation(part, wanted)
    if found is None or found.head is not None:
        return found
    rest = part.masked[found.end :].strip()
    return found if not rest.strip("}").strip() else None


def tail(part: Part, wanted: Member) -> Body | None:
    """A body with its braces, behind the words that may follow a head's parameters or none."""
    begun = Head(
        kind=wanted.kind,
        name=wanted.name,
        parameters=wanted.parameters,
        start=0,
        brace=None,
        after=0,
    )
    head = read_tail(part.masked, begun, part.closing)
    if head is None or head.brace is None:
        return None
    end = part.braces.get(head.brace)
    words = part.masked[: head.brace].split()
    own = {name.partition("(")[0] for name in wanted.modifiers}
    others = {name.partition("(")[0] for name in head.modifiers} - own
    if end is None or others or (not words and _goes_on(part, end)):
        # Other words open an `unchecked` block or the like.
        return None
    if words:
        before = _up_to_parameters(wanted)
        return Body(f"{before} {part.text[:end].lstrip()}", ("continues the head",), end, head)
    return Body(wanted.header + part.text[head.brace : end], ("body only",), end)


def _goes_on(part: Part, end: int) -> bool:
    """Whether the block that ends there is but the beginning of a body."""
    unmatched = closing_brace(part)
    inside = part.masked[end:unmatched] if unmatched is not None else ""
    return bool(inside.strip()) and not _DEFINES.search(inside)


def continuation(part: Part, wanted: Member, *, complete: bool = True) -> Body | None:
    """What stands before the brace that nothing opens, as the inside of the wanted function's body.

    Where there is no such brace it is the whole part, if it is ``complete``.
    """
    place = closing_brace(part)
    inside = part.text if place is None else part.text[:place]
    if place is None and (not complete or not statements(inside)):
        return None
    if place is not None and part.masked[:place].strip() and not statements(inside):
        return None
    note = "body only, without braces" if place is None else "continues the body"
    end = len(part.text) if place is None else place + 1
    if place is None:
        inside = inside.rstrip()
        # A comment at the end must not swallow the brace.
        return Body(f"{wanted.header}{{{_opened(inside)}\n}}", (note,), end)
    return Body(f"{wanted.header}{{{inside}}}", (note,), end)


def closing_brace(part: Part) -> int | None:
    """The first brace of a part that closes what the part does not open."""
    depth = 0
    for match in _BRACE.finditer(part.masked):
        depth += 1 if match[0] == "{" else -1
        if depth < 0:
            return match.start()
    return None


def code_lines(text: str) -> str | None:
    """The lines of prose with code in it from the first to the last that is code; None when none is."""
    lines = text.splitlines()
    code = [index for index, line in enumerate(lines) if _CODE_LINE.search(line)]
    if not code or code[-1] - code[0] + 1 == len(lines):
        return None
    return "\n".join(lines[code[0] : code[-1] + 1])


def _opened(inside: str) -> str:
    return inside if inside[:1].isspace() else "\n" + inside


def _up_to_parameters(wanted: Member) -> str:
    """The wanted head up to the parenthesis that closes its parameters."""
    part = Part(wanted.header)
    end = part.closing.get(part.masked.find("("), len(wanted.header))
    return wanted.header[:end].rstrip()
