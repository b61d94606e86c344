"""Replay throughput: solexp beside Hardhat and step-by-step anvil, in transactions per CPU second.

    python bench/replay.py [--calls 1000] [--candidates 5]

One ERC-20 history on an original and its candidates. Every side collects status, events, gas and final storage: the
peers the nine words that are compared between the sides, solexp what the replay oracle reads by default, which is more.
Client and node count together, start-up and decoding included (importing Python modules is not).
The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench import peers
from bench.peers import Collected
from solexp.core import Call, CompilerSettings, Deployment, Program, Recorded
from solexp.evm.anvil import AnvilMachine
from solexp.evm.compare import compare
from solexp.evm.machine import Subject
from solexp.evm.observe import observation
from solexp.evm.words import keccak, word
from solexp.solidity.compiler import Compiler
from solexp.toolchain.install import ensure_anvil

ACCOUNTS = (
    "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266",
    "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
    "0x90f79bf6eb2c4f870365e785982e1f101e93b906",
    "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
    "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
    "0x976ea74026e726554db657fa54763abd0c3a0aa9",
    "0x14dc79964da2c08b23698b3d3cc7ca32193d9955",
)
"""The accounts that Hardhat and anvil both hold the keys of."""

SHORT_RUNS = 5
"""How often solexp's side is run."""

TOKEN = """// SPDX-License-Identifier: MIT
pragma solidity 0.8.17;

contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply = 1000000 ether;

    constructor() {
        balanceOf[msg.sender] = totalSupply;
        emit Transfer(address(0), msg.sender, totalSupply);
    }

    function variant() external pure returns (uint256) { return VARIANT; }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        require(allowance[from][msg.sender] >= value, "allowance");
        allowance[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _move(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "balance");
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}
"""


def history(count: int) -> Program:
    """A plausible life of the token: transfers, approvals and transfers by others, some of which fail."""
    calls = []
    for n in range(count):
        sender = ACCOUNTS[0] if n % 3 == 0 else ACCOUNTS[(n * 7) % len(ACCOUNTS)]
        to = word(int(ACCOUNTS[(n * 5 + 1) % len(ACCOUNTS)], 16) + (n % 40 if n % 2 else 0))
        amount = word(10**15 * (n % 97))
        if n % 10 == 8:
            data = "0x095ea7b3" + to + amount
        elif n % 10 == 9:
            data = "0x23b872dd" + word(int(ACCOUNTS[0], 16)) + to + amount
        else:
            data = "0xa9059cbb" + to + amount
        calls.append(
            Call(
                sender=sender,
                input=data,
                gas=120_000,
                block_number=13_000_000 + n,
                timestamp=1_628_632_419 + 13 * n,
                recorded=Recorded(True, 60_000),
            )
        )
    deployment = Deployment(
        contract="Token", sender=ACCOUNTS[0], block_number=12_999_000, timestamp=1_628_600_000
    )
    return Program(deployment=deployment, calls=tuple(calls), hardfork="london")


def cpu_seconds() -> float:
    """CPU seconds of this process and of the children it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def by_solexp(
    program: Program, subjects: Sequence[Subject], slots: Sequence[str]
) -> list[Collected]:
    """What the replay oracle does by default, comparison included."""
    plan = observation(program, subjects[0].contract)
    traces = AnvilMachine().run(program, subjects, plan)
    for trace in traces[1:]:
        told = compare(traces[0], trace, program, getters=False)
        assert not any(told.counts.values()), told.first
    found = []
    for trace in traces:
        [state] = trace.checkpoints
        storage = state.storage
        held = [f"balanceOf[{account}]" for account in ACCOUNTS]
        words = [storage["totalSupply"], *(storage.get(label, f"0x{0:064x}") for label in held)]
        found.append(
            Collected(
                [call.status for call in trace.calls],
                [call.gas_used for call in trace.calls],
                [len(call.logs) for call in trace.calls],
                dict(zip(slots, words, strict=True)),
                words=len(storage),
                getters=len(state.getters),
            )
        )
    return found


def measured(
    name: str, run: Callable[[], list[Collected]], count: int, times: int = 1
) -> tuple[float, list[Collected]]:
    """Transactions per CPU second of one side, the mean of so many runs from the start, and what it collected."""
    started = time.perf_counter()
    before = cpu_seconds()
    for _ in range(times):
        found = run()
    count *= times
    used = cpu_seconds() - before
    rate = count / used
    print(
        f"{name:28} {count} transactions  {used:8.2f} cpu-s  {time.perf_counter() - started:7.1f} s"
        f"  {rate:10.0f} tx per cpu-s",
        file=sys.stderr,
    )
    return rate, found


def main() -> None:
    """Run every side once, check that they agree, and print the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--candidates", type=int, default=5)
    options = parser.parse_args()
    program = history(options.calls)
    with Compiler() as compiler:
        subjects = []
        for variant in range(options.candidates + 1):
            sources = {"token.sol": TOKEN.replace("VARIANT", str(variant + 1))}
            build = compiler.compile(sources, CompilerSettings(version="0.8.17"))
            contract = build.contract("Token")
            assert contract is not None, build.errors
            subjects.append(Subject(contract.creation, contract))
    creations = [subject.creation for subject in subjects]
    slots = [f"0x{2:064x}"]
    slots += [f"0x{keccak(bytes(12) + bytes.fromhex(a[2:]) + bytes(32)):064x}" for a in ACCOUNTS]
    binary = ensure_anvil()
    peers.hardhat_folder()
    # Imports and first-use costs of Python modules are no side's own.
    by_solexp(history(2), subjects[:1], slots)
    with peers.anvil(binary) as url:
        peers.step_by_step(url, history(2), creations[:1], slots)
    count = len(subjects) * len(program.calls)

    def at(side: object, way: Callable[..., list[Collected]]) -> Callable[[], list[Collected]]:
        def run() -> list[Collected]:
            with side() as url:  # type: ignore[operator]
                return way(url, program, creations, slots)

        return run

    rates: dict[str, float] = {}
    results: dict[str, list[Collected]] = {}
    times: dict[str, int] = {}
    for name, run in {
        "solexp": lambda: by_solexp(program, subjects, slots),
        "anvil_web3": at(lambda: peers.anvil(binary), peers.step_by_step),
        "hardhat_batches": at(peers.hardhat, peers.batched),
        "hardhat_web3": at(peers.hardhat, peers.step_by_step),
    }.items():
        # A third of a second is too short to measure once.
        times[name] = SHORT_RUNS if name == "solexp" else 1
        rates[name], results[name] = measured(name, run, count, times[name])
    agree = {name: found == results["solexp"] for name, found in results.items()}
    collected = {
        name: {
            "statuses": len(found[0].statuses),
            "gas_figures": len(found[0].gas),
            "events": sum(found[0].logs),
            "storage_words": found[0].words or len(found[0].storage),
            "getter_calls": found[0].getters,
        }
        for name, found in results.items()
    }
    print(
        json.dumps(
            {
                "bench": "replay",
                "calls": len(program.calls),
                "deployments": len(subjects),
                "runs": times,
                "tx_per_cpu_s": {name: round(rate, 1) for name, rate in rates.items()},
                "solexp_over": {
                    name: round(rates["solexp"] / rate, 1)
                    for name, rate in rates.items()
                    if name != "solexp"
                },
                "same_results_as_solexp": agree,
                "collected_a_deployment": collected,
                "load": round(os.getloadavg()[0], 1),
            }
        )
    )


if __name__ == "__main__":
    main()
