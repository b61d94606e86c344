"""Guards as expressions: which text is one, and which are the same."""

from __future__ import annotations

import pytest

from solexp.dcr.expressions import conjuncts, names, normal, parsed


@pytest.mark.parametrize(
    "text",
    [
        "balances[msg.sender] >= amount && !paused",
        'token.balanceOf{gas: 5000}(address(this)) == 2 ** 8 - 1 ether ? now > 1 : a != "x\\"y"',
        "block.timestamp < start + 5 days // the sale is open",
        "keccak256(abi.encode(a, b)) == type(uint256).max >> 1e3",
    ],
)
def test_expressions_are_read(text: str) -> None:
    assert parsed(text) is not None


@pytest.mark.parametrize(
    "text", ["", "a +", "a b", "a; b", "a); (b", "x = 3", "i++ < 3", "--i < 3", "delete x", "f(a,)"]
)
def test_what_is_no_expression_or_changes_something_is_not_read(text: str) -> None:
    assert parsed(text) is None


def test_a_text_nested_without_end_is_not_read() -> None:
    assert parsed("(" * 100_000 + "a") is None


def test_the_names_of_an_expression_are_told_without_members() -> None:
    assert names("amount <= balances[msg.sender] && roles.admin(who)") == (
        "amount",
        "balances",
        "msg",
        "roles",
        "who",
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("amount<=balances[ msg.sender ]", "balances[msg.sender] >= (amount)"),
        ("a && (b && c)", "c && a && b"),
        ("paused == false", "!paused"),
        ("!(a == b)", "b != a"),
        ("!(a || b)", "!b && !a"),
        ("!(x < y)", "x >= y"),
        ("total + fee == goal", "goal == fee + total"),
    ],
)
def test_expressions_that_say_the_same_have_one_form(one: str, other: str) -> None:
    assert normal(one) == normal(other)


@pytest.mark.parametrize(
    ("one", "other"), [("a - b", "b - a"), ("a < b", "a > b"), ("a || b && c", "(a || b) && c")]
)
def test_expressions_that_say_different_things_have_different_forms(one: str, other: str) -> None:
    assert normal(one) != normal(other)


def test_what_a_guard_joins_is_told_apart() -> None:
    assert conjuncts("b > 0 && (!paused && x)") == ("!paused", "(0 < b)", "x")
