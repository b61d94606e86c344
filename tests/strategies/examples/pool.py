"""Tasks and pools made by hand."""

from __future__ import annotations

from pathlib import Path

import msgspec

from solexp.core import CompilerSettings, Target, Task

COMPILER = CompilerSettings(version="0.8.17")


def function_task(name: str, code: str, requirement: str = "", context: str = "") -> Task:
    """A task that wants one function."""
    return Task(
        id=name,
        benchmark="made",
        compiler=COMPILER,
        sources={"a.sol": code},
        target=Target(path="a.sol", contract="C", start=0, end=len(code.encode()), member=name),
        framework="",
        requirement=requirement,
        context=context,
        facts={"parent": "C"},
    )


def setter(name: str, body: str) -> str:
    """A function of its own sort: no two bodies are alike."""
    return f"function {name}(uint256 amount) external {{\n    {body}\n}}"


BODIES = {
    "deposit": "balances[msg.sender] += amount; total += amount; emit Deposited(msg.sender, amount);",
    "withdraw": "require(balances[msg.sender] >= amount); balances[msg.sender] -= amount; "
    "(bool sent, ) = msg.sender.call{value: amount}(''); require(sent);",
    "vote": "Proposal storage chosen = proposals[amount]; if (chosen.closed) revert Closed(); "
    "chosen.votes++; voted[msg.sender] = true;",
    "bid": "if (amount <= highest) { revert TooLow(highest); } refunds[leader] = highest; "
    "leader = msg.sender; highest = amount;",
    "mint": "for (uint256 i = 0; i < amount; i++) { uint256 id = next++; owners[id] = msg.sender; }",
    "burn": "uint256 left = supply - amount; while (left < floor) { left *= 2; } supply = left;",
    "stake": "rewards[msg.sender] = earned(msg.sender); shares[msg.sender] = shares[msg.sender] + amount / 3;",
    "rate": "assembly { let slot := add(amount, 7) sstore(slot, caller()) log1(0, 32, slot) }",
}
REQUIREMENTS = {
    "deposit": "Adds to the balance of the sender, in wei.",
    "withdraw": "Pays the sender out of their balance.",
    "vote": "Votes for a proposal that is open.",
    "bid": "Offers more than the highest bidder of the auction.",
    "mint": "Makes new tokens for the sender.",
    "burn": "Takes tokens out of circulation.",
    "stake": "Stakes tokens for a reward.",
    "rate": "Sets a rate in assembly.",
}
TASKS = [function_task(name, setter(name, BODIES[name]), REQUIREMENTS[name]) for name in BODIES]


def write_rows(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return path
