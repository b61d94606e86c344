"""What is there and what is not: for each tool where it was found, its version, or how to get it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from solexp.toolchain.homes import cache_home, data_home, tools_home
from solexp.toolchain.install import foundry_on_path, foundry_platform
from solexp.toolchain.node import OLDEST_NODE, node_on_path, npm_on_path, on_path, shelved_node
from solexp.toolchain.shelf import intact, place, shelved
from solexp.toolchain.solc import native_compilers, solcx_unreachable
from solexp.toolchain.tables import foundry, soljson


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at."""

    name: str
    ok: bool
    where: str = ""
    """Path, or in words; empty when it was not found."""
    version: str = ""
    mend: str = ""
    """How to get it, or what happens without it; empty when all is well."""
    needed: bool = False
    """Whether solexp can't work while this is not ok; what installs itself when first needed is not in this sense."""


def checks() -> list[Check]:
    """Every check, in the order in which a reader wants them. Takes some seconds, at most 4 of them on the network."""
    return [
        _python(),
        _node(),
        _npm(),
        _foundry("anvil"),
        _old_anvil(),
        _foundry("forge"),
        _native_solc(),
        _solcx(),
        _soljson(),
        _package("mlflow", "mlflow", needed=True),
        _package("slither", "slither-analyzer", program="slither"),
        _package("z3", "z3-solver"),
        _program("git", "a run can't note the commit it was made with"),
        _program("chromium", "only `make test-ui` needs it; on Debian: apt-get install chromium"),
        _data(),
        _writable("tools home", tools_home(), "SOLEXP_TOOLS"),
        _writable("cache home", cache_home(), "SOLEXP_CACHE"),
    ]


def render(found: Sequence[Check]) -> list[str]:
    """The checks as plain lines: a mark, name, version, place, and the mend where there is one."""
    names = max((len(check.name) for check in found), default=0)
    versions = max((len(check.version) for check in found), default=0)
    lines = []
    for check in found:
        mark = "ok" if check.ok else "MISSING" if check.needed else "-"
        told = "; ".join(part for part in (check.where, check.mend) if part)
        lines.append(
            f"{mark:<8}{check.name:<{names + 2}}{check.version:<{versions + 2}}{told}".rstrip()
        )
    return lines


def healthy(found: Sequence[Check]) -> bool:
    """Whether everything that solexp can't do without is there."""
    return all(check.ok for check in found if check.needed)


def _python() -> Check:
    fits = (3, 11) <= sys.version_info[:2] <= (3, 13) and sys.version_info[:3] != (3, 12, 0)
    return Check(
        name="python",
        ok=fits,
        where=sys.executable,
        version=platform.python_version(),
        mend="" if fits else "use Python 3.11, 3.12 (not 3.12.0) or 3.13",
        needed=True,
    )


def _node() -> Check:
    path = node_on_path()
    if path:
        found = on_path("node")
        version = found[1].lstrip("v") if found else ""
        return Check(name="node", ok=True, where=str(path), version=version)
    shelf = shelved_node()
    old = on_path("node")
    why = f"{old[0]} is older than {OLDEST_NODE}; " if old else ""
    return _from_shelf("node", shelf.version, shelf.node, why)


def _npm() -> Check:
    path = npm_on_path()
    if path:
        found = on_path("npm")
        return Check(name="npm", ok=True, where=str(path), version=found[1] if found else "")
    shelf = shelved_node()
    return _from_shelf("npm", f"of node {shelf.version}", shelf.npm_cli, "", tool="node")


def _foundry(program: str) -> Check:
    found = foundry_on_path(program)
    if found:
        return Check(name=program, ok=True, where=str(found[0]), version=found[1])
    version = foundry().version
    old = on_path(program)
    why = f"{old[0]} ({old[1]}) is too old; " if old else ""
    return _from_shelf(
        program, version, place(program, version) / program, why, words="foundry", tool=program
    )


def _old_anvil() -> Check:
    pinned, platform_name = foundry().old_forks, foundry_platform()
    name = "anvil (old forks)"
    if platform_name not in pinned.anvil:
        mend = f"none for {platform_name}; gas before London is not exact, all else is"
        return Check(name=name, ok=False, mend=mend)
    path = place("anvil", pinned.version) / "anvil"
    return _from_shelf(name, pinned.version, path, "", words="foundry", tool="anvil")


def _from_shelf(  # noqa: PLR0917
    name: str, version: str, path: Path, why: str, words: str = "", tool: str = ""
) -> Check:
    command = f"solexp tools install {words or tool or name}"
    folder = place(tool or name, version.rsplit(maxsplit=1)[-1])
    if intact(folder, thorough=True):
        return Check(name=name, ok=True, where=str(path), version=version)
    if folder.exists():
        return Check(name=name, ok=False, mend=f"{folder} is damaged; run: {command}")
    return Check(name=name, ok=False, mend=f"{why}installed when first needed, or by: {command}")


def _native_solc() -> Check:
    found = native_compilers()
    if not found:
        mend = "none installed; py-solc-x or soljson serve"
        return Check(name="solc (native)", ok=False, mend=mend)
    folders = dict.fromkeys(
        str(path if release is None else path.parent) for release, path in found
    )
    versions = sorted({release for release, _ in found if release}, key=_numbers)
    return Check(name="solc (native)", ok=True, where=", ".join(folders), version=_span(versions))


def _solcx() -> Check:
    version = _version("py-solc-x")
    if version is None:
        return Check(
            name="py-solc-x", ok=False, mend=f"run: {sys.executable} -m pip install py-solc-x"
        )
    reason = solcx_unreachable()
    return Check(
        name="py-solc-x",
        ok=reason is None,
        where="its host answers" if reason is None else "",
        version=version,
        mend="" if reason is None else f"{reason}; soljson serves",
    )


def _soljson() -> Check:
    known = soljson().releases
    there = [version for version in known if version in shelved("soljson")]
    sound = [v for v in there if intact(place("soljson", v), thorough=True)]
    damaged = [v for v in there if v not in sound]
    mend = f"{', '.join(damaged)} damaged; run: solexp tools install solc {' '.join(damaged)}"
    if not damaged:
        mend = f"{len(sound)} of {len(known)} releases"
        if len(sound) < len(known):
            mend += "; the others are installed when first needed"
    return Check(
        name="soljson",
        ok=bool(sound) and not damaged,
        where=str(tools_home() / "soljson") if there else "",
        version=_span(sound),
        mend=mend,
    )


def _package(name: str, package: str, *, program: str = "", needed: bool = False) -> Check:
    version = _version(package)
    if version is None:
        mend = f"run: {sys.executable} -m pip install {package}"
        return Check(name=name, ok=False, mend=mend, needed=needed)
    beside = Path(sys.executable).parent / program
    where = str(beside) if program and beside.exists() else f"package {package}"
    return Check(name=name, ok=True, where=where, version=version, needed=needed)


def _program(name: str, without: str) -> Check:
    found = on_path(name)
    if found is None:
        return Check(name=name, ok=False, mend=f"not on PATH: {without}")
    numbers = [w for w in found[1].split() if w[:1].isdigit()]
    return Check(
        name=name, ok=True, where=str(found[0]), version=numbers[0] if numbers else found[1]
    )


def _data() -> Check:
    home = data_home()
    there = sorted(p.name for p in home.iterdir() if p.is_dir()) if home.is_dir() else []
    return Check(
        name="data home",
        ok=bool(there),
        where=str(home) + (f" ({', '.join(there)})" if there else ""),
        mend="" if there else "empty; only the embedded benchmark can run; see: solexp data list",
    )


def _writable(name: str, folder: Path, variable: str) -> Check:
    nearest = next(p for p in (folder, *folder.parents) if p.exists())
    try:
        with tempfile.TemporaryFile(dir=nearest):
            free = shutil.disk_usage(nearest).free // 10**9
    except OSError as error:
        return Check(
            name=name,
            ok=False,
            where=str(folder),
            mend=f"can't be written ({error.strerror}); set {variable} to a folder that can",
            needed=not os.access(folder, os.R_OK),
        )
    return Check(name=name, ok=True, where=f"{folder} ({free} GB free)")


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdecimal()]


def _span(versions: Sequence[str]) -> str:
    return (
        versions[0] if len(versions) == 1 else f"{versions[0]}…{versions[-1]}" if versions else ""
    )
