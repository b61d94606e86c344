"""Functions that nothing names are taken out before the compiler reads them."""

from __future__ import annotations

from solexp.solidity.foundry.shaking import shaken


def _left(source: str, other: str = "", spared: tuple[int, int] | None = None) -> str:
    sources = {"a.sol": source, "b.sol": other}
    return shaken(sources, {"a.sol": spared} if spared else {})["a.sol"]


def test_what_only_functions_call_that_go_goes_with_its_documentation() -> None:
    left = _left(
        """contract C {
    /// @param x Is half.
    function one(uint256 x) internal { two(x); }
    function two(uint256 x) private { one(x); }
    function three() public { four(); }
    function four() internal {}
}"""
    )
    assert "one" not in left
    assert "two" not in left
    assert "@param" not in left
    assert "function three" in left
    assert "function four" in left


def test_functions_of_a_library_need_its_name_or_the_name_it_is_imported_by() -> None:
    library = "library L { function log(uint256 x) internal {} }"
    caller = "contract C { function f() public { %s.log(1); } }"
    assert "log" not in _left(library, 'import {L} from "a.sol";' + caller % "M")
    assert "log" in _left(library, 'import {L} from "a.sol";' + caller % "L")
    assert "log" in _left(library, 'import {L as M} from "a.sol";' + caller % "M")


def test_an_interface_whose_type_is_asked_about_stays_whole() -> None:
    interface = "interface I { function f() external; }"
    asks = "contract C { bytes4 constant ID = type(I).interfaceId; }"
    assert "function f" not in _left(interface)
    assert "function f" in _left(interface, asks)
    renamed = 'import {I as J} from "a.sol";' + asks.replace("I)", "J)")
    assert "function f" in _left(interface, renamed)


def test_names_in_comments_and_strings_keep_nothing() -> None:
    left = _left('contract C { string s = "f"; /* f */ function f() internal {} }')
    assert "function f" not in left


def test_what_overlaps_a_spared_span_stays_and_so_does_what_it_calls() -> None:
    source = "library L { function f() internal { L.g(); } function g() internal {} }"
    start = source.index("function f")
    left = _left(source, spared=(start, source.index(" function g")))
    assert left == source


def test_a_source_that_cannot_be_read_is_left_as_it_is() -> None:
    assert _left("contract C {{ function f() internal {") == "contract C {{ function f() internal {"
