"""The tools that solexp drives, each installed when it is first needed.

Every ``ensure_`` function returns the path of a tool that is there and complete. What has to be installed goes below
the tools home, under a lock, checked against a committed hash, with lines of progress on standard error.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from pathlib import Path

from solexp.core.errors import ToolError
from solexp.toolchain.node import ensure_node, on_path
from solexp.toolchain.npm import fetch_file
from solexp.toolchain.shelf import shelve
from solexp.toolchain.tables import foundry, soljson, soljson_package

__all__ = [
    "OLDEST_FOUNDRY",
    "ensure_anvil",
    "ensure_forge",
    "ensure_node",
    "ensure_old_anvil",
    "ensure_soljson",
    "foundry_on_path",
    "foundry_platform",
    "soljson_versions",
]

OLDEST_FOUNDRY = (1, 7, 0)
"""anvil before 1.7 answers ``eth_simulateV1`` differently."""


def ensure_anvil() -> Path:
    """Path of anvil: the one on PATH if it is new enough, else the pinned release. Raises ToolError."""
    return _ensure_foundry("anvil")


def ensure_old_anvil() -> Path | None:
    """Path of the anvil for hard forks before London; None where there is none for this platform. Raises ToolError."""
    pinned = foundry().old_forks
    package = pinned.anvil.get(foundry_platform())
    if package is None:
        return None

    def fill(folder: Path) -> Sequence[str]:
        fetch_file(package, "anvil", folder / "anvil", executable=True)
        return ["anvil"]

    return shelve("anvil", pinned.version, f"npm package {package.npm}", fill) / "anvil"


def ensure_forge() -> Path:
    """Path of forge: the one on PATH if it is new enough, else the pinned release. Raises ToolError."""
    return _ensure_foundry("forge")


def soljson_versions() -> tuple[str, ...]:
    """Every release of the Solidity compiler that can be had as soljson, oldest first."""
    return tuple(soljson().releases)


def ensure_soljson(version: str) -> Path:
    """Path of ``soljson.js`` of one release of the compiler. Raises UserError for an unknown release, ToolError."""
    package = soljson_package(version)

    def fill(folder: Path) -> Sequence[str]:
        fetch_file(package, "soljson.js", folder / "soljson.js")
        return ["soljson.js"]

    return shelve("soljson", version, f"npm package {package.npm}", fill) / "soljson.js"


def foundry_on_path(program: str) -> tuple[Path, str] | None:
    """``anvil`` or ``forge`` on PATH with its version such as ``1.7.1``, if it is new enough; else None."""
    found = on_path(program)
    match = re.search(r"(\d+)\.(\d+)\.(\d+)", found[1]) if found else None
    if found is None or match is None:
        return None
    version = tuple(int(part) for part in match.groups())
    return (found[0], match.group()) if version >= OLDEST_FOUNDRY else None


def foundry_platform() -> str:
    """This machine's name in Foundry's packages, such as ``linux-amd64``."""
    system = {"Windows": "win32"}.get(platform.system(), platform.system().lower())
    machine = platform.machine().lower()
    return f"{system}-{ {'x86_64': 'amd64', 'aarch64': 'arm64'}.get(machine, machine) }"


def _ensure_foundry(program: str) -> Path:
    found = foundry_on_path(program)
    if found:
        return found[0]
    pinned = foundry()
    packages = pinned.anvil if program == "anvil" else pinned.forge
    package = packages.get(foundry_platform())
    if package is None:
        raise ToolError(
            f"{program}: Foundry has no package for {foundry_platform()} "
            f"(there are {', '.join(packages)}); build Foundry and put {program} on PATH"
        )
    name = f"{program}.exe" if os.name == "nt" else program

    def fill(folder: Path) -> Sequence[str]:
        fetch_file(package, name, folder / name, executable=True)
        return [name]

    return shelve(program, pinned.version, f"npm package {package.npm}", fill) / name
