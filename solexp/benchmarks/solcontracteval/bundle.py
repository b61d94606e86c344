"""Reading the release as two tables: ``tasks.jsonl.gz`` (a contract a line) and ``transactions.parquet``."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec

from solexp.benchmarks.solcontracteval.entry import Entry, Transaction, succeeded
from solexp.core import DataError, UserError

TASKS = "tasks.jsonl.gz"
TRANSACTIONS = "transactions.parquet"
_COLUMNS = (
    "task_id", "idx", "hash", "block_number", "timestamp", "nonce", "sender", "to", "value", "gas", "gas_used",
    "is_error", "receipt_status", "created", "input",
)  # fmt: skip


class _Line(msgspec.Struct):
    """What is used of a line."""

    task_id: str
    address: str
    deployed_contract: str
    target_contract: str
    compiler_version_full: str
    optimizer_raw: str
    constructor_arguments: str
    prompt: str
    ground_truth: str
    source: str
    function_sum: int | None = None
    tx_source: str = "none"


def entries(folder: Path, ids: Iterable[str] | None = None) -> Iterator[Entry]:
    """The contracts of a bundle, with their transactions; only those of ``ids`` if given.

    Raises DataError, naming file and line, where one is malformed.
    """
    lines = list(_lines(folder / TASKS))
    if ids is not None:
        wanted = set(ids)
        lines = [line for line in lines if line.task_id in wanted]
    histories = _histories(folder / TRANSACTIONS, [line.task_id for line in lines])
    for line in lines:
        yield Entry(
            address=line.address,
            deployed_contract=line.deployed_contract,
            target_contract=line.target_contract,
            compiler=line.compiler_version_full,
            optimiser=line.optimizer_raw,
            constructor_arguments=line.constructor_arguments,
            function_sum=line.function_sum,
            prompt=line.prompt,
            ground_truth=line.ground_truth,
            source=line.source,
            history=line.tx_source,
            transactions=histories.get(line.task_id, ()),
        )


def count(folder: Path) -> int:
    """How many contracts a bundle holds."""
    return sum(1 for _ in _lines(folder / TASKS))


def _lines(path: Path) -> Iterator[_Line]:
    decoder = msgspec.json.Decoder(_Line)
    number = 0
    try:
        with gzip.open(path, "rb") as file:
            for text in file:
                number += 1
                yield decoder.decode(text)
    except FileNotFoundError:
        raise UserError(f"{path} is missing; run: solexp data fetch solcontracteval") from None
    except msgspec.DecodeError as error:
        raise DataError(f"{path} line {number}: {error}") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} after line {number}: {error}") from None


def _histories(path: Path, ids: list[str]) -> dict[str, tuple[Transaction, ...]]:
    # Arrow costs half a second to import, which commands that read no history should not pay. Its filters would import
    # pandas as well.
    import pyarrow  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    try:
        table = parquet.ParquetFile(path).read(columns=list(_COLUMNS))
    except FileNotFoundError:
        raise UserError(f"{path} is missing; run: solexp data fetch solcontracteval") from None
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(f"{path}: {str(error).splitlines()[0]}") from None
    rows: dict[str, list[tuple[int, Transaction]]] = {}
    for task_id, start, count in _runs(table.column("task_id").to_pylist()):
        if task_id in ids:
            part = table.slice(start, count)
            columns = [part.column(name).to_pylist() for name in _COLUMNS]
            rows.setdefault(task_id, []).extend(map(_transaction, zip(*columns, strict=True)))
    return {
        task_id: tuple(row for _, row in sorted(found, key=itemgetter(0)))
        for task_id, found in rows.items()
    }


def _runs(values: list[str]) -> Iterator[tuple[str, int, int]]:
    """Every stretch of equal values: value, start, length."""
    start = 0
    for value, group in groupby(values):
        count = len(list(group))
        yield value, start, count
        start += count


def _transaction(row: tuple[Any, ...]) -> tuple[int, Transaction]:
    cell = dict(zip(_COLUMNS, row, strict=True))
    receipt = cell["receipt_status"]
    return cell["idx"], Transaction(
        hash=cell["hash"],
        block_number=cell["block_number"],
        timestamp=cell["timestamp"],
        nonce=cell["nonce"],
        sender=cell["sender"],
        to=cell["to"],
        value=int(cell["value"]),
        gas=cell["gas"],
        gas_used=cell["gas_used"],
        status=succeeded(None if receipt is None else int(receipt), cell["is_error"]),
        input=cell["input"],
        created=cell["created"],
    )
