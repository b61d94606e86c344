from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from solexp.benchmarks.starter import Starter
from solexp.solidity.compiler import Compiler
from solexp.solidity.definitions import Declaration, Index, index_of

OLD = """pragma solidity ^0.4.11;
/* a contract Ghost {} in words */
contract Base { function Base(uint a) { } function () payable { } }
contract Wallet is Base(2 ** 3) {
    // who owns it
    address owner; // not of the next
    mapping (address => uint[]) public balances;
    bool error = true; string constant name = "}{;";
    function (uint) external returns (bool) callback;
    event Sent(address indexed to);
    modifier only { if (msg.sender != owner) throw; _; }
    enum State { On, Off }
    struct Pair { uint a; uint b; }
    using Maths for uint;
    function send(uint n) only { var x = n; throw; }
    function open(address who) constant returns (bool);
}
"""
NEW = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;
import {A as B} from "./b.sol";
type Price is uint128;
error Low(uint256 got);
uint256 constant LIMIT = 10;
using {twice} for uint256;
function twice(uint256 a) pure returns (uint256) { return a * 2; }
struct Point { uint256 x; }
abstract contract C is B {
    uint256 internal immutable cap;
    B[] public all = [new B{salt: "x"}(1)];
    constructor() { cap = 1; }
    receive() external payable {}
    fallback() external payable {}
    function f() public virtual override(A, B) returns (function (uint256) external) {}
    error Bad();
}
interface I { function g() external; }
"""


def kinds_and_names(index: Index) -> list[str]:
    return [f"{each.kind} {each.name}".strip() for each in index.declarations]


def named(index: Index, name: str) -> Declaration:
    return next(each for each in index.declarations if each.name == name)


def test_all_definitions_of_old_solidity_are_found() -> None:
    assert kinds_and_names(index_of({"a.sol": OLD})) == [
        "pragma solidity",
        "contract Base",
        "function Base",
        "fallback",
        "contract Wallet",
        "variable owner",
        "variable balances",
        "variable error",
        "variable name",
        "variable callback",
        "event Sent",
        "modifier only",
        "enum State",
        "struct Pair",
        "using Maths",
        "function send",
        "function open",
    ]


def test_all_definitions_of_new_solidity_are_found() -> None:
    assert kinds_and_names(index_of({"a.sol": NEW})) == [
        "pragma solidity",
        "import",
        "type Price",
        "error Low",
        "variable LIMIT",
        "using",
        "function twice",
        "struct Point",
        "contract C",
        "variable cap",
        "variable all",
        "constructor",
        "receive",
        "fallback",
        "function f",
        "error Bad",
        "interface I",
        "function g",
    ]


def test_a_header_is_one_line_without_comments() -> None:
    index = index_of(
        {"a.sol": "contract A { function f(uint a, // first\n  uint b) public { a; } }"}
    )
    assert index.header(named(index, "f")) == "function f(uint a, uint b) public"


def test_a_trailing_comment_belongs_to_the_definition_before_it() -> None:
    index = index_of({"a.sol": OLD})
    owner, balances = named(index, "owner"), named(index, "balances")
    assert index.text(owner, documented=True).startswith("// who owns it")
    assert index.text(balances, documented=True).startswith("mapping")


def test_a_comment_set_off_by_blank_lines_belongs_to_nobody() -> None:
    index = index_of(
        {"a.sol": "uint constant A = 1;\n// banner\n\n\n// of B\nuint constant B = 2;"}
    )
    assert index.text(named(index, "B"), documented=True) == "// of B\nuint constant B = 2;"


def test_code_that_does_not_compile_has_an_index_too() -> None:
    broken = (
        "contract A { uint x; function f() { if ( ) x ==; } function g() public {} } contract B {}"
    )
    assert kinds_and_names(index_of({"a.sol": broken})) == [
        "contract A",
        "variable x",
        "function f",
        "function g",
        "contract B",
    ]


def test_offsets_are_bytes() -> None:
    source = 'contract A { string s = unicode"żółw €"; /* ✓ */ uint last; }'
    index = index_of({"a.sol": source})
    assert index.text(named(index, "last")) == "uint last;"
    assert index.text(named(index, "A")) == source


def test_definitions_are_where_the_compiler_has_them(compiler: Compiler) -> None:
    for task in Starter(version=1).tasks()[::6]:
        settings = msgspec.structs.replace(task.compiler, optimizer=False)
        build = compiler.compile(task.sources, settings, ast=True)
        assert build.asts is not None
        for path, ast in build.asts.items():
            tops = ast["nodes"]
            nodes = [*tops, *(each for top in tops for each in top.get("nodes", ()))]
            wanted = {int(node["src"].split(":")[0]) for node in nodes}
            assert {each.start for each in index_of(task.sources).declarations} == wanted, path


@given(st.text(alphabet="contract A{}();=/*\"'\n fuctioné[]", max_size=200) | st.text(max_size=80))
def test_any_text_has_an_index_whose_ranges_nest(text: str) -> None:
    index = index_of({"a.sol": text})
    for number, each in enumerate(index.declarations):
        assert each.number == number
        assert 0 <= each.documented <= each.start < each.end <= len(index.sources["a.sol"])
        if each.contract is not None:
            owner = index.declarations[each.contract]
            assert owner.start < each.start and each.end < owner.end
