"""A contract's history: rows of an explorer beside the words of a node."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from solexp.benchmarks.building.chain.explorer import MOST, Row
from solexp.core import DataError

_HEX = re.compile(r"0x(?:[0-9a-fA-F]{2})*")


class Transaction(msgspec.Struct, frozen=True, kw_only=True):
    """One top-level transaction: a row of ``transactions.parquet``. Amounts are decimal digits (wei), times seconds."""

    task_id: str
    idx: int
    """0 is the creation, where a transaction created the contract."""
    hash: str
    block_number: int
    timestamp: int
    tx_index: int
    nonce: int
    sender: str
    to: str | None
    value: str
    gas: int
    gas_price: str
    gas_used: int
    is_error: int
    receipt_status: float | None
    """As the receipt has it; None before Byzantium."""
    created: str | None
    input: str


class Internal(msgspec.Struct, frozen=True, kw_only=True):
    """One internal transaction: a row of ``internal_transactions.parquet``."""

    task_id: str
    hash: str
    block_number: int
    timestamp: int
    trace_id: str
    type: str
    sender: str
    to: str | None
    value: str
    gas: int
    gas_used: int
    is_error: int
    err_code: str
    created: str | None
    input: str


def transactions(task_id: str, rows: Sequence[Row]) -> list[Transaction]:
    """Top-level transactions in their order. Raises DataError for a malformed row."""
    return [_transaction(task_id, idx, row) for idx, row in enumerate(rows)]


def internal(task_id: str, rows: Sequence[Row]) -> list[Internal]:
    """Internal transactions in their order. Raises DataError for a malformed row."""
    return [_internal(task_id, row) for row in rows]


def differing(found: Transaction, told: dict[str, Any], receipt: dict[str, Any]) -> list[str]:
    """In which fields a node's word for a transaction is another than the explorer's."""
    said = {
        "block_number": _number(told.get("blockNumber")),
        "tx_index": _number(told.get("transactionIndex")),
        "nonce": _number(told.get("nonce")),
        "sender": _text(told.get("from")),
        "to": _text(told.get("to")),
        "value": str(_number(told.get("value"))),
        "gas": _number(told.get("gas")),
        "gas_price": str(_number(told.get("gasPrice"))),
        "gas_used": _number(receipt.get("gasUsed")),
        "created": _text(receipt.get("contractAddress")),
        "input": _text(told.get("input") or told.get("data")),
    }
    if receipt.get("status") is not None:
        said["receipt_status"] = _number(receipt["status"])
    return [name for name, value in said.items() if value != getattr(found, name)]


def _transaction(task_id: str, idx: int, row: Row) -> Transaction:
    try:
        receipt = row.get("txreceipt_status", "")
        return Transaction(
            task_id=task_id,
            idx=idx,
            hash=row["hash"].lower(),
            block_number=_count(row["blockNumber"]),
            timestamp=_count(row["timeStamp"]),
            tx_index=_count(row["transactionIndex"]),
            nonce=_count(row["nonce"]),
            sender=row["from"].lower(),
            to=row["to"].lower() or None,
            value=str(int(row["value"])),
            gas=_count(row["gas"]),
            gas_price=str(int(row["gasPrice"])),
            gas_used=_count(row["gasUsed"]),
            is_error=_count(row["isError"]),
            receipt_status=float(_count(receipt)) if receipt != "" else None,
            created=row["contractAddress"].lower() or None,
            input=_data(row["input"]),
        )
    except (KeyError, ValueError, AttributeError, TypeError) as error:
        raise DataError(f"transaction {row.get('hash')} is malformed: {error!r}") from None


def _internal(task_id: str, row: Row) -> Internal:
    try:
        return Internal(
            task_id=task_id,
            hash=row["hash"].lower(),
            block_number=_count(row["blockNumber"]),
            timestamp=_count(row["timeStamp"]),
            trace_id=str(row.get("traceId", "")),
            type=str(row.get("type", "")),
            sender=row["from"].lower(),
            to=row.get("to", "").lower() or None,
            value=str(int(row["value"])),
            gas=_count(row["gas"]),
            gas_used=_count(row["gasUsed"]),
            is_error=_count(row["isError"]),
            err_code=str(row.get("errCode", "")),
            created=row.get("contractAddress", "").lower() or None,
            input=row.get("input", "").lower(),
        )
    except (KeyError, ValueError, AttributeError, TypeError) as error:
        raise DataError(
            f"internal transaction of {row.get('hash')} is malformed: {error!r}"
        ) from None


def _count(value: Any) -> int:
    """A number that a column holds. Raises ValueError for one that is too large."""
    number = int(value)
    if not 0 <= number < MOST:
        raise ValueError(f"{number} is too large or negative")
    return number


def _data(text: str) -> str:
    """Hex in lower case. Raises ValueError for what is none."""
    if not _HEX.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no hex of whole bytes")
    return text.lower()


def _number(value: Any) -> int | None:
    return int(value, 16) if isinstance(value, str) else None


def _text(value: Any) -> str | None:
    return str(value).lower() if value else None
