"""A small contract with a history, and ways to run variants of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from solexp.core import (
    Call,
    Candidate,
    CompilerSettings,
    Deployment,
    Program,
    Recorded,
    Target,
    Task,
)
from solexp.evm.words import created_address, keccak, word

SENDER = "0x" + "a1" * 20
OTHER = "0x" + "b2" * 20
NONCE = 7
HERE = created_address(SENDER, NONCE)
BLOCK = 13_000_000
TIME = 1_628_632_419

BOX = """contract Box {
    event Put(address indexed who, uint256 amount);
    mapping(address => uint256) public held;
    uint256 public total;
    constructor() payable {}
    function put(uint256 amount) external returns (uint256) {
        require(amount < 1000, "too much");
        held[msg.sender] += amount;
        total += amount;
        emit Put(msg.sender, amount);
        return total;
    }
    function take(uint256 amount) external {
        require(held[msg.sender] >= amount, "too little");
        held[msg.sender] -= amount;
        total -= amount;
    }
}"""


def selector(signature: str) -> str:
    return "0x" + word(keccak(signature.encode()))[:8]


def put(amount: int, *, sender: str = SENDER, at: int = 1, **fields: Any) -> Call:
    return call("put(uint256)", amount, sender=sender, at=at, **fields)


def call(signature: str, *arguments: int, sender: str = SENDER, at: int = 1, **fields: Any) -> Call:
    data = selector(signature) + "".join(map(word, arguments))
    place: dict[str, Any] = {"block_number": BLOCK + at, "timestamp": TIME + 13 * at}
    return Call(sender=sender, input=data, **(place | fields))


def program(*calls: Call, **fields: Any) -> Program:
    chosen = calls or tuple(
        put(n + 1, sender=SENDER if n % 2 else OTHER, at=n + 1, gas=90_000) for n in range(12)
    )
    deployment = Deployment(
        contract="Box", sender=SENDER, nonce=NONCE, block_number=BLOCK, timestamp=TIME
    )
    return msgspec.structs.replace(Program(deployment=deployment, calls=chosen), **fields)


def recorded(gas: int, used: int = 60_000) -> dict[str, Any]:
    return {"gas": gas, "recorded": Recorded(True, used, "0x" + "ee" * 32)}


def task(reference: str = BOX, history: Program | None = None, version: str = "0.8.17") -> Task:
    head = "pragma solidity >=0.4.11;\n"
    return Task(
        id="box",
        benchmark="hand",
        compiler=CompilerSettings(version=version),
        sources={"box.sol": head + reference},
        target=Target(
            path="box.sol", contract="Box", start=len(head), end=len(head) + len(reference)
        ),
        framework=reference,
        program=history if history is not None else program(),
    )


def candidates(codes: Sequence[str]) -> list[Candidate]:
    return [
        Candidate(task_id="box", batch="greedy", repeat=0, index=index, code=code)
        for index, code in enumerate(codes)
    ]
