"""What was captured as a folder: sources that sets can be built of, and the tables that SolContractEval's data have.

``sources/ID.sol`` and ``ID.json``: one file a contract, for `solexp.benchmarks.building.sources`; ``verified/ID.json``:
everything the explorer says of it; ``tasks.jsonl.gz``, ``transactions.parquet`` and
``internal_transactions.parquet``: as `solexp.benchmarks.solcontracteval.bundle` reads them; ``receipts.jsonl.gz``,
``traces.jsonl.gz`` and ``blocks.jsonl.gz``: what only a node knows; ``capture.json``: what is there, and what is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from solexp.benchmarks.building.chain.capturing import Captured, Extent, Witness
from solexp.benchmarks.building.chain.history import Internal, Transaction
from solexp.benchmarks.rowfiles import write_parquet
from solexp.benchmarks.solcontracteval import bundle
from solexp.core import UserError
from solexp.core.hashing import file_hash
from solexp.solidity.parsing import definition
from solexp.solidity.stubs import stubbed
from solexp.store.alone import writing
from solexp.store.records import read_json, write_atomically, write_gzip_lines, write_json

CAPTURE = "capture.json"
VERB = "capture"
SOURCES = "sources"
INTERNAL = "internal_transactions.parquet"
RECEIPTS, TRACES, BLOCKS = "receipts.jsonl.gz", "traces.jsonl.gz", "blocks.jsonl.gz"


class Told(msgspec.Struct, kw_only=True):
    """``capture.json``."""

    schema: int = 1
    chain: int
    to_block: int
    """Histories end with this block at the latest."""
    explorer: str
    """Its address, without what may be a key."""
    node: str | None = None
    extent: Extent
    done: bool = False
    contracts: dict[str, int] = {}
    """Transactions by id."""
    left_out: dict[str, str] = {}
    """Why not, by address."""
    notes: list[str] = []
    hashes: dict[str, str] = {}
    """SHA-256 by file."""


def read_told(folder: Path) -> Told | None:
    """What ``capture.json`` in a folder says; None where there is none. Raises UserError when it is malformed."""
    place = folder / CAPTURE
    if not place.is_file():
        return None
    try:
        return read_json(place, Told)
    except UserError as error:
        raise UserError(f"{error}; delete it and capture again") from None


def write_told(folder: Path, told: Told) -> None:
    """Writes ``capture.json``."""
    with writing(folder, VERB):
        write_json(folder / CAPTURE, told)


def write(
    folder: Path,
    found: Sequence[Captured],
    flat: Mapping[str, str],
    witness: Witness | None,
    *,
    chain: int,
) -> dict[str, str]:
    """Writes everything but ``capture.json``; ``flat`` holds each contract as one file, by id.

    Returns the hashes of the tables. The same contracts give the same bytes.
    """
    with writing(folder, VERB):
        return _write(folder, found, flat, witness, chain)


def _write(
    folder: Path,
    found: Sequence[Captured],
    flat: Mapping[str, str],
    witness: Witness | None,
    chain: int,
) -> dict[str, str]:
    for one in found:
        _write_source(folder, one, flat.get(one.verified.id))
    files = [bundle.TASKS, bundle.TRANSACTIONS, INTERNAL]
    write_gzip_lines(
        folder / bundle.TASKS,
        [
            line | {"chain_id": chain}
            for one in found
            if (line := _line(one, flat.get(one.verified.id))) is not None
        ],
    )
    rows = [row for one in found for row in one.transactions]
    write_parquet(folder / bundle.TRANSACTIONS, rows, Transaction, large=True)
    inner = [row for one in found for row in one.internal]
    write_parquet(folder / INTERNAL, inner, Internal, large=True)
    if witness is not None:
        write_gzip_lines(folder / RECEIPTS, witness.receipts(found))
        write_gzip_lines(folder / TRACES, witness.traces(found))
        write_gzip_lines(folder / BLOCKS, witness.blocks(found))
        files += [RECEIPTS, TRACES, BLOCKS]
    return {name: file_hash(folder / name) for name in files}


def _write_source(folder: Path, one: Captured, text: str | None) -> None:
    verified = one.verified
    write_json(folder / "verified" / f"{verified.id}.json", verified)
    if text is None:
        return
    place = folder / SOURCES / f"{verified.id}.sol"
    write_atomically(place, text.encode())
    settings = verified.settings
    beside = {
        "contract": verified.contract,
        "address": verified.address,
        "licence": verified.licence,
        "constructor_arguments": verified.constructor_arguments,
        "compiler": verified.compiler,
        "evm_version": settings.evm_version,
        "optimizer": settings.optimizer,
        "runs": settings.runs,
        "verified": True,
        "proxy": verified.proxy,
        "transactions": len(one.transactions),
        "libraries": bool(settings.libraries),
    }
    write_json(place.with_suffix(".json"), beside)


def _line(one: Captured, text: str | None) -> dict[str, Any] | None:
    """A line of ``tasks.jsonl.gz``; None for a contract that is no single file, or not once in it."""
    verified = one.verified
    held = None if text is None else definition(text, verified.contract)
    if text is None or held is None:
        return None
    data = text.encode()
    truth = data[held.start : held.end].decode()
    if text.count(truth) != 1:
        return None
    try:
        framework = stubbed(truth, verified.contract, "empty")
    except ValueError:
        return None
    context = data[: held.start].decode().strip()
    after = data[held.end :].decode().strip()
    request = (
        f"// You task is to complete the smart contract {verified.contract} strictly according to the provided "
        f"context and description. Note that the contract is deployed using compiler version "
        f"{verified.settings.version}."
    )
    settings = verified.settings
    return {
        "task_id": verified.id,
        "address": verified.address,
        "deployed_contract": verified.contract,
        "target_contract": verified.contract,
        "compiler_version": settings.version,
        "compiler_version_full": verified.compiler,
        "optimizer_raw": verified.optimiser,
        "optimizer_enabled": settings.optimizer,
        "optimizer_runs": settings.runs,
        "evm_version": settings.evm_version,
        "libraries": settings.libraries,
        "via_ir": settings.via_ir is True,
        "constructor_arguments": verified.constructor_arguments,
        "abi": verified.abi,
        "function_sum": sum(each.kind == "function" for each in held.functions),
        "prompt": "\n\n".join(filter(None, (context, after, request, framework))),
        "ground_truth": truth,
        "source": text,
        "tx_count": len(one.transactions),
        "tx_source": str(len(one.transactions)) if one.transactions else "none",
    }
