"""Finding the target contract in a model's reply.

The target is the text from its ``contract`` keyword (``abstract contract``, ``library`` and ``interface`` count too) to
the brace that closes it. Documentation above it, pragmas, imports and other definitions are left out, since the file
that the target is spliced into has its own. Fences only tell where prose ends; one that is missing, unclosed or stray
loses nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import msgspec

from solexp.core import FinishReason, NoCode
from solexp.solidity.lexing import brace_pairs, mask, stray_brace
from solexp.solidity.parsing import functions, parses

_FENCE = re.compile(r"^[ \t>]*(?:`{3,}|~{3,})[^\n]*\n?", re.MULTILINE)
_REASONING_TAG = r"(?:think|thinking|thought|reasoning|scratchpad)"
_REASONING_START = re.compile(rf"\s*<{_REASONING_TAG}>", re.IGNORECASE)
_REASONING_END = re.compile(rf"</{_REASONING_TAG}>", re.IGNORECASE)
_REASONING_ANY = re.compile(rf"<{_REASONING_TAG}>", re.IGNORECASE)
_PATH = r"[\w$]+(?:\s*\.\s*[\w$]+)*"
_BASE = rf"{_PATH}\s*(?:\((?:[^(){{}};]|\([^(){{}};]*\))*\)\s*)?"
_KEYWORDS = ("contract", "library", "interface")
_START = r"(?<![\w$.])(?P<kind>contract|library|interface)\s+(?P<name>[\w$]+)\s*"
_ABSTRACT = re.compile(r"(?<![\w$.])abstract\s+\Z")
_HEADER = re.compile(rf"{_START}(?:is\s+{_BASE}(?:,\s*{_BASE})*)?(?:layout\s+at\b[^{{}};]*)?\{{")
# What follows ``is`` in a header that no compiler takes, such as a trailing comma.
_LOOSE_HEADER = re.compile(rf"{_START}(?:is\b(?:(?!\bcontract\b)[^{{}};:!?])*)?\{{")
_ANY_HEADER = re.compile(rf"{_START}(?:is\b[^{{}};]*)?\{{")
_MEMBER = re.compile(
    r"\s*(?:(?:constructor|modifier|mapping|receive|fallback)\b"
    r"|function\b[^{};]*\b(?:public|external|internal|private)\b)"
)
_WORD = re.compile(r"\w")
_REFUSAL = re.compile(
    r"\bI(?:['’]m| am) (?:sorry|unable|not able)\b|\bI (?:cannot|can['’]?t|can not|won['’]t|must decline)\b"
    r"|\bI apologi[sz]e\b|\bmy apologies\b|\bas an AI\b",
    re.IGNORECASE,
)


class Extraction(msgspec.Struct, frozen=True):
    """The target's code, or the reason why a reply holds none: exactly one of ``code`` and ``no_code`` is set."""

    code: str | None = None
    no_code: NoCode | None = None
    notes: tuple[str, ...] = ()
    """What had to be done to find the code, or what stood in its place."""


class _Header(msgspec.Struct, frozen=True):
    start: int
    brace: int
    """Where the opening brace stands."""
    kind: str
    name: str


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
    text, notes = _without_reasoning(reply)
    regions = _regions(text)
    found = _pick(_whole(regions, name), name)
    if found is None and len(regions) > 1:
        found = _pick(_across_fences(text, name), name)
    if found is None and text.lstrip()[:1] in ("{", "["):
        found = _pick(_whole(_json_strings(text), name), name)
    if found is None:
        unclosed = _unclosed(regions, name)
        if unclosed is None or unclosed.cut or finish is FinishReason.LENGTH:
            return _nothing(text, finish, notes, cut=unclosed is not None)
        found = unclosed
    else:
        unclosed = _unclosed(regions[-1:], name)
        if unclosed is not None and _bodies(unclosed.code) > _bodies(found.code):
            # An echoed outline, and then the contract itself cut off.
            return _nothing(text, finish, (*notes, "only an outline is whole"), cut=True)
    return Extraction(code=found.code, notes=(*notes, *found.notes))


def _without_reasoning(reply: str) -> tuple[str, tuple[str, ...]]:
    """The reply after its reasoning. An opening tag may be missing (chat templates eat it), or the closing one."""
    ends = list(_REASONING_END.finditer(reply))
    if ends and (_REASONING_START.match(reply) or not _REASONING_ANY.search(reply)):
        return reply[ends[-1].end() :], ("reasoning left out",)
    return reply, ()


def _regions(text: str) -> list[str]:
    """The text between fence lines; prose and code alike, since models get fences wrong."""
    if "```" not in text and "~~~" not in text:
        return [text]
    parts, position = [], 0
    for fence in _FENCE.finditer(text):
        parts.append(text[position : fence.start()])
        position = fence.end()
    parts.append(text[position:])
    return parts


def _json_strings(text: str) -> list[str]:
    """Every string in a reply that is JSON; replies with structured output hold their code so."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return []
    strings, queue = [], [value]
    while queue:
        item = queue.pop()
        if isinstance(item, str):
            strings.append(item)
        elif isinstance(item, list | dict):
            queue.extend(item.values() if isinstance(item, dict) else item)
    return strings


def _headers(masked: str, name: str) -> list[_Header]:
    """Headers of definitions of ``name``, in any case, in a masked text."""
    wanted = name.lower()
    # Looking for the keywords first is five times quicker than a search for the whole pattern.
    places = sorted(place for word in _KEYWORDS for place in _places(masked, word))
    for pattern in (_HEADER, _LOOSE_HEADER):
        found = []
        for place in places:
            match = pattern.match(masked, place)
            if match is not None and match["name"].lower() == wanted:
                abstract = _ABSTRACT.search(masked, max(0, place - 80), place)
                start = abstract.start() if abstract else place
                found.append(_Header(start, match.end() - 1, match["kind"], match["name"]))
        if found:
            return found
    return []


def _places(text: str, word: str) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + 1)


def _whole(regions: list[str], name: str) -> Iterator[_Found]:
    """Every definition of ``name`` whose braces close within a region."""
    for region in regions:
        if name.lower() not in region.lower():
            continue
        masked = mask(region)
        closing = brace_pairs(masked)
        for header in _headers(masked, name):
            end = closing.get(header.brace)
            if end is None:
                continue
            notes: tuple[str, ...] = ()
            later = _closed_early(masked, end)
            if later is not None:
                end, notes = later, ("the contract's braces close too early",)
            yield _Found(region[header.start : end], header.kind, header.name, notes=notes)


def _closed_early(masked: str, end: int) -> int | None:
    """Where the contract was meant to end, if a brace too many closed it before its last member.

    Cutting at that brace would judge half of what the model wrote, and as code that compiles.
    """
    following = _ANY_HEADER.search(masked, end)
    limit = following.start() if following else len(masked)
    stray = stray_brace(masked, end, limit)
    if stray is not None and _WORD.search(masked, end, stray):
        return stray
    if _MEMBER.match(masked, end):
        return len(masked[:limit].rstrip())
    return None


def _across_fences(text: str, name: str) -> Iterator[_Found]:
    """Definitions that hold fence lines: within a comment of theirs, or stray (those are taken out)."""
    masked = mask(text)
    closing = brace_pairs(masked)
    for header in _headers(masked, name):
        end = closing.get(header.brace)
        if end is None:
            continue
        code, position, stray = "", header.start, False
        for fence in _FENCE.finditer(masked, header.start, end):
            code, position, stray = code + text[position : fence.start()], fence.end(), True
        code += text[position:end]
        # Two cut-off blocks with prose between them are no contract.
        if not stray or parses(code):
            notes = ("stray fence taken out of the contract",) if stray else ()
            yield _Found(code, header.kind, header.name, notes=notes)


def _unclosed(regions: list[str], name: str) -> _Found | None:
    """A definition whose braces do not close: cut off if no fence follows."""
    for index, region in enumerate(regions):
        masked = mask(region)
        closing = brace_pairs(masked)
        for header in _headers(masked, name):
            if header.brace not in closing:
                return _Found(
                    region[header.start :].rstrip(),
                    header.kind,
                    header.name,
                    notes=("the contract's braces do not close",),
                    cut=index == len(regions) - 1,
                )
    return None


def _bodies(code: str) -> int:
    """How many functions do something."""
    return sum(not function.empty for function in functions(code))


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
        bodies = [_bodies(item.code) for item in found]
        full = [item for item, count in zip(found, bodies, strict=True) if 2 * count >= max(bodies)]
        notes.append(f"defined {len(found)} times")
        found = full
    best = found[-1]
    if best.name != name:
        notes.append(f"named {best.name}")
    return _Found(best.code, best.kind, best.name, notes=(*best.notes, *notes))


def _nothing(text: str, finish: FinishReason, notes: tuple[str, ...], *, cut: bool) -> Extraction:
    """Why there is no code."""
    others = sorted({match["name"] for match in _ANY_HEADER.finditer(mask(text))})
    if finish is FinishReason.CONTEXT:
        reason = NoCode.PROMPT_TOO_LONG
    elif finish is FinishReason.REFUSED:
        reason = NoCode.REFUSED
    elif cut or finish is FinishReason.LENGTH or _REASONING_START.match(text) or _is_cut(text):
        reason = NoCode.TRUNCATED
    elif not text.strip():
        reason = NoCode.EMPTY
    elif not others and _REFUSAL.search(text):
        reason = NoCode.REFUSED
    else:
        reason = NoCode.NOTHING_FOUND
    if others and not cut:
        notes = (*notes, "defines " + ", ".join(others))
    return Extraction(no_code=reason, notes=notes)


def _is_cut(text: str) -> bool:
    """Whether the reply stops in the middle of a definition: its braces or a comment in it stay open."""
    masked = mask(_FENCE.sub("", text))
    header = _ANY_HEADER.search(masked)
    if header is None:
        return False
    tail = masked[header.start() :]
    return tail.count("{") > tail.count("}") or "/*" in tail
