"""Import remappings as forge has them: those that are written down, and those that follow from the library folders."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence, Set

from solexp.solidity.foundry.files import Files

_LINE = re.compile(r"(?:(?P<context>[^:=]*):)?(?P<prefix>[^=]+)=(?P<target>.*)")
_SOURCES = ("src", "contracts")
"""Folders of a library that hold its sources, the first that does."""


def normal(remapping: str) -> str | None:
    """A remapping with a slash behind prefix and target, as forge has it; None when it is none.

    >>> normal("forge-std=lib/forge-std/src")
    'forge-std/=lib/forge-std/src/'
    """
    match = _LINE.fullmatch(remapping.strip())
    if match is None:
        return None
    prefix, target = match["prefix"].strip(), match["target"].strip().removeprefix("./")
    if not prefix.endswith(".sol"):
        prefix = prefix.rstrip("/") + "/"
        target = target.rstrip("/") + "/" if target else ""
    context = f"{match['context']}:" if match["context"] else ""
    return f"{context}{prefix}={target}"


def written(files: Files, path: str = "remappings.txt") -> list[str]:
    """The lines of a file of remappings; none where there is no such file."""
    text = files.get(path, b"").decode(errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip() and line.strip()[0] != "#"]


def all_remappings(
    files: Files, configured: Iterable[str], libraries: Sequence[str], *, detect: bool
) -> tuple[str, ...]:
    """Every remapping of a project, each prefix once: ``configured`` first, then remappings.txt, then detected ones."""
    found: dict[str, str] = {}
    lines = [*configured, *written(files)]
    if detect:
        lines += detected(files, libraries)
    for line in lines:
        one = normal(line)
        if one is not None:
            found.setdefault(one.partition("=")[0], one)
    return tuple(found.values())


def detected(files: Files, libraries: Sequence[str]) -> list[str]:
    """A remapping for each library below the library folders, libraries of libraries after them.

    A library's own remappings.txt counts for names that nothing nearer has. Packages with a scope share its remapping.
    """
    sources = {path for path in files if path.endswith(".sol")}
    found: dict[str, str] = {}
    waiting = [folder.strip("/").removeprefix("./") for folder in libraries]
    while waiting:
        folder = waiting.pop(0)
        for name in _children(sources, folder):
            inside = f"{folder}/{name}"
            # A scope's packages keep their own layout: imports name their folders.
            target = f"{inside}/" if name.startswith("@") else _sources(sources, inside)
            found.setdefault(f"{name}/", target)
            for line in written(files, f"{inside}/remappings.txt"):
                one = normal(line)
                if one is not None and ":" not in one.partition("=")[0]:
                    prefix, _, there = one.partition("=")
                    joined = posixpath.normpath(f"{inside}/{there}") + "/"
                    if any(path.startswith(joined) for path in sources):
                        found.setdefault(prefix, joined)
            waiting += [f"{inside}/{each}" for each in ("lib", "node_modules")]
    return [f"{prefix}={target}" for prefix, target in found.items()]


def _children(sources: Set[str], folder: str) -> list[str]:
    """The folders right below one that hold sources."""
    start = f"{folder}/"
    inner = (path[len(start) :] for path in sources if path.startswith(start))
    return sorted({rest.partition("/")[0] for rest in inner if "/" in rest})


def _sources(sources: Set[str], library: str) -> str:
    for name in _SOURCES:
        if any(path.startswith(f"{library}/{name}/") for path in sources):
            return f"{library}/{name}/"
    return f"{library}/"
