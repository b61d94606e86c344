"""Traces are those of an independent machine, gas included.

Exceptions: Osaka, which py-evm does not know, and the machine's own words for a failure.
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
from solexp.evm.machine import Observation, Subject
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import BOX, OTHER, call, program, put
from tests.evm.conftest import Make
from tests.evm.second_machine import second_trace

END = Observation(storage=False)

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


def _check(history: Program, subject: Subject, fork: str) -> int:
    [first] = AnvilMachine().run(history, [subject], END)
    limits = call_limits(history, "generous", None)
    creation_gas = deployment_limit(history, "generous", None)
    address, (deployed, *results) = second_trace(history, subject.creation, limits, creation_gas)
    assert first.address == address
    assert first.deployment.gas_used == deployed.gas_used
    assert first.deployment.logs == deployed.logs
    for index, (one, other) in enumerate(zip(first.calls, results, strict=True)):
        assert _simple(one) == _simple(other), (fork, index)
    return len(results)


@pytest.mark.parametrize("fork", FORKS)
def test_old_code_runs_alike_under_every_fork(fork: str, subject: Make) -> None:
    box = subject(OLD_BOX, version="0.4.11")
    assert _check(_history(fork), box, fork) == 31


@pytest.mark.parametrize("fork", ["london", "shanghai", "prague"])
def test_new_code_runs_alike(fork: str, subject: Make) -> None:
    history = program(hardfork=fork)
    assert _check(history, subject(BOX), fork) == 12


def test_recorded_histories_run_alike(data_home: Path, compiler: Compiler) -> None:
    assert data_home.is_dir()
    checked = 0
    wanted = ("BTMC", "MonethaBuyer", "PepeYogaClub", "Evaitoken", "SuperplayerCharacter")
    tasks = [task for task in SolContractEval().tasks() if task.id.startswith(wanted)]
    for task in tasks:
        assert task.program is not None
        history = msgspec.structs.replace(
            task.program, calls=tuple(itertools.islice(task.program.calls, 25))
        )
        build = compiler.compile(task.sources, task.compiler)
        contract = build.contract(history.deployment.contract)
        assert contract is not None
        checked += _check(history, Subject(contract.creation, contract), "")
    assert checked == 25 * len(wanted)
