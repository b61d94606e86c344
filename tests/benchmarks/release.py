"""A small release in the layout of SolContractEval's authors, made here, to be broken in every way."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

ADDRESS = "0x" + "ab" * 20
OWNER = "0x" + "11" * 20
ID = f"Jar_{ADDRESS}"
SECOND_ADDRESS = "0x" + "cd" * 20
SECOND = f"Lid_{SECOND_ADDRESS}"

JAR = """contract Jar {
    uint public cookies;
    function add(uint n) public { cookies += n; }
}"""
LID = """contract Lid {
    bool public open;
    function lift() public { open = true; }
}"""
PROMPT = """// Below are some contexts potentially relevant to contract code generation.

library Sums {{ }}

// You task is to complete the smart contract {name} as described. Use compiler version 0.4.24.

/// @title {name}
contract {name} {{ }}
"""

PROMPT_FILE = f"dataset/prompt/{ID}.json"
SOURCE_FILE = f"dataset/source_code/{ID}.sol"
INFO_FILE = f"results/transaction_replay/Contract_Info/{ID}.json"
HISTORY_FILE = f"results/transaction_replay/Tx_History/{ID}_external.json"
LIST_FILE = "dataset/benchmark_info.json"


def transaction(index: int, address: str = ADDRESS, **changes: Any) -> dict[str, Any]:
    """A row as the explorer gives it: number 0 creates the contract, the others call it."""
    creates = index == 0
    row = {
        "blockNumber": str(5_000_000 + index),
        "timeStamp": str(1_520_000_000 + 15 * index),
        "hash": "0x" + f"{index:064x}",
        "nonce": str(index),
        "blockHash": "0x" + "00" * 32,
        "transactionIndex": str(7 * index),
        "from": OWNER,
        "to": "" if creates else address,
        "value": "0",
        "gas": "300000",
        "gasPrice": "1",
        "input": "0x6001" if creates else "0x1003e2d2" + f"{index:064x}",
        "contractAddress": address if creates else "",
        "txreceipt_status": "1",
        "gasUsed": "50000",
        "isError": "0",
    }
    return {**row, **changes}


def write_release(folder: Path) -> Path:
    """A whole release of two contracts with four transactions each."""
    listed = []
    for name, address, code in (("Jar", ADDRESS, JAR), ("Lid", SECOND_ADDRESS, LID)):
        task_id = f"{name}_{address}"
        listed.append({"address": address, "name": name, "compiler": "0.4.24", "settings": "-"})
        prompt = {
            "contract_name": name,
            "ground_truth": code,
            "function_sum": "1",
            "compiler_version": "0.4.24",
            "prompt": PROMPT.format(name=name),
        }
        info = {
            "name": name,
            "address": address,
            "Compiler Version": "v0.4.24+commit.e67f0147",
            "Optimization Enabled": "No with 0 runs",
            "abi": "[]",
            "constructor_argument": "",
        }
        put(folder / f"dataset/prompt/{task_id}.json", prompt)
        put(folder / f"results/transaction_replay/Contract_Info/{task_id}.json", info)
        put(
            folder / f"results/transaction_replay/Tx_History/{task_id}_external.json",
            [transaction(index, address) for index in range(4)],
        )
        source = folder / f"dataset/source_code/{task_id}.sol"
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_bytes(f"pragma solidity ^0.4.18;\r\n\r\n{code}\r\n".encode())
    put(folder / LIST_FILE, listed)
    return folder


def put(path: Path, value: object) -> None:
    """Writes JSON, a row of an array on a line of its own."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(value, list):
        text = "[\n" + ",\n".join(json.dumps(row) for row in value) + "\n]\n"
    else:
        text = json.dumps(value, indent=1)
    path.write_text(text, encoding="utf-8")


def change(path: Path, edit: Callable[[Any], Any]) -> None:
    """Rewrites a JSON file."""
    put(path, edit(json.loads(path.read_text(encoding="utf-8"))))
