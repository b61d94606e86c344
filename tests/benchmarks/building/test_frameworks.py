"""Frameworks that are built here: what they keep, and how they compare with SolContractEval's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.frameworks import KEPT, differences, interface_alike
from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.core import Task
from solexp.solidity.frameworks import framework, redocumented
from solexp.solidity.functions import documented

TILL = """pragma solidity ^0.8.0;

/// A till.
contract Till {
    uint256 public held; // wei

    event Put(address indexed by, uint256 amount);

    constructor(uint256 first) { held = first; }

    modifier open() { require(held > 0); _; }

    /// Puts in.
    function put(uint256 amount) external open returns (uint256 now_) {
        // Never more than is there.
        held += amount;
        return held;
    }

    receive() external payable { held += msg.value; }
}
"""
ALIKE = ["CSCPreSaleManager", "BOTS", "ICSTCrowSale", "xApe721", "MCHstaking"]


@pytest.fixture(scope="module")
def shared(data_home: Path) -> dict[str, Task]:
    tasks = SolContractEval(calls=0, path=str(data_home / "solcontracteval")).tasks()
    return {task.id.partition("_0x")[0]: task for task in tasks}


def against_theirs(task: Task) -> list[str]:
    ours = framework(task.sources[task.target.path], task.target.contract, KEPT)
    return [each.what for each in differences(ours, task.framework, task.target.contract)]


def test_a_framework_has_all_but_the_bodies_and_those_that_are_kept() -> None:
    found = framework(TILL, "Till", frozenset({"constructor"}))
    assert found.startswith("/// A till.\ncontract Till {")
    assert "constructor(uint256 first) { held = first; }" in found
    assert "modifier open() { _; }" in found
    assert "function put(uint256 amount) external open returns (uint256 now_) {}" in found
    assert "receive() external payable {}" in found
    assert "Never more" not in found
    assert "// wei" in found


def test_new_documentation_stands_in_place_of_the_old_at_its_indent() -> None:
    found = redocumented(TILL, "Till", {"put(uint256)": "@notice Adds.\n@return What is held."})
    assert "    /// @notice Adds.\n    /// @return What is held.\n    function put(" in found
    assert "Puts in" not in found
    assert documented(found, "Till") == {"put(uint256)": "@notice Adds.\n@return What is held."}
    assert redocumented(TILL, "Till", {"other()": "No such."}) == TILL


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("external open", "external", "function modifiers"),
        ("external open", "public open", "function visibility"),
        ("external open", "external view open", "function mutability"),
        ("(uint256 now_)", "(uint8 now_)", "function returns"),
        ("(uint256 now_)", "(uint256)", "function names"),
        ("uint256 public held", "uint128 public held", "variable type"),
        ("address indexed by", "address by", "event text"),
        ("held = first", "held = 1", "constructor code"),
        ("    receive() external payable { held += msg.value; }\n", "", "receive only ours"),
        ("{ held += msg.value; }", "{}", "receive body"),
    ],
)
def test_what_two_frameworks_declare_otherwise_is_told_by_kind(
    old: str, new: str, what: str
) -> None:
    assert TILL.count(old) == 1
    found = differences(TILL, TILL.replace(old, new), "Till")
    assert [each.what for each in found] == [what]
    told_apart = what.split()[1] in ("modifiers", "visibility", "mutability", "returns", "only")
    assert interface_alike(found) is not told_apart
    assert differences(TILL, TILL.replace("// wei", "// coins"), "Till") == []


@pytest.mark.parametrize("name", ALIKE)
def test_it_declares_what_the_authors_own_declares(shared: dict[str, Task], name: str) -> None:
    assert against_theirs(shared[name]) == []


def test_where_it_does_not_the_authors_have_changed_the_contract(shared: dict[str, Task]) -> None:
    # A function that the original has not, and bodies that were left in.
    assert against_theirs(shared["ScammerGold"]) == ["receive only theirs"]
    assert "receive" not in shared["ScammerGold"].reference
    assert against_theirs(shared["WhiteList"]) == ["function body"] * 4
