"""Reading the release as two tables: ``tasks.jsonl.gz`` (a contract a line) and ``transactions.parquet``."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Set
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec

from solexp.benchmarks.solcontracteval.entry import Entry, Transaction, succeeded, task
from solexp.core import DataError, Task, UserError
from solexp.store.records import read_gzip_lines

log = logging.getLogger(__name__)

TASKS = "tasks.jsonl.gz"
TRANSACTIONS = "transactions.parquet"
_COLUMNS = (
    "task_id", "idx", "hash", "block_number", "timestamp", "nonce", "sender", "to", "value", "gas", "gas_used",
    "is_error", "receipt_status", "created", "input",
)  # fmt: skip
_OPTIONAL = ("to", "receipt_status", "created")


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
    evm_version: str | None = None
    libraries: dict[str, str] = {}
    via_ir: bool = False
    chain_id: int = 1


def tasks(
    folder: Path, *, calls: int | None = None, malformed: Callable[[str], None] = log.warning
) -> Iterator[Task]:
    """The tasks of a bundle, with at most the first ``calls`` recorded calls.

    Each row that is malformed or contradicts itself is told to ``malformed``, with file and row, and left out. Raises
    UserError where there are no data, DataError where a file is damaged.
    """
    for place, entry in _placed(folder, malformed):
        try:
            yield task(entry, calls=calls)
        except DataError as error:
            malformed(f"{place}: {error}")


def entries(folder: Path, *, malformed: Callable[[str], None] = log.warning) -> Iterator[Entry]:
    """The contracts of a bundle, with their transactions; malformed rows are left out, as in `tasks`."""
    for _, entry in _placed(folder, malformed):
        yield entry


def _placed(folder: Path, malformed: Callable[[str], None]) -> Iterator[tuple[str, Entry]]:
    """The contracts, each with its file and line."""
    lines = list(_lines(folder / TASKS, malformed))
    histories = _histories(folder / TRANSACTIONS, {line.task_id for _, line in lines}, malformed)
    for place, line in lines:
        yield (
            place,
            Entry(
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
                evm_version=line.evm_version,
                libraries=line.libraries,
                via_ir=line.via_ir,
                chain_id=line.chain_id,
                transactions=histories.get(line.task_id, ()),
            ),
        )


def count(folder: Path) -> int:
    """How many well-formed contracts a bundle holds."""
    return sum(1 for _ in _lines(folder / TASKS, lambda _: None))


def _lines(path: Path, malformed: Callable[[str], None]) -> Iterator[tuple[str, _Line]]:
    try:
        yield from read_gzip_lines(path, _Line, malformed)
    except FileNotFoundError:
        raise UserError(f"{path} is missing; run: solexp data fetch solcontracteval") from None


def _histories(
    path: Path, ids: Set[str], malformed: Callable[[str], None]
) -> dict[str, tuple[Transaction, ...]]:
    # Arrow costs half a second to import, which commands that read no history should not pay. Its filters would import
    # pandas as well.
    import pyarrow  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    try:
        file = parquet.ParquetFile(path)
        missing = sorted(set(_COLUMNS) - set(file.schema_arrow.names))
        if missing:
            raise DataError(f"{path}: has no column {', '.join(missing)}")
        table = file.read(columns=list(_COLUMNS))
    except FileNotFoundError:
        raise UserError(f"{path} is missing; run: solexp data fetch solcontracteval") from None
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(f"{path}: {str(error).splitlines()[0]}") from None
    rows: dict[str, list[tuple[int, Transaction]]] = {}
    for task_id, start, count in _runs(table.column("task_id").to_pylist()):
        if task_id in ids:
            part = table.slice(start, count)
            columns = [part.column(name).to_pylist() for name in _COLUMNS]
            for number, row in enumerate(zip(*columns, strict=True), start):
                try:
                    rows.setdefault(task_id, []).append(_transaction(row))
                except (TypeError, ValueError) as error:
                    malformed(f"{path} row {number}: transaction of {task_id}: {error}")
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
    absent = [name for name in _COLUMNS if cell[name] is None and name not in _OPTIONAL]
    if absent:
        raise ValueError(f"{', '.join(absent)} is missing")
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
