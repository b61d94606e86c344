"""Graphs by static analysis: what is read from the source, under each rule by which relations are made."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from solexp.core import CompilerSettings, DataError
from solexp.dcr import Graph, RelationType, enabled
from solexp.dcr.extraction.static import extract
from solexp.solidity.compiler import Compiler

Extracted = Callable[..., Graph]

BASE = """
abstract contract Owned {
    address internal _owner;
    error NotOwner(address who);
    modifier onlyOwner() { _check(); _; }
    constructor() { _owner = msg.sender; }
    function _check() internal view { if (_sender() != _owner) revert NotOwner(_sender()); }
    function _sender() internal view returns (address) { return msg.sender; }
    function renounce() external onlyOwner { _owner = address(0); }
}
contract Sale is Owned {
    enum Phase { Closed, Open, Failed, Reached }
    Phase public phase;
    bool public initialized;
    bool public paused;
    uint256 public price;
    uint256 public raised;
    uint256 constant LEAST = 1 ether / 10;
    mapping(address => uint256) public bought;
    mapping(address => uint256) public credits;
    mapping(address => mapping(address => uint256)) public allowance;
    address public offered;
    modifier live() { require(!paused, "paused"); _; }

    function initialize(uint256 price_) external onlyOwner {
        require(!initialized && price_ > 0);
        initialized = true;
        price = price_;
    }
    function open() external onlyOwner {
        require(initialized);
        require(phase == Phase.Closed);
        phase = Phase.Open;
    }
    function buy(uint256 amount) external payable live {
        require(phase == Phase.Open, "closed");
        uint256 due = amount * price;
        if (msg.value < due || amount < LEAST) revert("short");
        bought[msg.sender] += amount;
        raised += due;
    }
    function finish() external {
        require(phase == Phase.Open);
        phase = raised >= 10 ether ? Phase.Reached : Phase.Failed;
    }
    function refund() external {
        require(phase == Phase.Failed);
        uint256 due = bought[msg.sender];
        require(due > 0);
        bought[msg.sender] = 0;
        payable(msg.sender).transfer(due);
    }
    function setPaused(bool value) external onlyOwner { paused = value; }
    function pause() external onlyOwner { require(!paused); paused = true; }
    function unpause() external onlyOwner { require(paused); paused = false; }
    function approve(address spender, uint256 amount) external {
        allowance[msg.sender][spender] = amount;
    }
    function increase(address spender, uint256 amount) external {
        allowance[msg.sender][spender] += amount;
    }
    function move(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        bought[from] -= amount;
        bought[to] += amount;
    }
    function offer(address to) external onlyOwner { require(to != address(0)); offered = to; }
    function accept() external {
        require(msg.sender == offered);
        _owner = offered;
        delete offered;
    }
}
"""

OLD = """
library SafeMath {
    function sub(uint a, uint b) internal pure returns (uint) { assert(b <= a); return a - b; }
    function add(uint a, uint b) internal pure returns (uint) {
        uint c = a + b; assert(c >= a); return c;
    }
}
contract Old {
    using SafeMath for uint;
    struct Proposal { address by; uint amount; bool done; }
    Proposal[] public proposals;
    mapping(address => uint) balances;
    mapping(address => mapping(address => uint)) allowed;
    mapping(address => uint) points;
    bool locked;
    uint last;
    modifier alone() { if (locked) throw; locked = true; _; locked = false; }
    function stateOf(uint id) internal constant returns (uint8) {
        if (id >= proposals.length) return 0;
        if (proposals[id].done) return 1;
        return 2;
    }
    function () payable { balances[msg.sender] = balances[msg.sender].add(msg.value); }
    function approve(address s, uint v) public returns (bool) { allowed[msg.sender][s] = v; return true; }
    function transferFrom(address f, address t, uint v) public returns (bool) {
        balances[f] = balances[f].sub(v);
        allowed[f][msg.sender] = allowed[f][msg.sender].sub(v);
        balances[t] = balances[t].add(v);
        return true;
    }
    function earn(uint v) public { require(v > 0); points[msg.sender] = v; }
    function spend(uint v) public returns (bool) {
        if (points[msg.sender] < v) return false;
        points[msg.sender] -= v;
        return true;
    }
    function fib(uint n) internal constant returns (uint) {
        return n < 2 ? n : fib(n - 1) + fib(n - 2);
    }
    function settle(uint n) public { require(fib(n) > 3); last = fib(n); }
    function propose(uint v) public { require(v > 0); proposals.push(Proposal(msg.sender, v, false)); }
    function carryOut(uint id) public alone {
        require(stateOf(id) == 2);
        Proposal storage it = proposals[id];
        require(!it.done);
        it.done = true;
        it.by.transfer(it.amount);
    }
}
"""


@pytest.fixture(scope="module")
def extracted() -> Iterator[Extracted]:
    with Compiler() as compiler:

        def make(source: str, contract: str, version: str) -> Graph:
            sources = {"a.sol": f"pragma solidity {version};\n{source}"}
            made = compiler.compile(sources, CompilerSettings(version=version), ast=True)
            assert made.ok, made.errors
            return extract(made, contract, sources)

        yield make


@pytest.fixture(scope="module")
def sale(extracted: Extracted) -> Graph:
    return extracted(BASE, "Sale", "0.8.28")


@pytest.fixture(scope="module")
def old(extracted: Extracted) -> Graph:
    return extracted(OLD, "Old", "0.4.26")


def told(graph: Graph, kind: RelationType, *, of: str = "") -> set[str]:
    """Relations of a type in short, those that touch an event if one is named."""
    return {
        f"{each.source} → {each.target}" + (f" [{each.guard}]" if each.guard else "")
        for each in graph.of_type(kind)
        if of in ("", each.source, each.target)
    }


def guard(graph: Graph, event: str) -> str | None:
    return graph.by_id[event].guard


def test_every_public_function_that_may_change_state_is_an_event(sale: Graph) -> None:
    assert [event.function for event in sale.events if event.id in ("buy", "renounce", "move")] == [
        "buy(uint256)",
        "move(address,address,uint256)",
        "renounce()",
    ]
    assert not {"phase", "stateOf", "_check"} & set(sale.by_id)


def test_guards_are_read_through_modifiers_calls_locals_and_constants(sale: Graph) -> None:
    assert guard(sale, "open") == (
        "(msg.sender == _owner) && initialized && (phase == Phase.Closed)"
    )
    assert guard(sale, "buy") == (
        "!paused && (phase == Phase.Open) && (msg.value >= (amount * price)) "
        "&& (amount >= (1 ether / 10))"
    )
    assert (
        guard(sale, "move") == "(allowance[from][msg.sender] >= amount) && (bought[from] >= amount)"
    )
    assert guard(sale, "approve") is None


def test_what_a_function_alone_sets_and_another_needs_is_a_condition(sale: Graph) -> None:
    assert told(sale, RelationType.CONDITION) == {
        "initialize → open",
        "open → buy",
        "open → finish",
        "buy → refund",
        "buy → move",
        "finish → refund",
        "offer → accept",
    }


def test_each_of_several_sources_includes_what_begins_excluded(sale: Graph) -> None:
    assert {"approve → move", "increase → move"} <= told(sale, RelationType.INCLUDE)
    assert "move" not in sale.marking.included
    assert {"initialize", "approve"} <= {event.id for event in enabled(sale, sale.marking)}


def test_a_flag_excludes_and_includes_and_a_setter_does_so_by_its_argument(sale: Graph) -> None:
    assert told(sale, RelationType.EXCLUDE, of="buy") == {
        "pause → buy",
        "setPaused → buy [value]",
        "finish → buy",
    }
    assert {"unpause → buy", "setPaused → buy [!value]"} <= told(sale, RelationType.INCLUDE)
    assert {"pause → pause", "unpause → unpause"} <= told(sale, RelationType.EXCLUDE)
    assert {"pause → unpause", "unpause → pause"} <= told(sale, RelationType.INCLUDE)


def test_what_can_never_succeed_again_happens_once(sale: Graph) -> None:
    once = {event.id for event in sale.events if event.once}
    assert {"initialize", "open", "finish"} <= once
    assert not {"pause", "buy", "accept"} & once


def test_credits_and_offers_are_owed(sale: Graph) -> None:
    assert told(sale, RelationType.RESPONSE) == {"buy → refund", "offer → accept"}


def test_who_rules_is_told_and_who_hands_over(sale: Graph) -> None:
    assert sale.by_id["open"].sender == "owner"
    assert sale.by_id["buy"].sender is None
    assert {event.id for event in sale.events if event.ownership} == {"renounce", "accept"}


def test_giving_up_the_office_excludes_what_needs_it(sale: Graph) -> None:
    assert {"renounce → open", "renounce → pause"} <= told(sale, RelationType.EXCLUDE)


def test_old_solidity_is_read(old: Graph) -> None:
    names = "fallback approve transferFrom earn spend settle propose carryOut"
    assert set(old.by_id) == set(names.split())
    assert told(old, RelationType.CONDITION) == {
        "approve → transferFrom",
        "fallback → transferFrom",
        "earn → spend",
        "propose → carryOut",
    }
    assert guard(old, "transferFrom") == "(v <= balances[f]) && (v <= allowed[f][msg.sender])"


def test_what_stores_nothing_and_returns_false_comes_to_nothing(old: Graph) -> None:
    assert guard(old, "spend") is None
    assert "earn → spend" in told(old, RelationType.CONDITION)


def test_a_proposal_is_owed_its_carrying_out_and_a_lock_against_reentry_is_no_switch(
    old: Graph,
) -> None:
    assert told(old, RelationType.RESPONSE) == {"propose → carryOut"}
    assert told(old, RelationType.EXCLUDE) == set()
    assert not any(event.once for event in old.events)


def test_a_build_without_the_contract_is_refused(extracted: Extracted) -> None:
    with pytest.raises(DataError, match="no contract Other"):
        extracted("contract One { }", "Other", "0.8.28")
