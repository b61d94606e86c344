"""Workspaces made for tests, and a scripted model that works in them: well, badly or with ill intent."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec

from solexp.benchmarks.solidity_eval.archives import pack
from solexp.benchmarks.solidity_eval.posing import pose
from solexp.benchmarks.solidity_eval.rows import Row
from solexp.core import Task
from tests.llm.served.server import Answer, Asked

CANARY = "before - amount"
STUB = 'revert("TODO");'
BODY = """\
uint256 before = held[msg.sender];
        require(before >= amount, "not enough");
        held[msg.sender] = before - amount;
        total -= amount;"""
RIGHT = 'require(held[msg.sender] >= amount, "x"); held[msg.sender] -= amount; total -= amount;'
WRONG = 'require(held[msg.sender] >= amount, "x"); held[msg.sender] -= amount;'
_SOURCE = """\
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract {name} {{
    mapping(address => uint256) public held;
    uint256 public total;

    function put(uint256 amount) external {{
        require(amount < 1000, "too much");
        held[msg.sender] += amount;
        total += amount;
    }}

    /// @notice Gives an amount of the caller's back.
    function take(uint256 amount) external {{
        {body}
    }}
}}
"""
_TEST = """\
pragma solidity ^0.8.0;
import "../src/{name}.sol";
interface Vm {{
    function ffi(string[] calldata) external returns (bytes memory);
    function createSelectFork(string calldata) external returns (uint256);
    function readFile(string calldata) external returns (string memory);
    function writeFile(string calldata, string calldata) external;
}}
contract {name}Test {{
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    event log_string(string);
    {code}
}}
"""
TESTS = {
    "Solves": """function testTakes() public {
        Solves vault = new Solves(); vault.put(5); vault.take(3); require(vault.total() == 2);
    }""",
    "Calls": """function testNet() public { vm.createSelectFork("http://192.0.2.1:8545"); }
    function testCurl() public {
        string[] memory words = new string[](2); words[0] = "curl"; words[1] = "http://192.0.2.1"; vm.ffi(words);
    }""",
    "Forks": """function testForks() public {
        string[] memory words = new string[](3);
        words[0] = "/bin/sh"; words[1] = "-c"; words[2] = "while :; do (sleep 999 &) ; done"; vm.ffi(words);
    }
    function testReads() public { emit log_string(vm.readFile("/etc/passwd")); require(false); }""",
    "Spins": """function spin() external pure { while (true) {} }
    function testSpins(uint256) public { try this.spin{gas: 900000000}() {} catch {} }""",
    "Fills": """function testWrites() public { vm.writeFile("big.txt", "x"); }
    function testLogs() public {
        for (uint256 i = 0; i < 100000; i++)
            emit log_string("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
        require(false);
    }""",
}


def source(name: str, body: str = STUB) -> str:
    return _SOURCE.format(name=name, body=body)


def test_file(name: str, code: str) -> str:
    return _TEST.format(name=name, code=code)


test_file.__test__ = False  # type: ignore[attr-defined]


def row(name: str) -> Row:
    """A row whose contract is called ``name``."""
    return Row(
        task_id=f"made_{name}",
        domain="vault",
        contract_name=name,
        contract_address="",
        pragma="^0.8.0",
        pragma_major_minor="0.8",
        resolved_solc_version="0.8.17",
        target_function_signature="take(uint256)",
        prompt_context="",
        workspace_tar=pack(
            {
                "foundry.toml": '[profile.default]\nsrc = "src"\nsolc = "0.8.17"\n',
                f"src/{name}.sol": source(name),
            }
        ),
        scoring_tar=pack({"manifest.json": "{}", f"origin/{name}.sol": source(name, BODY)}),
        canary_substrings=(CANARY,),
    )


def task(name: str = "Solves") -> Task:
    return pose(row(name), "made")


def write_rows(path: Path, names: tuple[str, ...]) -> None:
    """A file of rows in JSONL."""
    path.write_bytes(b"".join(msgspec.json.encode(row(name)) + b"\n" for name in names))


Call = tuple[str, dict[str, Any]]


def calls_of(name: str, step: int) -> list[Call] | str:
    """What the scripted model does in its ``step``-th reply (0-based) in the workspace of a contract."""
    path = f"src/{name}.sol"
    done: Call = ("done", {})
    body = RIGHT
    first: list[Call] = [("list", {}), ("read", {"path": path})]
    if name in ("Loops", "Talks"):
        return [("read", {"path": path})] if name == "Loops" else "I would write it and be done."
    if name == "Unknown":
        return (
            [("shell", {"command": "cat /etc/passwd"}), ("edit", {"path": path})]
            if not step
            else [done]
        )
    if name == "Fails":
        body = WRONG
    if name == "Outside":
        first = [
            ("write", {"path": where, "content": "x"})
            for where in ("../escape.txt", "/tmp/escape.txt", ".env", "src/../../x", "~/x")
        ] + [("read", {"path": "../../../etc/passwd"})]
    if name == "Fills":
        first = [("write", {"path": f"notes{n}.txt", "content": "x" * 700_000}) for n in range(4)]
    if step == 0:
        return first
    if step == 1:
        new: list[Call] = [("edit", {"path": path, "old": STUB, "new": body})]
        if name == "Leaks":
            new.append(("write", {"path": "notes.md", "content": f"the original has {CANARY}"}))
        if name in TESTS:
            new.append(("write", {"path": "test/T.t.sol", "content": test_file(name, TESTS[name])}))
        return new
    if step == 2 and (name in TESTS or name.startswith("Vault")):
        return [("build", {}), ("test", {})] if name in TESTS else [("build", {})]
    return [done]


def scripted(asked: Asked, index: int) -> Answer:  # noqa: ARG001
    """The scripted model in the form that servers have for calls of tools."""
    messages = asked.body["messages"]
    found = re.search(r"of the contract (\w+) in", messages[1]["content"])
    assert found is not None
    step = sum(message["role"] == "assistant" for message in messages)
    said = calls_of(found[1], step)
    if isinstance(said, str):
        return Answer(said)
    calls = [
        {
            "id": f"call_{step}_{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(said)
    ]
    return Answer(None, "tool_calls", {"tool_calls": calls})
