"""Finding the program in a model's reply.

It is the part of the reply that defines the function asked for, with its imports and what else the function needs;
examples of its use and tests are left out, since they would run whenever the program is loaded. What the function needs
and that part lacks is taken from other parts, and from the prompt. Fences only tell where prose ends.
"""

from __future__ import annotations

import ast
import builtins
import textwrap
from collections.abc import Iterator, Sequence

import msgspec

from solexp.core.prompt import FinishReason
from solexp.core.reply import (
    FENCE,
    Extraction,
    json_strings,
    reason_for_none,
    well_formed,
    without_reasoning,
)
from solexp.python.needed import defining, missing, names_of, needed
from solexp.python.reading import Part, is_sketch, read_part

_NO_BODY = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
"""What no function consists of alone."""
_FENCES = 12
"""How many fences of a reply are tried as part of a program."""
_BUILTIN = {*dir(builtins), "__name__", "__file__", "__doc__"}


class _Found(msgspec.Struct, frozen=True):
    part: Part
    lines: int
    """Lines of the function."""
    sketch: bool


def extract_program(
    reply: str,
    entry_point: str,
    *,
    head: str = "",
    finish: FinishReason = FinishReason.STOP,
) -> Extraction:
    """The program in ``reply`` that defines ``entry_point``.

    ``head`` is what the prompt showed of the program (`Task.framework`): a reply that goes on from it is put behind it.
    Of several definitions the last is taken that is no mere sketch: one with at least half as many lines as the
    longest. One that does not parse is code, which will not run, unless the reply ends within it.
    """
    text, notes = without_reasoning(well_formed(reply))
    parts = _parts(text)
    extraction = _extracted(parts, entry_point, head, finish)
    if any(part.broken(entry_point) for part in parts):
        across = _across_fences(text, entry_point)
        if across is not None:
            extraction = _extracted([across], entry_point, head, finish)
    if extraction is None and text.lstrip()[:1] in ("{", "["):
        parts = [part for string in json_strings(text) for part in _parts(string)]
        extraction = _extracted(parts, entry_point, head, finish)
    if extraction is None:
        others = sorted(
            {node.name for part in parts for node in part.body if isinstance(node, ast.FunctionDef)}
        )
        reason = reason_for_none(text, finish, cut=False, defines=bool(others), opened=False)
        told = ("defines " + ", ".join(others[:8]),) if others else ()
        return Extraction(no_code=reason, notes=(*notes, *told))
    return msgspec.structs.replace(extraction, notes=(*notes, *extraction.notes))


def _parts(text: str) -> list[Part]:
    """The text between fence lines, prose and code alike."""
    if "```" not in text and "~~~" not in text:
        return [read_part(text, closed=False)]
    pieces, position = [], 0
    for fence in FENCE.finditer(text):
        pieces.append(text[position : fence.start()])
        position = fence.end()
    return [
        *(read_part(piece, closed=True) for piece in pieces),
        read_part(text[position:], closed=False),
    ]


def _across_fences(text: str, name: str) -> Part | None:
    """The longest program that defines ``name`` and has fence lines within, in a docstring for example."""
    fences = list(FENCE.finditer(text))[:_FENCES]
    starts = [0, *(fence.end() for fence in fences)]
    ends = [*(fence.start() for fence in fences), len(text)]
    for first, start in enumerate(starts):
        for last in range(len(ends) - 1, first, -1):
            part = read_part(text[start : ends[last]], closed=last < len(fences))
            if part.fault is None and part.defining(name) is not None:
                return part
    return None


def _extracted(
    parts: Sequence[Part], name: str, head: str, finish: FinishReason
) -> Extraction | None:
    found = list(_definitions(parts, name))
    broken = next((part for part in reversed(parts) if part.broken(name)), None)
    whole = [each for each in found if not each.sketch]
    if broken is not None and not whole:
        return _broken(broken, finish)
    if found:
        return _taken(_chosen(whole or found), parts, name, head, finish)
    return _continued(parts, name, head, finish)


def _definitions(parts: Sequence[Part], name: str) -> Iterator[_Found]:
    for part in parts:
        node = part.defining(name)
        if node is not None:
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            yield _Found(part, lines, is_sketch(node))


def _chosen(found: Sequence[_Found]) -> _Found:
    longest = max(each.lines for each in found)
    return [each for each in found if 2 * each.lines >= longest][-1]


def _broken(part: Part, finish: FinishReason) -> Extraction:
    """A definition that does not parse."""
    reason = part.fault
    assert reason is not None
    cut = not part.closed and (finish is FinishReason.LENGTH or part.ends_open)
    if cut:
        no_code = reason_for_none(part.text, finish, cut=True, defines=True, opened=True)
        return Extraction(no_code=no_code, notes=(f"does not parse: {reason}",))
    code = part.source(part.body) + part.rest if part.body else part.rest
    return Extraction(code=code.strip(), notes=(f"does not parse: {reason}",))


def _taken(
    chosen: _Found, parts: Sequence[Part], name: str, head: str, finish: FinishReason
) -> Extraction:
    part = chosen.part
    node = part.defining(name)
    assert node is not None
    if finish is FinishReason.LENGTH and not part.closed and part.ends_with(node):
        # It parses, but what would have followed nobody knows.
        no_code = reason_for_none(part.text, finish, cut=True, defines=True, opened=True)
        return Extraction(no_code=no_code, notes=())
    kept = needed(part.body, name)
    notes = [*part.notes]
    code = part.source(kept)
    if len(kept) < len(part.body):
        notes.append(f"{len(part.body) - len(kept)} statements left out that it does not need")
    lacking = missing(kept, _BUILTIN) if not part.starred else set()
    sources: list[str] = []
    where = [("the prompt", [read_part(head, closed=True)] if head else [])]
    others = [each for each in parts if each is not part]
    for told, pool in [("other parts of the reply", others), *where]:
        found = [(each, defining(each.body, lacking, name)) for each in pool]
        bound = {each for _, body in found for node in body for each in names_of(node).bound}
        if bound & lacking:
            notes.append(f"taken from {told}: {', '.join(sorted(bound & lacking))}")
            lacking = lacking - bound
            # The prompt comes before the reply.
            sources = [each.source(body) for each, body in found if body] + sources
    return Extraction(code=_joined(sources, code), notes=tuple(notes))


def _joined(sources: Sequence[str], code: str) -> str:
    """Sources in order; a statement of the future has to come first."""
    future = [line for line in code.splitlines() if line.startswith("from __future__ import")]
    if sources and future:
        code = "\n".join(line for line in code.splitlines() if line not in future)
        sources = [*future, *sources]
    return "\n\n".join([*(source.strip() for source in sources), code.strip()])


def _continued(
    parts: Sequence[Part], name: str, head: str, finish: FinishReason
) -> Extraction | None:
    """The program of a reply that goes on where the prompt stops, within the function."""
    outline = read_part(head, closed=True).defining(name) if head else None
    if not isinstance(outline, ast.FunctionDef):
        return None
    for part in reversed(parts):
        text = part.raw.strip("\n")
        if not text.strip():
            continue
        if not text[:1].isspace():
            text = textwrap.indent(text, "    ")
        whole = read_part(f"{head.rstrip()}\n{text}\n", closed=part.closed)
        node = whole.defining(name)
        if isinstance(node, ast.FunctionDef) and _goes_on(node, outline):
            placed = _Found(whole, 0, sketch=False)
            taken = _taken(placed, [whole], name, "", finish)
            return msgspec.structs.replace(
                taken, notes=("put behind what the prompt shows", *taken.notes)
            )
        if whole.broken(name) and part.begins_within:
            return _broken(whole, finish)
    return None


def _goes_on(node: ast.FunctionDef, outline: ast.FunctionDef) -> bool:
    """Whether there is code in a function that its outline lacks, and not just words that happen to parse."""
    return any(
        not isinstance(each, _NO_BODY)
        for each in node.body[len(outline.body) :]
        if not _is_word(each)
    )


def _is_word(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Name | ast.Constant)
