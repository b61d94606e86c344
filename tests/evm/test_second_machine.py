"""Traces are those of an independent machine, gas, storage and balances included.

Exceptions: Osaka, which py-evm does not know, the machine's own words for a failure, and getters, whose answers follow
from storage.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import msgspec
import pytest

from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.core import CallResult, Program
from solexp.evm.anvil import AnvilMachine
from solexp.evm.gas import call_limits, deployment_limit
from solexp.evm.machine import Subject
from solexp.evm.observe import observation
from solexp.evm.storage import BALANCE, plan_slots
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import BOX, OTHER, call, program, put
from tests.evm.conftest import Make
from tests.evm.second_machine import second_trace

OLD_BOX = """contract Box {
    event Put(address indexed who, uint256 amount);
    mapping(address => uint256) public held;
    uint256 public total; bool open; bytes32 seen;
    function put(uint256 amount) public returns (uint256) {
        if (amount > 9) throw;
        open = !open; held[msg.sender] += amount; total = total > 20 ? 0 : total + amount;
        seen = sha3(amount, block.number, now, msg.sender, block.difficulty);
        Put(msg.sender, amount);
        return total;
    }
    function take(uint256 amount) public { while (amount > 0) { amount--; held[msg.sender]--; } }
    function make() public returns (address) { return new Other(); }
    function() public payable { msg.sender.transfer(msg.value / 2); }
}
contract Other { uint256 x = 5; }"""

OLD_LAYOUT = {
    "storage": [
        {"label": "held", "slot": "0", "offset": 0, "type": "held"},
        {"label": "total", "slot": "1", "offset": 0, "type": "uint256"},
        {"label": "open", "slot": "2", "offset": 0, "type": "bool"},
        {"label": "seen", "slot": "3", "offset": 0, "type": "bytes32"},
    ],
    "types": {
        "held": {
            "label": "mapping(address => uint256)", "numberOfBytes": "32", "encoding": "mapping",
            "key": "address", "value": "uint256",
        },
        "address": {"label": "address", "numberOfBytes": "20", "encoding": "inplace"},
        "uint256": {"label": "uint256", "numberOfBytes": "32", "encoding": "inplace"},
        "bool": {"label": "bool", "numberOfBytes": "1", "encoding": "inplace"},
        "bytes32": {"label": "bytes32", "numberOfBytes": "32", "encoding": "inplace"},
    },
}  # fmt: skip
"""What this compiler does not say."""

FORKS = (
    "frontier", "homestead", "tangerine", "spuriousdragon", "byzantium", "petersburg", "istanbul",
    "berlin", "london", "paris", "shanghai", "cancun", "prague",
)  # fmt: skip


def _history(fork: str) -> Program:
    calls = [put(n % 12, at=n, sender=OTHER if n % 3 else "0x" + "d4" * 20) for n in range(24)]
    calls += [call("take(uint256)", n, at=30 + n, sender=OTHER) for n in range(4)]
    calls += [call("make()", at=40), call("unknown()", at=41, value=9), put(1, at=42, gas=40_000)]
    return program(*calls, hardfork=fork)


def _simple(result: CallResult) -> CallResult:
    return msgspec.structs.replace(result, error=None)


def _check(history: Program, subject: Subject, fork: str) -> tuple[int, int]:
    """Compares both machines' traces; how many calls and how many words of storage that are not zero."""
    every = len(history.calls) // 2 + 1
    plan = observation(history, subject.contract, checkpoint_every=every, getters="never")
    [first] = AnvilMachine().run(history, [subject], plan)
    limits = call_limits(history, "generous", None)
    creation_gas = deployment_limit(history, "generous", None)
    address, (deployed, *results), states = second_trace(
        history,
        subject.creation,
        limits,
        creation_gas,
        slots=plan_slots(subject.contract.storage_layout, plan),
        read_after=(every, len(history.calls)),
    )
    assert first.address == address
    assert first.deployment.gas_used == deployed.gas_used
    assert first.deployment.logs == deployed.logs
    for index, (one, other) in enumerate(zip(first.calls, results, strict=True)):
        assert _simple(one) == _simple(other), (fork, index)
    assert [point.after for point in first.checkpoints] == [every, len(history.calls)]
    assert list(first.checkpoints) == states
    held = [
        label
        for point in states
        for label, word in point.storage.items()
        if int(word, 16) and not label.startswith(BALANCE)
    ]
    return len(results), len(held)


@pytest.mark.parametrize("fork", FORKS)
def test_old_code_runs_alike_under_every_fork(fork: str, subject: Make) -> None:
    box = subject(OLD_BOX, version="0.4.11")
    contract = msgspec.structs.replace(box.contract, storage_layout=OLD_LAYOUT)
    assert _check(_history(fork), Subject(box.creation, contract), fork) == (31, 10)


@pytest.mark.parametrize("fork", ["london", "shanghai", "prague"])
def test_new_code_runs_alike(fork: str, subject: Make) -> None:
    history = program(hardfork=fork)
    assert _check(history, subject(BOX), fork) == (12, 6)


def test_recorded_histories_run_alike(data_home: Path, compiler: Compiler) -> None:
    assert data_home.is_dir()
    checked = 0
    held: dict[str, int] = {}
    old = ("BTMC", "MonethaBuyer", "SuperplayerCharacter")
    # Of these the compiler gives the layout.
    wanted = (*old, "PepeYogaClub", "Evaitoken", "Collection", "PepemonStake", "LeadStake", "CLD")
    tasks = [task for task in SolContractEval().tasks() if task.id.startswith(wanted)]
    for task in tasks:
        assert task.program is not None
        history = msgspec.structs.replace(
            task.program, calls=tuple(itertools.islice(task.program.calls, 25))
        )
        build = compiler.compile(task.sources, task.compiler)
        contract = build.contract(history.deployment.contract)
        assert contract is not None
        calls, words = _check(history, Subject(contract.creation, contract), "")
        checked += calls
        held[task.id.partition("_")[0]] = words
    assert checked == 25 * len(wanted)
    assert {name for name, words in held.items() if words} == set(wanted) - set(old)
