"""Tasks in a folder: the form in which solexp keeps tasks of any benchmark.

taskset.json             schema, name, where the tasks come from, how many, and the hash of the next
tasks.solexp.jsonl.gz    a task a line, as `solexp.core.Task`
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from solexp.core import DataError, Task, UserError
from solexp.core.hashing import file_hash
from solexp.store.records import read_gzip_lines, write_gzip_lines, write_json

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
    partial = folder / f".{TASKS}.{os.getpid()}"
    count = write_gzip_lines(partial, tasks)
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
    write_json(folder / HEADER, header)
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


def read(folder: Path, malformed: Callable[[str], None]) -> Iterator[Task]:
    """The tasks of the task set in ``folder``; each malformed line, with its place, is told and left out.

    Raises DataError where the file is missing or damaged.
    """
    header(folder)
    path = folder / TASKS

    def tell(problem: str) -> None:
        malformed(f"{problem}; import the data again")

    try:
        for _, task in read_gzip_lines(path, Task, tell):
            yield task
    except FileNotFoundError:
        raise DataError(f"{path} is missing; import the data again") from None
    except DataError as error:
        raise DataError(f"{error}; import the data again") from None
