"""Functions in replies: which there are, and which of them is the one that was asked for."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence

import msgspec

from solexp.solidity.functions.heads import KEYWORD, Head, parentheses, read_head
from solexp.solidity.functions.members import Member
from solexp.solidity.functions.scope import Scope
from solexp.solidity.functions.types import loose
from solexp.solidity.lexing import brace_pairs, headers, mask

_STATEMENT = re.compile(
    r"\b(?:return|require|assert|revert|emit|throw|delete|if|for|while|assembly|unchecked)\b"
    r"|[\w\])]\s*(?:[-+*/|&^%]|<<|>>)?=(?!=)|\+\+|--|^\s*[\w$.]+\s*\("
)
_DECLARES = re.compile(
    r"\b(?:function|modifier|constructor|receive|fallback|event|error|struct|enum|mapping|using|contract|library"
    r"|interface|pragma|import|public|private|internal|external|constant|immutable)\b"
)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A function in a part of a reply. Offsets are characters of the part."""

    head: Head
    part: int
    """Index of the part."""
    start: int
    end: int
    """Just past the closing brace; the part's end where there is none."""
    closed: bool = True
    contract: str | None = None
    """The contract around it, if any."""
    inside: tuple[int, int]
    """From where to where its neighbours reach: the contract's body, or the whole part."""
    notes: tuple[str, ...] = ()


class Part:
    """A part of a reply, read once."""

    def __init__(self, text: str, notes: tuple[str, ...] = (), masked: str | None = None) -> None:
        self.text = text
        self.notes = notes
        self.masked = mask(text) if masked is None else masked
        self.braces = brace_pairs(self.masked)
        self.closing = parentheses(self.masked)

    def functions(self, index: int = 0) -> Iterator[Found]:
        """Every function with a body, wherever it stands but in another function."""
        contracts = [
            (header.brace, self.braces.get(header.brace, len(self.text)), header.name)
            for header in headers(self.masked)
        ]
        starts = [start for start, _, _ in contracts]
        position = 0
        while (match := KEYWORD.search(self.masked, position)) is not None:
            position = match.end()
            head = read_head(self.masked, match.start(), self.closing)
            if head is None:
                continue
            position = head.after
            if head.brace is None:
                continue
            around, inside = None, (0, len(self.text))
            before = bisect.bisect(starts, head.start)
            if before and contracts[before - 1][1] > head.start:
                start, end, around = contracts[before - 1]
                inside = (start + 1, end)
            closes = self.braces.get(head.brace)
            if closes is not None and self._cut_in_string(head.brace, closes):
                closes = None
            yield Found(
                head=head,
                part=index,
                start=head.start,
                end=len(self.text) if closes is None else closes,
                closed=closes is not None,
                contract=around,
                inside=inside,
            )
            position = position if closes is None else closes

    def _cut_in_string(self, brace: int, end: int) -> bool:
        """Whether the brace at ``end`` stands in a string that the text's own end leaves open."""
        line = max(brace, self.masked.rfind("\n", 0, end))
        return self.masked.find("\n", end) < 0 and _QUOTE.search(self.masked, line, end) is not None

    def whole(self, found: Found) -> Found:
        """The function up to where it was meant to end, if a brace too many closed it before its last statement.

        Cutting at that brace would judge half of what the model wrote, and as code that compiles.
        """
        if not found.closed or found.contract is not None:
            return found
        depth = 0
        for match in _BRACE.finditer(self.masked, found.end):
            depth += 1 if match[0] == "{" else -1
            if depth < 0:
                between = self.masked[found.end : match.start()]
                if _STATEMENT.search(between) and not _DECLARES.search(between):
                    return msgspec.structs.replace(
                        found,
                        end=match.end(),
                        notes=(*found.notes, "the function's braces close too early"),
                    )
                return found
        return found


_BRACE = re.compile(r"[{}]")
_QUOTE = re.compile(r"[\"']")


def empty(part: Part, found: Found) -> bool:
    """Whether the function's body holds no code: an outline that was shown to the model, and repeated."""
    assert found.head.brace is not None
    return not part.masked[found.head.brace + 1 : found.end - 1].strip()


def fits(wanted: Member, found: Found, scope: Scope) -> int | None:
    """How well a function's head fits what is wanted, 0 being best; None for another function."""
    head, foreign = found.head, 0
    if found.contract is not None and found.contract.lower() != wanted.contract.lower():
        if found.contract in scope.contracts:
            # An echo of the code around the target.
            return None
        foreign = 100
    names = {wanted.contract.lower(), (found.contract or "").lower()} - {""}
    kind: str = head.kind
    if kind == "function" and wanted.kind == "constructor" and head.name.lower() in names:
        kind = "constructor"
    if kind != wanted.kind:
        return _instead(wanted, head, foreign, scope)
    if kind in ("function", "modifier") and head.name != wanted.name:
        if head.name.lower() != wanted.name.lower() or _known(head, scope):
            return None
        foreign += 50
    distance = _distance(wanted, head)
    if distance > 1 and kind in ("function", "modifier") and _known(head, scope):
        # Another overload of the contract.
        return None
    return foreign + distance


def _distance(wanted: Member, head: Head) -> int:
    """How far a head's parameters are from those that are wanted."""
    ours, theirs = (tuple(map(loose, kinds)) for kinds in (wanted.types, head.types))
    if head.types == wanted.types or ours == theirs:
        return 0 if head.types == wanted.types else 1
    if len(ours) != len(theirs):
        return 4
    names = ([each.name for each in one.parameters] for one in (wanted, head))
    return 2 if next(names) == next(names) else 3


def _instead(wanted: Member, head: Head, foreign: int, scope: Scope) -> int | None:
    """How well a function of another kind does: Solidity's words for these changed from series to series."""
    pair = {wanted.kind, head.kind}
    if pair == {"receive", "fallback"}:
        has_both = {"receive()", "fallback()", "fallback(bytes)"} & scope.own
        return None if len(has_both) > 1 else foreign + 20
    if head.kind == "function" and head.name == wanted.kind and not _known(head, scope):
        return foreign + 30
    return None


def _known(head: Head, scope: Scope) -> bool:
    return loose(head.signature) in scope.own


def pick(
    found: Sequence[tuple[int, Found]],
    parts: Sequence[Part],
    sketch: re.Pattern[str],
    *,
    allow_empty: bool,
) -> Found | None:
    """The one of several fitting functions (with their `fits`) that is the answer.

    Outlines and sketches yield to what is written out, worse fits to better ones, earlier to later.
    """
    left = list(found)
    if not allow_empty:
        left = [item for item in left if not empty(parts[item[1].part], item[1])] or left

    def sketchy(item: tuple[int, Found]) -> bool:
        part, one = parts[item[1].part], item[1]
        return "..." in part.masked[one.start : one.end] or bool(
            sketch.search(part.text, one.start, one.end)
        )

    left = [item for item in left if not sketchy(item)] or left
    if not left:
        return None
    best = min(rank for rank, _ in left)
    chosen = [one for rank, one in left if rank == best][-1]
    several = sum(rank == best for rank, _ in found)
    if several > 1:
        return msgspec.structs.replace(chosen, notes=(*chosen.notes, f"written {several} times"))
    return chosen


def changes(wanted: Member, head: Head) -> Iterator[str]:
    """What a function's head says otherwise than the one that was asked for."""
    if head.kind != wanted.kind and not (wanted.kind == "constructor" and head.kind == "function"):
        yield f"written as {head.kind} {head.name}".rstrip()
    elif wanted.kind in ("function", "modifier") and head.name != wanted.name:
        yield f"named {head.name}"
    if head.types != wanted.types:
        yield f"parameters are ({','.join(head.types)})"
    for what, ours, theirs in (
        ("visibility", wanted.visibility, head.visibility),
        ("mutability", wanted.mutability, head.mutability),
        ("virtual", wanted.virtual, head.virtual),
        ("override", wanted.override, head.override),
    ):
        if ours != theirs:
            yield f"{what} {_said(ours)} became {_said(theirs)}"
    ours_list, theirs_list = sorted(wanted.modifiers), sorted(head.modifiers)
    if [each.removesuffix("()") for each in ours_list] != [
        each.removesuffix("()") for each in theirs_list
    ]:
        yield f"modifiers {_shown(ours_list)} became {_shown(theirs_list)}"
    results = [tuple(each.type for each in returns) for returns in (wanted.returns, head.returns)]
    if results[0] != results[1]:
        yield f"returns ({','.join(results[0])}) became ({','.join(results[1])})"


def _shown(words: Sequence[str]) -> str:
    return (" ".join(words[:8]) + (" and more" if len(words) > 8 else "")) or "none"


def _said(value: str | bool | None) -> str:
    return {None: "none", True: "yes", False: "no"}.get(value, str(value))  # type: ignore[arg-type]
