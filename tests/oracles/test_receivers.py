"""Candidates whose faults show only when an account with code is paid or called."""

from __future__ import annotations

from pathlib import Path

import pytest

from solexp.core import Outcome, Verdict
from solexp.evm.anvil import AnvilMachine
from solexp.evm.deployed import Deployed
from solexp.evm.evidence import foundry_test, listing, see
from solexp.evm.gas import UNRECORDED
from solexp.evm.machine import Subject
from solexp.evm.private import Limit
from solexp.evm.receiving import code_of
from solexp.oracles.base import Case
from solexp.oracles.negative import Negative
from solexp.oracles.receiving import of_receivers
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import OTHER, call, candidates, program, task

BANK = """contract Box {
    mapping(address => uint256) private held;
    uint256 private taken;
    bool private busy;
    modifier once() { require(!busy, "busy"); busy = true; _; busy = false; }
    function put() external payable { held[msg.sender] += msg.value; }
    function take(uint256 amount) external once {
        require(held[msg.sender] >= amount && amount > 0, "too much");
        held[msg.sender] -= amount;
        taken += amount;
        (bool ok, ) = msg.sender.call{value: amount}("");
        require(ok, "not taken");
    }
}"""


def changed(code: str, *edits: tuple[str, str]) -> str:
    for old, new in edits:
        assert code.count(old) == 1, old
        code = code.replace(old, new)
    return code


UNLOCKED = changed(BANK, ("external once", "external"))
UNASKED = changed(BANK, ('        require(ok, "not taken");', "        ok;"))
TRANSFER = changed(
    BANK,
    (
        '(bool ok, ) = msg.sender.call{value: amount}("");\n        require(ok, "not taken");',
        "payable(msg.sender).transfer(amount);",
    ),
)
REORDERED = changed(
    UNLOCKED.replace("        taken += amount;\n", ""),
    (
        "external {\n        require(held",
        'external {\n        require(!busy, "in it"); busy = true;\n        require(held',
    ),
    ('"not taken");\n', '"not taken");\n        busy = false;\n        taken += amount;\n'),
)
LATE = changed(
    TRANSFER.replace("        held[msg.sender] -= amount;\n", "").replace(
        "external once", "external"
    ),
    (
        "payable(msg.sender).transfer(amount);",
        '(bool ok, ) = msg.sender.call{value: amount}("");\n        require(ok);\n'
        "        unchecked { held[msg.sender] -= amount; }",
    ),
)
GENEROUS = changed(UNLOCKED, ('"not taken"', '"refused"'))

# What it is owed is booked when it has paid: in between it owes more than it has.
LATE_BOOKS = """contract Box {
    mapping(address => uint256) private held;
    uint256 private all;
    uint256 private asked;
    function put() external payable { held[msg.sender] += msg.value; all += msg.value; }
    function take(uint256 amount) external {
        require(held[msg.sender] >= amount && amount > 0, "too much");
        held[msg.sender] -= amount;
        (bool ok, ) = msg.sender.call{value: amount}("");
        require(ok, "not taken");
        all -= amount;
    }
    function spare() external returns (uint256) { asked += 1; return address(this).balance - all; }
}"""
EARLY_BOOKS = changed(
    changed(LATE_BOOKS, ('"not taken");\n        all -= amount;', '"not taken");')),
    ("        (bool ok", "        all -= amount;\n        (bool ok"),
)

GRAPH = """{"contract": "Box", "events": [
  {"id": "put", "function": "put()", "value": "40"},
  {"id": "take", "function": "take(uint256)", "arguments": [["25"]]}
 ], "relations": [{"type": "condition", "source": "put", "target": "take"}]}"""

HISTORY = program(
    call("put()", at=1, sender=OTHER, value=40), call("take(uint256)", 25, at=2, sender=OTHER)
)


def asked(
    folder: Path, compiler: Compiler, original: str, *others: str, graph: str = GRAPH
) -> list[Verdict]:
    (folder / "box.json").write_text(graph)
    oracle = Negative(graphs=str(folder), calls=24, length=12, search=["history", "pool"])
    case = Case(task(original, HISTORY), candidates([original, *others]), compiler, cached=False)
    return oracle.judge(case)


def outcomes(verdicts: list[Verdict]) -> list[Outcome]:
    return [said.outcome for said in verdicts]


@pytest.fixture(scope="module")
def of_call(compiler: Compiler, tmp_path_factory: pytest.TempPathFactory) -> list[Verdict]:
    folder = tmp_path_factory.mktemp("graphs")
    return asked(folder, compiler, BANK, UNLOCKED, UNASKED, TRANSFER, REORDERED)


def test_a_contract_without_its_lock_is_told_by_an_account_that_calls_back(
    of_call: list[Verdict],
) -> None:
    found = of_call[1]
    assert found.outcome is Outcome.FAIL
    assert found.divergence is not None
    assert found.divergence.got == "success"
    assert "when it is paid or called, calls take(" in str(found.divergence.function)
    assert found.counterexample is not None
    assert found.counterexample.calls[-1].receivers
    assert found.measures["negative.accepted.receivers"] > 0  # type: ignore[operator]


def test_an_exported_test_gives_the_account_its_code_for_the_time_of_the_call(
    compiler: Compiler, of_call: list[Verdict]
) -> None:
    posed = task(BANK, HISTORY)
    case = Case(posed, candidates([UNLOCKED]), compiler)
    pair = []
    for build in (case.reference(), case.build(case.candidates[0])):
        contract = build.contract("Box")
        assert contract is not None
        pair.append(Subject(contract.creation, contract))
    found = of_call[1].counterexample
    assert found is not None
    seen = see(found, posed.program, pair[0], pair[1], AnvilMachine())
    [receiver] = seen.program.calls[-1].receivers or ()
    text = foundry_test(seen, ["why"])
    assert f'hex"{code_of(receiver)[2:]}");' in text
    assert text.count("vm.etch(") == 1
    told = listing(found, posed.program, pair[0].contract)
    assert "while account 1, when it is paid or called, calls take(" in told.lines[-1].call


def test_a_contract_that_ignores_a_refusal_is_told_by_an_account_that_refuses(
    of_call: list[Verdict],
) -> None:
    found = of_call[2]
    assert found.outcome is Outcome.FAIL
    assert "refuses what it is sent" in str(found.divergence and found.divergence.function)


def test_less_gas_another_lock_and_another_order_behind_it_are_nobodys_fault(
    of_call: list[Verdict],
) -> None:
    assert outcomes([of_call[0], *of_call[3:]]) == [Outcome.PASS] * 3
    assert of_call[0].measures["negative.task_calls.receivers"] > 0  # type: ignore[operator]


def test_more_gas_than_the_original_gives_counts_only_where_it_gets_somebody_more(
    compiler: Compiler, tmp_path: Path
) -> None:
    found = asked(tmp_path, compiler, TRANSFER, GENEROUS, LATE)
    assert outcomes(found) == [Outcome.PASS, Outcome.PASS, Outcome.FAIL]


def test_who_books_before_it_pays_may_be_called_where_who_books_behind_it_cannot_answer(
    compiler: Compiler, tmp_path: Path
) -> None:
    graph = changed(GRAPH, ('"events": [', '"events": [{"id": "spare", "function": "spare()"},'))
    found = asked(tmp_path, compiler, LATE_BOOKS, EARLY_BOOKS, graph=graph)
    assert outcomes(found) == [Outcome.PASS, Outcome.PASS]
    assert found[1].measures["negative.asked.receivers"] > 0  # type: ignore[operator]


def test_what_is_found_before_a_limit_is_used_up_is_not_taken_for_all_there_is(
    compiler: Compiler,
) -> None:
    slow = """contract Box {
        function pay(uint256 rounds) external payable {
            bytes32 mixed;
            for (uint256 n = 0; n < rounds; n++) mixed = keccak256(abi.encode(mixed, n));
            (bool ok, ) = msg.sender.call{value: msg.value}("");
            require(ok && mixed != 0);
        }
    }"""
    history = program(
        *(
            call("pay(uint256)", 20_000, at=at, sender=OTHER, value=40, gas=UNRECORDED)
            for at in range(1, 41)
        )
    )
    contract = Case(task(slow, history), (), compiler).reference().contract("Box")
    assert contract is not None
    with Deployed(history, "london", cpu_s=0.2) as node:
        assert node.deploy(Subject(contract.creation, contract), UNRECORDED).deployment.status
        with pytest.raises(Limit, match="time"):
            of_receivers(node, [history])
