"""Mutants of functions."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.core import CompilerSettings, Target, Task
from solexp.core.mutation import Mutation, shuffled
from solexp.solidity.comments import without_comments
from solexp.solidity.mutation import Checked, mutations
from solexp.solidity.mutation.literals import neighbours

CLAMP = """function clamp(uint256 x, uint256 low, uint256 high) external returns (uint256 y) {
        // é: not less than `low`, nor above high
        require(low <= high, "low < high");
        if (x < low) return low;
        count += 1;
        y = x > high ? high : x;
    }"""
MIN = """function min(uint256 x, uint256 y) internal pure returns (uint256 z) {
        /// @solidity memory-safe-assembly
        assembly {
            if iszero(add(x, 0x01)) { revert(0x00, 0x00) }
            z := xor(x, mul(xor(x, y), lt(y, x)))
            for {} 1 {} { break }
        }
    }"""
PAY = "function pay(address to, uint8 n) public only returns (bool) { send(to, n); return n != 0; }"
SOURCE = f"""pragma solidity ^0.8.0;
contract A {{
    uint256 count;
    modifier only() {{ _; }}
    function send(address to, uint8 n) internal {{}}
    {CLAMP}
    {MIN}
    {PAY}
}}
"""
FUNCTIONS = (CLAMP, MIN, PAY)


def task(code: str) -> Task:
    start = len(SOURCE[: SOURCE.index(code)].encode())
    return Task(
        id=f"A/{code[9:15]}",
        benchmark="hand",
        compiler=CompilerSettings(version="0.8.17"),
        sources={"a.sol": SOURCE},
        target=Target(
            path="a.sol", contract="A", start=start, end=start + len(code.encode()), member="f"
        ),
        framework="contract A {}",
    )


def changes(code: str, kind: str) -> set[tuple[str, str]]:
    return {(each.old, each.new) for each in mutations(code) if each.kind == kind}


def bare(code: str) -> str:
    return "".join(without_comments(code).split())


@pytest.mark.parametrize("code", FUNCTIONS)
def test_no_two_mutants_are_the_same_and_none_is_the_reference(code: str) -> None:
    found = mutations(code)
    texts = {bare(each.applied(code)) for each in found}
    assert len(texts) == len(found) > 5
    assert bare(code) not in texts
    assert len({each.name for each in found}) == len(found)


@pytest.mark.parametrize("code", FUNCTIONS)
def test_every_byte_outside_of_the_changed_place_stays(code: str) -> None:
    data = code.encode()
    for each in mutations(code):
        assert data[each.start : each.end].decode() == each.old
        mutant = each.applied(code).encode()
        assert mutant.startswith(data[: each.start])
        assert mutant.endswith(data[each.end :])
        assert len(mutant) == len(data) - len(each.old.encode()) + len(each.new.encode())
        assert each.start > data.index(b"{"), "heads stay"
        assert each.line == data[: each.start].count(b"\n") + 1


def test_comments_and_strings_stay() -> None:
    for each in mutations(CLAMP):
        assert "// é: not less than `low`, nor above high\n" in each.applied(CLAMP)
        assert ('"low < high"' in each.applied(CLAMP)) is not each.old.startswith("require")


def test_operators_of_solidity_are_changed() -> None:
    assert changes(CLAMP, "comparison") == {
        ("<=", "<"),
        ("<=", ">="),
        ("<", "<="),
        ("<", ">"),
        (">", ">="),
        (">", "<"),
    }
    assert changes(CLAMP, "arithmetic") == {("+=", "-=")}
    assert changes("function f() { a = b && !c || ~d == e << 1; }", "logical") == {
        ("&&", "||"),
        ("||", "&&"),
        ("!c", "c"),
    }


def test_checks_are_removed_and_conditions_negated() -> None:
    assert changes(CLAMP, "check") == {('require(low <= high, "low < high");', "")}
    assert ("x < low", "!(x < low)") in changes(CLAMP, "condition")
    guarded = "function f() { if (a) revert B(); if (c) { revert('d'); } if (e) { g(); } }"
    assert changes(guarded, "check") == {
        ("if (a) revert B();", ""),
        ("revert B();", "{}"),
        ("if (c) { revert('d'); }", ""),
        ("revert('d');", ""),
    }
    assert changes(guarded, "statement") == {("if (e) { g(); }", ""), ("g();", "")}


def test_what_is_returned_becomes_the_default_or_another_variable_of_its_type() -> None:
    assert {("low", "0"), ("low", "x"), ("low", "high"), ("low", "y")} <= changes(CLAMP, "returned")
    assert changes(PAY, "returned") == {
        ("n != 0", "!(n != 0)"),
        ("n != 0", "true"),
        ("n != 0", "false"),
    }
    assert ("x > high ? high : x", "0") in changes(CLAMP, "returned")


def test_arguments_change_places() -> None:
    assert changes(PAY, "swapped") == {("send(to, n)", "send(n, to)")}
    assert changes("function f() { a = b - c; d = e + g; }", "swapped") == {("b - c", "c - b")}


def test_assembly_is_changed_by_its_builtins() -> None:
    assert changes(MIN, "comparison") == {
        ("lt", "gt"),
        ("lt", "slt"),
        ("lt(y, x)", "iszero(gt(y, x))"),
    }
    assert {("add", "sub"), ("mul", "div")} <= changes(MIN, "arithmetic")
    assert changes(MIN, "bitwise") == {("xor", "or")}
    assert ("iszero(add(x, 0x01))", "add(x, 0x01)") in changes(MIN, "logical")
    assert ("if iszero(add(x, 0x01)) { revert(0x00, 0x00) }", "") in changes(MIN, "check")
    assert ("0x01", "0x02") in changes(MIN, "constant")
    assert ("xor(x, mul(xor(x, y), lt(y, x)))", "0") in changes(MIN, "returned")
    assert ("1", "2") not in changes(MIN, "constant"), "a loop's condition is true either way"


def test_what_the_grammar_cannot_read_has_no_mutants() -> None:
    assert mutations("function f() external;") == ()
    assert mutations("no code at all") == ()
    assert mutations("") == ()


@given(st.text(max_size=200))
def test_any_text_is_borne(code: str) -> None:
    for each in mutations(code):
        assert each.applied(code) != code


@given(st.integers(min_value=0, max_value=2**256 - 1), st.booleans())
def test_neighbours_of_a_number_are_at_most_one_away_or_zero(value: int, hexadecimal: bool) -> None:
    literal = f"0x{value:064x}" if hexadecimal else str(value)
    near = [int(each, 0) for each in neighbours(literal)]
    assert set(near) == {value + 1, value - 1, 0} - {value, -1, 2**256}
    assert not hexadecimal or all(len(each) == len(literal) for each in neighbours(literal))


def test_addresses_and_fractions_have_no_neighbours() -> None:
    assert not list(neighbours("0x" + "ab" * 20))
    assert not list(neighbours("1e18"))
    assert not list(neighbours("1.5"))


@given(st.text(max_size=9), st.sampled_from(FUNCTIONS))
def test_an_order_is_drawn_by_its_seed_and_has_every_mutant_once(seed: str, code: str) -> None:
    found = mutations(code)
    order = list(shuffled(found, seed))
    assert order == list(shuffled(found, seed))
    assert sorted(order, key=found.index) == list(found)


def test_rare_kinds_are_drawn_as_often_as_frequent_ones() -> None:
    found = mutations(MIN)
    kinds = {each.kind for each in found}
    first = Counter(next(shuffled(found, str(seed))).kind for seed in range(2000))
    assert set(first) == kinds
    assert max(first.values()) < 1.5 * min(first.values())


def test_only_mutants_that_compile_are_drawn_and_each_once() -> None:
    made = Checked(seed=3)
    one = task(PAY)
    compiling = [each for each in made.mutants(one) if made.compiles(one, each)]
    assert 0 < len(compiling) < len(made.mutants(one))
    assert "swapped" not in {each.kind for each in compiling}, "an address is no uint8"
    drawn = [made.mutant(one, "a", rank) for rank in range(len(compiling))]
    assert {each.name for each in drawn if each} == {each.name for each in compiling}
    assert made.mutant(one, "a", len(compiling)) == drawn[0], "past the last, the first again"
    assert Checked(seed=3).mutant(one, "a", 4) == drawn[4], "no other draw matters"


def test_a_function_of_which_no_mutant_compiles_has_none() -> None:
    one = task("function send(address to, uint8 n) internal {}")
    assert Checked().mutant(one, "a", 0) is None


def test_names_are_brief_and_say_what_is_changed() -> None:
    change = Mutation(kind="check", start=5, end=9, old="if  (a)\n  b;", new="", line=1)
    assert change.name == "check@5: if (a) b; -> nothing"
