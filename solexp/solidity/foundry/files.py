"""A project's files: read from an archive that nobody need trust, and kept once under their hash."""

from __future__ import annotations

import hashlib
import os
import tarfile
import zlib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path, PurePosixPath

import msgspec

from solexp.core import DataError, ToolError
from solexp.core.hashing import content_hash
from solexp.store.records import write_atomically
from solexp.toolchain.homes import cache_home

MOST_FILES = 20_000
MOST_BYTES = 512 << 20
"""What an archive may hold: more is no project but a bomb."""

Files = Mapping[str, bytes]
"""Contents by path, with forward slashes, relative to the project's folder."""


def read_archive(path: Path) -> dict[str, bytes]:
    """The files of a tar archive, compressed or not; the one folder that all of them are in is taken off.

    Nothing is written. Raises DataError for an archive that is damaged, that holds links, devices, or paths that lead
    out of it, or that unpacks to more than `MOST_FILES` or `MOST_BYTES`.
    """
    files: dict[str, bytes] = {}
    size = 0
    try:
        with tarfile.open(path) as archive:
            for number, member in enumerate(archive):
                if member.isdir():
                    continue
                if not member.isfile():
                    raise DataError(f"{path}: '{member.name}' is no plain file")
                size += member.size
                if number >= MOST_FILES or size > MOST_BYTES:
                    raise DataError(
                        f"{path} holds more than {MOST_FILES} files or {MOST_BYTES >> 20} MB"
                    )
                content = archive.extractfile(member)
                assert content is not None
                files[inside(member.name, path)] = content.read()
    except FileNotFoundError:
        raise
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} cannot be read as an archive: {error}") from None
    tops = {name.partition("/")[0] for name in files}
    if len(tops) == 1 and all("/" in name for name in files):
        return {name.partition("/")[2]: data for name, data in files.items()}
    return files


def inside(name: str, archive: object) -> str:
    """The plain form of a path in an archive. Raises DataError where it leads out of it; ``archive`` is named there."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name or not path.parts:
        raise DataError(f"{archive}: '{name}' leads out of the archive")
    return str(path)


def project_hash(files: Files) -> str:
    """SHA-256 over all paths and contents."""
    return content_hash({name: hashlib.sha256(data).hexdigest() for name, data in files.items()})


def keep(files: Files) -> str:
    """Keeps a project's files in the cache home; returns the hash under which `kept` finds them.

    They are one file there, which is there whole or not at all. Raises ToolError when it cannot be written.
    """
    name = project_hash(files)
    place = _place(name)
    if not place.is_file():
        try:
            write_atomically(place, msgspec.msgpack.encode(dict(files)))
        except OSError as error:
            raise ToolError(f"cannot keep a project in {place}: {error}") from None
    return name


@lru_cache(maxsize=8)
def kept(name: str) -> Files:
    """The files of the project with this hash. Raises ToolError when they are not there, or not what they were."""
    place = _place(name)
    try:
        files = msgspec.msgpack.decode(place.read_bytes(), type=dict[str, bytes])
    except OSError:
        raise ToolError(f"project {name[:12]} is not at {place}; start the run anew") from None
    except msgspec.DecodeError:
        files = {}
    if project_hash(files) != name:
        place.unlink(missing_ok=True)
        raise ToolError(f"project {name[:12]} was damaged and is removed; start the run anew")
    return files


def write(files: Files, folder: Path) -> None:
    """Writes files below ``folder``."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _place(name: str) -> Path:
    return cache_home() / "projects" / f"{name}.msgpack"


def environment(home: Path) -> dict[str, str]:
    """The environment of a tool that must see neither the user's settings nor the user's secrets."""
    shown = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
    return {**shown, "HOME": str(home), "NO_COLOR": "1"}
