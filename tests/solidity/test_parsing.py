from __future__ import annotations

import gzip
import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from solexp.solidity.contracts import ancestors
from solexp.solidity.parsing import definition, definitions, functions, parses
from tests.solidity.replies import BROKEN, FILE, OLD, REPLIES

SOURCE = """pragma solidity ^0.8.20;
import {X} from "./X.sol";
error TooLate(uint256 é);
/// contract Ghost { }
interface IPool { function take(uint256 amount, address to) external returns (bool); }
library Sums { function add(uint a, uint b) internal pure returns (uint) { return a + b; } }
abstract contract Base is IPool, Lib.Owned(1, f(2)) { modifier once() { _; } }
contract Pool is
    Base // the base
{
    string name = "contract Fake { }";
    struct Share { uint256 amount; }
    constructor(address owner) payable { }
    receive() external payable { }
    fallback() external { name = "x"; }
    function take(uint256 amount, address to) external override once returns (bool) {
        // nothing yet
    }
    function _left(Share memory share) private view returns (uint256) { return share.amount; }
}
function free(uint x) pure returns (uint) { return x; }
"""


def test_definitions_are_found_in_order_with_their_bytes() -> None:
    found = definitions(SOURCE)
    assert [(item.kind, item.name) for item in found] == [
        ("interface", "IPool"),
        ("library", "Sums"),
        ("contract", "Base"),
        ("contract", "Pool"),
    ]
    data = SOURCE.encode()
    for item in found:
        text = data[item.start : item.end].decode()
        assert text.endswith("}")
        assert text.startswith(("interface", "library", "abstract contract", "contract"))
        assert item.parsed


def test_bases_are_given_without_their_arguments() -> None:
    base, pool = definition(SOURCE, "Base"), definition(SOURCE, "Pool")
    assert base is not None
    assert pool is not None
    assert base.inherits == ("IPool", "Lib.Owned")
    assert base.abstract
    assert pool.inherits == ("Base",)
    assert not pool.abstract


def test_functions_are_described() -> None:
    pool = definition(SOURCE, "Pool")
    assert pool is not None
    constructor, receive, fallback, take, left = pool.functions
    assert [function.kind for function in pool.functions] == [
        "constructor",
        "receive",
        "fallback",
        "function",
        "function",
    ]
    assert constructor.mutability == "payable"
    assert constructor.empty
    assert receive.visibility == "external"
    assert not fallback.empty
    assert (take.name, take.parameters, take.visibility) == (
        "take",
        ("uint256", "address"),
        "external",
    )
    assert take.empty, "a comment does nothing"
    assert take.body_start is not None
    assert SOURCE.encode()[take.body_start : take.end].startswith(b"{")
    assert (left.parameters, left.mutability, left.visibility) == (("Share",), "view", "private")
    declared = definition(SOURCE, "IPool")
    assert declared is not None
    assert declared.functions[0].body_start is None


def test_functions_of_a_source_include_free_ones() -> None:
    names = [function.name for function in functions(SOURCE)]
    assert names == ["take", "add", "once", "", "", "", "take", "_left", "free"]


def test_solidity_of_2016_is_read() -> None:
    (vault,) = definitions(OLD)
    assert [(function.kind, function.name) for function in vault.functions] == [
        ("function", "Vault"),
        ("fallback", ""),
        ("function", "peek"),
    ]


def test_a_definition_that_does_not_parse_still_has_its_range() -> None:
    source = f"contract A {{ }}\n{BROKEN}\ncontract B {{ }}\n"
    found = definitions(source)
    assert [item.name for item in found] == ["A", "Vault", "B"]
    assert [item.parsed for item in found] == [True, False, True]
    assert source.encode()[found[1].start : found[1].end].decode() == BROKEN
    assert not parses(source)
    assert parses(FILE)


def test_an_unclosed_definition_is_none() -> None:
    assert definitions("contract A { function f() public {") == ()
    assert definitions("contract A { contract B { }")[0].name == "B"


def test_ancestors_come_nearest_first_and_once() -> None:
    known = definitions(
        "contract A {} contract B is A {} contract C is A {} contract D is B, C, Other {}"
    )
    assert [item.name for item in ancestors("D", known)] == ["B", "C", "A"]
    assert ancestors("A", known) == ()
    assert ancestors("Nobody", known) == ()
    cycle = definitions("contract A is B {} contract B is A {}")
    assert [item.name for item in ancestors("A", cycle)] == ["B"]


@given(st.lists(st.sampled_from([reply.code for reply in REPLIES if reply.code]), max_size=3))
def test_ranges_never_overlap_and_fit_the_source(parts: list[str]) -> None:
    source = "\n".join(parts)
    position = 0
    for item in definitions(source):
        assert position <= item.start < item.end <= len(source.encode())
        position = item.end


def test_every_target_of_solcontracteval_is_found_at_its_place(data_home: Path) -> None:
    with gzip.open(data_home / "solcontracteval" / "tasks.jsonl.gz") as file:
        lines = [json.loads(line) for line in file]
    for line in lines:
        found = definition(line["source"], line["target_contract"])
        assert found is not None
        assert found.parsed
        data = line["source"].encode()
        assert data[found.start : found.end].decode() == line["ground_truth"]
