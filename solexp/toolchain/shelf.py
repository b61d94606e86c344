"""The shelf: one folder per tool and version below the tools home, each complete or not there at all.

A tool is filled into a hidden folder beside its place, its manifest is written last, and the folder is then renamed
into place; a lock per tool and version keeps two processes apart. A process that is killed on the way leaves a hidden
folder that the next one removes; a place whose files do not match its manifest is cleared and filled again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout

from solexp.core.errors import ToolError
from solexp.core.hashing import file_hash
from solexp.toolchain.homes import tools_home

MANIFEST = "manifest.json"


class ShelvedFile(msgspec.Struct, frozen=True):
    """What a file of a tool was when it was installed."""

    size: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in a tool's folder. It is written last, so its presence says that the rest is there."""

    tool: str
    version: str
    source: str
    """The package it came from, such as ``solc@0.8.17``."""
    files: dict[str, ShelvedFile]
    """The files that are looked at before each use, by path relative to the folder."""


def say(line: str) -> None:
    """One line of progress on standard error."""
    print(f"solexp: {line}", file=sys.stderr, flush=True)


def place(tool: str, version: str) -> Path:
    """Where a tool's version stands, or would stand."""
    return tools_home() / tool / version


def intact(folder: Path, *, thorough: bool = False) -> Manifest | None:
    """The manifest of a complete install, or None. ``thorough`` also compares every listed file's SHA-256."""
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=Manifest)
        for name, file in manifest.files.items():
            if (folder / name).stat().st_size != file.size:
                return None
            if thorough and file_hash(folder / name) != file.sha256:
                return None
    except (OSError, msgspec.DecodeError, msgspec.ValidationError):
        return None
    return manifest


def shelved(tool: str) -> tuple[str, ...]:
    """The versions of a tool that are completely installed, sorted by name."""
    folder = tools_home() / tool
    if not folder.is_dir():
        return ()
    return tuple(sorted(p.name for p in folder.iterdir() if p.name[0] != "." and intact(p)))


def shelve(tool: str, version: str, source: str, fill: Callable[[Path], Sequence[str]]) -> Path:
    """The folder of a tool's version, filled first if it is not complete.

    ``fill`` gets an empty folder, puts the tool into it, and returns the paths (relative to it) of the files that
    matter. Raises ToolError when the folder can't be written, and whatever ``fill`` raises.
    """
    folder = place(tool, version)
    if intact(folder):
        return folder
    label = f"{tool} {version}"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _held(folder.parent / f".{version}.lock", label):
            if intact(folder):
                return folder
            partial = folder.parent / f".{version}.partial"
            if folder.exists() or partial.exists():
                say(f"{label}: clearing away an install that was not finished")
                _remove(folder)
                _remove(partial)
            say(f"{label}: installing from {source} into {folder}")
            begun = time.monotonic()
            partial.mkdir()
            try:
                names = fill(partial)
                _write_manifest(partial, tool, version, source, names)
                partial.rename(folder)
            except BaseException:
                shutil.rmtree(partial, ignore_errors=True)
                raise
            say(f"{label}: installed in {time.monotonic() - begun:.1f} s")
    except OSError as error:
        raise ToolError(
            f"{label}: can't write {error.filename or folder}: {error.strerror or error}; "
            "set SOLEXP_TOOLS to a folder that can be written"
        ) from error
    return folder


def _remove(folder: Path) -> None:
    if folder.is_dir():
        shutil.rmtree(folder)
    else:
        folder.unlink(missing_ok=True)


@contextlib.contextmanager
def _held(path: Path, label: str) -> Iterator[None]:
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0.5)
    except Timeout:
        say(f"{label}: waiting for another process that is installing it")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _write_manifest(
    folder: Path, tool: str, version: str, source: str, names: Sequence[str]
) -> None:
    files = {}
    for name in names:
        path = folder / name
        _sync(path)
        files[name] = ShelvedFile(path.stat().st_size, file_hash(path))
    manifest = Manifest(tool=tool, version=version, source=source, files=files)
    path = folder / MANIFEST
    path.write_bytes(msgspec.json.format(msgspec.json.encode(manifest)) + b"\n")
    _sync(path)


def _sync(path: Path) -> None:
    # Without this a power cut could leave a manifest that outlived the bytes it speaks for.
    with path.open("rb+") as file:
        os.fsync(file.fileno())
