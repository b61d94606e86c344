"""Counterexamples run once more, told, and written as Foundry tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from eth_abi.abi import encode
from hypothesis import given
from hypothesis import strategies as st

from solexp.benchmarks.starter import Starter
from solexp.core import Candidate, ContractBuild, Counterexample, Log, Recorded, Task, Verdict
from solexp.evm.abi import describe_event, describe_failure
from solexp.evm.anvil import AnvilMachine
from solexp.evm.evidence import (
    NotSeen,
    Seen,
    difference,
    foundry_config,
    foundry_test,
    listing,
    see,
    shorten,
)
from solexp.evm.evidence.cast import checksummed
from solexp.evm.evidence.literals import arguments
from solexp.evm.machine import Subject
from solexp.evm.words import keccak, word
from solexp.oracles.base import Case
from solexp.oracles.replay import Replay
from solexp.oracles.staging import subject
from solexp.oracles.violation import Violation
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.exported import run_exported
from solexp.solidity.splice import splice
from tests.evm.boxes import BOX, OTHER, SENDER, call, candidates, program, task

HISTORY = program(
    *program().calls, call("take(uint256)", 900, at=20), call("take(uint256)", 2, at=21)
)
CHANGES = {
    "status": ("amount < 1000", "amount < 5"),
    "return": ("return total;", "return total + 1;"),
    "events": ("emit Put(msg.sender, amount);", "emit Put(msg.sender, total);"),
    "storage": ("held[msg.sender] += amount;", "held[msg.sender] = amount;"),
    "revert": ('"too little"', '"too much"'),
    "deployment": ("constructor() payable {}", "constructor() payable { revert(); }"),
}


@pytest.fixture(scope="module")
def compiler() -> Iterator[Compiler]:
    with Compiler() as compiler:
        yield compiler


class Judged(msgspec.Struct, frozen=True):
    """A candidate that fails, and its verdict."""

    task: Task
    verdict: Verdict
    original: Subject
    candidate: Subject

    @property
    def counterexample(self) -> Counterexample:
        assert self.verdict.counterexample is not None
        return self.verdict.counterexample

    def see(self) -> Seen:
        own = self.task.program
        return see(self.counterexample, own, self.original, self.candidate, AnvilMachine())


@pytest.fixture(scope="module")
def judged(compiler: Compiler) -> dict[str, Judged]:
    """A candidate a change of the box, by the axis on which it differs first."""
    posed = task(history=HISTORY)
    case = Case(posed, candidates([BOX.replace(*change) for change in CHANGES.values()]), compiler)
    verdicts = Replay(axes="strict").judge(case)
    return {axis: _judged(case, place, verdicts[place]) for place, axis in enumerate(CHANGES)}


def _judged(case: Case, place: int, verdict: Verdict) -> Judged:
    made = []
    assert case.task.program is not None
    for sources in (case.task.sources, splice(case.task, case.candidates[place].code or "")):
        build = case.compiled(sources)
        contract = build.contract(case.task.program.deployment.contract)
        assert contract is not None
        made.append(subject(build, contract, case, sources))
    return Judged(case.task, verdict, made[0], made[1])


@pytest.mark.parametrize(
    ("axis", "calls", "reads", "said"),
    [
        ("status", 5, None, ("success", "failure (revert 'too much')")),
        ("return", 1, None, ("1", "2")),
        ("events", 2, None, ("Put(who: deployer, amount: 2)", "Put(who: deployer, amount: 3)")),
        ("storage", 14, f"held[{SENDER}]", ("40", "10")),
        ("revert", 13, None, ("failure (revert 'too little')", "failure (revert 'too much')")),
        ("deployment", 0, None, ("deployed", "not deployed (all gas used)")),
    ],
)
def test_replay_gives_the_calls_up_to_the_difference(
    judged: dict[str, Judged], axis: str, calls: int, reads: str | None, said: tuple[str, str]
) -> None:
    found = judged[axis].counterexample
    assert (found.axis, found.prefix, found.kept, found.reads) == (axis, calls, None, reads)
    told = listing(found, HISTORY, judged[axis].original.contract)
    if axis != "deployment":
        assert (told.expected, told.got) == said
    else:
        assert told.expected == "deployed"
        assert told.got.startswith("not deployed")


def test_calls_that_are_left_out_as_unfaithful_are_not_in_the_counterexample(
    compiler: Compiler,
) -> None:
    """They are told by their places in the task's own program."""
    untrue = msgspec.structs.replace(HISTORY.calls[2], recorded=Recorded(False, 30_000))
    history = program(*HISTORY.calls[:2], untrue, *HISTORY.calls[3:])
    case = Case(task(history=history), candidates([BOX.replace(*CHANGES["status"])]), compiler)
    [verdict] = Replay(fidelity="faithful").judge(case)
    found = verdict.counterexample
    assert found is not None
    assert (found.prefix, found.kept) == (5, (0, 1, 3, 4))
    assert found.program(history).calls[-1] == history.calls[4]


def test_a_reader_sees_the_last_calls_with_names_for_accounts(judged: dict[str, Judged]) -> None:
    told = listing(judged["storage"].counterexample, HISTORY, judged["storage"].original.contract)
    assert told.deployment == "Box is deployed by deployer in block 13000000"
    assert told.before == 4
    assert [line.number for line in told.lines] == list(range(5, 15))
    first, last = told.lines[0], told.lines[-1]
    assert (first.sender, first.call, first.later) == ("account 1", "put(5)", "+1 block, +13 s")
    assert (last.sender, last.call) == ("deployer", "take(2)")
    assert told.what == "held[deployer] after call 14"
    assert told.accounts == {"deployer": SENDER, "account 1": OTHER}


def test_fewer_calls_and_smaller_values_show_the_same(judged: dict[str, Judged]) -> None:
    seen = judged["storage"].see()
    short = shorten(seen, AnvilMachine())
    assert (len(seen.program.calls), len(short.program.calls)) == (14, 2)
    assert difference(short) == f"held[{SENDER}] after call 2"
    assert (int(short.expected.output, 16), int(short.got.output, 16)) == (1, 0)


def test_what_cannot_be_shown_again_is_said_in_a_line(judged: dict[str, Judged]) -> None:
    one = judged["status"]
    same = msgspec.structs.replace(one, candidate=one.original)
    with pytest.raises(NotSeen, match="do not differ in status"):
        same.see()
    gas = msgspec.structs.replace(one.counterexample, axis="gas")
    with pytest.raises(NotSeen, match="gas alone"):
        see(gas, HISTORY, one.original, one.candidate, AnvilMachine())
    bare = Subject("0x", one.candidate.contract)
    with pytest.raises(NotSeen, match="no code to deploy"):
        see(one.counterexample, HISTORY, one.original, bare, AnvilMachine())


def export(seen: Seen, folder: Path) -> None:
    (folder / "test").mkdir(parents=True)
    (folder / "foundry.toml").write_text(foundry_config(seen))
    (folder / "test" / "Box.t.sol").write_text(foundry_test(seen, ["About it."]))


def test_an_exported_test_passes_on_the_original_and_fails_on_the_candidate(
    judged: dict[str, Judged], compiler: Compiler, tmp_path: Path
) -> None:
    export(judged["events"].see(), tmp_path)
    ended = {each.test: each.reason for each in run_exported(tmp_path, compiler)}
    assert ended["test_original()"] is None
    reason = ended["test_candidate()"]
    assert reason is not None
    assert reason.startswith("event 1 of call 2, put(2): expected data 0x")
    assert reason.endswith("03")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["foundry.toml", "test"]


NUMBERS = ContractBuild(
    path="",
    name="N",
    abi=[],
    creation="0x",
    runtime="0x",
    methods={
        "f(uint8,int16,address,bool,string,bytes,bytes4)": "01020304",
        "g(uint256[])": "05060708",
    },
)


def test_calldata_is_written_as_a_reader_would_write_it() -> None:
    types = ["uint8", "int16", "address", "bool", "string", "bytes", "bytes4"]
    few = NUMBERS.methods | {"h(uint8,int16,address,bool,string,bytes)": "0a0b0c0d"}
    contract = msgspec.structs.replace(NUMBERS, methods=few)
    values = [7, -5, OTHER, True, "it's", b"\x01"]
    data = "0x0a0b0c0d" + encode(types[:6], values).hex()
    assert arguments(contract, data, {OTHER: "BOB"}) == (
        'abi.encodeWithSignature("h(uint8,int16,address,bool,string,bytes)", '
        'uint8(7), int16(-5), BOB, true, "it\'s", hex"01")'
    )
    assert arguments(contract, data + "00", {}) == f'hex"{data[2:]}00"'
    many = "0x01020304" + encode(types, [*values, b"abcd"]).hex()
    assert arguments(contract, many, {}).startswith('hex"01020304')
    array = "0x05060708" + encode(["uint256[]"], [[1]]).hex()
    assert arguments(contract, array, {}) == f'hex"{array[2:]}"'
    assert arguments(None, "0x", {}) == 'hex""'


@given(st.binary(min_size=20, max_size=20))
def test_addresses_have_the_checksum_that_solidity_wants(raw: bytes) -> None:
    from eth_utils.address import to_checksum_address  # noqa: PLC0415

    assert checksummed("0x" + raw.hex()) == to_checksum_address(raw)


def test_events_and_errors_are_named_by_the_abi() -> None:
    abi = [
        {
            "type": "event",
            "name": "Said",
            "inputs": [
                {"name": "who", "type": "address", "indexed": True},
                {"name": "text", "type": "string", "indexed": True},
                {"name": "", "type": "uint256", "indexed": False},
            ],
        },
        {"type": "error", "name": "Low", "inputs": [{"name": "by", "type": "uint256"}]},
    ]
    contract = msgspec.structs.replace(NUMBERS, abi=abi)
    topic = "0x" + "9f" * 32
    name = "0x" + word(keccak(b"Said(address,string,uint256)"))
    said = Log(OTHER, (name, "0x" + OTHER[2:].rjust(64, "0"), topic), "0x" + word(5))
    assert describe_event(contract, said) == f"Said(who: {OTHER}, text: {topic}, 2: 5)"
    assert describe_event(None, said).startswith("[0x")
    low = "0x" + word(keccak(b"Low(uint256)"))[:8] + word(3)
    assert describe_failure(contract, low) == "Low(3)"
    assert describe_failure(None, low) == low


@pytest.mark.slow
def test_exports_of_every_axis_and_of_violations_end_as_they_should(
    judged: dict[str, Judged], compiler: Compiler, tmp_path: Path
) -> None:
    loose = BOX.replace("amount < 1000", "amount < 2000")
    case = Case(task(history=HISTORY), candidates([loose]), compiler)
    [verdict] = Violation().judge(case)
    for name, one in {**judged, "violation": _judged(case, 0, verdict)}.items():
        for kind, seen in (("whole", one.see()), ("short", shorten(one.see(), AnvilMachine()))):
            _ends_as_it_should(seen, compiler, tmp_path / name / kind)


WANTED = (
    ("HarborToken", "mint-by-anybody", "solcontracteval"),
    ("HarborToken", "allowance-never-shrinks", "storage"),
    ("ShareVault", "fee-leaves-the-pot", "return"),
    ("ShareVault", "same-block-withdrawal", "solcontracteval"),
    ("TideAuction", "settled-twice", "solcontracteval"),
    ("BadgeCollection", "approval-survives", "status"),
    ("TollToken", "collector-set-by-anybody", "violation"),
)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mutant", "axes"), WANTED)
def test_divergences_of_starter_can_be_run_by_foundry(
    compiler: Compiler, tmp_path: Path, name: str, mutant: str, axes: str
) -> None:
    [posed] = Starter(ids=[name]).tasks()
    answer = Candidate(task_id=name, batch="greedy", repeat=0, index=0, code=posed.mutants[mutant])
    case = Case(posed, [answer], compiler)
    oracle = Violation() if axes == "violation" else Replay(axes=axes)
    [verdict] = oracle.judge(case)
    one = _judged(case, 0, verdict)
    _ends_as_it_should(shorten(one.see(), AnvilMachine()), compiler, tmp_path)


def _ends_as_it_should(seen: Seen, compiler: Compiler, folder: Path) -> None:
    export(seen, folder)
    ended = {each.test: each for each in run_exported(folder, compiler)}
    assert ended["test_original()"].passed, ended
    assert not ended["test_candidate()"].passed
    assert ": expected " in (ended["test_candidate()"].reason or "")
