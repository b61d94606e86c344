"""Sheets that people fill in: rows of named cells, as CSV or as JSON Lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from solexp.core import UserError
from solexp.core.nesting import refuse_depth
from solexp.store.records import write_atomically, write_lines

_JSON, _CSV = (".jsonl", ".json"), (".csv", ".tsv")


def check_sheet(path: Path) -> None:
    """Raises UserError for a file whose name ends as no sheet's does."""
    if path.suffix.lower() not in (*_JSON, *_CSV):
        raise UserError(f"{path}: must end in .jsonl, .csv or .tsv")


def write_sheet(path: Path, rows: Iterable[Mapping[str, str]]) -> None:
    """Writes rows that have the same columns, atomically, in the form that the name asks for."""
    check_sheet(path)
    if path.suffix.lower() in _JSON:
        write_lines(path, rows)
        return
    text = io.StringIO(newline="")
    writer = None
    for row in rows:
        if writer is None:
            comma = "\t" if path.suffix.lower() == ".tsv" else ","
            writer = csv.DictWriter(text, list(row), delimiter=comma, lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)
    write_atomically(path, text.getvalue().encode())


def rows_of(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a JSONL or CSV file, each with its place. Raises UserError naming file and line."""
    check_sheet(path)
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is no UTF-8 text; save it as UTF-8") from None
    yield from (_json_rows if path.suffix.lower() in _JSON else _csv_rows)(path, text)


def _json_rows(path: Path, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                refuse_depth(line)
                yield f"{path} line {number}", msgspec.json.decode(line, type=dict[str, Any])
            except (msgspec.MsgspecError, ValueError) as error:
                raise UserError(f"{path} line {number}: {error}") from None


def _csv_rows(path: Path, text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    head = text.partition("\n")[0]
    # Spreadsheets of some languages write semicolons.
    comma = max("\t;,", key=head.count)
    # By default no cell may have more than 131,072 characters; code may.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=comma, strict=True)
    try:
        for row in reader:
            place = f"{path} line {reader.line_num}"
            if None in row or None in row.values():
                raise UserError(f"{place}: has more or fewer cells than the head")
            yield place, dict(row)
    except csv.Error as error:
        raise UserError(f"{path} line {reader.line_num}: {error}") from None
