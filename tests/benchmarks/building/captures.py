"""A made-up chain with one contract, and captures of it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from solexp.cli import main
from tests.benchmarks.building.loopback import Chain, Server

KEY = "a1b2c3d4e5f6g7h8i9"
ADDRESS = "0x" + "c0" * 20
SENDER = "0x" + "5e" * 20
SOURCE = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Box {
    uint256 public held;

    function put(uint256 value) external {
        require(value > held, "less");
        held = value;
        if (held > 9) held = 9;
    }
}
"""


def transaction(number: int, block: int, **others: object) -> dict[str, object]:
    """A row of the chain's history."""
    return {
        "task_id": f"Box_{ADDRESS}", "idx": number, "hash": f"0x{number:064x}", "block_number": block,
        "timestamp": 1_700_000_000 + block, "tx_index": number % 7, "nonce": number, "sender": SENDER,
        "to": ADDRESS, "value": "0", "gas": 90_000, "gas_price": "30000000000000000000", "gas_used": 50_000,
        "is_error": 0, "receipt_status": 1.0, "created": None, "input": f"0x{number:08x}",
    } | others  # fmt: skip


def made(rows: int = 3, **source: str) -> Chain:
    """A chain with one contract."""
    chain = Chain()
    first = transaction(0, 1, to=None, created=ADDRESS)
    told = {
        "SourceCode": SOURCE, "ABI": "[]", "ContractName": "Box", "OptimizationUsed": "1", "Runs": "200",
        "CompilerVersion": "v0.8.20+commit.a1b79de6", "ConstructorArguments": "", "EVMVersion": "paris",
        "Library": "", "LicenseType": "MIT", "Proxy": "0",
    }  # fmt: skip
    chain.add(ADDRESS, told | source, [first, *(transaction(n, 1 + n) for n in range(1, rows))])
    return chain


def words_of(
    server: Server, out: Path, *words: str, addresses: tuple[str, ...] = (ADDRESS,)
) -> list[str]:
    rates = ("--rate", "10000", "--node-rate", "10000")
    place = ("--explorer", server.explorer, "--out", str(out))
    return ["data", "capture", *addresses, *place, *rates, *words]


def capture(server: Server, out: Path, *words: str, addresses: tuple[str, ...] = (ADDRESS,)) -> int:
    return main(words_of(server, out, *words, addresses=addresses))


def told(out: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((out / "capture.json").read_text())
    return found


def lines(path: Path) -> list[dict[str, object]]:
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]
