"""Getters are called where their answers can count, and only there."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from solexp.core import CompilerSettings, Outcome, Program, Trace, Verdict
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import Observation, Subject
from solexp.evm.observe import observation
from solexp.oracles.base import Case
from solexp.oracles.replay import Replay
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import BOX, call, candidates, program, put, task

WRONG = BOX.replace("total -= amount;", "").replace("total += amount;", "total = amount;")
RENAMED = BOX.replace("public total", "private sum").replace("total", "sum")
HONEST = RENAMED.replace(
    "function take",
    "function total() external view returns (uint256) { return sum; } function take",
)
LYING = RENAMED.replace(
    "function take",
    "function total() external pure returns (uint256) { return 4; } function take",
)
STATELESS = """contract Box {
    event Put(uint256 amount);
    function put(uint256 amount) external returns (uint256) { emit Put(amount); return amount; }
    function limit() external pure returns (uint256) { return 9; }
}"""
OLD = BOX.replace("external", "public").replace("emit ", "").replace("constructor", "function make")


class _Watched(AnvilMachine):
    """Remembers how many getters each subject was asked; ``everywhere`` asks them of all."""

    def __init__(self, *, everywhere: bool = False) -> None:
        super().__init__()
        self._everywhere = everywhere
        self.asked: list[list[int]] = []

    def run(self, program: Program, subjects: Sequence[Subject], plan: Observation) -> list[Trace]:
        if self._everywhere:
            plan = msgspec.structs.replace(plan, getters_in_need=False)
        traces = super().run(program, subjects, plan)
        self.asked.append(
            [sum(len(point.getters) for point in trace.checkpoints) for trace in traces]
        )
        return traces


def _judged(
    compiler: Compiler,
    machine: AnvilMachine,
    codes: Sequence[str],
    *,
    reference: str = BOX,
    version: str = "0.8.17",
    history: Program | None = None,
    checkpoint_every: int | None = None,
) -> list[Verdict]:
    case = Case(task(reference, history, version), candidates(codes), compiler, cached=False)
    oracle = Replay(machine=machine, checkpoint_every=checkpoint_every)
    return [msgspec.structs.replace(row, seconds=0.0) for row in oracle.judge(case)]


def test_candidates_with_all_variables_cost_no_getters(compiler: Compiler) -> None:
    machine = _Watched()
    _judged(compiler, machine, [BOX + "// another", WRONG, "abstract " + BOX])
    assert machine.asked == [[0] * 4, [0] * 4]


def test_the_original_and_just_the_candidates_that_lack_a_variable_are_asked(
    compiler: Compiler,
) -> None:
    machine = _Watched()
    _judged(compiler, machine, [WRONG, HONEST, LYING])
    reference, wrong, honest, lying = machine.asked[-1]
    assert (reference > 0, wrong) == (True, 0)
    assert reference == honest == lying


@pytest.mark.parametrize(
    ("reference", "version", "codes"),
    [
        (STATELESS, "0.8.17", [STATELESS.replace("return 9", "return 8")]),
        (OLD, "0.4.26", [OLD.replace("total -= amount;", "")]),
    ],
)
def test_all_are_asked_where_the_original_has_no_storage_that_can_be_read(
    compiler: Compiler, reference: str, version: str, codes: list[str]
) -> None:
    machine = _Watched()
    calls = [*(put(n + 1, at=n + 1) for n in range(6)), call("take(uint256)", 1, at=9)]
    [row] = _judged(
        compiler, machine, codes, reference=reference, version=version, history=program(*calls)
    )
    assert min(machine.asked[-1]) > 0
    assert row.measures["diverges.storage"]


@pytest.mark.parametrize("checkpoint_every", [None, 3])
@pytest.mark.parametrize("codes", [[BOX, WRONG], [BOX, WRONG, HONEST, LYING]])
def test_verdicts_are_those_of_asking_everyone(
    compiler: Compiler, codes: list[str], checkpoint_every: int | None
) -> None:
    frugal, generous = (
        _judged(compiler, _Watched(everywhere=everywhere), codes, checkpoint_every=checkpoint_every)
        for everywhere in (False, True)
    )
    assert frugal == generous
    assert [row.outcome for row in frugal] == ["pass", "fail", "pass", "fail"][: len(codes)]


@pytest.mark.parametrize(("other", "asked"), [(WRONG, False), (HONEST, True)])
def test_before_byzantium_where_getters_can_change_state_all_are_asked_or_none(
    compiler: Compiler, other: str, asked: bool
) -> None:
    settings = CompilerSettings(version="0.5.17", evm_version="homestead")
    made = []
    for code in (BOX, WRONG, other):
        source = f"pragma solidity 0.5.17;\n{code.replace('constructor() payable {}', '')}"
        built = compiler.compile({"box.sol": source}, settings)
        contract = built.contract("Box")
        assert contract is not None, built.errors
        made.append(Subject(contract.creation, contract))
    machine = _Watched()
    history = program(hardfork="homestead")
    traces = machine.run(history, made, observation(history, made[0].contract))
    assert all(call.status for trace in traces for call in trace.calls)
    assert [count > 0 for count in machine.asked[0]] == [asked] * 3


def test_a_second_look_counts_getters_only_where_the_first_does(compiler: Compiler) -> None:
    history = program()
    later = history.calls[0].timestamp + 10 * 366 * 86_400
    view = "function limit() external view returns (uint256) { %sreturn 9; } function take"
    reference = BOX.replace("function take", view % "")
    expiring = BOX.replace("function take", view % f"require(block.timestamp < {later}); ")
    case = Case(task(reference, history), candidates([expiring]), compiler, cached=False)

    [aside] = Replay().judge(case)
    assert aside.outcome is Outcome.PASS
    [counted] = Replay(getters="always").judge(case)
    assert counted.outcome is Outcome.FAIL
    assert counted.evidence["elsewhere"] == "late"


LOCKED = """contract Box {
    struct Till { bool busy; uint64 sum; }
    bool private busy;
    bool public closed;
    mapping(uint256 => bool) private seen;
    Till[] private tills;
    constructor() payable { tills.push(Till(true, 5)); }
    function put(uint256 amount) external { busy = false; seen[amount] = true; closed = amount > 6; }
}"""
# Locks as they are often kept: one is never zero.
NUMBERED = (
    LOCKED.replace("bool private busy;", "uint256 private busy;")
    .replace("struct Till { bool busy", "struct Till { uint8 busy")
    .replace("mapping(uint256 => bool)", "mapping(uint256 => uint256)")
    .replace("Till(true, 5)", "Till(2, 5)")
    .replace("busy = false; seen[amount] = true", "busy = 1; seen[amount] = 2")
)


def test_a_flag_and_a_number_of_one_name_are_not_compared_but_by_their_getters(
    compiler: Compiler,
) -> None:
    public = LOCKED.replace("bool public closed", "uint256 public closed")
    codes = [
        LOCKED,
        NUMBERED,
        NUMBERED.replace("Till(2, 5)", "Till(2, 6)"),
        public.replace("amount > 6", "amount > 6 ? 1 : 0"),
        public.replace("amount > 6", "amount > 6 ? 2 : 1"),
        LOCKED.replace("amount > 6", "amount > 99"),
    ]
    same, numbered, *others = _judged(compiler, AnvilMachine(), codes, reference=LOCKED)

    assert (same.outcome, same.measures["variables_missing"]) == (Outcome.PASS, 0)
    assert numbered.outcome is Outcome.PASS, numbered.divergence
    missing = numbered.measures["variables_missing"]
    assert isinstance(missing, int)
    assert missing >= 3
    sum_, as_number, wrong_number, wrong_flag = others
    assert as_number.outcome is Outcome.PASS
    for wrong, where in (
        (sum_, "tills[0].sum"),
        (wrong_number, "closed()"),
        (wrong_flag, "closed"),
    ):
        assert wrong.outcome is Outcome.FAIL
        assert wrong.divergence is not None
        assert where in str(wrong.divergence)
