"""References to one of two objects in memory."""

from __future__ import annotations

from tests.violations.solidity.conftest import Compiled
from tests.violations.solidity.witnessing import Tried

SOURCE = """
contract Box {
    struct Entry { address who; uint64 at; }
    mapping(uint256 => Entry) entries;
    constructor() { entries[2] = Entry(msg.sender, 9); }
    function find(uint256 id) internal view returns (Entry memory) {
        for (uint256 i = id; i > 0; i--) {
            Entry memory found = entries[i];
            if (found.who != address(0)) return found;
        }
        revert("none");
    }
    function send(uint256 id) external {
        require(id < 5, "id");
        Entry memory found = find(id);
        require(found.who == msg.sender, "who");
        Entry memory other = id > 3 ? found : Entry(address(this), 4);
        other.at += 1;
        require(found.at != 9, "at");
        require(other.at != 10 || id != 4, "four");
    }
}
"""


def test_a_reference_to_one_of_two_objects_is_followed(compiled: Compiled) -> None:
    build, sources = compiled(SOURCE)
    tried = Tried(build, sources, ())
    tried.solve()
    tried.run()
    assert [line.removeprefix("send: ") for line in tried.lines] == [
        "passes: unsat",
        "payment function send(uint256 id) external: sat (first)",
        'require require(id < 5, "id"): sat (all)',
        'revert revert("none"): sat (first)',
        'require require(found.who == msg.sender, "who"): sat (first)',
        "overflow other.at += 1: unsat",
        'require require(found.at != 9, "at"): sat (all)',
        'require require(other.at != 10 || id != 4, "four"): sat (all)',
    ]
