"""Gas of candidates beside their reference: real forge, real compiler, figures that were reckoned by hand."""

from __future__ import annotations

from typing import Any

import pytest

from solexp.core import (
    Outcome,
    Task,
    Verdict,
)
from solexp.oracles.base import Case
from solexp.oracles.gas import Gas
from solexp.oracles.suites import Stage
from solexp.oracles.tests import Tests
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.forge import TestRun
from tests.oracles.projects import case_of, function_task

pytestmark = pytest.mark.usefixtures("own_cache")

SLOAD, PUSH0, ADD, DUP = 100, 2, 3, 3
"""Gas of instructions; of reading a slot when that is not the first time in a transaction (EIP-2929)."""

SOURCE = """\
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Till {
    uint256 public total;

    function put(uint256 x) external returns (uint256 y) {
        assembly {
            sstore(total.slot, add(sload(total.slot), x))
            y := sload(total.slot)
        }
    }

    function half(uint256 x) internal pure returns (uint256) {
        return x / 2;
    }

    function halved(uint256 x) external pure returns (uint256) {
        return half(x);
    }
}
"""
SUITE = """\
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {Till} from "../src/Till.sol";

contract Front {
    address immutable till;

    constructor(address till_) {
        till = till_;
    }

    fallback() external {
        (bool done, bytes memory said) = till.delegatecall(msg.data);
        require(done);
        assembly {
            return(add(said, 32), mload(said))
        }
    }
}

contract TillTest {
    Till till;
    Till front;

    function setUp() public {
        till = new Till();
        front = Till(address(new Front(address(till))));
        till.put(1);
    }

    function testPut() public {
        require(till.put(2) == 3);
    }

    function testPutTwice() public {
        till.put(2);
        require(till.put(2) == 5);
    }

    function testFront() public {
        require(front.put(2) == 2);
    }

    function testPutAny(uint64 x) public {
        require(till.put(x) == uint256(x) + 1);
    }

    function testHalf() public view {
        require(till.halved(9) == 4);
    }
}
"""
CHEAPER = """\
function put(uint256 x) external returns (uint256 y) {
        assembly {
            y := add(sload(total.slot), x)
            sstore(total.slot, y)
        }
    }"""
DEARER = """\
function put(uint256 x) external returns (uint256 y) {
        assembly {
            sstore(total.slot, add(sload(total.slot), x))
            y := add(sload(total.slot), 0)
        }
    }"""


def _task(member: str, *tests: str) -> Task:
    function = member.partition("(")[0]
    return function_task(SOURCE, SUITE, function, tests, contract="Till", member=member)


def _saved(said: Verdict, prefix: str = "gas") -> int:
    """f − f′."""
    reference, candidate = (
        said.measures[f"{prefix}_reference"],
        said.measures[f"{prefix}_candidate"],
    )
    assert isinstance(reference, int)
    assert isinstance(candidate, int)
    return reference - candidate


def test_what_is_saved_is_what_the_instructions_cost(compiler: Compiler) -> None:
    task = _task("put(uint256)", "testPut()", "testPutTwice()", "testFront()")
    remark = task.reference.replace("assembly {", "// the same, with a remark\n        assembly {")
    same, remarked, cheaper, dearer = Gas().judge(
        case_of(compiler, task, task.reference, remark, CHEAPER, DEARER)
    )
    assert {each.outcome for each in (same, remarked, cheaper, dearer)} == {Outcome.PASS}
    assert same.measures["gas_tests"] == 3
    for unchanged in (same, remarked):
        assert _saved(unchanged) == _saved(unchanged, "gas_function") == 0

    # Each of four calls takes the sum from the stack in place of reading the slot once more.
    per_call = SLOAD + PUSH0 - DUP
    assert _saved(cheaper) == _saved(cheaper, "gas_function") == 4 * per_call
    assert _saved(dearer) == _saved(dearer, "gas_function") == -4 * (PUSH0 + ADD)

    rows = cheaper.evidence["tests"]
    assert isinstance(rows, list)
    by_test = {row["test"]: row["reference"] - row["candidate"] for row in rows}
    assert by_test == {
        "TillTest.testPut()": per_call,
        "TillTest.testPutTwice()": 2 * per_call,
        "TillTest.testFront()": per_call,
    }
    # What stands behind a proxy is called once, not twice.
    assert all(0 < row["function_reference"] < row["reference"] for row in rows)


def test_tests_with_parameters_are_not_measured(compiler: Compiler) -> None:
    both = _task("put(uint256)", "testPut()", "testPutAny(uint64)")
    [said] = Gas(fuzz_runs=8).judge(case_of(compiler, both, CHEAPER))
    assert said.measures["gas_tests"] == 1
    alone = _task("put(uint256)", "testPutAny(uint64)")
    [said] = Gas(fuzz_runs=8).judge(case_of(compiler, alone, CHEAPER))
    assert said.outcome is Outcome.UNDECIDABLE
    assert said.measures == {"gas_tests": 0}
    assert said.evidence == {"reason": "no unit test reaches it"}


def test_of_an_internal_function_only_the_gas_of_the_tests_is_known(compiler: Compiler) -> None:
    task = _task("half(uint256)", "testHalf()")
    shift = "function half(uint256 x) internal pure returns (uint256) { return x >> 1; }"
    [said] = Gas().judge(case_of(compiler, task, shift))
    assert said.outcome is Outcome.PASS
    assert _saved(said) > 0
    assert "gas_function_reference" not in said.measures


def test_only_candidates_that_pass_are_measured(compiler: Compiler) -> None:
    task = _task("put(uint256)", "testPut()")
    wrong = "function put(uint256) external returns (uint256) { return 0; }"
    broken = "function put(uint256) external returns (uint256) { return z; }"
    found = Gas().judge(case_of(compiler, task, wrong, broken, None))
    assert [each.outcome for each in found] == [
        Outcome.FAIL,
        Outcome.COMPILE_ERROR,
        Outcome.NO_CODE,
    ]
    assert not any(each.measures for each in found)


def test_the_tests_are_run_once_for_both_oracles(
    compiler: Compiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    run = Stage.run

    def noted(stage: Stage, case: Case, code: str, *args: Any, **fields: Any) -> list[TestRun]:
        ran.append(code)
        return run(stage, case, code, *args, **fields)

    task = _task("put(uint256)", "testPut()")
    Tests().judge(case_of(compiler, task, task.reference))  # what is known of the task is kept
    monkeypatch.setattr(Stage, "run", noted)
    case = case_of(compiler, task, CHEAPER, DEARER)
    assert [each.outcome for each in Tests().judge(case)] == [Outcome.PASS] * 2
    assert {CHEAPER, DEARER} <= set(ran)
    ran.clear()
    assert [each.outcome for each in Gas().judge(case)] == [Outcome.PASS] * 2
    assert ran == [task.reference]


def test_gas_decides_nothing_and_says_what_it_depends_on() -> None:
    assert Gas.decides is False
    assert Gas().fingerprint() != Gas(fuzz_runs=8).fingerprint()
