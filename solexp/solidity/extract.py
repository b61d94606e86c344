"""Finding the target contract in a model's reply.

The target is the text from its ``contract`` keyword (``abstract contract``, ``library`` and ``interface`` count too) to
the brace that closes it. Documentation above it, pragmas, imports and other definitions are left out, since the file
that the target is spliced into has its own. Fences only tell where prose ends; one that is missing, unclosed or stray
loses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from solexp.core import FinishReason
from solexp.core.reply import (
    FENCE,
    Extraction,
    json_strings,
    reason_for_none,
    well_formed,
    without_reasoning,
)
from solexp.solidity.lexing import bodies, headers, mask, stray_brace
from solexp.solidity.parsing import parses
from solexp.solidity.regions import Part, Region, names, read, split

# A member as code has it: sentences begin with these words too, but have no braces behind a list of parameters.
_TAIL = r"(?:[^(){};]|\([^(){};]*\))*+"
_MEMBER = re.compile(
    rf"\s*+(?:(?:constructor|receive|fallback)\s*+\({_TAIL}\){_TAIL}\{{"
    rf"|function\b(?=[^{{}};]*\b(?:public|external|internal|private)\b)"
    rf"\s*+[\w$]*+\s*+\({_TAIL}\){_TAIL}\{{"
    rf"|modifier\s++[\w$]++\s*+(?:\({_TAIL}\)\s*+)?(?:(?:virtual|override)\s*+)*+\{{"
    rf"|mapping\s*+\((?=[^{{}};]*=>){_TAIL}\)"
    r"(?:\s++(?:public|private|internal)\b)?\s*+[\w$]++\s*+[;=])"
)
# A comment that stands for code: "// ...", "/* existing code */", "// The rest of the contract stays the same".
ELISION = re.compile(
    r"(?://|/\*)[\s*/]{0,40}+(?:\[?(?:\.\.\.|…)|(?:the\s)?rest\sof\s(?:the\s|your\s)?(?:contract|code|function|implementation)"
    r"|(?:the\s)?existing\s(?:code|function|implementation)"
    r"|[\w ]{0,40}\b(?:stays?|remains?)\s(?:as\sbefore|the\ssame|unchanged))",
    re.IGNORECASE,
)
# How much a parser is asked to read of one reply; contracts have some ten thousand characters.
_PARSED_CHARS = 100_000
_WORD = re.compile(r"\w")


class _Found(msgspec.Struct, frozen=True):
    code: str
    kind: str
    name: str
    notes: tuple[str, ...] = ()
    cut: bool = False
    """Whether the reply ends within the definition."""


def extract_contract(
    reply: str, name: str, *, finish: FinishReason = FinishReason.STOP
) -> Extraction:
    """The definition of ``name`` in ``reply``.

    Defined several times, the last that is no mere sketch is taken: one with at least half as many non-empty function
    bodies as the fullest (an echoed framework has none). Another case of the name serves if the exact one is absent. A
    definition whose braces do not close is code (which will not compile) where its fence closes, and else truncated.
    """
    text, notes = without_reasoning(well_formed(reply))
    regions = split(text, name)
    found = _pick(_whole(regions, name), name)
    if found is None and len(regions) > 1:
        found = _pick(_across_fences(text, name), name)
    if found is None:
        found = _pick(_in_json(text, regions, name), name)
    if found is None:
        unclosed = _unclosed(regions, name)
        if unclosed is None or unclosed.cut or finish is FinishReason.LENGTH:
            return _nothing(text, finish, notes, cut=unclosed is not None)
        found = unclosed
    else:
        unclosed = _unclosed(regions[-1:], name)
        if unclosed is not None and bodies(mask(unclosed.code)) > bodies(mask(found.code)):
            # An echoed outline, and then the contract itself cut off.
            return _nothing(text, finish, (*notes, "only an outline is whole"), cut=True)
    return Extraction(code=found.code, notes=(*notes, *found.notes))


def _whole(regions: list[Part], name: str) -> Iterator[_Found]:
    """Every definition of ``name`` whose braces close within a region."""
    for part in regions:
        if not names(part.text, name):
            continue
        region = read(part.text, name)
        for header, closed in region.closed(name):
            end, notes = closed, part.notes
            later = _closed_early(region, end)
            if later is not None:
                end, notes = later, (*notes, "the contract's braces close too early")
            yield _Found(region.text[header.start : end], header.kind, header.name, notes=notes)


def _closed_early(region: Region, end: int) -> int | None:
    """Where the contract was meant to end, if a brace too many closed it before its last member.

    Cutting at that brace would judge half of what the model wrote, and as code that compiles.
    """
    masked, limit = region.masked, region.following(end)
    stray = stray_brace(masked, end, limit)
    if stray is not None and _WORD.search(masked, end, stray):
        return stray
    if _MEMBER.match(masked, end, limit):
        return end + len(masked[end:limit].rstrip())
    return None


def _across_fences(text: str, name: str) -> Iterator[_Found]:
    """Definitions that hold fence lines: within a comment of theirs, or stray (those are taken out)."""
    if not names(text, name):
        return
    region, parsed = read(text, name), 0
    for header, end in region.closed(name):
        code, position = [], header.start
        for fence in FENCE.finditer(region.masked, header.start, end):
            code.append(text[position : fence.start()])
            position = fence.end()
        stray = bool(code)
        whole = "".join((*code, text[position:end]))
        if stray:
            # Two cut-off blocks with prose between them are no contract.
            parsed += len(whole)
            if parsed > _PARSED_CHARS or not parses(whole):
                continue
        notes = ("stray fence taken out of the contract",) if stray else ()
        yield _Found(whole, header.kind, header.name, notes=notes)


def _in_json(text: str, regions: list[Part], name: str) -> Iterator[_Found]:
    """Definitions in the strings of a reply that is JSON, or that holds JSON in a fence."""
    places = [text] if len(regions) == 1 else [text, *(part.text for part in regions)]
    for place in places:
        if place.lstrip()[:1] in ("{", "[") and names(place, name):
            for string in json_strings(place):
                if names(string, name):
                    parts = split(string, name)
                    whole = list(_whole(parts, name))
                    yield from whole or (_across_fences(string, name) if len(parts) > 1 else ())


def _unclosed(regions: list[Part], name: str) -> _Found | None:
    """A definition whose braces do not close: cut off if no fence follows."""
    for index, part in enumerate(regions):
        if not names(part.text, name):
            continue
        region = read(part.text, name)
        for header in region.named(name):
            if header.brace not in region.closing:
                return _Found(
                    region.text[header.start :].rstrip(),
                    header.kind,
                    header.name,
                    notes=(*part.notes, "the contract's braces do not close"),
                    cut=index == len(regions) - 1,
                )
    return None


def _pick(candidates: Iterator[_Found], name: str) -> _Found | None:
    found = list(candidates)
    if not found:
        return None
    notes: list[str] = []
    for better in (
        lambda item: item.name == name,
        lambda item: item.kind != "interface",
        lambda item: "..." not in item.code or "..." not in mask(item.code),
    ):
        found = [item for item in found if better(item)] or found
    if len(found) > 1:
        notes.append(f"defined {len(found)} times")
        counts = [bodies(mask(item.code)) for item in found]
        elided = [ELISION.search(item.code) is not None for item in found]
        # A revision that leaves out what has not changed is no contract; one that leaves out nothing is.
        fullest = max(counts)
        whole = max(
            (count for count, sketch in zip(counts, elided, strict=True) if not sketch), default=-1
        )
        found = [
            item
            for item, count, sketch in zip(found, counts, elided, strict=True)
            if 2 * count >= fullest and not (sketch and count <= whole)
        ]
    best = found[-1]
    if best.name != name:
        notes.append(f"named {best.name}")
    return _Found(best.code, best.kind, best.name, notes=(*best.notes, *notes))


def _nothing(text: str, finish: FinishReason, notes: tuple[str, ...], *, cut: bool) -> Extraction:
    """Why there is no code."""
    others = sorted({header.name for header in headers(mask(text))})
    reason = reason_for_none(text, finish, cut=cut, defines=bool(others), opened=_is_cut(text))
    if others and not cut:
        notes = (*notes, "defines " + ", ".join(others))
    return Extraction(no_code=reason, notes=notes)


def _is_cut(text: str) -> bool:
    """Whether the reply stops in the middle of a definition: its braces or a comment in it stay open."""
    masked = mask(FENCE.sub("", text))
    first = next(iter(headers(masked)), None)
    if first is None:
        return False
    tail = masked[first.start :]
    return tail.count("{") > tail.count("}") or "/*" in tail
