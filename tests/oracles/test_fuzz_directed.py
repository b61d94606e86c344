"""Fuzzing of whole contracts that goes on from the task's own calls and from what the original compares."""

from __future__ import annotations

from typing import Any

import pytest

from solexp.core import Outcome, UserError, Verdict
from solexp.evm.words import keccak, word
from solexp.oracles.base import Case
from solexp.oracles.fuzz import Fuzz
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import OTHER, SENDER, call, candidates, program, task

KEY = keccak(b"a key that nobody guesses")
LOCK = word(keccak(bytes.fromhex(word(KEY))))

# No source, answer or event states the goal or the last second.
SALE = f"""contract Box {{
    uint256 private immutable goal = uint256(keccak256("goal")) % 10 ** 15;
    uint256 private immutable span = uint256(keccak256("span")) % 10 ** 6;
    uint256 opened;
    uint256 raised;
    address owner = msg.sender;
    address guard;
    bool stopped;
    bool ended;
    constructor() payable {{}}
    function open(uint256 key) external {{
        require(keccak256(abi.encode(key)) == 0x{LOCK} && opened == 0, "locked");
        opened = block.timestamp;
    }}
    function give(uint64 amount) external {{
        require(opened > 0 && !ended && amount < 10 ** 16, "closed");
        raised += amount;
    }}
    function watch(address who) external {{ require(msg.sender == owner, "owner"); guard = who; }}
    function stop() external {{ require(msg.sender == guard && !stopped, "guard"); stopped = true; }}
    function finish() external returns (bool) {{
        require(opened > 0 && raised > 0, "nothing");
        require(!stopped, "stopped");
        ended = true;
        return raised >= goal;
    }}
    function late() external view returns (bool) {{
        return opened > 0 && block.timestamp > opened + span;
    }}
    function knows(bytes4 id) external pure returns (bool) {{ return id == 0x01ffc9a7; }}
}}"""
MUTANTS = {
    "goal": SALE.replace("raised >= goal", "raised > goal"),
    "second": SALE.replace("timestamp > opened", "timestamp >= opened"),
    "stopped": SALE.replace('require(!stopped, "stopped");', ""),
    "interface": SALE.replace("id == 0x01ffc9a7", "id == 0x01ffc9a7 || id == 0x5b5e139f"),
}
SAME = SALE.replace("ended = true;", "bool reached = raised >= goal; ended = true;").replace(
    "return raised >= goal", "return reached"
)
HISTORY = program(
    call("open(uint256)", 5),
    call("open(uint256)", KEY, at=2),
    call("give(uint64)", 700, sender=OTHER, at=3),
    call("watch(address)", int(OTHER, 16), at=4),
    call("finish()", at=5),
)
STRANGE = program(call("watch(address)", int(SENDER, 16)))


def judge(
    compiler: Compiler, *codes: str, history: Any = HISTORY, **settings: Any
) -> list[Verdict]:
    oracle = Fuzz(**{"scope": "contract", "calls": 1200, "length": 10, **settings})
    return oracle.judge(Case(task(SALE, history), candidates(codes), compiler, cached=False))


def shown(found: Verdict) -> list[Any]:
    calls = found.evidence["calls"]
    assert isinstance(calls, list)
    return calls


def test_sums_seconds_states_and_identifiers_that_chance_does_not_meet_are_found(
    compiler: Compiler,
) -> None:
    same, *wrong = judge(compiler, SAME, *MUTANTS.values())

    assert same.outcome is Outcome.PASS
    found = dict(zip(MUTANTS, wrong, strict=True))
    assert {name: each.outcome for name, each in found.items()} == dict.fromkeys(
        MUTANTS, Outcome.FAIL
    )
    # The least that it takes, whatever led there.
    goal = keccak(b"goal") % 10**15
    calls = {name: shown(each) for name, each in found.items()}
    assert calls["goal"][-2:] == [f"give({goal})", "finish()"]
    assert calls["interface"] == ["knows(0x5b5e139f)"]
    assert calls["stopped"][-2:] == ["stop()", "finish()"]

    [alone] = judge(compiler, MUTANTS["second"])
    told = [(each.outcome, each.measures, each.counterexample) for each in (alone, found["second"])]
    assert told[0] == told[1]


def test_without_corpus_and_feedback_a_history_has_no_part_in_it(compiler: Compiler) -> None:
    without = {"corpus": "none", "feedback": "none", "calls": 400}
    rows = judge(compiler, *MUTANTS.values(), **without)
    others = judge(compiler, *MUTANTS.values(), history=STRANGE, **without)

    assert {each.outcome for each in rows} == {Outcome.PASS}
    assert [each.measures for each in rows] == [each.measures for each in others]


def test_sequences_of_one_function_never_go_on_from_a_history(compiler: Compiler) -> None:
    rows = [
        judge(compiler, SAME, scope="function", calls=60, **fields)[0].measures
        for fields in ({}, {"corpus": "none", "feedback": "none"}, {"history": STRANGE})
    ]
    assert rows[0] == rows[1] == rows[2]


@pytest.mark.parametrize("setting", ["corpus", "feedback"])
def test_a_wrong_setting_is_named(setting: str) -> None:
    fields: dict[str, Any] = {setting: "all"}
    with pytest.raises(UserError, match=f"oracle.fuzz.{setting}: must be"):
        Fuzz(**fields)
