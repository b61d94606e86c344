"""What is under user-defined value types."""

from __future__ import annotations

from solexp.core import CompilerSettings, Outcome
from solexp.oracles.base import Case
from solexp.oracles.replay import Replay
from solexp.oracles.usertypes import with_underlying
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import BOX, candidates, task


def test_each_type_is_found_where_it_is_defined(compiler: Compiler) -> None:
    source = """pragma solidity 0.8.17;
// type Top is uint8;
type Top is int128;
library Lib { type Same is int16; }
contract Box { type Same is uint16 ; string private text = "type Top is bool;";
    type Who is address payable; Top top; Same here; Lib.Same there; Who who; uint8 plain; }"""
    build = compiler.compile({"box.sol": source}, CompilerSettings(version="0.8.17"))
    contract = build.contract("Box")
    assert contract is not None, build.errors
    layout = with_underlying(contract.storage_layout, [source])
    assert layout is not None
    found = {kind["label"]: kind.get("underlying") for kind in layout["types"].values()}
    assert found == {
        "Top": "int128",
        "Box.Same": "uint16",
        "Lib.Same": "int16",
        "Box.Who": "address",
        "string": None,
        "uint8": None,
    }
    doubtful = with_underlying(contract.storage_layout, [source, "type Top is uint128;"])
    assert doubtful is not None
    assert not any(
        "underlying" in kind for kind in doubtful["types"].values() if kind["label"] == "Top"
    )


def test_a_signed_type_of_another_size_is_no_difference(compiler: Compiler) -> None:
    reference = BOX.replace("uint256 public total;", "uint256 public total; int256 private debt;")
    reference = reference.replace("total -= amount;", "total -= amount; debt--;").replace(
        "total += amount;", "total += amount; debt -= 2;"
    )
    typed = reference.replace("int256 private debt", "type Debt is int64; Debt private debt")
    typed = typed.replace("debt--", "debt = Debt.wrap(Debt.unwrap(debt) - 1)")
    right = typed.replace("debt -= 2", "debt = Debt.wrap(Debt.unwrap(debt) - 2)")
    wrong = typed.replace("debt -= 2", "debt = Debt.wrap(Debt.unwrap(debt) - 3)")
    rows = Replay().judge(Case(task(reference), candidates([right, wrong]), compiler, cached=False))
    assert [row.outcome for row in rows] == [Outcome.PASS, Outcome.FAIL]
    assert rows[1].divergence is not None
    assert rows[1].divergence.function == "debt"
