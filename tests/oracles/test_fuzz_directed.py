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

# Nobody makes anything while halted, closes what is in dispute, or joins by a list of one.
GUILD = """contract Box {
    address owner = msg.sender;
    bytes32 root;
    bool halted;
    uint256 made;
    mapping(uint256 => uint256) stage;
    mapping(uint256 => address) maker;
    mapping(address => uint256) joined;
    constructor() payable {}
    function rule(bool halt) external { require(msg.sender == owner, "owner"); halted = halt; }
    function list(bytes32 to) external { require(msg.sender == owner, "owner"); root = to; }
    function make() external returns (uint256 id) {
        require(!halted, "halted");
        id = ++made;
        (stage[id], maker[id]) = (1, msg.sender);
    }
    function dispute(uint256 id) external {
        require(msg.sender == maker[id] && stage[id] == 1, "dispute");
        stage[id] = 2;
    }
    function close(uint256 id) external {
        require(stage[id] == 1, "stage");
        stage[id] = 3;
    }
    function join(uint256 rank, bytes32[] calldata path) external {
        bytes32 node = keccak256(abi.encodePacked(msg.sender, rank));
        for (uint256 i = 0; i < path.length; i++) {
            node = keccak256(abi.encodePacked(node, path[i]));
        }
        require(node == root, "list");
        joined[msg.sender] = rank;
    }
}"""
OUTLAWS = {
    "halted": GUILD.replace('require(!halted, "halted");', ""),
    "disputed": GUILD.replace(
        'stage[id] == 1, "stage"', 'stage[id] == 1 || stage[id] == 2, "stage"'
    ),
    "alone": GUILD.replace("require(node == root", "require(path.length > 0 && node == root"),
}
BESIDE = keccak(b"the other leaf")
LEAF = keccak(bytes.fromhex(OTHER[2:]) + (7).to_bytes(32))
MEETING = program(
    call("rule(bool)", 0),
    call("make()", sender=OTHER, at=2),
    call("make()", sender=OTHER, at=3),
    call("dispute(uint256)", 2, sender=OTHER, at=4),
    call("close(uint256)", 1, at=5),
    call("list(bytes32)", int(word(keccak(bytes.fromhex(word(LEAF) + word(BESIDE)))), 16), at=6),
    call("join(uint256,bytes32[])", 7, 64, 1, BESIDE, sender=OTHER, at=7),
)


def judge(
    compiler: Compiler,
    *codes: str,
    original: str = SALE,
    history: Any = HISTORY,
    **settings: Any,
) -> list[Verdict]:
    oracle = Fuzz(**{"scope": "contract", "calls": 1200, "length": 10, **settings})
    return oracle.judge(Case(task(original, history), candidates(codes), compiler, cached=False))


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


def test_flags_both_ways_calls_about_the_same_and_hashes_of_arguments_are_found(
    compiler: Compiler,
) -> None:
    def asked(*codes: str, **settings: Any) -> list[Verdict]:
        settings |= {"original": GUILD, "history": MEETING, "arguments": "all"}
        return judge(compiler, *codes, **settings)

    rows = asked(GUILD, *OUTLAWS.values())
    assert [each.outcome for each in rows] == [Outcome.PASS, *[Outcome.FAIL] * len(OUTLAWS)]
    calls = {name: shown(each) for name, each in zip(OUTLAWS, rows[1:], strict=True)}
    assert calls["halted"] == ["rule(true)", "make()"]
    assert [each.partition("(")[0] for each in calls["disputed"]] == ["make", "dispute", "close"]
    assert calls["alone"][-1] == "join(7, [])"
    [alone] = asked(OUTLAWS["alone"], feedback="none")
    assert alone.outcome is Outcome.PASS, "chance does not find a hash"


def test_without_corpus_and_feedback_a_history_has_no_part_in_it(compiler: Compiler) -> None:
    without: dict[str, Any] = {"corpus": "none", "feedback": "none", "calls": 400}
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
