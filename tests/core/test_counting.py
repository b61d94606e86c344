"""Functions are counted without parsing, and as a parser counts them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.benchmarks.solcontracteval import SolContractEval
from solexp.benchmarks.starter import Starter
from solexp.core.counting import count_functions, functions_of
from solexp.solidity.parsing import definition

SOURCE = """
interface I { function f() external; function g() external; }
abstract contract C is B(X({a: 1})) {
    // function commented() { }
    string constant A = "function quoted() { }"; /* contract D { */
    function(uint256) internal callback;
    uint256 dysfunction;
    constructor() { x = 1; }
    modifier only() { _; }
    function virtual_() public virtual;
    function one(function() external g) public { if (x) { y(); } }
    function two() public { x.function_; }
    function () external payable { }
    receive() external payable { }
}
contract D { function other() public { } }
"""


def parsed(source: str, name: str) -> int:
    found = definition(source, name)
    assert found is not None
    return sum(
        each.kind == "function" and each.body_start is not None and each.name != ""
        for each in found.functions
    )


@pytest.mark.parametrize(("name", "count"), [("C", 2), ("D", 1), ("I", 0), ("B", 0), ("", 0)])
def test_functions_with_a_name_and_a_body_count(name: str, count: int) -> None:
    assert count_functions(SOURCE, name) == count


def test_the_starters_contracts_are_counted_as_a_parser_counts_them() -> None:
    for task in Starter(version=1).tasks():
        assert functions_of(task) == parsed(task.reference, task.target.contract) > 0


def test_all_shared_contracts_are_counted_as_a_parser_counts_them(data_home: Path) -> None:
    del data_home
    for task in SolContractEval().tasks():
        source, name = task.sources[task.target.path], task.target.contract
        assert count_functions(source, name) == functions_of(task) == parsed(task.reference, name)


def test_a_function_counts_by_the_contract_around_it() -> None:
    (task,) = Starter(ids=["TollToken"]).tasks()
    whole = functions_of(task)
    start = task.reference.index("function ")
    target = msgspec.structs.replace(task.target, start=task.target.start + start, member="f()")

    part = msgspec.structs.replace(task, target=target)

    assert functions_of(part) == whole


@given(st.text(alphabet="contract C{};/*\"'function f()\n", max_size=80))
def test_any_text_can_be_counted(text: str) -> None:
    assert 0 <= count_functions(text, "C") <= text.count("function")
