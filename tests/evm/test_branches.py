"""What calls would do from a state of a program, on a real anvil."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from solexp.core import Call, CallResult, Program
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import Branch, Observation
from tests.evm.boxes import BOX, OTHER, SENDER, TIME, call, program, put
from tests.evm.conftest import Make

STRANGER = "0x" + "c3" * 20

TELLING = """contract Box {
    uint256 public total;
    mapping(address => uint256) public held;
    error Late(uint256 when);
    constructor() payable {}
    function put(uint256 amount) public payable returns (uint256) {
        require(amount < 1000, "too much");
        if (block.timestamp > 2000000000) revert Late(block.timestamp);
        held[msg.sender] += amount;
        total += amount;
        return total;
    }
    function twice(uint256 amount) external returns (uint256) {
        require(tx.origin == msg.sender, "no contracts");
        this.put(amount);
        return this.put(amount);
    }
    function pay() external { payable(msg.sender).transfer(address(this).balance); }
    function gone() external { selfdestruct(payable(msg.sender)); }
}"""


def whole(each: Call, **fields: object) -> Call:
    return msgspec.structs.replace(each, gas=30_000_000, **fields)


def plan(*branches: Branch) -> Observation:
    return Observation(storage=False, branches=branches)


def test_each_call_of_a_branch_starts_from_the_same_state_and_the_program_goes_on_untouched(
    subject: Make,
) -> None:
    box = subject(BOX)
    history = program()
    machine = AnvilMachine()
    [plain] = machine.run(history, [box], Observation(storage=False))
    tries = tuple(whole(put(7, sender=STRANGER, at=5)) for _ in range(3))
    [trace] = machine.run(
        history, [box], plan(*(Branch(after, tries, (1,)) for after in (0, 5, 12)))
    )
    assert trace.calls == plain.calls
    assert trace.checkpoints == plain.checkpoints
    for branched in trace.branches:
        before = branched.after * (branched.after + 1) // 2
        assert branched.words == (before,)
        assert [int(result.output, 16) for result in branched.calls] == [before + 7] * 3
    assert [branched.after for branched in trace.branches] == [0, 5, 12]


@pytest.mark.parametrize("fork", ["homestead", "byzantium", "london", "cancun"])
def test_a_branch_does_what_the_same_call_would_do_at_the_end_of_the_program(
    subject: Make, fork: str
) -> None:
    old = fork == "homestead"
    source = (
        TELLING.replace("error Late(uint256 when);", "")
        .replace("revert Late(block.timestamp)", 'revert("late")')
        .replace("payable(msg.sender)", "msg.sender")
    )
    box = subject(source, version="0.4.26") if old else subject(TELLING)
    history = program(put(1), put(2, at=2, sender=OTHER), hardfork=fork)
    tries = [
        call("put(uint256)", 5, at=3, value=9),
        call("put(uint256)", 5000, at=3),
        call("put(uint256)", 5, at=3, timestamp=2_000_000_001),
        call("put(uint256)", 2**256 - 1, at=3),
        call("twice(uint256)", 4, at=3, sender=OTHER),
        call("pay()", at=4, sender=STRANGER),
        call("gone()", at=4, sender=STRANGER),
        call("nothing()", at=4),
        call("put(uint256)", 6, at=3),
    ]
    tries = [whole(each) for each in tries]
    machine = AnvilMachine()
    [branched] = machine.run(history, [box], plan(Branch(2, tuple(tries))))[0].branches
    for each, found in zip(tries, branched.calls, strict=True):
        [trace] = machine.run(_with(history, each), [box], Observation(storage=False))
        assert found.status is trace.calls[-1].status, each
        if not old:
            assert found.output == trace.calls[-1].output, each


def test_a_branch_tells_that_all_gas_was_used(subject: Make) -> None:
    box = subject("contract Box { function f() public { assert(false); } }", version="0.4.26")
    history = program(call("f()"))
    branch = Branch(1, (whole(call("f()", at=2)),))
    [branched] = AnvilMachine().run(history, [box], plan(branch))[0].branches
    [result] = branched.calls
    assert result == CallResult(status=False, gas_used=result.gas_used, error="all gas used")


def test_a_contract_that_destroyed_itself_has_no_branches(subject: Make) -> None:
    box = subject(TELLING)
    history = program(put(1), call("gone()", at=2), put(3, at=3))
    tries = (whole(put(5, at=4)),)
    machine = AnvilMachine()
    [plain] = machine.run(history, [box], Observation(storage=False))
    branches = plan(Branch(1, tries), Branch(2, tries), Branch(3, tries))
    [trace] = machine.run(history, [box], branches)
    assert [branched.alive for branched in trace.branches] == [True, False, False]
    assert [result.status for result in trace.branches[0].calls] == [True]
    assert trace.calls == plain.calls


def test_a_branch_runs_under_the_rules_of_the_call_before_it(subject: Make) -> None:
    # The base fee can be read from London on.
    box = subject(
        """contract Box { function f() external view returns (uint256 fee) {
            assembly { fee := basefee() } } }"""
    )
    berlin: dict[str, Any] = {"block_number": 12_964_000, "timestamp": TIME - 10_000}
    history = program(call("f()", **berlin), call("f()"))
    deployment = msgspec.structs.replace(history.deployment, **berlin)
    history = msgspec.structs.replace(history, deployment=deployment)
    tries = (whole(call("f()", sender=SENDER)),)
    [trace] = AnvilMachine().run(history, [box], plan(Branch(1, tries), Branch(2, tries)))
    assert trace.hardfork == "berlin+london"
    assert [branched.calls[0].status for branched in trace.branches] == [False, True]


def _with(history: Program, last: Call) -> Program:
    return msgspec.structs.replace(history, calls=(*history.calls, last))
