"""Answers kept under the hash of their question.

joblib.Memory would do the keeping, but it pickles (so that a cache can run code, and dies with a
renamed class) and keys by the source of a function; questions here have names of their own, and
answers are typed JSON that a person can read.
"""

from __future__ import annotations

import functools
import logging
import multiprocessing
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from solexp.core import secrets
from solexp.store.records import write_atomically

T = TypeVar("T")

_LOG = logging.getLogger("solexp.store")

NEVER_PRUNED = frozenset({"generations", "locks"})
"""Kinds that go only when they are named: answers that were paid for, and locks that may be held."""


class Store:
    """A folder of JSON answers, one file a key. Safe between processes: files appear whole or not at all."""

    def __init__(self, folder: Path, schema: int = 1) -> None:
        """``schema`` is the version of the answers' form; answers of another version are not found."""
        self.folder = folder / f"v{schema}"

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key[2:]}.json"

    def get(self, key: str, kind: type[T]) -> T | None:
        """The answer kept under ``key``, or None. An answer that cannot be read counts as absent."""
        try:
            return msgspec.json.decode(self._path(key).read_bytes(), type=kind)
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def put(self, key: str, answer: Any) -> None:
        """Keep ``answer`` under ``key``, out of this process; a power cut may lose the last seconds'.

        A folder that cannot be written costs a warning, once in a process, and the answer's keeping.
        """
        try:
            data = secrets.redact_json(msgspec.json.encode(answer))
            write_atomically(self._path(key), data)
        except OSError as error:
            _warn(self.folder, error)


@functools.cache
def _warn_once(text: str) -> None:
    _LOG.warning("%s", text)
    if multiprocessing.current_process().name == "MainProcess":
        print(f"solexp: {text}", file=sys.stderr)


def _warn(folder: Path, error: OSError) -> None:
    reason = error.strerror or type(error).__name__
    _warn_once(f"answers cannot be kept in {folder} ({reason}); going on without")


def size_of(folder: Path) -> tuple[int, int]:
    """Number of files below ``folder`` and their bytes."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return len(files), sum(path.stat().st_size for path in files)


def prune(folder: Path, keep_bytes: int, kinds: Collection[str] | None = None) -> int:
    """Delete the answers that were read or written longest ago until ``keep_bytes`` of them remain.

    ``kinds`` names the folders below ``folder`` whose answers count and may go; by default all but
    `NEVER_PRUNED`, whose bytes do not count either. Returns how many answers went.
    """
    if kinds is None:
        kinds = {path.name for path in folder.glob("*/")} - NEVER_PRUNED
    found = [path for kind in kinds for path in (folder / kind).rglob("*.json") if path.is_file()]
    files = [(path.stat(), path) for path in found]
    files.sort(key=lambda pair: max(pair[0].st_atime, pair[0].st_mtime))
    excess = sum(stat.st_size for stat, _ in files) - keep_bytes
    gone = 0
    for stat, path in files:
        if excess <= 0:
            break
        path.unlink(missing_ok=True)
        excess -= stat.st_size
        gone += 1
    return gone
