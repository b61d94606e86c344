"""No candidate chooses how closely it is looked at, or what becomes of its neighbours."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from solexp.core import Outcome, Program, Verdict
from solexp.evm.words import word
from solexp.oracles.base import Case
from solexp.oracles.replay import Replay
from solexp.solidity.compiler import Compiler
from tests.evm.boxes import BLOCK, BOX, TIME, call, candidates, program, put, task

PAIR = """contract Box {
    uint256 private a; uint256 private b;
    function set(uint256 x, uint256 y) external { a = x; b = y; }
}"""
REORDERED = "uint256 private b; uint256 private a;"


def judge(
    compiler: Compiler, codes: Sequence[str], reference: str = BOX, history: Program | None = None
) -> list[Verdict]:
    made = task(reference, history=history)
    return Replay().judge(Case(made, candidates(codes), compiler))


def outcomes(rows: Sequence[Verdict]) -> list[str]:
    return [row.outcome.value for row in rows]


def history(signature: str, *arguments: int, times: int = 6, value: int = 0) -> Program:
    calls = (call(signature, *arguments, at=n + 1, value=value) for n in range(times))
    return program(*calls)


@pytest.mark.parametrize("first", ["right", "wrong"])
def test_two_layouts_with_the_same_slots_are_read_each_by_its_own_names(
    compiler: Compiler, first: str
) -> None:
    right = PAIR.replace("uint256 private a; uint256 private b;", REORDERED)
    wrong = PAIR.replace("a = x; b = y;", "a = y; b = x;")
    codes = [right, wrong] if first == "right" else [wrong, right]
    rows = judge(compiler, codes, PAIR, history("set(uint256,uint256)", 3, 4))
    assert outcomes(rows) == (["pass", "fail"] if first == "right" else ["fail", "pass"])


@pytest.mark.parametrize(
    "filler",
    [
        "struct N { N[] kids; uint256 v; } N private root;",
        "uint256[32][32][32][32][32][32][32][32] private filler;",
        "uint256[][][][][][][][] private filler;",
        "uint256[32][32][8] private filler;",
    ],
)
def test_what_else_a_candidate_declares_does_not_blind_the_comparison(
    compiler: Compiler, filler: str
) -> None:
    honest = BOX.replace("contract Box {", f"contract Box {{ {filler}")
    wrong = honest.replace("total -= amount;", "").replace("total += amount;", "total += 2;")
    right, caught, plain = judge(compiler, [honest, wrong, BOX])
    assert (right.outcome, caught.outcome, plain.outcome) == (
        Outcome.PASS,
        Outcome.FAIL,
        Outcome.PASS,
    )
    assert caught.measures["diverges.storage"]


def test_a_variable_of_the_same_name_and_another_shape_does_not_hide_the_rest(
    compiler: Compiler,
) -> None:
    reference = """contract Box {
    uint256 private x; uint256 private y;
    function set(uint256 n) external { x = n; y = n; }
}"""
    shaped = reference.replace("uint256 private x;", "uint256[32][32][32][32] private x;").replace(
        "x = n; y = n;", "x[0][0][0][0] = n; y = n + 1;"
    )
    [row] = judge(compiler, [shaped], reference, history("set(uint256)", 5))
    assert row.outcome is Outcome.FAIL
    assert row.divergence is not None
    assert row.divergence.axis == "storage"


def test_lying_getters_are_asked_even_where_variables_are_renamed(compiler: Compiler) -> None:
    renamed = BOX.replace("public total", "private sum").replace("total", "sum")
    lying = renamed.replace(
        "function take",
        "function total() external pure returns (uint256) { return 0; } function take",
    ).replace("return sum;", "return sum;")
    honest = renamed.replace(
        "function take",
        "function total() external view returns (uint256) { return sum; } function take",
    )
    assert outcomes(judge(compiler, [honest, lying])) == ["pass", "fail"]


def test_ether_sent_to_somebody_else_is_seen(compiler: Compiler) -> None:
    reference = """contract Box {
    function pay(address payable who) external payable { who.call{value: msg.value}(""); }
}"""
    thief = reference.replace("who.call", "address(0xdead).call")
    twin = reference.replace("who.call{value: msg.value}", "who.call{value: msg.value + 0}")
    rows = judge(
        compiler, [thief, twin], reference, history("pay(address)", int("c3" * 20, 16), value=5)
    )
    assert outcomes(rows) == ["fail", "pass"]
    assert rows[0].divergence is not None
    assert rows[0].divergence.axis == "storage"


@pytest.mark.parametrize(
    "body",
    [
        "last = address(new Kid{salt: bytes32(n)}()); return uint256(uint160(last));",
        "return uint256(address(this).codehash);",
    ],
)
def test_a_contract_that_hands_out_the_hash_of_its_code_cannot_be_decided(
    compiler: Compiler, body: str
) -> None:
    reference = f"""contract Box {{
    address public last; uint256 public n;
    function make() external returns (uint256) {{ n++; {body} }}
}}
contract Kid {{}}"""
    rows = judge(compiler, [reference], reference, history("make()"))
    assert outcomes(rows) == ["undecidable"]
    assert "hash of its own code" in str(rows[0].evidence["reason"])


def test_a_library_that_only_the_candidate_needs_buys_no_harness_error(compiler: Compiler) -> None:
    head = "library L { function f(uint256 a) public pure returns (uint256) { return a; } }\n"
    made = task(BOX)
    made = made.__class__(
        **{
            name: getattr(made, name)
            for name in made.__struct_fields__
            if name not in ("sources", "target")
        },
        sources={"box.sol": head + made.sources["box.sol"]},
        target=made.target.__class__(
            path="box.sol",
            contract="Box",
            start=made.target.start + len(head),
            end=made.target.end + len(head),
        ),
    )
    linked = BOX.replace("total += amount;", "total += L.f(amount);")
    [row] = Replay().judge(Case(made, candidates([linked]), compiler))
    assert row.outcome is Outcome.FAIL
    assert "linked with" in str(row.evidence["reason"])


def test_the_history_helper_calls_what_it_says() -> None:
    [first, *_] = history("set(uint256,uint256)", 3, 4).calls
    assert first.input.endswith(word(3) + word(4))
    assert (first.block_number, first.timestamp) == (BLOCK + 1, TIME + 13)
    assert put(1).input != first.input
