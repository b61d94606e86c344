"""Which states are tried, by what guards ask of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from solexp.core import CompilerSettings
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import Subject
from solexp.solidity.compiler import Compiler
from solexp.violations.solidity import Contract
from solexp.violations.witnesses import Search, Witness, Witnesses
from solexp.violations.witnesses.original import Original
from solexp.violations.witnesses.search import find
from tests.evm.boxes import OTHER, SENDER, call, program

SOURCE = """pragma solidity ^0.8.0;
interface Bank { function pay(uint256 a) external; }
contract Box {
    bool halted;
    uint8 stage;
    address owner = msg.sender;
    Bank bank;
    mapping(uint256 => bool) used;
    uint256 total;
    function halt(bool value) external { require(msg.sender == owner, "owner only"); halted = value; }
    function next() external { require(msg.sender == owner, "owner only"); stage++; }
    function put(uint256 a, uint256 id) external {
        require(!halted, "halted");
        require(stage == 1, "stage");
        require(!used[id], "used");
        if (a == 0 || a > 50) revert("amount");
        used[id] = true;
        total += a;
    }
    function end(uint256 id) external { require(used[id], "unused"); used[id] = false; }
    function hand(uint256 a) external { require(a < 9, "much"); bank.pay(a); total = a; }
}"""

HISTORY = program(
    call("put(uint256,uint256)", 1, 1, at=1, sender=OTHER),
    call("next()", at=2),
    *(call("put(uint256,uint256)", n, n, at=2 + n, sender=OTHER) for n in range(1, 4)),
    call("halt(bool)", 1, at=7),
    call("put(uint256,uint256)", 4, 4, at=8, sender=OTHER),
    call("halt(bool)", 0, at=9),
    call("put(uint256,uint256)", 5, 3, at=10, sender=OTHER),
    *(call("end(uint256)", n, at=10 + n, sender=OTHER) for n in range(1, 4)),
    call("next()", at=15),
)
"""From the second `next` on every `put` fails; halted it is once, for the time of one call that fails."""


@pytest.fixture(scope="module")
def found() -> Iterator[Witnesses]:
    sources = {"box.sol": SOURCE}
    with Compiler() as compiler:
        build = compiler.compile(sources, CompilerSettings(version="0.8.17"), ast=True)
        contract = build.contract("Box")
        assert contract is not None, build.errors
        subject = Subject(contract.creation, contract)
        original = Original(subject, build, sources, lambda _: None)
        yield find(
            original, HISTORY, AnvilMachine(), Search(states=5), Contract(build, "Box", sources)
        )


def of(found: Witnesses, function: str, text: str | None) -> list[Witness]:
    """The witnesses of a function that violate the guard with this text alone, or none."""
    numbers = {
        guard.number for guard in found.guards if guard.function == function and text == guard.text
    }
    return [w for w in found.witnesses if w.function == function and set(w.violated) == numbers]


def words(witness: Witness) -> list[int]:
    data = witness.call.input[10:]
    return [int(data[at : at + 64], 16) for at in range(0, len(data), 64)]


def test_a_guard_is_violated_in_the_one_state_that_allows_it(found: Witnesses) -> None:
    put = "put(uint256,uint256)"
    halted = of(found, put, 'require(!halted, "halted")')
    # The five calls that succeed before are one `next`, three `put`, and the one that halts.
    assert {witness.after for witness in halted} == {5}
    assert {witness.exactness for witness in halted} == {"all"}
    used = of(found, put, 'require(!used[id], "used")')
    assert used
    assert all(words(witness)[1] in (1, 2, 3) for witness in used)
    assert 0 < len(found.states) <= 5
    assert {0, len(found.kept)} <= set(found.states)


def test_each_part_of_a_condition_is_violated_alone_at_its_border(found: Witnesses) -> None:
    put = "put(uint256,uint256)"
    amounts = {words(w)[0] for w in of(found, put, 'if (a == 0 || a > 50) revert("amount")')}
    assert {0, 51} <= amounts
    assert {1, 50} <= {words(witness)[0] for witness in of(found, put, None)}


def test_a_call_of_a_contract_that_is_not_there_is_a_guard(found: Witnesses) -> None:
    rows = {g.text: g for g in found.guards if g.function == "hand(uint256)"}
    assert rows["bank.pay(a)"].attempt == "confirmed"
    assert rows["bank.pay(a)"].unsupported is None
    assert {words(w)[0] for w in of(found, "hand(uint256)", 'require(a < 9, "much")')} >= {9}
    assert not of(found, "hand(uint256)", None)
    assert found.tried.rejected == found.tried.violating == found.tried.confirmed
    assert found.tried.accepted == found.tried.satisfying
    assert SENDER in {witness.call.sender for witness in of(found, "halt(bool)", None)}
