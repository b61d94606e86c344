"""Where state variables stand: as the compiler says, where it says so."""

from __future__ import annotations

import pytest

from solexp.violations.solidity.layout import Layout
from solexp.violations.solidity.unit import Unit
from tests.violations.solidity import cases
from tests.violations.solidity.conftest import Compiled

WIDE = """
contract Base { uint8 a; struct S { uint128 x; uint128 y; bool z; mapping(uint => uint) m; bytes31 w; } S s; }
contract Other { address o; uint96 fits; uint8 next; }
contract Box is Base, Other {
    enum E { A, B }
    bool b; E e; uint24[5] packed; bytes31 odd; function() external f; uint256 c; string t; uint64[] list; S[2] pair;
    int8 last; uint constant K = 1; Box self; bytes1 one; address[3] three; bool[33] many; uint16 end;
}
"""


@pytest.mark.parametrize(
    ("source", "version"),
    [(cases.MODERN, "0.8.28"), (cases.MIDDLE, "0.7.6"), (WIDE, "0.6.12"), (WIDE, "0.5.17")],
)
def test_the_layout_is_the_compilers(compiled: Compiled, source: str, version: str) -> None:
    build, sources = compiled(source, version)
    unit = Unit(build, sources)
    node = unit.contract("Box")
    told = build.contract("Box")
    assert told is not None
    assert told.storage_layout is not None
    expected = {v["label"]: (int(v["slot"]), v["offset"]) for v in told.storage_layout["storage"]}
    found = {
        unit.declarations[number]["name"]: (spot.slot, spot.offset)
        for number, spot in Layout(unit, node).spots.items()
        if spot.space == "storage"
    }
    assert found == expected
