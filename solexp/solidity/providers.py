"""Where a compiler of a given version comes from: native, py-solc-x, npm's soljson; in that order by default."""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from solexp.core import ToolError
from solexp.toolchain.install import ensure_node, ensure_soljson

log = logging.getLogger(__name__)

Provider = Literal["native", "solcx", "soljson"]
PROVIDERS: tuple[Provider, ...] = ("native", "solcx", "soljson")

_REACH_SECONDS = 2.0
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
    home = Path.home()
    on_path = shutil.which("solc")
    candidates = [
        *([Path(on_path)] if on_path else []),
        home / ".svm" / version / f"solc-{version}",
        home / ".solcx" / f"solc-v{version}",
        home / ".solcx" / f"solc-v{version}" / "solc",
    ]
    for path in candidates:
        if path.is_file() and os.access(path, os.X_OK):
            try:
                if release_of(ask_native(path)) == version:
                    return Found("native", version, path.resolve())
            except ToolError as error:
                log.debug("%s", error)
    raise ToolError("not installed")


@cache
def _solcx_unreachable() -> str | None:
    """Why py-solc-x cannot download, found out once a process; None when it can."""
    try:
        import requests  # noqa: PLC0415
        from solcx.install import BINARY_DOWNLOAD_BASE  # noqa: PLC0415
    except ImportError as error:
        return f"py-solc-x is not installed ({error})"
    base = BINARY_DOWNLOAD_BASE.format("linux", "list.json")
    answers: list[str | None] = []

    def ask() -> None:
        try:
            requests.head(base, timeout=_REACH_SECONDS)
            answers.append(None)
        except requests.RequestException as error:
            answers.append(type(error).__name__)

    # A thread, since nothing else bounds the time that looking up a name may take.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(2 * _REACH_SECONDS)
    reason = answers[0] if answers else f"no answer in {2 * _REACH_SECONDS:g} s"
    if reason is None:
        return None
    message = f"{urlsplit(base).hostname} cannot be reached ({reason})"
    log.info("compilers by py-solc-x are left out: %s", message)
    return message


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
