from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from solexp.core import Task, UserError
from solexp.solidity.compiler import Compiler
from solexp.solidity.definitions import needed
from solexp.solidity.definitions.needed import Surroundings, surroundings
from solexp.solidity.definitions.render import render, render_headers
from solexp.store.cache import Store
from tests.solidity.definitions.made import task_of

Find = Callable[[Task], Surroundings]


@pytest.fixture
def find(tmp_path: Path, compiler: Compiler) -> Find:
    return partial(surroundings, store=Store(tmp_path), compiler=compiler)


def shown(found: Surroundings) -> str:
    """The dependencies, white space aside."""
    return " ".join(render(found.index, found.dependencies()).split())


LIBRARY = """pragma solidity VERSION;
library Maths {
    function add(uint a, uint b) internal pure returns (uint) { check(b); return a + b; }
    function sub(uint a, uint b) internal pure returns (uint) { return a - b; }
    function check(uint a) private pure { require(a > 0); }
}
contract Empty {}
contract Owned is Empty {
    address owner; uint unused;
    event Changed(address who);
    modifier mine { require(msg.sender == owner); _; }
    function change(address who) public mine { owner = who; emit Changed(who); }
}
contract Far { function far() public {} }
contract Target is Owned {
    using Maths for uint;
    uint total;
    function add(uint n) public mine { total = total.add(n); }
}
"""


@pytest.mark.parametrize("version", ["0.4.26", "0.5.17", "0.8.17"])
def test_only_what_the_target_uses_is_kept_in_contracts(version: str, find: Find) -> None:
    text = shown(find(task_of(LIBRARY.replace("VERSION", version), "Target", version)))
    assert text == (
        "library Maths { function add(uint a, uint b) internal pure returns (uint) { check(b); return a + b; } "
        "function check(uint a) private pure { require(a > 0); } } "
        "contract Empty {} "
        "contract Owned is Empty { address owner; modifier mine { require(msg.sender == owner); _; } }"
    )


def test_a_compiler_without_references_in_its_ast_finds_the_same(find: Find) -> None:
    source = LIBRARY.replace("VERSION", "^0.4.11").replace("emit ", "").replace("pure ", "")
    old, new = (shown(find(task_of(source, "Target", version))) for version in ("0.4.11", "0.4.26"))
    assert old == new


IMPLEMENTED = """pragma solidity ^0.8.0;
interface IThing { function kind() external view returns (uint); function size() external view returns (uint); }
abstract contract Base is IThing {
    uint internal immutable limit;
    constructor(uint n) { limit = n; }
    function kind() public view virtual override returns (uint) { return limit; }
    function hook() internal virtual;
    function touch() internal { hook(); }
    function spare() public pure returns (uint) { return 1; }
}
contract Middle is Base {
    uint public override size;
    constructor() Base(3) {}
    function hook() internal override {}
}
contract Target is Middle {
    function kind() public view override returns (uint) { touchless(); return super.kind() + 1; }
    function touchless() internal view {}
    function go() public { touch(); }
}
"""


def test_functions_that_bases_leave_open_stay_implemented(find: Find) -> None:
    text = shown(find(task_of(IMPLEMENTED, "Target")))
    assert "function hook() internal override {}" in text
    assert "constructor(uint n)" in text
    assert "constructor() Base(3)" in text
    # Nothing overrides or calls these.
    assert "spare" not in text
    assert "size" not in text


MODERN = """pragma solidity ^0.8.19;
type Price is uint128;
using {plus as +} for Price global;
function plus(Price a, Price b) pure returns (Price) { return Price.wrap(Price.unwrap(a) + Price.unwrap(b)); }
function minus(Price a, Price b) pure returns (Price) { return Price.wrap(Price.unwrap(a) - Price.unwrap(b)); }
error Low(Price got);
error High(Price got);
uint128 constant LEAST = 2 * ONE;
uint128 constant ONE = 1;
uint256 constant SLOT = 7;
enum Mode { Off, On }
struct Order { Price price; Mode mode; Extra extra; }
struct Extra { bytes32 note; }
library Lib { function half(uint256 a) internal pure returns (uint256) { return a / 2; } }
using Lib for uint256;
contract Child { constructor(uint256 a) payable {} function touch() external {} function other() external {} }
contract Target {
    Order order;
    function f(Price a) public returns (uint256 n) {
        order.price = a + a;
        if (Price.unwrap(a) < LEAST) revert Low(a);
        if (order.mode == Mode.On) new Child(1).touch();
        assembly { n := SLOT }
        return n.half();
    }
}
"""


def test_all_that_can_be_defined_in_files_is_followed(find: Find) -> None:
    text = shown(find(task_of(MODERN, "Target", "0.8.20")))
    for kept in (
        "type Price",
        "using {plus as +}",
        "plus(",
        "error Low",
        "LEAST",
        "ONE",
        "SLOT",
        "enum Mode",
    ):
        assert kept in text
    for kept in (
        "struct Order",
        "struct Extra",
        "half",
        "using Lib",
        "constructor(uint256 a)",
        "touch",
    ):
        assert kept in text
    for gone in ("minus", "High", "other"):
        assert gone not in text


def test_a_function_needs_what_it_uses_outside_its_contract(find: Find) -> None:
    source = LIBRARY.replace("VERSION", "^0.8.0").replace(
        "uint total;", "uint total; Far far; function go() public { far.far(); }"
    )
    add = shown(find(task_of(source, "Target", function="add")))
    go = shown(find(task_of(source, "Target", function="go")))
    assert "library Maths" in add and "mine" in add and "Far" not in add
    assert go == "contract Far { function far() public {} }"


def test_files_that_import_each_other_become_one_text_bases_first(find: Find) -> None:
    sources = {
        "a.sol": 'pragma solidity ^0.8.0; import "./b.sol"; contract Target is B { function f() public { g(); } }',
        "b.sol": 'import "./c.sol";\n// SPDX-License-Identifier: X\ncontract B is C { function g() internal { h(); } }',
        "c.sol": "// SPDX-License-Identifier: X\ncontract C { function h() internal {} function i() internal {} }",
    }
    assert shown(find(task_of(sources, "Target"))) == (
        "contract C { function h() internal {} } contract B is C { function g() internal { h(); } }"
    )


def test_what_is_found_is_kept(find: Find, monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_of(LIBRARY.replace("VERSION", "^0.8.0"), "Target")
    first = shown(find(task))
    monkeypatch.setattr(needed, "_computed", None)
    assert shown(find(task)) == first


def test_sources_that_do_not_compile_are_refused_by_the_tasks_name(find: Find) -> None:
    task = task_of("pragma solidity ^0.8.0; contract Target { Missing m; }", "Target")
    with pytest.raises(
        UserError, match=r"task made: its sources do not compile with solc 0\.8\.17"
    ):
        find(task)


def test_names_that_imports_change_are_refused(find: Find) -> None:
    sources = {
        "a.sol": 'pragma solidity ^0.8.0; import {B as C} from "./b.sol"; contract Target is C {}',
        "b.sol": "pragma solidity ^0.8.0; contract B {}",
    }
    with pytest.raises(UserError, match="names that imports change"):
        find(task_of(sources, "Target"))


def test_signatures_are_those_of_what_is_invoked_and_inherited(find: Find) -> None:
    around = find(task_of(LIBRARY.replace("VERSION", "^0.8.0"), "Target"))
    assert render_headers(around.index, around.invoked() | around.inherited()) == (
        "library Maths {\n"
        "    function add(uint a, uint b) internal pure returns (uint);\n"
        "}\n\n"
        "contract Empty {}\n\n"
        "contract Owned is Empty {\n"
        "    address owner;\n"
        "    uint unused;\n"
        "    event Changed(address who);\n"
        "    modifier mine;\n"
        "    function change(address who) public mine;\n"
        "}\n"
    )


def test_a_functions_signatures_are_those_that_it_names_itself(find: Find) -> None:
    task = task_of(LIBRARY.replace("VERSION", "^0.8.0"), "Target", function="add")
    around = find(task)
    text = " ".join(render_headers(around.index, around.invoked()).split())
    assert text == (
        "library Maths { function add(uint a, uint b) internal pure returns (uint); } "
        "contract Owned is Empty { modifier mine; } "
        "contract Target is Owned { uint total; }"
    )
