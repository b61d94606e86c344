"""A reply, cut into the parts that its fences make of it."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from functools import cached_property

import msgspec

from solexp.core.reply import FENCE
from solexp.solidity.lexing import KEYWORDS, Header, brace_pairs, headers, mask

_GLOB = re.compile(r"(?<=[\w.*])/\*")
_DIFF = re.compile(
    r"\s*+(?:(?:diff|index|new file mode) [^\n]*+\n|--- /dev/null[^\n]*+\n|\+\+\+ [^\n]*+\n|@@[^\n]*+\n)*+(?=\+)"
)
_OPENED = re.compile(r"^[ \t>]*[`~]{3,}[ \t]*([\w+#-]*)", re.MULTILINE)
_DEFINES = re.compile(r"\s*+(?:(?:pragma|import|abstract|contract|library|interface)\b|\Z)")


class Part(msgspec.Struct, frozen=True):
    """What stands between two fences, and what had to be done to it."""

    text: str
    notes: tuple[str, ...] = ()


class Region:
    """A part of a reply, with its definitions."""

    def __init__(self, text: str, masked: str | None = None) -> None:
        self.text = text
        self.masked = mask(text) if masked is None else masked

    @cached_property
    def headers(self) -> list[Header]:
        """The headers of all definitions, in order."""
        return headers(self.masked)

    @cached_property
    def closing(self) -> dict[int, int]:
        return brace_pairs(self.masked)

    def named(self, name: str) -> list[Header]:
        """The headers of definitions of ``name``, in any case; those that no compiler takes if there is no other."""
        wanted = name.lower()
        found = [
            header
            for header in self.headers
            if header.name.lower() == wanted and (header.strict or not header.prose)
        ]
        return [header for header in found if header.strict] or found

    def closed(self, name: str) -> Iterator[tuple[Header, int]]:
        """Headers of definitions of ``name`` and where these end, those left out that are inside of another."""
        position = 0
        for header in self.named(name):
            end = self.closing.get(header.brace)
            if end is not None and header.start >= position:
                position = end
                yield header, end

    def following(self, end: int) -> int:
        """Where the first definition after ``end`` begins, or the region's end."""
        index = bisect.bisect_left(self.headers, end, key=lambda header: header.start)
        return self.headers[index].start if index < len(self.headers) else len(self.masked)


def split(text: str, name: str) -> list[Part]:
    """The text between fence lines; prose and code alike, since models get fences wrong.

    A contract that goes on in the next fence, with nothing in between, is put together.
    """
    if "```" not in text and "~~~" not in text:
        return [_part(text)]
    parts, fences, position = [], [""], 0
    for fence in FENCE.finditer(text):
        parts.append(text[position : fence.start()])
        fences.append(fence[0])
        position = fence.end()
    parts.append(text[position:])
    regions: list[Part] = []
    index = 0
    while index < len(parts):
        end = _continued(parts, fences, index, name)
        regions.append(_part("".join(parts[index:end]), joined=end > index + 1))
        index = end
    return regions


def _continued(parts: list[str], fences: list[str], index: int, name: str) -> int:
    """The index behind the last part that continues the contract left open in the part ``index``."""
    end = index + 1
    if end + 1 >= len(parts) or parts[end].strip() or not names(parts[index], name):
        return end
    first = Region(parts[index])
    if all(header.brace in first.closing for header in first.named(name)):
        return end
    opened, language = _balance(first.masked), _language(fences[index])
    while (
        opened > 0
        and end + 1 < len(parts)
        and not parts[end].strip()
        and _language(fences[end + 1]) in ("", language)
    ):
        following = mask(parts[end + 1])
        if _DEFINES.match(following):
            break
        opened += _balance(following)
        end += 2
    return end


def _balance(masked: str) -> int:
    return masked.count("{") - masked.count("}")


def _language(fence: str) -> str:
    match = _OPENED.match(fence)
    return match[1].lower() if match is not None else ""


def _part(text: str, *, joined: bool = False) -> Part:
    notes = ("joined over fences",) if joined else ()
    start = _DIFF.match(text)
    if start is not None:
        lines = text[start.end() :].splitlines(keepends=True)
        if all(line.isspace() or line.startswith("+") for line in lines):
            # A new file as a diff.
            return Part("".join(line.removeprefix("+") for line in lines), (*notes, "a diff"))
    return Part(text, notes)


def names(text: str, name: str) -> bool:
    return name.lower() in text.lower()


def read(text: str, name: str) -> Region:
    """The region of ``text``; a glob in prose (``src/*``) opens no comment that hides the contract."""
    region = Region(text)
    glob = None if region.named(name) else _GLOB.search(text)
    if glob is None:
        return region
    first = re.compile(
        rf"^[ \t]*(?:abstract\s+)?(?:{'|'.join(KEYWORDS)})\s+{re.escape(name)}(?![\w$])",
        re.MULTILINE | re.IGNORECASE,
    ).search(text, glob.end())
    if first is None:
        return region
    before = mask(text[: first.start()])
    opened = before.find("/*")
    if opened < 0 or not _GLOB.match(before, opened):
        return region
    return Region(text, before + mask(text[first.start() :]))
