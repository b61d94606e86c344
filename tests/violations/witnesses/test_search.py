"""What a search finds, and what it says of each witness."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from solexp.core import Build, CompilerSettings
from solexp.evm.anvil import AnvilMachine
from solexp.evm.machine import Subject
from solexp.solidity.compiler import Compiler
from solexp.violations.solidity import Contract
from solexp.violations.witnesses import Search, Witnesses
from solexp.violations.witnesses.original import Original
from solexp.violations.witnesses.search import find
from tests.evm.boxes import OTHER, SENDER, call, program

SOURCE = """contract Box {
    address owner;
    uint256 public total;
    mapping(address => uint256) held;
    function Box() public { owner = msg.sender; }
    function put(uint256 a) public payable {
        require(a < 100);
        require(a != 7);
        require(a < 200 || msg.value > 0);
        held[msg.sender] += a;
        total += a;
    }
    function take(uint256 a) public {
        require(held[msg.sender] >= a);
        held[msg.sender] -= a;
        total -= a;
    }
    function stop() public { require(msg.sender == owner); owner = 0; }
}"""

HISTORY = program(
    call("put(uint256)", 60, at=1, sender=OTHER),
    call("take(uint256)", 20, at=2, sender=OTHER),
    call("stop()", at=3),
)


@pytest.fixture(scope="module")
def found() -> Iterator[Witnesses]:
    sources = {"box.sol": f"pragma solidity ^0.4.18;\n{SOURCE}"}
    settings = CompilerSettings(version="0.4.18")
    with Compiler() as compiler:

        def subject(build: Build) -> Subject:
            contract = build.contract("Box")
            assert contract is not None, build.errors
            return Subject(contract.creation, contract)

        build = compiler.compile(sources, settings, ast=True)
        original = Original(
            subject(build),
            build,
            sources,
            lambda changed: subject(compiler.compile(changed, settings)),
        )
        contract = Contract(build, "Box", sources)
        yield find(original, HISTORY, AnvilMachine(), Search(), contract)


def test_each_guard_is_told_by_how_far_it_came(found: Witnesses) -> None:
    attempts = {(g.function, g.text): g.attempt for g in found.guards if g.kind == "require"}
    assert attempts == {
        ("put(uint256)", "require(a < 100)"): "confirmed",
        ("put(uint256)", "require(a != 7)"): "confirmed",
        # Where it fails the first of them has failed before.
        ("put(uint256)", "require(a < 200 || msg.value > 0)"): "unsat",
        ("take(uint256)", "require(held[msg.sender] >= a)"): "confirmed",
        ("stop()", "require(msg.sender == owner)"): "confirmed",
    }
    stated = found.counts(stated=True)
    assert (stated.found, stated.translated, stated.confirmed) == (5, 5, 4)
    assert found.tried.rejected == found.tried.violating == found.tried.confirmed
    assert found.satisfied().confirmed == 3


def test_guards_without_reasons_are_told_apart_by_taking_them_out(found: Witnesses) -> None:
    rows = [w for w in found.witnesses if w.function == "put(uint256)" and len(w.violated) == 1]
    assert rows
    for witness in rows:
        assert not witness.alone
        assert witness.exact
        assert witness.firing == 1


def test_a_function_is_tried_where_all_its_guards_can_hold(found: Witnesses) -> None:
    stops = [w for w in found.witnesses if w.function == "stop()"]
    satisfied = [w for w in stops if not w.violated]
    assert {w.after for w in satisfied} == {2}
    assert {w.call.sender for w in satisfied} == {SENDER}
    assert all(w.call.sender != SENDER for w in stops if w.violated and w.first == 1)
