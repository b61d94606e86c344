"""Where a compiler of a given version comes from: native, py-solc-x, npm's soljson; in that order by default."""

from __future__ import annotations

import logging
import os
import re
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from solexp.core import ToolError
from solexp.toolchain.install import ensure_node, ensure_soljson
from solexp.toolchain.solc import native_compilers, solcx_unreachable

log = logging.getLogger(__name__)

Provider = Literal["native", "solcx", "soljson"]
PROVIDERS: tuple[Provider, ...] = ("native", "solcx", "soljson")

_VERSION = re.compile(r"(\d+\.\d+\.\d+)(?:-[0-9A-Za-z.-]+)?\+commit\.[0-9a-f]+")


STAND_INS = {"0.8.1": "0.8.2"}
"""npm's package of 0.8.1 holds 0.8.0. The next release takes all that 0.8.1 takes."""


class Found(msgspec.Struct, frozen=True):
    """A compiler on this machine: a native executable, or a soljson that ``node`` runs.

    ``release`` is the one asked for, or its stand-in.
    """

    provider: Provider
    release: str
    path: Path
    node: Path | None = None

    @property
    def stamp(self) -> tuple[str, str, int, int]:
        """Changes when the file does."""
        stat = self.path.stat()
        return self.provider, str(self.path), stat.st_size, stat.st_mtime_ns


def release_of(full_version: str) -> str | None:
    """The release in a full version: ``0.8.17`` of ``0.8.17+commit.8df45f5f.Linux.g++``; None when there is none."""
    match = _VERSION.search(full_version)
    return match[1] if match else None


def find(version: str, providers: Sequence[Provider]) -> Found:
    """The first provider's compiler of exactly this release, installed if need be.

    Raises ToolError, with every provider's reason, when none has it.
    """
    reasons = []
    for provider in providers:
        try:
            found = _FINDERS[provider](version)
        except ToolError as error:
            reasons.append(f"{provider}: {error}")
            continue
        log.info("solc %s: %s (%s)", version, provider, found.path)
        return found
    raise ToolError(f"no compiler {version}: " + "; ".join(reasons))


@cache
def ask_native(path: Path) -> str:
    """The full version that a native compiler reports. Raises ToolError when it does not run."""
    try:
        answer = subprocess.run(
            [str(path), "--version"], capture_output=True, text=True, timeout=30, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolError(f"{path} --version fails: {error}") from error
    match = re.search(r"^Version: (\S+)", answer, re.MULTILINE)
    if match is None:
        raise ToolError(f"{path} --version does not tell a version")
    return match[1]


def _native(version: str) -> Found:
    for release, path in native_compilers():
        if release in (None, version) and os.access(path, os.X_OK):
            try:
                if release_of(ask_native(path)) == version:
                    return Found("native", version, path.resolve())
            except ToolError as error:
                log.debug("%s", error)
    raise ToolError("not installed")


@cache
def _solcx_unreachable() -> str | None:
    """Why py-solc-x cannot download, found out once a process; None when it can."""
    reason = solcx_unreachable()
    if reason is not None:
        log.info("compilers by py-solc-x are left out: %s", reason)
    return reason


def _solcx(version: str) -> Found:
    if (reason := _solcx_unreachable()) is not None:
        raise ToolError(reason)
    import solcx  # noqa: PLC0415

    try:
        solcx.install_solc(version)
        path = Path(solcx.install.get_executable(version))
    except Exception as error:
        raise ToolError(f"cannot install: {error}") from error
    if release_of(ask_native(path)) != version:
        raise ToolError(f"{path} is not {version}")
    return Found("solcx", version, path)


def _soljson(version: str) -> Found:
    release = STAND_INS.get(version, version)
    if release != version:
        log.warning("solc %s is not on npm: %s stands in for it", version, release)
    return Found("soljson", release, ensure_soljson(release), ensure_node())


_FINDERS = {"native": _native, "solcx": _solcx, "soljson": _soljson}
