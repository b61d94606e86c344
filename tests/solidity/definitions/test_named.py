from __future__ import annotations

from solexp.core import CompileError, CompilerSettings
from solexp.solidity.compiler import Compiler
from solexp.solidity.definitions import definitions_named, names_in
from tests.solidity.definitions.made import task_of

SOURCE = """pragma solidity ^0.8.0;
interface IToken { function transfer(address to, uint256 n) external returns (bool); function name() external; }
library Maths {
    /// sums
    function add(uint256 a, uint256 b) internal pure returns (uint256) { return a + b; } }
contract Base { uint256 internal total; struct Pair { uint256 a; } }
contract Target is Base { function secret() public { total = 1; } function other() public {} }
"""


def test_what_a_name_means_is_fetched_within_its_contract() -> None:
    text = definitions_named(task_of(SOURCE, "Target"), ["add", "Pair"])
    assert "library Maths {" in text
    assert "return a + b;" in text
    assert "struct Pair" in text
    assert "total" not in text
    assert "IToken" not in text


def test_a_contract_that_is_named_is_fetched_whole() -> None:
    text = definitions_named(task_of(SOURCE, "Target"), ["IToken"])
    assert "function transfer" in text
    assert "function name" in text


def test_nothing_of_the_target_is_fetched() -> None:
    assert definitions_named(task_of(SOURCE, "Target"), ["Target", "secret"]) == ""


def test_of_a_function_only_its_contracts_other_members_are_fetched() -> None:
    task = task_of(SOURCE, "Target", function="secret")
    text = definitions_named(task, ["Target", "secret", "other"])
    assert "function other" in text
    assert "secret" not in text


def test_comments_are_left_out_on_wish() -> None:
    task = task_of(SOURCE, "Target")
    assert "sums" in definitions_named(task, ["add"])
    assert "sums" not in definitions_named(task, ["add"], comments=False)


def test_names_are_those_that_the_compilers_errors_speak_of(compiler: Compiler) -> None:
    sources = {
        "a.sol": "pragma solidity ^0.8.0; struct Pair { uint a; }\n"
        "contract A { function f(Pair memory p) public returns (uint) { return p.BODY; } }"
    }
    for body, wanted in (("b", {"p", "b", "Pair"}), ("a + sum(missing)", {"sum", "missing"})):
        written = {"a.sol": sources["a.sol"].replace("BODY", body)}
        build = compiler.compile(written, CompilerSettings(version="0.8.17"))
        assert set(names_in(build.errors, written)) == wanted


def test_an_error_that_names_nothing_is_about_the_definition_it_lies_in(compiler: Compiler) -> None:
    sources = {
        "a.sol": "pragma solidity ^0.8.0; contract Base { function f(uint a) public virtual {} }"
        "contract Target is Base { function f() public override {} }"
    }
    build = compiler.compile(sources, CompilerSettings(version="0.8.17"))
    names = names_in(build.errors, sources)
    assert names == ("f",)
    assert "f(uint a)" in definitions_named(task_of(sources, "Target"), names)


def test_an_error_without_a_place_names_what_it_quotes() -> None:
    error = CompileError(type="TypeError", message='Member "mint" not found in contract IToken.')
    assert names_in([error], {}) == ("mint", "IToken")
