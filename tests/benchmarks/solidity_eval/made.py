"""A row made by hand."""

from __future__ import annotations

from typing import Any

import msgspec

from solexp.benchmarks.solidity_eval.archives import pack

BODY = """{
        require(amount <= held[msg.sender], "not that much");
        uint256 remainder = held[msg.sender] - amount;
        held[msg.sender] = remainder;
        total -= amount;
    }"""
ORIGIN = f"""// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Till {{
    mapping(address => uint256) public held;
    uint256 public total;
    address public owner;

    constructor(address first, uint256 amount) {{
        require(first != address(0) && amount > 0);
        owner = first;
    }}

    function put(uint256 amount) external {{
        held[msg.sender] += amount;
        total += amount;
    }}

    /// @notice Takes out an amount.
    function take(uint256 amount) external {BODY}
}}
"""
STUBBED = ORIGIN.replace(BODY, '{ revert("TODO"); }')
TOML = '[profile.default]\nsrc = "src"\noptimizer = true\noptimizer_runs = 200\n'


def row(
    *,
    workspace: dict[str, str] | None = None,
    scoring: dict[str, str] | None = None,
    **fields: Any,
) -> dict[str, Any]:
    """The values of a well-formed row; ``workspace`` and ``scoring`` are added to its archives."""
    return {
        "task_id": "Till/take(uint256)",
        "domain": "DeFi",
        "contract_name": "Till",
        "contract_address": "",
        "pragma": "^0.8.0",
        "pragma_major_minor": "0.8",
        "resolved_solc_version": "0.8.28",
        "target_function_signature": "take(uint256)",
        "prompt_context": "",
        "workspace_tar": pack({"foundry.toml": TOML, "src/Till.sol": STUBBED, **(workspace or {})}),
        "scoring_tar": pack({"manifest.json": "{}", "origin/Till.sol": ORIGIN, **(scoring or {})}),
        "canary_substrings": ["remainder", "not that much"],
        **fields,
    }


def jsonl(*rows: dict[str, Any]) -> bytes:
    return b"".join(msgspec.json.encode(each) + b"\n" for each in rows)
