"""Finding one function in a model's reply.

The function is its text from the keyword to the brace that closes its body; documentation above it is left out, since
the file that it is spliced into has its own. It may be answered by the whole function, by its body alone, by what comes
behind its opening brace, within a contract, or among other functions. Those of the others that it needs and that the
contract lacks come along.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from solexp.core import FinishReason, PromptForm
from solexp.core.reply import (
    FENCE,
    Extraction,
    json_strings,
    reason_for_none,
    well_formed,
    without_reasoning,
)
from solexp.solidity.extract import ELISION
from solexp.solidity.functions.additions import with_additions
from solexp.solidity.functions.bodies import (
    Body,
    bare,
    closing_brace,
    code_lines,
    continuation,
    tail,
)
from solexp.solidity.functions.candidates import Found, Part, changes, empty, fits, pick
from solexp.solidity.functions.members import Member
from solexp.solidity.functions.scope import Scope
from solexp.solidity.parsing import parses
from solexp.solidity.regions import split

MARKERS = ("START_OF_FUNCTION", "END_OF_FUNCTION")
"""What `extract_function` takes for the bounds of a function in a reply, unless told otherwise (SolEval's prompts)."""

_DIFF_LINE = re.compile(r"[-+ @\\]|diff |index |\Z")
_PARSED_CHARS = 100_000
"""How much a parser is asked to read of one reply; functions have some thousand characters."""
_GLOB = re.compile(r"(?<=[\w.*])/\*")


class _Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked for, and how the reply ended."""

    wanted: Member
    scope: Scope
    finish: FinishReason


def extract_function(
    reply: str,
    wanted: Member,
    *,
    scope: Scope | None = None,
    finish: FinishReason = FinishReason.STOP,
    form: PromptForm = "chat",
    markers: Sequence[str] = MARKERS,
) -> Extraction:
    """The text of the ``wanted`` function in ``reply``, to be put in the place of the one it stands for.

    ``scope`` is what is defined around it: it tells other overloads apart, and helpers that the contract lacks, which
    are put behind the function. Without one, everything that the function names is taken for lacking. ``form`` is how
    the model was asked: to answer, to go on behind the function's opening brace or its head (``completion``), or to
    fill the gap between its braces (``infill``). ``markers`` are words on lines of their own around the code.

    Changed visibility, modifiers and parameters are kept as they are written, and told in the notes. A function whose
    braces do not close is code (which will not compile) where its fence closes, and else truncated.
    """
    text, notes = without_reasoning(well_formed(reply))
    asked = _Reply(wanted=wanted, scope=scope or Scope(contract=wanted.contract), finish=finish)
    found: Extraction | None = None
    if form != "chat":
        found = _continued(_up_to_marker(text, markers), asked)
    if found is None:
        found = _answered(_fenced(text, markers), asked)
    return msgspec.structs.replace(found, notes=(*notes, *found.notes))


def _answered(text: str, asked: _Reply) -> Extraction:
    """The function in a reply that may hold prose, fences and other code."""
    parts = [_part(each.text, each.notes) for each in split(text, asked.wanted.contract)]
    ranked = _ranked(parts, asked)
    chosen = _pick([item for item in ranked if item[1].closed], parts, asked)
    cut = next((one for _, one in ranked if not one.closed), None)
    if chosen is not None:
        outline = empty(parts[chosen.part], chosen) and not asked.wanted.empty
        if not outline or cut is None:
            return _taken(parts[chosen.part], chosen, asked)
    if cut is None:
        return _elsewhere(text, parts, asked) or _nothing(text, asked, (), cut=False)
    across = _across_fences(text, asked) if chosen is None else None
    if across is not None:
        return across
    if cut.part == len(parts) - 1 or asked.finish is FinishReason.LENGTH:
        notes = () if chosen is None else ("only an outline is whole",)
        return _nothing(text, asked, notes, cut=True)
    return _unclosed(parts[cut.part], cut, asked)


def _unclosed(part: Part, cut: Found, asked: _Reply) -> Extraction:
    notes = (*part.notes, "the function's braces do not close", *changes(asked.wanted, cut.head))
    return Extraction(code=part.text[cut.start :].rstrip(), notes=notes)


def _elsewhere(text: str, parts: Sequence[Part], asked: _Reply) -> Extraction | None:
    """The function where no part holds it whole and with its head."""
    found = _across_fences(text, asked) or _in_json(text, parts, asked)
    if found is not None:
        return found
    if _GLOB.search(text):
        # A glob in prose opens no comment.
        neutral = [_part(_GLOB.sub("/ ", part.text), part.notes) for part in parts]
        chosen = _pick([i for i in _ranked(neutral, asked) if i[1].closed], neutral, asked)
        if chosen is not None:
            return _taken(neutral[chosen.part], chosen, asked)
    return _bodies(parts, asked)


def _bodies(parts: Sequence[Part], asked: _Reply) -> Extraction | None:
    """A body without its head: the last fence that is one, or else the text itself."""
    order = [(part, True) for part in reversed(parts[1::2])]
    order += [(part, False) for part in parts[::2]]
    for part, fenced in order:
        if not part.masked.strip():
            continue
        body = bare(part, asked.wanted)
        if body is None and not fenced:
            lines = code_lines(part.text)
            body = None if lines is None else bare(Part(lines), asked.wanted)
        if body is not None:
            if asked.finish is FinishReason.LENGTH and body.end == len(part.text):
                return None
            return _made(part, body, asked)
    return None


def _continued(text: str, asked: _Reply) -> Extraction | None:
    """The function that a reply goes on with behind its head or opening brace; None when it is an answer instead."""
    part = Part(text)
    place = closing_brace(part)
    inside = len(text) if place is None else place
    fence = next((found for found in FENCE.finditer(part.masked, 0, inside)), None)
    if fence is not None:
        if _ranked([_part(each.text) for each in split(text, asked.wanted.contract)], asked):
            return None
        before = Part(text[: fence.start()])
        if not before.masked.strip():
            return None
        part, place, inside = before, closing_brace(before), fence.start()
    if any(one.start < inside for _, one in _ranked([part], asked)):
        return None
    body = tail(part, asked.wanted)
    if body is None:
        whole = asked.finish is not FinishReason.LENGTH or fence is not None
        body = continuation(part, asked.wanted, complete=whole)
    return None if body is None else _made(part, body, asked)


def _made(part: Part, body: Body, asked: _Reply) -> Extraction:
    notes = [*part.notes, *body.notes]
    if body.head is not None:
        notes += changes(asked.wanted, body.head)
    code, more = with_additions(
        body.code, part, [(body.end, len(part.text))], asked.wanted, asked.scope
    )
    return Extraction(code=code, notes=(*notes, *more))


def _taken(part: Part, chosen: Found, asked: _Reply) -> Extraction:
    """The chosen function with what it needs of its neighbours."""
    chosen = part.whole(chosen)
    notes = [*part.notes, *chosen.notes]
    if chosen.contract is not None:
        notes.append(f"taken out of {chosen.contract}")
    notes += changes(asked.wanted, chosen.head)
    low, high = chosen.inside
    code, more = with_additions(
        part.text[chosen.start : chosen.end],
        part,
        [(low, chosen.start), (chosen.end, high)],
        asked.wanted,
        asked.scope,
    )
    return Extraction(code=code, notes=(*notes, *more))


def _ranked(parts: Sequence[Part], asked: _Reply) -> list[tuple[int, Found]]:
    """The functions that fit, with how well they do."""
    return [
        (rank, one)
        for index, part in enumerate(parts)
        for one in part.functions(index)
        if (rank := fits(asked.wanted, one, asked.scope)) is not None
    ]


def _pick(
    ranked: Sequence[tuple[int, Found]], parts: Sequence[Part], asked: _Reply
) -> Found | None:
    return pick(ranked, parts, ELISION, allow_empty=asked.wanted.empty)


def _across_fences(text: str, asked: _Reply) -> Extraction | None:
    """The function where fence lines stand within it: in a comment or string of its, or stray (those are taken out)."""
    if not FENCE.search(text):
        return None
    part, parsed = Part(text), 0
    for _, one in reversed(_ranked([part], asked)):
        if not one.closed:
            continue
        pieces, position = [], one.start
        for fence in FENCE.finditer(part.masked, one.start, one.end):
            pieces.append(text[position : fence.start()])
            position = fence.end()
        code = "".join((*pieces, text[position : one.end]))
        parsed += len(code)
        if parsed > _PARSED_CHARS:
            return None
        if not pieces or parses(f"contract C {{\n{code}\n}}"):
            stray = ("stray fence taken out of the function",) if pieces else ()
            return Extraction(code=code, notes=(*stray, *changes(asked.wanted, one.head)))
    return None


def _in_json(text: str, parts: Sequence[Part], asked: _Reply) -> Extraction | None:
    """The function in the strings of a reply that is JSON, or that holds JSON in a fence."""
    for place in (text, *(part.text for part in parts)):
        if place.lstrip()[:1] not in ("{", "["):
            continue
        for string in json_strings(place):
            within = [_part(each.text, each.notes) for each in split(string, asked.wanted.contract)]
            chosen = _pick([i for i in _ranked(within, asked) if i[1].closed], within, asked)
            if chosen is not None:
                return _taken(within[chosen.part], chosen, asked)
    return None


def _part(text: str, notes: tuple[str, ...] = ()) -> Part:
    """A part, the new side of it where it is a diff."""
    lines = text.splitlines(keepends=True)
    if (
        any(line.startswith("+") for line in lines)
        and any(line.startswith(("-", "@@")) for line in lines)
        and all(_DIFF_LINE.match(line.rstrip("\r\n")) for line in lines)
    ):
        new = [line[1:] for line in lines if line[:1] in "+ " and not line.startswith("+++")]
        return Part("".join(new), (*notes, "a diff"))
    return Part(text, notes)


def _fenced(text: str, markers: Iterable[str]) -> str:
    """The text with a fence in place of each marker's line."""
    for marker in markers:
        if marker in text:
            text = _marker(marker).sub("\n```\n", text)
    return text


def _up_to_marker(text: str, markers: Iterable[str]) -> str:
    """The text before the first marker that has any before it."""
    for marker in markers:
        if marker in text:
            pieces = _marker(marker).split(text)
            text = next((piece for piece in pieces if piece.strip()), "")
    return text


def _marker(marker: str) -> re.Pattern[str]:
    return re.compile(rf"[ \t]*+(?://+|/\*+|#+)?[ \t]*+{re.escape(marker)}(?![\w$])[^\n]*")


def _nothing(text: str, asked: _Reply, notes: tuple[str, ...], *, cut: bool) -> Extraction:
    """Why there is no code."""
    part = Part(FENCE.sub("", text))
    others = list(dict.fromkeys(one.head.signature for one in part.functions()))
    opened = part.masked.count("{") > part.masked.count("}")
    reason = reason_for_none(text, asked.finish, cut=cut, defines=bool(others), opened=opened)
    if others and not cut:
        shown = ", ".join(others[:8]) + (" and more" if len(others) > 8 else "")
        notes = (*notes, f"defines {shown}")
    return Extraction(no_code=reason, notes=notes)
