"""A project's files read from a folder, and packed as an archive."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

from solexp.core import DataError
from solexp.solidity.foundry.files import MOST_BYTES, MOST_FILES, Files

MADE = frozenset({"out", "cache", "artifacts", "broadcast", "coverage"})
"""Folders, right below the project's, of what tools make."""


def read_folder(folder: Path) -> dict[str, bytes]:
    """The files of a project by path. Links are not followed, hidden files and folders and what tools make left out.

    Raises DataError for a folder that holds more than an archive may, or that cannot be read.
    """
    files: dict[str, bytes] = {}
    size = 0
    try:
        for path in _walk(folder):
            size += path.stat().st_size
            if len(files) >= MOST_FILES or size > MOST_BYTES:
                raise DataError(
                    f"{folder} holds more than {MOST_FILES} files or {MOST_BYTES >> 20} MB"
                )
            files[path.relative_to(folder).as_posix()] = path.read_bytes()
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error}") from None
    return files


def _walk(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        here = Path(place)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and not (here == folder and name in MADE)
        )
        for name in sorted(names):
            path = here / name
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


def archive(files: Files, top: str) -> bytes:
    """A compressed tar archive of ``files`` in a folder ``top``. The same files give the same bytes."""
    raw = io.BytesIO()
    with (
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as tar,
    ):
        for name, data in sorted(files.items()):
            member = tarfile.TarInfo(f"{top}/{name}")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return raw.getvalue()
