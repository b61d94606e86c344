"""Listing and installing tools by name, for the command line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from solexp.core.errors import UserError, nearest
from solexp.toolchain.install import (
    ensure_anvil,
    ensure_forge,
    ensure_node,
    ensure_old_anvil,
    ensure_soljson,
    foundry_on_path,
    soljson_versions,
)
from solexp.toolchain.node import node_on_path, npm_command, on_path
from solexp.toolchain.shelf import intact, place, shelved
from solexp.toolchain.tables import soljson_package

_TOOLS: dict[str, tuple[Callable[[], object], ...]] = {
    # npm_command brings Node along where PATH has Node but no npm.
    "node": (ensure_node, npm_command),
    # Old hard forks need a release of anvil of their own.
    "foundry": (ensure_anvil, ensure_old_anvil, ensure_forge),
    "anvil": (ensure_anvil, ensure_old_anvil),
    "forge": (ensure_forge,),
}

_LISTED_SINGLY = 12


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that is there."""

    name: str
    version: str
    where: str
    source: str
    """``PATH``, or the package it was installed from."""


def tools_list() -> list[Tool]:
    """The tools on PATH that would be used, and everything on the shelf."""
    tools = []
    node = node_on_path()
    told = on_path("node")
    if node and told:
        tools.append(Tool(name="node", version=told[1].lstrip("v"), where=str(node), source="PATH"))
    for program in ("anvil", "forge"):
        found = foundry_on_path(program)
        if found:
            tools.append(Tool(name=program, version=found[1], where=str(found[0]), source="PATH"))
    for name in ("node", "anvil", "forge", "soljson"):
        there = shelved(name)
        known = [v for v in soljson_versions() if v in there] if name == "soljson" else there
        for version in known:
            folder = place(name, version)
            manifest = intact(folder)
            if manifest:
                tools.append(
                    Tool(name=name, version=version, where=str(folder), source=manifest.source)
                )
    return tools


def render(tools: Sequence[Tool]) -> list[str]:
    """One plain line a tool: name, version, place, and where it came from; many compilers share a line."""
    rows = [(t.name, t.version, t.where, t.source) for t in tools if t.name != "soljson"]
    compilers = [tool for tool in tools if tool.name == "soljson"]
    if len(compilers) > _LISTED_SINGLY:
        span = f"{compilers[0].version} … {compilers[-1].version}"
        where = str(Path(compilers[0].where).parent)
        rows.append(("soljson", span, where, f"{len(compilers)} releases of npm package solc"))
    else:
        rows += [(t.name, t.version, t.where, t.source) for t in compilers]
    width = max((len(version) for _, version, _, _ in rows), default=0)
    return [
        f"{name:<9}{version:<{width + 2}}{where}  ({source})"
        for name, version, where, source in rows
    ]


def install(words: Sequence[str], compilers: Sequence[str] = ()) -> list[Tool]:
    """Installs what the words name and is not there yet; returns what is there afterwards.

    ``words`` are ``node``, ``foundry``, ``anvil``, ``forge``, and ``solc`` followed by releases or ``all``; without
    any, Node, Foundry and the releases in ``compilers``. Nothing is installed when a word is not understood: that is
    a UserError. Raises ToolError when an install fails.
    """
    tools, releases = _understand(words) if words else (["node", "foundry"], list(compilers))
    for tool in tools:
        for ensure in _TOOLS[tool]:
            ensure()
    for release in releases:
        ensure_soljson(release)
    return tools_list()


def _understand(words: Sequence[str]) -> tuple[list[str], list[str]]:
    tools: list[str] = []
    releases: list[str] = []
    asked = False
    for word in words:
        if word in _TOOLS:
            tools.append(word)
            asked = False
        elif word == "solc":
            asked = True
        elif asked and word == "all":
            releases += soljson_versions()
        elif asked:
            soljson_package(word)
            releases.append(word)
        else:
            raise UserError(f"no tool '{word}'; {nearest(word, [*_TOOLS, 'solc'])}")
    if "solc" in words and not releases:
        raise UserError("solc: which release? such as: solexp tools install solc 0.8.30, or all")
    return tools, releases
