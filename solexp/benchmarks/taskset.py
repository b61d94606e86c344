"""Tasks in a folder: the form in which solexp keeps tasks of any benchmark.

taskset.json             schema, name, where the tasks come from, how many, and the hash of the next
tasks.solexp.jsonl.gz    a task a line, as `solexp.core.Task`
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from solexp.core import DataError, Task, UserError
from solexp.core.hashing import file_hash

SCHEMA = 1
HEADER = "taskset.json"
TASKS = "tasks.solexp.jsonl.gz"


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """What a task set says of itself."""

    schema: int
    benchmark: str
    origin: str
    """What the tasks were made from."""
    tasks: int
    sha256: str
    """Hash of the file of tasks."""


def write(folder: Path, benchmark: str, origin: str, tasks: Iterable[Task]) -> Header:
    """Writes a task set. A reader sees the old one or the new one, never a mixture."""
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f".{TASKS}.{os.getpid()}"
    encoder = msgspec.json.Encoder(order="deterministic")
    count = 0
    # Without a time in the gzip header the same tasks give the same file.
    with partial.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as file:
        for task in tasks:
            file.write(encoder.encode(task) + b"\n")
            count += 1
    header = Header(
        schema=SCHEMA,
        benchmark=benchmark,
        origin=origin,
        tasks=count,
        sha256=file_hash(partial),
    )
    # The header goes first out and last in, so that it never describes another file.
    (folder / HEADER).unlink(missing_ok=True)
    partial.replace(folder / TASKS)
    text = msgspec.json.format(msgspec.json.encode(header))
    staged = folder / f".{HEADER}.{os.getpid()}"
    staged.write_bytes(text + b"\n")
    staged.replace(folder / HEADER)
    return header


def exists(folder: Path) -> bool:
    """Whether ``folder`` holds a finished task set."""
    return (folder / HEADER).is_file()


def header(folder: Path) -> Header:
    """What the task set in ``folder`` says of itself."""
    path = folder / HEADER
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Header)
    except FileNotFoundError:
        raise UserError(f"{folder} holds no task set: {HEADER} is missing") from None
    except msgspec.DecodeError as error:
        raise DataError(f"{path}: {error}; import the data again") from None
    if found.schema != SCHEMA:
        raise DataError(
            f"{path} has schema {found.schema}, this solexp reads {SCHEMA}; import the data again"
        )
    return found


def read(folder: Path) -> Iterator[Task]:
    """The tasks of the task set in ``folder``. Raises DataError, naming file and line, where one is malformed."""
    header(folder)
    path = folder / TASKS
    decoder = msgspec.json.Decoder(Task)
    number = 0
    try:
        with gzip.open(path, "rb") as file:
            for line in file:
                number += 1
                yield decoder.decode(line)
    except FileNotFoundError:
        raise DataError(f"{path} is missing; import the data again") from None
    except msgspec.DecodeError as error:
        raise DataError(f"{path} line {number}: {error}; import the data again") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} after line {number}: {error}; import the data again") from None
