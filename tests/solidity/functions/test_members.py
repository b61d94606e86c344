"""Functions are found where they stand, and their bodies come out and go in byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.solidity.functions import (
    Member,
    body_of,
    documented,
    free_functions,
    identifiers,
    members,
    replace_body,
    replace_members,
    text_of,
    without_bodies,
)
from solexp.solidity.functions.repeats import without_repeats
from solexp.solidity.functions.types import canonical
from solexp.solidity.parsing import parses
from tests.solidity.functions.replies import OLD, SOURCE

ODD = """contract Ödd is A(1), B({x: 2}) {
    function (uint) internal returns (uint) hook = help; // not a function: }
    using {plus, minus as -} for uint256;
    struct S { function(uint) external f; uint[3] xs; }
    string constant Z = "function z() { }";
    // Heading, not documentation.

    /** It's {documented}.
     *  @dev Twice. */
    /// And here.
    constructor() A(4) B({x: f("}")}) public payable { x = 1; }
    uint y = S({f: g, xs: a}).xs[0]; // the number of ys
    function a(function(int, byte) external view returns (uint) f, mapping(uint k => S[] v) storage m)
        internal pure virtual override(A, B.C) mod(a, "}") returns (uint, S memory) { /* { */ }
    function b(uint[2**3][] calldata, A.B.C, address payable) external;
    function é() public { }
    fallback() external { assembly { let s := "}" } }
}"""


def signatures(found: tuple[Member, ...]) -> list[str]:
    return [member.signature for member in found]


def test_members_have_canonical_signatures() -> None:
    assert signatures(members(SOURCE, "Vault")) == [
        "constructor(uint256)",
        "open(uint256)",
        "leave(uint256,address)",
        "leave()",
        "leave(Item,bytes)",
        "check(address)",
        "receive()",
        "fallback()",
    ]


def test_old_constructors_and_unnamed_functions_are_what_they_are() -> None:
    found = members(OLD, "Coin")
    assert signatures(found) == ["constructor(uint256)", "fallback()", "balanceOf(address)"]
    assert [member.kind for member in found] == ["constructor", "fallback", "function"]
    assert found[0].name == "Coin"
    assert found[2].mutability == "constant"


def test_libraries_and_files_have_functions_too() -> None:
    assert signatures(members(SOURCE, "Shares")) == ["of(uint256,uint256)"]
    assert signatures(free_functions(SOURCE)) == ["half(uint256)"]


def test_what_only_looks_like_a_function_is_none() -> None:
    found = members(ODD, "Ödd")
    assert signatures(found) == [
        "constructor()",
        "a(function(int256,bytes1)external view returns(uint256),mapping(uint256=>S[]))",
        "é()",
        "fallback()",
    ]
    assert found[1].modifiers == ("mod(a,)",)
    assert found[1].returns[1].type == "S"
    assert [member.empty for member in found] == [False, True, True, False]


def test_documentation_is_what_stands_right_above() -> None:
    constructor, first, *_ = members(ODD, "Ödd")
    assert constructor.natspec == "It's {documented}.\n @dev Twice.\nAnd here."
    assert first.documentation == ""
    said = documented(SOURCE, "Vault")
    assert said["leave()"] == "@notice Takes everything out."


def test_a_contract_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="Bank is not in the source"):
        members(SOURCE, "Bank")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("uint", "uint256"),
        ("byte[ 0x2 ]", "bytes1[2]"),
        ("address payable", "address"),
        ("A . B [ ] [N*2]", "A.B[][N*2]"),
        (
            "mapping(address owner => mapping (uint => bool) allowed)",
            "mapping(address=>mapping(uint256=>bool))",
        ),
        ("function () internal payable", "function()payable"),
        (
            "function (uint) external constant returns (int)",
            "function(uint256)external view returns(int256)",
        ),
    ],
)
def test_types_are_canonical(written: str, meant: str) -> None:
    assert canonical(written) == meant


def test_the_same_signature_twice_gets_two_names() -> None:
    source = "contract C { function fallback() { x; } function () { y; } }"
    assert identifiers(members(source, "C")) == ("fallback()", "fallback()#2")


@pytest.mark.parametrize(("source", "name"), [(SOURCE, "Vault"), (OLD, "Coin"), (ODD, "Ödd")])
def test_a_body_that_is_put_back_gives_every_byte_back(source: str, name: str) -> None:
    for index, member in enumerate(members(source, name)):
        masked = replace_body(source, member, "{ }")
        again = members(masked, name)[index]
        assert replace_body(masked, again, body_of(source, member)) == source
        assert text_of(source, member) == member.header + body_of(source, member)


def test_all_bodies_but_those_kept_are_taken_out() -> None:
    known = members(SOURCE, "Vault")
    masked = without_bodies(SOURCE, known, keep={"leave()", "receive()"})
    assert parses(masked)
    empty = {member.signature for member in members(masked, "Vault") if member.empty}
    assert empty == {member.signature for member in known} - {"leave()", "receive()"}


def test_helpers_that_stand_twice_alike_stand_once() -> None:
    helper = "function _h(uint x) private { y = x; }"
    other = helper.replace("y = x", "y = 2 * x")
    source = f"contract C {{ function f() public {{ }}\n{helper}\nerror E();\n{helper}\n{other}\nerror E();\n}}"
    once = without_repeats(source, "C")
    assert once.count("y = x;") == 1
    assert once.count("error E();") == 1
    assert other in once


_NAMES = st.from_regex(r"[a-z][a-z0-9]{0,4}", fullmatch=True)
_PIECES = st.sampled_from(
    [
        "x = 1;",
        "{ y; }",
        's = "} é {";',
        "// it's }\n",
        "/* { ü */",
        "if (a) { b; }",
        "\n",
        " ",
        "🚀;".join(["//", "\n"]),
    ]
)
_BODIES = st.lists(_PIECES, max_size=6).map("".join)
_TYPES = st.sampled_from(
    ["uint", "bytes memory", "mapping(uint => C) storage", "A.B[2][]", "address payable"]
)


@given(st.lists(st.tuples(_NAMES, st.lists(_TYPES, max_size=3), _BODIES, _BODIES), max_size=5))
def test_whatever_bodies_hold_they_come_out_and_go_in(
    drawn: list[tuple[str, list[str], str, str]],
) -> None:
    functions = [
        (f"function f_{name}({', '.join(types)}) public ", f"{{{body}}}", between)
        for name, types, body, between in drawn
    ]
    gaps = "".join(
        f"{head}{body}\n/* {{ é */ // it's\n string s{index} = '}}';\n"
        for index, (head, body, _) in enumerate(functions)
    )
    source = f"// é {{\ncontract C {{\n{gaps}}}\n"
    found = members(source, "C")
    assert [(m.header, body_of(source, m)) for m in found] == [(h, b) for h, b, _ in functions]
    masked = without_bodies(source, found)
    assert all(member.empty for member in members(masked, "C"))
    back = zip(members(masked, "C"), functions, strict=True)
    assert replace_members(masked, [(m, head + body) for m, (head, body, _) in back]) == source
