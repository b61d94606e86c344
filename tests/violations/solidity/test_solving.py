"""Queries and their answers."""

from __future__ import annotations

import pytest

from solexp.core import CompilerSettings, DataError, Deployment, UserError
from solexp.solidity.compiler import Compiler
from solexp.violations.solidity import (
    Contract,
    Exactness,
    Expected,
    Settings,
    Snapshot,
    Status,
    Unsupported,
    probes,
    solve,
)
from solexp.violations.solidity.guards import Kind
from tests.violations.solidity.conftest import Compiled
from tests.violations.solidity.running import BLOCK, HERE, SENDERS, TIME

TOKEN = """
contract Box {
    mapping(address => uint256) held;
    uint256 public immutable cap;
    bytes4 immutable tag;
    uint256 total;
    constructor(uint256 most) { cap = most * 2; tag = 0x01020304; }
    function send(address to, uint256 amount) external {
        require(to != address(0), "nobody");
        require(held[msg.sender] >= amount, "too few");
        held[msg.sender] -= amount;
        held[to] += amount;
    }
    function mint(uint256 amount) external { total += amount; require(total <= cap, "cap"); }
    function never(uint256 x) external { require(x < 5 || x > 3, "always"); }
    function hashed(bytes32 word) external { require(keccak256(abi.encode(word)) == bytes32(uint256(1)), "hash"); }
    function grow(uint256 x) external returns (uint256 y) {
        unchecked { while (x > 0) { x--; y++; } }
        require(y < 3, "y");
    }
    function asked(address other) external { require(gasleft() > 5); require(other == msg.sender, "other"); }
}
"""


@pytest.fixture
def contract(compiled: Compiled) -> Contract:
    build, sources = compiled(TOKEN)
    return Contract(build, "Box", sources)


@pytest.fixture
def state(contract: Contract) -> Snapshot:
    deployment = Deployment(
        contract="Box",
        sender=SENDERS[0],
        block_number=BLOCK,
        timestamp=TIME,
        constructor_args="0x" + f"{50:064x}",
    )
    return Snapshot(
        address=HERE,
        accounts=SENDERS,
        block_number=BLOCK,
        timestamp=TIME,
        immutables=contract.immutables(deployment, HERE),
    )


def test_immutables_are_what_the_constructor_makes_of_its_arguments(state: Snapshot) -> None:
    assert state.immutables == {"cap": 100, "tag": 0x01020304 << 224}


def test_a_guard_tells_where_it_stands_and_how_a_call_ends(contract: Contract) -> None:
    guards = contract.function("send(address,uint256)").guards
    nobody = next(guard for guard in guards if "nobody" in guard.text)
    assert (nobody.kind, nobody.text) == (Kind.REQUIRE, 'require(to != address(0), "nobody")')
    assert nobody.line == 10
    source = contract.unit.texts["box.sol"]
    assert source[nobody.start : nobody.end] == b'require(to != address(0), "nobody")'
    assert str(nobody.expected) == "'nobody'"
    below = next(guard for guard in guards if guard.text == "held[msg.sender] -= amount")
    assert (below.kind, str(below.expected)) == (Kind.OVERFLOW, "Panic(0x11)")


def test_what_a_violated_guard_protects_need_not_hold(contract: Contract, state: Snapshot) -> None:
    guards = contract.function("send(address,uint256)").guards
    [few] = [guard.number for guard in guards if "too few" in guard.text]
    answer = solve(contract, "send(address,uint256)", {few}, state)
    [solution] = answer.solutions
    assert solution.exactness is Exactness.STATED
    assert solution.first == few
    assert solution.args == (solution.args[0], 1)
    only = Settings(exactness=(Exactness.ALL,))
    assert solve(contract, "send(address,uint256)", {few}, state, only).status is Status.UNSAT


def test_models_differ(contract: Contract, state: Snapshot) -> None:
    guards = contract.function("mint(uint256)").guards
    [cap] = [guard.number for guard in guards if "cap" in guard.text]
    answer = solve(contract, "mint(uint256)", {cap}, state, Settings(models=5))
    calls = {(s.sender, s.args, s.value) for s in answer.solutions}
    assert len(calls) == 5
    assert all(isinstance(s.args[0], int) and s.args[0] > 100 for s in answer.solutions)


def test_a_guard_that_always_holds_is_unsat(contract: Contract, state: Snapshot) -> None:
    guards = contract.function("never(uint256)").guards
    [always] = [guard.number for guard in guards if "always" in guard.text]
    assert solve(contract, "never(uint256)", {always}, state).status is Status.UNSAT


def test_a_hash_that_cannot_be_inverted_is_unknown(contract: Contract, state: Snapshot) -> None:
    answer = solve(contract, "hashed(bytes32)", set(), state)
    assert answer.status is Status.UNKNOWN
    assert "hashes" in str(answer.reason)
    number = contract.function("hashed(bytes32)").guards[-1].number
    assert solve(contract, "hashed(bytes32)", {number}, state).status is Status.SAT


def test_loops_are_followed_so_far(contract: Contract, state: Snapshot) -> None:
    guards = contract.function("grow(uint256)").guards
    answer = solve(contract, "grow(uint256)", {guards[-1].number}, state)
    assert answer.status is Status.SAT
    assert answer.bounds == ("loop at line 19: 8 rounds",)


def test_what_cannot_be_expressed_is_named(contract: Contract, state: Snapshot) -> None:
    function = contract.function("asked(address)")
    gas, other = function.guards[-2:]
    assert gas.unsupported == "Unsupported: gasleft (line 22)"
    assert other.unsupported is None
    assert gas.number not in function.numbers()
    passes = solve(contract, "asked(address)", set(), state)
    assert (passes.status, passes.reason) == (Status.UNSUPPORTED, gas.unsupported)
    assert solve(contract, "asked(address)", {0}, state).solutions[0].exactness is Exactness.FIRST


def test_mistakes_are_told(contract: Contract, compiled: Compiled, state: Snapshot) -> None:
    with pytest.raises(
        UserError, match=r"has no public state-changing function nothing\(\); it has"
    ):
        contract.function("nothing()")
    with pytest.raises(UserError, match="has no guard 99"):
        solve(contract, "mint(uint256)", {99}, state)
    build, sources = compiled(TOKEN)
    with pytest.raises(DataError, match="no contract Bux"):
        Contract(build, "Bux", sources)


def test_expected_data_are_told_from_others() -> None:
    reason = Expected(data="string", text="no")
    data = "0x08c379a0" + f"{32:064x}{2:064x}" + b"no".hex().ljust(64, "0")
    assert reason.matches(data)
    assert not reason.matches(data.replace(b"no".hex(), b"na".hex()))
    assert not Expected(data="empty").matches(data)
    panic = Expected(data="panic", panic=0x11)
    assert panic.matches("0x4e487b71" + f"{0x11:064x}")
    assert not panic.matches("0x4e487b71" + f"{0x12:064x}")
    error = Expected(data="error", signature="Bad(uint256)")
    assert error.selector == "0xff11c76d" or error.selector is not None
    assert error.matches(f"{error.selector}{1:064x}")


def test_expressions_are_evaluated_in_a_state(compiler: Compiler, state: Snapshot) -> None:
    sources = {"box.sol": "pragma solidity 0.8.28;\n" + TOKEN}
    held, total, broken, unknown = probes(
        compiler,
        sources,
        CompilerSettings(version="0.8.28", evm_version="cancun"),
        "Box",
        [
            "held[who] >= amount && who != msg.sender",
            "total + 1 == 1",
            "10 / amount > 1",
            "gasleft() > 1",
        ],
        parameters="address who, uint256 amount",
    )
    given = (SENDERS[1], 0)
    assert held.at(state, sender=SENDERS[0], arguments=given).value is True
    assert held.at(state, sender=SENDERS[1], arguments=given).value is False
    assert total.at(state, arguments=given).value is True
    reverting = broken.at(state, arguments=given)
    assert reverting.value is None
    assert reverting.reverts is not None
    assert reverting.reverts.kind is Kind.DIVISION
    with pytest.raises(Unsupported, match="gasleft"):
        unknown.at(state, arguments=given)


def test_an_expression_that_the_contract_does_not_take_is_refused(compiler: Compiler) -> None:
    sources = {"box.sol": "pragma solidity 0.8.28;\n" + TOKEN}
    with pytest.raises(
        UserError, match="Box does not take the expression 'missing > 1': Undeclared"
    ):
        probes(
            compiler,
            sources,
            CompilerSettings(version="0.8.28"),
            "Box",
            ["total > 1", "missing > 1"],
        )
