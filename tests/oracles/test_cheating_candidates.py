"""Candidates that would pass by what only tests may do: real forge, real compiler."""

from __future__ import annotations

from pathlib import Path

import pytest

from solexp.core import Outcome, Task, Verdict
from solexp.oracles.tests import Tests
from solexp.solidity.compiler import Compiler
from tests.oracles.projects import case_of, function_task

pytestmark = pytest.mark.usefixtures("own_cache")

HEAD = "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\n"
LIBRARY = (
    HEAD
    + """
library Steps {
    function next(uint256 x) internal returns (uint256 y) {
        y = x + 1;
    }

    function last(uint256 x) internal pure returns (uint256 y) {
        y = x - 1;
    }
}

contract Walk {
    function walk(uint256 x) public returns (uint256 y) {
        y = x + 1;
    }
}
"""
)
SUITE = (
    HEAD
    + """
import {Steps, Walk} from "../src/Steps.sol";

interface Vm {
    function assume(bool) external;
    function warp(uint256) external;
    function startPrank(address) external;
}

contract StepsTest is Walk {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    uint256 expected;

    function setUp() public {
        expected = 2;
    }

    function testNext() public {
        require(Steps.next(1) == expected, "not the next");
    }

    function testNextOfAny(uint256 x) public {
        vm.assume(x != 77);
        x %= 1000;
        if (x == 1) return;
        require(Steps.next(x) == x + 1, "not the next of any");
    }

    function testLast() public {
        require(Steps.last(expected) == 1);
    }

    function testWalk() public {
        require(walk(1) == expected);
    }

    function testWalkOfAny(uint256 x) public {
        x %= 1000;
        require(walk(x) == x + 1);
    }

    function testWalkWarped(uint256 x) public returns (uint256) {
        vm.warp(x % 1000 + 1);
        require(walk(1) == expected);
        return x;
    }

    function testWalkDrawn(uint256) public {
        if (uint256(keccak256(msg.data)) % 2 == 0) vm.warp(5);
        require(walk(1) == expected);
    }
}

contract PrankedTest is Walk {
    Vm constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function setUp() public {
        vm.startPrank(address(1));
    }

    function testWalkPranked(uint256 x) public {
        require(new Sender().sender() == address(1), "not the pranked one");
        x %= 1000;
        require(walk(x) == x + 1);
    }
}

contract Sender {
    address public sender = msg.sender;
}
"""
)
VM = "address vm = address(uint160(uint256(keccak256(abi.encodePacked('hevm', ' cheat code')))));"


def _task(function: str, *tests: str) -> Task:
    contract = "Steps.Walk" if function == "walk" else "Steps"
    return function_task(LIBRARY, SUITE, function, tests, contract=contract)


def _judged(compiler: Compiler, task: Task, *codes: str) -> list[Verdict]:
    return Tests(fuzz_runs=16).judge(case_of(compiler, task, *codes))


def _reasons(said: list[Verdict]) -> list[str]:
    """Why each fails, in one line; ``pass`` where it does not."""
    reasons = []
    for each in said:
        failed = each.evidence.get("failed")
        assert each.outcome in (Outcome.PASS, Outcome.FAIL), each
        if each.outcome is Outcome.PASS:
            reasons.append("pass")
        elif isinstance(failed, list):
            reasons.append(str(failed[0]["reason"]))
        else:
            reasons.append(str(each.evidence["reason"]))
    return reasons


def _next(body: str) -> str:
    return f"function next(uint256 x) internal returns (uint256 y) {{ {body} y = x + 1; }}"


def _walk(body: str) -> str:
    return f"function walk(uint256 x) public returns (uint256 y) {{ {body} y = x + 1; }}"


def _cheat(call: str, body: str = "") -> str:
    return _next(f"{VM} {body} vm.call({call});")


def _signed(signature: str, *arguments: str) -> str:
    return f"abi.encodeWithSignature({', '.join((repr(signature), *arguments))})"


def test_calls_of_cheat_codes_are_found_however_their_address_is_come_by(
    compiler: Compiler, tmp_path: Path
) -> None:
    warp = _signed("warp(uint256)", "7")
    number = str(int("7109709ECfa91a80626fF3989D68f67F5b1DD12D", 16) - 5)
    calls = [
        _signed("store(address,bytes32,bytes32)", "address(this)", "bytes32(0)", "bytes32(0)"),
        _signed("etch(address,bytes)", "address(77)", "hex'00'"),
        _signed("mockCall(address,bytes,bytes)", "address(77)", "hex'00'", "hex'00'"),
        _signed("prank(address)", "address(1)"),
        _signed("writeFile(string,string)", repr(str(tmp_path / "written")), "'x'"),
        _signed("ffi(string[])", "new string[](1)"),
        _signed("pauseGasMetering()"),
        warp,
    ]
    codes = [
        *(_cheat(call) for call in calls),
        _next(f"address(uint160(uint256({number}) + 5)).call({warp});"),
        _next(
            f"{VM} bytes memory d = {warp}; "
            "assembly { pop(call(gas(), vm, 0, add(d, 0x20), mload(d), 0, 0)) }"
        ),
    ]
    task = _task("next", "testNext()")
    found = _judged(compiler, task, task.reference, *codes)
    passed, *reasons = _reasons(found)
    assert passed == "pass"
    for reason in reasons:
        assert reason.startswith(
            "StepsTest.testNext() calls cheat codes that it does not call with the reference"
        )
    assert not (tmp_path / "written").exists()
    assert found[1].measures["cheats"] is True


def test_what_leaves_tests_or_calls_out_does_not_pass(compiler: Compiler) -> None:
    task = _task("next", "testNext()", "testNextOfAny(uint256)")
    magic = "bytes15(uint120(uint256(keccak256('')) * 0) | 0x464f554e4452593a3a415353554d45)"
    reasons = _reasons(
        _judged(
            compiler,
            task,
            _cheat(_signed("pauseTracing()"), f"vm.call({_signed('pauseTracing()')});"),
            _cheat(
                _signed("resumeTracing()"),
                f"vm.call({_signed('pauseTracing()')}); vm.call({_signed('warp(uint256)', '7')});",
            ),
            _cheat(_signed("skip(bool)", "true")),
            _cheat(_signed("expectRevert()")),
            _next(f"{VM} if (x % 2 == 0) vm.call({_signed('assume(bool)', 'false')});"),
            _next(
                "if (x > 1) { bytes32 d = " + magic + "; assembly { mstore(0, d) revert(0, 15) } }"
            ),
            _next("if (x > 1) assembly { mstore(0, 'FOUNDRY::ASSUME') revert(0, 15) }"),
            _next("/// forge-config: bogus.fuzz.runs = 0\n").replace("{ ///", "{\n///"),
            "/// forge-config: bogus.fuzz.runs = 0\n" + _next(""),
        )
    )
    assert "pass" not in reasons, reasons
    assert reasons[0] == reasons[1] == "it calls cheat codes that keep calls from being traced"
    assert reasons[5] == reasons[6] == "the test ends too early"
    assert reasons[8] == "it speaks to forge"


def test_a_frame_that_is_left_early_does_not_pass(compiler: Compiler) -> None:
    leaving = ("return(0, 0)", "stop()", "selfdestruct(0)")
    unit = _task("walk", "testWalk()")
    reasons = _reasons(
        _judged(compiler, unit, *(_walk(f"assembly {{ {how} }}") for how in leaving))
    )
    assert reasons == ["StepsTest.testWalk() ends before its last statement"] * 3
    fuzzed = _task("walk", "testWalkOfAny(uint256)")
    codes = [_walk(f"if (x > 500) assembly {{ {how} }}") for how in leaving]
    found = _judged(compiler, fuzzed, _walk(""), *codes)
    assert _reasons(found) == ["pass", *["the test ends too early"] * 3]
    internal = _task("next", "testNext()")
    assert _reasons(_judged(compiler, internal, _next("assembly { stop() }"))) == [
        "it ends the frame of the function that calls it"
    ]


def test_a_test_that_does_not_pass_in_a_frame_of_its_own_is_held_to_its_end(
    compiler: Compiler,
) -> None:
    task = _task("walk", "testWalkPranked(uint256)")
    every, some = _walk("assembly { stop() }"), _walk("if (x > 500) assembly { stop() }")
    passed, *failed = _judged(compiler, task, _walk(""), every, some)
    assert passed.outcome is Outcome.PASS
    assert [each.outcome for each in failed] == [Outcome.FAIL] * 2
    assert all("PrankedTest.testWalkPranked(uint256)" in str(each.evidence) for each in failed)


def test_single_tries_of_a_candidate_that_may_call_are_traced(compiler: Compiler) -> None:
    task = _task("walk", "testWalkWarped(uint256)", "testWalkOfAny(uint256)")
    warp = _signed("warp(uint256)", "7")
    found = _judged(
        compiler,
        task,
        # With the test that warps too, a second call counts.
        _walk(f"{VM} if (x % 4 == 3) vm.call({warp});"),
        _walk(f"{VM} if (x == 1) vm.call({warp});"),
        _walk("(bool done,) = address(4).staticcall(abi.encode(x)); require(done);"),
    )
    some, one, honest = _reasons(found)
    assert "calls cheat codes that it does not call with the reference: test 0xe5d6bf02" in some
    assert one.startswith("StepsTest.testWalkWarped(uint256) calls cheat codes")
    assert honest == "pass"


def test_a_pure_function_that_writes_does_not_pass(compiler: Compiler) -> None:
    task = _task("last", "testLast()")
    code = "function last(uint256 x) internal returns (uint256) { assembly { sstore(0, 1) } return 1; }"
    assert _reasons(_judged(compiler, task, task.reference, code)) == [
        "pass",
        "it writes storage, where a pure function is wanted",
    ]


def test_what_a_test_draws_from_its_calldata_is_not_held_against_a_candidate(
    compiler: Compiler,
) -> None:
    task = _task("walk", "testWalk()", "testWalkDrawn(uint256)")
    honest = _walk("(bool done,) = address(4).staticcall(abi.encode(x)); require(done);")
    warps = _walk(f"{VM} vm.call({_signed('warp(uint256)', '7')});")
    passed, failed = _reasons(_judged(compiler, task, honest, warps))
    assert passed == "pass"
    assert "calls cheat codes" in failed
