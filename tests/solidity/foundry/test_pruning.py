"""What of a project some tests need."""

from __future__ import annotations

from solexp.solidity.foundry.imports import closure, imported, resolved
from solexp.solidity.foundry.pruning import pruned

SUITE = """\
contract ATest {
    function setUp() public {}

    /// Stays.
    function testOne(uint256 x) public { assert(helper(x)); }

    /// Goes.
    function testTwo() public {}

    function testShared(uint256 x) public { assert(x == x); }

    function testThree() public { testShared(3); }

    function helper(uint256 x) internal returns (bool) { testShared(x); return true; }
}
"""


def test_tests_that_are_not_wanted_go_with_their_documentation() -> None:
    left = pruned(SUITE, ["testOne"])
    assert "testOne" in left
    assert "Stays" in left
    assert "testTwo" not in left
    assert "Goes" not in left
    assert "testThree" not in left


def test_a_test_that_something_else_calls_stays() -> None:
    assert "function testShared" in pruned(SUITE, ["testOne"])


OVERLOADS = """\
contract ATest {
    struct Own { uint x; }
    function testPack(uint x, bytes1 y) public {}
    function testPack(bytes2 x, bytes2 y) public {}
    function testOwn(Own memory x) public {}
    function testOwn(uint256 x) public {}
}
"""


def test_a_signature_keeps_no_overload() -> None:
    left = pruned(OVERLOADS, ["testPack(uint256,bytes1)"])
    assert "testPack(uint x" in left
    assert "bytes2" not in left
    assert "testOwn" not in left


def test_an_overload_that_is_called_stays() -> None:
    calling = OVERLOADS.replace("bytes1 y) public {}", "bytes1 y) public { testPack('ab', 'cd'); }")
    assert "testPack(bytes2" in pruned(calling, ["testPack(uint256,bytes1)"])


def test_all_of_a_name_stay_where_a_signature_is_written_otherwise() -> None:
    left = pruned(OVERLOADS, ["testOwn(struct ATest.Own)"])
    assert left.count("function testOwn") == 2
    assert "testPack" not in left


def test_what_cannot_be_read_is_left_as_it_is() -> None:
    assert pruned("contract {{{", ["testOne"]) == "contract {{{"


def test_imports_are_read_in_every_form_and_not_from_comments() -> None:
    source = """
    import "./A.sol";
    import {B, C as D} from '../B.sol';
    import * as E from "e/E.sol"; // import "./F.sol";
    string constant important = "./G.sol";
    """
    assert imported(source) == ("./A.sol", "../B.sol", "e/E.sol")


def test_the_longest_remapping_counts() -> None:
    remappings = ["e/=lib/e/", "e/f/=lib/f/src/"]
    assert resolved("e/f/X.sol", "test/A.t.sol", remappings) == "lib/f/src/X.sol"
    assert resolved("../src/X.sol", "test/A.t.sol", remappings) == "src/X.sol"


def test_the_closure_ends_in_circles_and_leaves_out_what_is_not_there() -> None:
    files = {
        "a.sol": b'import "./b.sol"; import "./gone.sol";',
        "b.sol": b'import "./a.sol";',
        "c.sol": b"",
    }
    assert set(closure(files, ["a.sol"], [])) == {"a.sol", "b.sol"}
