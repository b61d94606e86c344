"""The documentation as data: its fenced blocks, commands, links and headings."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
)

_FENCE = re.compile(r"```(\w*)\s*$")
_COMMENT = re.compile(r"<!--\s*(.*?)\s*-->")
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"`[^`\n]+`")
_HEADING = re.compile(r"#+\s+(.*)")


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """A fenced block."""

    page: Path
    line: int
    language: str
    text: str
    note: str
    """What the HTML comment just above says, such as ``run`` or ``file: conf/model/mine.yaml``."""

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def file(self) -> str | None:
        """The file that the block is to be written to."""
        return self.note.removeprefix("file:").strip() if self.note.startswith("file:") else None


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """A line ``$ NAME=VALUE … program words``."""

    place: str
    page: Path
    environment: dict[str, str]
    words: list[str]
    executed: bool

    @property
    def shown(self) -> str:
        return f"{self.place} {shlex.join(self.words)}"


def blocks(page: Path) -> list[Block]:
    """Every fenced block of a page. An unclosed fence is a ValueError."""
    found = []
    note, start, language, kept = "", 0, "", list[str]()
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if start:
            if line == "```":
                text = "\n".join(kept) + "\n"
                found.append(Block(page=page, line=start, language=language, text=text, note=note))
                note, start = "", 0
            else:
                kept.append(line)
        elif fence := _FENCE.match(line):
            start, language, kept = number, fence[1], []
        elif comment := _COMMENT.fullmatch(line):
            note = comment[1]
        elif line:
            note = ""
    if start:
        raise ValueError(f"{page}:{start}: this fence is never closed")
    return found


def commands(page: Path) -> list[Command]:
    """The commands of a page's ``console`` blocks, in order."""
    found = []
    for block in blocks(page):
        if block.language != "console":
            continue
        for line in block.text.splitlines():
            if not line.startswith("$ "):
                continue
            words = shlex.split(line[2:])
            environment = {}
            while words and re.match(r"[A-Z_]+=", words[0]):
                name, _, value = words.pop(0).partition("=")
                environment[name] = value
            found.append(
                Command(
                    place=block.place,
                    page=page,
                    environment=environment,
                    words=words,
                    executed=block.note == "run",
                )
            )
    return found


def links(page: Path) -> list[str]:
    """Targets of a page's links and images that lead to files or headings of this repository."""
    text = _CODE.sub("", _prose(page))
    return [target for target in _LINK.findall(text) if "://" not in target]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = (_HEADING.fullmatch(line) for line in _prose(page).splitlines())
    return {
        re.sub(r"[^\w\- ]", "", heading[1].lower()).replace(" ", "-")
        for heading in headings
        if heading
    }


def section(page: Path, title: str) -> str:
    """The text below ``## title`` up to the next heading of that level."""
    text = page.read_text("utf-8")
    _, found, rest = text.partition(f"\n## {title}\n")
    assert found, f"{page.name} has no section '{title}'"
    return rest.partition("\n## ")[0]


def _prose(page: Path) -> str:
    """A page without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
