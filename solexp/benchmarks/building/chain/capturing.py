"""One contract, as an explorer and a node know it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from solexp.benchmarks.building.chain.archive import Archive
from solexp.benchmarks.building.chain.explorer import Explorer
from solexp.benchmarks.building.chain.history import (
    Internal,
    Transaction,
    differing,
    internal,
    transactions,
)
from solexp.benchmarks.building.chain.verified import Verified, read

Traces = Literal["none", "calls", "all"]


class Extent(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a contract's history is wanted."""

    transactions: int = 1_000
    """Top-level transactions at most, the first ones (SolContractEval has 1,000)."""
    internal: bool = True
    """Whether the explorer's internal transactions are wanted, up to the last block of these."""
    traces: Traces = "all"
    """``calls``: the tree of calls of each transaction; ``all``: the state that it changes, too. A node's alone."""


class Captured(msgspec.Struct, frozen=True, kw_only=True):
    """What an explorer knows of a contract."""

    verified: Verified
    transactions: list[Transaction]
    internal: list[Internal]
    made_by: str | None = None
    """The transaction that created it where the history does not begin with that: another contract made it."""

    @property
    def whole(self) -> bool:
        """Whether the history begins with the contract's creation."""
        first = next(iter(self.transactions), None)
        return first is not None and first.created == self.verified.address


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What a node says that a transaction came to: a line of ``receipts.jsonl.gz``."""

    task_id: str
    idx: int
    hash: str
    status: int | None
    """None before Byzantium."""
    gas_used: int
    contract_address: str | None
    logs: list[dict[str, Any]]
    """``address``, ``topics`` and ``data`` of each event."""


class Traced(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a node says that a transaction did: a line of ``traces.jsonl.gz``."""

    task_id: str
    idx: int
    hash: str
    calls: dict[str, Any] | None = None
    """As ``callTracer`` has it."""
    changes: dict[str, Any] | None = None
    """As ``prestateTracer`` has it with ``diffMode``: ``pre`` and ``post``."""


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """What code can see of a block: a line of ``blocks.jsonl.gz``."""

    number: int
    hash: str
    timestamp: int
    miner: str
    gas_limit: int
    difficulty: str
    prevrandao: str | None
    """From the merge on."""
    base_fee: str | None
    """From London on."""


def capture(explorer: Explorer, address: str, extent: Extent, to_block: int) -> Captured:
    """What the explorer knows. Raises Unverified, DataError for what is no Solidity or malformed, UserError."""
    verified = read(address, explorer.source(address))
    rows = explorer.transactions(address, extent.transactions, to_block)
    found = transactions(verified.id, rows)
    inner: list[Internal] = []
    if extent.internal and found:
        last = found[-1].block_number if len(found) == extent.transactions else to_block
        inner = internal(verified.id, explorer.internal(address, 10 * extent.transactions, last))
    captured = Captured(verified=verified, transactions=found, internal=inner)
    if captured.whole:
        return captured
    creation = explorer.creation(address)
    return msgspec.structs.replace(captured, made_by=(creation or {}).get("txHash"))


class Witness:
    """A node beside an explorer's history. Every answer is asked for once and kept, so that reading again is cheap."""

    def __init__(self, node: Archive, extent: Extent) -> None:
        self._node = node
        self._extent = extent
        self.differing: Counter[str] = Counter()
        """Transactions in which the explorer says otherwise, by field."""
        self.gone: list[str] = []
        """Contracts that have no code any more."""

    def ask(self, found: Captured, to_block: int, advance: Callable[[], None]) -> None:
        """Have everything about a contract's history; counts where the explorer says otherwise."""
        if self._node.code(found.verified.address, to_block) in ("0x", "0x0"):
            self.gone.append(found.verified.id)
        for each in found.transactions:
            receipt = self._node.receipt(each.hash)
            fields = differing(each, self._node.transaction(each.hash), receipt)
            self.differing.update(fields)
            self._traced(each)
            self._node.block(each.block_number)
            advance()

    def receipts(self, found: Sequence[Captured]) -> Iterator[Receipt]:
        """The receipts of all transactions."""
        for each in _each(found):
            told = self._node.receipt(each.hash)
            yield Receipt(
                task_id=each.task_id,
                idx=each.idx,
                hash=each.hash,
                status=int(told["status"], 16) if told.get("status") is not None else None,
                gas_used=int(told["gasUsed"], 16),
                contract_address=told.get("contractAddress"),
                logs=[
                    {key: log[key] for key in ("address", "topics", "data")}
                    for log in told.get("logs") or ()
                ],
            )

    def traces(self, found: Sequence[Captured]) -> Iterator[Traced]:
        """The traces of all transactions that the node has any of."""
        for each in _each(found):
            traced = self._traced(each)
            if traced is not None:
                yield traced

    def blocks(self, found: Sequence[Captured]) -> Iterator[Block]:
        """Every block that a transaction is in, once, by number."""
        for number in sorted({each.block_number for each in _each(found)}):
            yield _block(self._node.block(number))

    def _traced(self, each: Transaction) -> Traced | None:
        extent = self._extent.traces
        if extent == "none":
            return None
        calls = self._node.calls(each.hash)
        changes = self._node.changes(each.hash) if extent == "all" else None
        if calls is None and changes is None:
            return None
        return Traced(
            task_id=each.task_id, idx=each.idx, hash=each.hash, calls=calls, changes=changes
        )


def _each(found: Sequence[Captured]) -> Iterator[Transaction]:
    for one in found:
        yield from one.transactions


def _block(told: dict[str, Any]) -> Block:
    difficulty = int(told.get("difficulty") or "0x0", 16)
    fee = told.get("baseFeePerGas")
    return Block(
        number=int(told["number"], 16),
        hash=told["hash"],
        timestamp=int(told["timestamp"], 16),
        miner=str(told.get("miner", "")).lower(),
        gas_limit=int(told["gasLimit"], 16),
        difficulty=str(difficulty),
        prevrandao=told.get("mixHash") if difficulty == 0 else None,
        base_fee=None if fee is None else str(int(fee, 16)),
    )
