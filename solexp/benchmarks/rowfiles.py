"""Where rows of a data set are kept: Parquet, JSONL (gzipped or not), or Arrow as the ``datasets`` package saves it."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from solexp.core import DataError, Task, UserError
from solexp.store.records import write_atomically

_ENDS = (".parquet", ".jsonl", ".jsonl.gz", ".arrow")
Raw = tuple[str, Mapping[str, Any]]
"""A row's place, for messages, and its values by column."""


def files_of(path: Path, config: str) -> list[Path]:
    """The files that hold the rows of ``config`` in a file or folder.

    A file is taken as it is. In a folder it is, of these, what is there: ``CONFIG.parquet`` or ``CONFIG.jsonl``
    (``.gz``), files named ``CONFIG-…`` or in a folder CONFIG at any depth, as published data sets have them. Raises
    UserError when there is none.
    """
    if path.is_file():
        if not path.name.endswith(_ENDS):
            raise UserError(f"benchmark.path: {path} is none of {', '.join(_ENDS)}")
        return [path]
    if not path.is_dir():
        raise UserError(
            f"{path} is not there; set benchmark.path, or build rows: solexp data build"
        )
    known = sorted(each for each in path.rglob("*") if each.name.endswith(_ENDS) and each.is_file())
    named = [each for each in known if each.parent == path and _stem(each) == config]
    parts = [
        each
        for each in known
        if each.name.startswith(f"{config}-") or config in each.relative_to(path).parts[:-1]
    ]
    if not (named or parts):
        raise UserError(
            f"{path} holds no rows of '{config}': give a folder with {config}.parquet or {config}.jsonl, or "
            "a copy of the data set"
        )
    return named[:1] or parts


def read(path: Path, columns: Sequence[str] | None = None) -> Iterator[Raw]:
    """The rows of one file, with their places. Raises DataError when it is damaged, or lacks one of ``columns``."""
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        yield from _jsonl(path)
    else:
        yield from _table(path, columns)


def write_parquet(
    path: Path,
    rows: Iterable[msgspec.Struct],
    kind: type[msgspec.Struct],
    *,
    large: bool = False,
) -> None:
    """Writes rows of texts, lists of texts and numbers as Parquet; the same rows give the same bytes.

    ``large`` has texts in columns that may hold more than 2 GB of them.
    """
    import pyarrow  # noqa: PLC0415  (half a second to import)
    from pyarrow import parquet  # noqa: PLC0415

    kinds = {
        int: pyarrow.int64(),
        float | None: pyarrow.float64(),
        tuple[str, ...]: pyarrow.list_(pyarrow.string()),
    }
    text = pyarrow.large_string() if large else pyarrow.string()
    schema = pyarrow.schema(
        [(field.name, kinds.get(field.type, text)) for field in msgspec.structs.fields(kind)]
    )
    table = pyarrow.Table.from_pylist([msgspec.to_builtins(row) for row in rows], schema=schema)
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, compression="zstd")
    write_atomically(path, buffer.getvalue())


def _stem(path: Path) -> str:
    return path.name.partition(".")[0]


def _jsonl(path: Path) -> Iterator[Raw]:
    data = path.read_bytes()
    if path.name.endswith(".gz"):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise DataError(f"{path}: {error}") from None
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        place = f"{path} line {number}"
        try:
            yield place, msgspec.json.decode(line, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(f"{place}: {error}") from None


def _table(path: Path, columns: Sequence[str] | None) -> Iterator[Raw]:
    import pyarrow  # noqa: PLC0415
    from pyarrow import ipc, parquet  # noqa: PLC0415

    try:
        if path.name.endswith(".parquet"):
            file = parquet.ParquetFile(path)
            names = file.schema_arrow.names
            wanted = [name for name in names if columns is None or name in columns]
            batches = file.iter_batches(batch_size=64, columns=wanted or names[:1])
        else:
            stream = ipc.open_stream(path.read_bytes())
            names, batches = stream.schema.names, stream
        missing = [name for name in columns or () if name not in names]
        if missing:
            raise DataError(f"{path}: has no column {', '.join(missing)}")
        number = 0
        for batch in batches:
            for row in batch.to_pylist():
                number += 1
                yield f"{path} row {number}", row
    except (OSError, pyarrow.ArrowException, UnicodeDecodeError) as error:
        raise DataError(f"{path}: {str(error).splitlines()[0]}") from None


def posed(
    rows: Iterable[Raw],
    pose: Callable[[Mapping[str, Any], str], Task],
    folder: Path,
    malformed: Callable[[str], None],
) -> list[Task]:
    """The tasks of rows, each with its place; ``malformed`` is told of those that are none, in one line each.

    ``pose`` raises DataError for such a row. Raises DataError when no row of ``folder`` is a task.
    """
    tasks: list[Task] = []
    first: DataError | None = None
    for place, values in rows:
        try:
            tasks.append(pose(values, place))
        except DataError as error:
            first = first or error
            malformed(f"{error}; left out")
    if first is not None and not tasks:
        raise DataError(f"{folder} holds no usable row; the first problem: {first}")
    return tasks
