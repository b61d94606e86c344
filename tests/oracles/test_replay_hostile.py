"""Candidates that misbehave on purpose end in the right verdict, within limits."""

from __future__ import annotations

import time

import pytest

from solexp.core import Outcome, Verdict
from solexp.evm.anvil import AnvilMachine
from solexp.oracles.base import Case
from solexp.oracles.replay import Replay
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import BOX, HERE, SENDER, candidates, program, put, recorded, task

BODY = "held[msg.sender] += amount;"


def _with(line: str, before: str = BODY) -> str:
    return BOX.replace(before, line + " " + before)


CONSTRUCTOR = "constructor() payable {}"


def _constructed(body: str) -> str:
    return BOX.replace(CONSTRUCTOR, "constructor() payable { " + body + " }")


def _literal(address: str) -> str:
    return f'address(bytes20(hex"{address[2:]}"))'


AGAIN = " contract Again { constructor(Box box, uint256 amount) { box.put(amount); } }"

HOSTILE: dict[str, tuple[str, Outcome, str | None]] = {
    "burns a lot of gas, rightly": (
        _with("for (uint256 i; i < 300; i++) { keccak256(abi.encode(i)); }"),
        Outcome.PASS,
        None,
    ),
    "burns all gas": (_with("while (true) {}"), Outcome.FAIL, "status"),
    "loops in the constructor": (_constructed("while (true) {}"), Outcome.FAIL, "deployment"),
    "returns 30 MB": (_with("assembly { return(0, 31457280) }"), Outcome.FAIL, "status"),
    "emits 500 events": (
        _with("for (uint256 i; i < 500; i++) { emit Put(msg.sender, i); }"),
        Outcome.FAIL,
        "events",
    ),
    "destroys itself": (
        _with("selfdestruct(payable(msg.sender));"),
        Outcome.FAIL,
        "return",
    ),
    "is larger than 24 kB": (
        _constructed("assembly { return(0, 24577) }"),
        Outcome.FAIL,
        "deployment",
    ),
    "reverts in the constructor": (_constructed('revert("no");'), Outcome.FAIL, "deployment"),
    "calls the sender, which has no code to call back with": (
        _with(
            'require(msg.sender.code.length == 0); (bool y, ) = msg.sender.call(""); require(y);'
        ),
        Outcome.PASS,
        None,
    ),
    "enters itself once": (
        _with("if (msg.sender != address(this)) this.put(amount);"),
        Outcome.FAIL,
        "return",
    ),
    "enters itself without end": (_with("this.put(amount);"), Outcome.FAIL, "status"),
    "has another contract enter it": (
        _with("if (tx.origin == msg.sender) new Again(this, amount);") + AGAIN,
        Outcome.FAIL,
        "return",
    ),
    "misbehaves where there is no fee": (
        _with("if (tx.gasprice == 0) amount += 1;"),
        Outcome.FAIL,
        "return",
    ),
    "misbehaves unless all is as it was on the chain": (
        _with(
            f"if (address(this) != {_literal(HERE)} "
            "|| tx.origin != msg.sender || block.number < 13000000 || block.number > 13000020"
            " || block.timestamp < 1628632419 || block.timestamp > 1628633000"
            " || block.chainid != 1) amount += 1;"
        ),
        Outcome.FAIL,
        "return",
    ),
    "misbehaves late": (_with("if (block.number > 13000009) amount += 1;"), Outcome.FAIL, "return"),
}


@pytest.fixture(scope="module")
def verdicts(compiler: Compiler) -> dict[str, Verdict]:
    codes = [code for code, _, _ in HOSTILE.values()]
    machine = AnvilMachine(timeout_s=30, memory_mb=1024)
    case = Case(task(), candidates(codes), compiler)
    case.reference()
    started = time.perf_counter()
    found = Replay(machine=machine).judge(case)
    assert time.perf_counter() - started < 60
    return dict(zip(HOSTILE, found, strict=True))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_candidate_that(name: str, verdicts: dict[str, Verdict]) -> None:
    _, outcome, axis = HOSTILE[name]
    found = verdicts[name]
    assert found.outcome is outcome, found
    assert (found.divergence.axis if found.divergence else None) == axis


def test_calls_see_what_the_chain_showed_them(compiler: Compiler) -> None:
    name = "misbehaves unless all is as it was on the chain"
    case = Case(task(), candidates([HOSTILE[name][0]]), compiler, cached=False)
    [found] = Replay(elsewhere=False).judge(case)
    assert found.outcome is Outcome.PASS


def test_a_wasteful_candidate_is_counted_as_over_the_recorded_limit(
    verdicts: dict[str, Verdict],
) -> None:
    found = verdicts["burns a lot of gas, rightly"]
    assert found.measures["over_recorded_gas"] == 12
    assert found.measures["diverges.gas"] == 12


def test_the_recorded_limit_decides_when_asked(compiler: Compiler) -> None:
    wasteful = HOSTILE["burns a lot of gas, rightly"][0]
    case = Case(task(), candidates([BOX, wasteful]), compiler)
    good, bad = Replay(machine=AnvilMachine(gas="recorded")).judge(case)
    assert good.outcome is Outcome.PASS
    assert bad.outcome is Outcome.FAIL
    assert bad.divergence is not None
    assert (bad.divergence.axis, bad.divergence.got) == ("status", "failure (all gas used)")


def test_real_30_mb_answers_are_cut_short_and_fail(compiler: Compiler) -> None:
    # With gas enough for the memory, each answer is 60 MB of hex; only a few fit the limit on answers.
    history = program(*(put(n + 1, at=n + 1, **recorded(4_000_000_000)) for n in range(8)))
    case = Case(task(history=history), candidates([HOSTILE["returns 30 MB"][0]]), compiler)
    machine = AnvilMachine(timeout_s=60, memory_mb=2048, answer_mb=128)
    [found] = Replay(machine=machine).judge(case)
    assert found.outcome is Outcome.FAIL
    assert found.divergence is not None
    assert found.divergence.axis == "return"
    assert "sha256" in found.divergence.got
    assert str(found.evidence["reason"]).startswith("the candidate used up its ")


def test_the_sender_is_the_recorded_one(compiler: Compiler) -> None:
    owner = _constructed(f"require(msg.sender == {_literal(SENDER)});")
    case = Case(task(), candidates([owner]), compiler)
    [found] = Replay().judge(case)
    assert found.outcome is Outcome.PASS
