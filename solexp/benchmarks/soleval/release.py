"""SolEval's release as it is: its data set, and the index of what is known about each of its tasks."""

from __future__ import annotations

import ast
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from solexp.core import DataError, UserError
from solexp.store.records import read_gzip_lines

DATASET = "data/dataset.json.gz"
EXAMPLES = "data/example.json.gz"
INDEX = "data/task_index.jsonl.gz"
ARCHIVES = "repos"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What is used of a task of the data set."""

    identifier: str
    body: str
    start: str
    """First line, 1-based."""
    end: str
    """Last line."""
    full_signature: str
    human_labeled_comment: str
    contract: str = msgspec.field(name="class", default="")
    context: str = ""

    def signatures(self) -> list[str]:
        """The signatures of the context, sorted: the release keeps them as a set of Python's, in no order."""
        if not self.context:
            return []
        try:
            found = ast.literal_eval(self.context)
        except (ValueError, SyntaxError):
            raise DataError("'context' must be a set of signatures") from None
        return sorted({" ".join(str(each).split()) for each in found})


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the index."""

    repo: str
    source: str
    """Path within the repository."""
    test_file: str
    identifier: str
    start: int
    end: int
    kind: str
    overload_count: int = 1
    signature_ok: bool = True
    assembly: bool = False
    recovered: bool = True
    tests: tuple[str, ...] | None = None


def read_entries(path: Path) -> list[tuple[str, Entry]]:
    """The tasks of ``dataset.json.gz`` or ``example.json.gz`` in order, each with its path in the release.

    Raises UserError where there is no such file, DataError where it is damaged.
    """
    try:
        with gzip.open(path) as file:
            found = msgspec.json.decode(file.read(), type=dict[str, list[Entry]])
    except FileNotFoundError:
        raise UserError(f"{path} is missing; copy SolEval's data into the data home") from None
    except (OSError, EOFError, zlib.error, msgspec.DecodeError) as error:
        raise DataError(f"{path}: {error}") from None
    return [(source, entry) for source, entries in found.items() for entry in entries]


def read_tasks(folder: Path) -> Iterator[tuple[str, Entry, Known]]:
    """Every task with its place, as in ``dataset.json.gz task 3``, and what the index knows of it.

    Raises UserError where a file is missing, DataError where one is damaged or they do not belong together.
    """
    problems: list[str] = []
    entries = read_entries(folder / DATASET)
    try:
        known = [line for _, line in read_gzip_lines(folder / INDEX, Known, problems.append)]
    except FileNotFoundError:
        raise UserError(
            f"{folder / INDEX} is missing; copy SolEval's data into the data home"
        ) from None
    if problems:
        raise DataError(problems[0])
    if len(entries) != len(known):
        raise DataError(
            f"{folder / INDEX} has {len(known)} lines for the {len(entries)} tasks of {DATASET}"
        )
    for number, ((_, entry), line) in enumerate(zip(entries, known, strict=True), 1):
        place = f"{DATASET} task {number}"
        if (entry.identifier, entry.start) != (line.identifier, str(line.start)):
            raise DataError(
                f"{place} is {entry.identifier!r}, but line {number} of {INDEX} is "
                f"{line.identifier!r}"
            )
        yield place, entry, line


def count(folder: Path) -> int | None:
    """How many tasks the index names; None without data. Raises DataError where it is damaged."""
    try:
        return sum(1 for _ in read_gzip_lines(folder / INDEX, Known, lambda _: None))
    except FileNotFoundError:
        return None
