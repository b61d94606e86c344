"""A vault that has to be set up, its life cycle, and a history that knows little of it."""

from __future__ import annotations

from pathlib import Path

from solexp.core import Program
from tests.evm.boxes import OTHER, call, program

VAULT = """contract Box {
    address private owner = msg.sender;
    bool private ready;
    uint256 private most;
    uint256 private unlocks;
    mapping(address => uint256) private held;
    event Put(address indexed who, uint256 amount);
    function initialize(uint256 limit) external {
        require(msg.sender == owner, "not the owner");
        require(!ready, "twice");
        ready = true;
        most = limit;
        unlocks = block.timestamp + 30 days;
    }
    function put(uint256 amount) external {
        require(ready, "not ready");
        require(amount > 0 && amount <= most, "amount");
        held[msg.sender] += amount;
        emit Put(msg.sender, amount);
    }
    function take(uint256 amount) external {
        require(held[msg.sender] >= amount && amount > 0, "too much");
        held[msg.sender] -= amount;
    }
    function open(uint256 code) external returns (uint256) {
        require(ready && code * 3 == 370370367, "code");
        return code;
    }
    function flush() external {
        require(ready && block.timestamp >= unlocks, "locked");
        most += 1;
    }
    function hand(address to) external {
        require(msg.sender == owner, "not the owner");
        owner = to;
    }
}"""

GRAPH = """{"contract": "Box", "events": [
  {"id": "initialize", "function": "initialize(uint256)", "guard": "msg.sender == owner && !ready", "once": true,
   "arguments": [["100"]], "sender": "owner"},
  {"id": "put", "function": "put(uint256)", "guard": "ready && amount > 0 && amount <= most"},
  {"id": "take", "function": "take(uint256)", "guard": "amount > 0 && held[msg.sender] >= amount"},
  {"id": "open", "function": "open(uint256)", "guard": "ready"},
  {"id": "flush", "function": "flush()", "guard": "ready && block.timestamp >= unlocks"},
  {"id": "hand", "function": "hand(address)", "guard": "msg.sender == owner", "ownership": true, "sender": "owner"}
 ], "relations": [
  {"type": "condition", "source": "initialize", "target": "put"},
  {"type": "condition", "source": "put", "target": "take"},
  {"type": "response", "source": "put", "target": "take", "guard": "most > 0"}
 ]}"""


def history() -> Program:
    """A put before the vault is set up, and the setting up."""
    return program(
        call("put(uint256)", 5, at=1, sender=OTHER),
        call("initialize(uint256)", 100, at=2),
    )


def graphs(folder: Path, text: str = GRAPH) -> str:
    """A folder that holds the graph of the task ``box``."""
    (folder / "box.json").write_text(text)
    return str(folder)
