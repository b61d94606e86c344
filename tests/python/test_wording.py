"""Contracts in words."""

from __future__ import annotations

import ast

import msgspec
import pytest

from solexp.core import Preconditions
from solexp.python.contracts import read_contract
from solexp.python.wording import call_of, stated, told, worded


def said(test: str) -> str:
    return worded(ast.parse(test, mode="eval").body)


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("isinstance(n, int)", "`n` is an int"),
        ("isinstance(xs, (list, tuple))", "`xs` is a list or a tuple"),
        ("isinstance(n, type(m))", "`n` is an instance of `type(m)`"),
        ("type(s) == str", "`s` is exactly a str"),
        ("type(x) in [int, float]", "`x` is exactly an int or a float"),
        ("n > 0", "`n` is greater than 0"),
        ("n >= -1.5", "`n` is at least -1.5"),
        ("len(xs) <= k", "the length of `xs` is at most `k`"),
        ("len(xs) == len(ys)", "the length of `xs` equals the length of `ys`"),
        ("x != float('nan')", "`x` does not equal `float('nan')`"),
        ("c in ['(', ')']", "`c` is one of `'('`, `')'`"),
        ("c not in s", "`c` is not in `s`"),
        ("0 <= k < len(xs)", "`0 <= k < len(xs)` holds"),
        ("s.isdigit()", "`s.isdigit()` is true"),
        ("all(isinstance(x, int) for x in xs)", "for every `x` in `xs`, `x` is an int"),
        ("all([x > 0 for x in xs])", "for every `x` in `xs`, `x` is greater than 0"),
        ("any(x > 0 for x in xs)", "for some `x` in `xs`, `x` is greater than 0"),
        ("all(x > 0 for x in xs if x)", "`all((x > 0 for x in xs if x))` is true"),
        (
            "isinstance(a, str) and len(a) > 0",
            "`a` is a str and the length of `a` is greater than 0",
        ),
        ("s == '' or s.islower()", "`s == '' or s.islower()` is true"),
    ],
)
def test_an_assertion_becomes_a_sentence(test: str, words: str) -> None:
    assert said(test) == words


def given(contract: str) -> Preconditions:
    found = read_contract(contract)
    return Preconditions(
        entry_point="f",
        parameters=("s",),
        statements=found.statements,
        assertions=found.assertions,
    )


def test_statements_that_say_something_only_together_stay_code() -> None:
    words = stated(
        given(
            "assert isinstance(s, str)\n"
            "count = 0\n"
            "for c in s:\n    assert c in '()'\n    count += 1\n"
            "assert count == 0\n"
            "assert len(s) > 1\n"
        )
    )
    assert words.sentences == ("`s` is a str", "the length of `s` is greater than 1")
    assert words.code.startswith("count = 0\nfor c in s:\n")
    assert words.code.endswith("assert count == 0")


def test_what_no_description_asks_for_is_not_told() -> None:
    contract = given("assert isinstance(s, str)\nassert len(s) > 1\n")
    judged = msgspec.structs.replace(contract, aligned=(False, True))
    assert stated(judged).sentences == ("the length of `s` is greater than 1",)
    assert told(judged) == ("assert len(s) > 1",)
    assert told(contract) == contract.statements


def test_a_contract_of_nothing_states_nothing() -> None:
    assert stated(given("")).sentences == ()
    assert stated(given("")).code == ""


def test_calls_are_written_as_python_has_them() -> None:
    assert call_of("f", "[]") == "f()"
    assert call_of("f", "[(1,), {'a': {2}}, float('inf')]") == "f((1,), {'a': {2}}, float('inf'))"
