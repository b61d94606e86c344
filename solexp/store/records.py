"""Files that outlive the process: whole files by atomic rename, lines by appending.

What is written survives a kill of the process at any moment, since it is then in the system's page
cache. Only what is written with ``durable`` also waits for the disk and survives a power cut. What is
known to be secret is masked in everything that is written as JSON, see `solexp.core.secrets`.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO, TypeVar

import msgspec

from solexp.core import secrets
from solexp.core.errors import DataError, UserError

T = TypeVar("T")


def write_atomically(path: Path, data: bytes, *, durable: bool = False) -> None:
    """Replace ``path`` by ``data``: readers see the old file or the new one, never a part.

    ``durable`` also waits for the disk, so that the file outlives a power cut and not only a kill.
    """
    with _replacement(path) as file:
        file.write(data)
        if durable:
            file.flush()
            os.fsync(file.fileno())
    if durable and os.name == "posix":
        # The new name is in the folder, which has to reach the disk as well.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def check_writable(path: Path, *, folder: bool = False) -> None:
    """Raises UserError where a file, or with ``folder`` files below it, cannot be written: before work is lost."""
    reason = None
    if path.exists() and path.is_dir() != folder:
        reason = "it is no folder" if folder else "it is a folder"
    else:
        there = path if path.exists() else next(each for each in path.parents if each.exists())
        if there != path and not there.is_dir():
            reason = f"{there} is no folder"
        elif not os.access(there, os.W_OK):
            reason = f"{there} is read-only"
    if reason is not None:
        raise UserError(f"{path} cannot be written: {reason}; give another --out")


@contextmanager
def _replacement(path: Path) -> Iterator[BinaryIO]:
    """A file that takes ``path``'s place once it was written without an error."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.{token_hex(4)}")
    try:
        with part.open("wb") as file:
            yield file
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any, *, durable: bool = False) -> None:
    """Write ``value`` as indented JSON with a final newline, atomically."""
    data = msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
    write_atomically(path, secrets.redact_json(data), durable=durable)


def read_json(path: Path, kind: type[T]) -> T:
    """Read a JSON file as ``kind``. Raises UserError naming the file when it is missing or malformed."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not readable as {kind.__name__}: {error}") from None


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    """Write one JSON value a line, atomically."""
    encoder = msgspec.json.Encoder()
    data = b"".join(encoder.encode(row) + b"\n" for row in rows)
    write_atomically(path, secrets.redact_json(data))


def read_lines(path: Path, kind: type[T]) -> Iterator[T]:
    """Yield each line as ``kind``.

    A last line without a newline is what a kill leaves of an append; it was never wholly written and
    is passed over. Any other malformed line raises UserError naming file and line.
    """
    if not path.exists():
        return
    decoder = msgspec.json.Decoder(kind)
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                yield decoder.decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise UserError(f"{path} line {number}: {error}") from None


def write_gzip_lines(path: Path, rows: Iterable[Any]) -> int:
    """Write one JSON value a line, compressed, atomically; returns how many. The same rows give the same bytes."""
    encoder = msgspec.json.Encoder(order="deterministic")
    count = 0
    # The gzip header has no time.
    with _replacement(path) as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
        for row in rows:
            file.write(encoder.encode(row) + b"\n")
            count += 1
    return count


def read_gzip_lines(
    path: Path, kind: type[T], malformed: Callable[[str], None]
) -> Iterator[tuple[str, T]]:
    """Yield each line of a compressed file as ``kind``, with its place (file and line).

    A malformed line is told to ``malformed``, as its place and what is wrong with it, and left out.
    Raises FileNotFoundError, and DataError where the file cannot be decompressed any further.
    """
    decoder = msgspec.json.Decoder(kind)
    number = 0
    try:
        with gzip.open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                place = f"{path} line {number}"
                try:
                    value = decoder.decode(line)
                except (msgspec.DecodeError, UnicodeDecodeError) as error:
                    malformed(f"{place}: {error}")
                else:
                    yield place, value
    except FileNotFoundError:
        raise
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} after line {number}: {error}") from None


class Appender:
    """Appends JSON lines, each out of the process before `write` returns."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("ab")
        self._encoder = msgspec.json.Encoder()

    def write(self, *rows: Any) -> None:
        """Append the rows; once this returns they survive a kill, though not a power cut."""
        data = b"".join(self._encoder.encode(row) + b"\n" for row in rows)
        self._file.write(secrets.redact_json(data))
        self._file.flush()

    def __enter__(self) -> Appender:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
