"""Replies that were recorded elsewhere: tables and folders of model outputs.

Two forms are read:

- a table (``.parquet``, ``.jsonl``, ``.csv``; the last two also with ``.gz``) with the columns ``task_id``, ``text``
  and, if there are several, ``sample`` (0-based) and ``model``;
- a folder ``MODEL/TASK/outputN.txt``, the layout of SolContractEval's release (or a folder above it that holds
  ``results/model_output``, or one MODEL's own folder).
"""

from __future__ import annotations

import csv
import gzip
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

import msgspec

from solexp.core import DataError, UserError
from solexp.core.errors import nearest

_OUTPUT = re.compile(r"output(\d+)\.txt")
_RELEASE = Path("results/model_output")
_FORMATS = (".parquet", ".jsonl", ".csv")

Replies = Mapping[tuple[str, int], str]
"""Reply by task id and sample."""


class _Row(msgspec.Struct):
    task_id: str
    text: str | None
    sample: int = 0
    model: str | None = None


def recorded_models(path: Path) -> tuple[str, ...]:
    """The models that ``path`` holds replies of, sorted; empty for a table without a column ``model``."""
    if _is_folder(path):
        return tuple(sorted(folder.name for folder in _models(path).iterdir() if folder.is_dir()))
    return tuple(sorted({row.model for _, row in _rows(path) if row.model is not None}))


def recorded_replies(path: Path, model: str | None = None) -> Replies:
    """The replies of ``model`` in ``path``, by task id and sample; a reply that was nothing is the empty text.

    ``model`` may be left out where there is one only. Raises UserError when there is no such path or model, DataError,
    naming the place, when a row is malformed or occurs twice.
    """
    if _is_folder(path):
        return _folder_replies(path, model)
    found: dict[tuple[str, int], str] = {}
    models: set[str] = set()
    for place, row in _rows(path):
        if row.model is not None:
            models.add(row.model)
            if model is not None and row.model != model:
                continue
        if model is None and len(models) > 1:
            raise UserError(f"{path} holds several models; choose one: {', '.join(sorted(models))}")
        key = (row.task_id, row.sample)
        if key in found:
            raise DataError(f"{path} {place}: sample {row.sample} of {row.task_id} occurs twice")
        found[key] = row.text or ""
    if model is not None and models and model not in models:
        raise UserError(f"{path} holds no model '{model}'; {nearest(model, models)}")
    return found


def _is_folder(path: Path) -> bool:
    if path.is_dir():
        return True
    if not path.is_file():
        raise UserError(f"there are no recorded replies at {path}: no such file or folder")
    return False


def _models(path: Path) -> Path:
    return path / _RELEASE if (path / _RELEASE).is_dir() else path


def _folder_replies(path: Path, model: str | None) -> Replies:
    folder = _models(path)
    if any(folder.glob("*/output*.txt")):
        # The folder of one model.
        if model not in (None, folder.name):
            raise UserError(f"{folder} holds the replies of {folder.name}, not of '{model}'")
    else:
        names = recorded_models(folder)
        if model is None and len(names) == 1:
            model = names[0]
        if model is None:
            raise UserError(f"{folder} holds several models; choose one: {', '.join(names)}")
        if model not in names:
            raise UserError(f"{folder} holds no model '{model}'; {nearest(model, names)}")
        folder /= model
    found = {}
    for file in sorted(folder.glob("*/output*.txt")):
        match = _OUTPUT.fullmatch(file.name)
        if match is not None:
            try:
                # newline="" keeps the reply as it was.
                with file.open(encoding="utf-8", newline="") as text:
                    found[file.parent.name, int(match[1])] = text.read()
            except UnicodeDecodeError as error:
                raise DataError(f"{file}: {error}") from None
    if not found:
        raise UserError(f"{folder} holds no replies; they must be TASK/outputN.txt")
    return found


def _rows(path: Path) -> Iterator[tuple[str, _Row]]:
    """The rows of a table, each with its place (``line 3``)."""
    kind = next((kind for kind in _FORMATS if path.name.removesuffix(".gz").endswith(kind)), None)
    if kind == ".parquet":
        yield from _parquet(path)
    elif kind == ".jsonl":
        yield from _jsonl(path)
    elif kind == ".csv":
        yield from _csv(path)
    else:
        raise UserError(f"{path}: replies are read from {', '.join(_FORMATS)}, not from this")


def _parquet(path: Path) -> Iterator[tuple[str, _Row]]:
    # Arrow costs half a second to import.
    from pyarrow import ArrowException, parquet  # noqa: PLC0415

    try:
        file = parquet.ParquetFile(path)
    except ArrowException as error:
        raise DataError(f"{path}: {str(error).splitlines()[0]}") from None
    names = [name for name in _Row.__struct_fields__ if name in file.schema_arrow.names]
    table = file.read(columns=names)
    columns = [table.column(name).to_pylist() for name in names]
    for index, row in enumerate(zip(*columns, strict=True)):
        place = f"row {index}"
        yield place, _row(dict(zip(names, row, strict=True)), path, place)


def _jsonl(path: Path) -> Iterator[tuple[str, _Row]]:
    with _open(path) as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                place = f"line {number}"
                try:
                    value = msgspec.json.decode(line)
                except msgspec.DecodeError as error:
                    raise DataError(f"{path} {place}: {error}") from None
                yield place, _row(value, path, place)


def _csv(path: Path) -> Iterator[tuple[str, _Row]]:
    # A reply can be longer than the default limit of 131,072 characters.
    csv.field_size_limit(sys.maxsize)
    with _open(path) as file:
        reader = csv.DictReader(file)
        for row in reader:
            place = f"line {reader.line_num}"
            yield place, _row(row, path, place)


def _row(value: Any, path: Path, place: str) -> _Row:
    try:
        return msgspec.convert(value, _Row, strict=False)
    except msgspec.ValidationError as error:
        raise DataError(f"{path} {place}: {error}") from None


def _open(path: Path) -> TextIO:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    return path.open(encoding="utf-8", newline="")
