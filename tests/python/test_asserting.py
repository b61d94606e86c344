"""The assertion part of programs and contracts."""

from __future__ import annotations

import ast
import textwrap

import pytest

from solexp.python.asserting import part_of_contract, part_of_program


def part(program: str) -> str:
    return "\n".join(map(ast.unparse, part_of_program(textwrap.dedent(program))))


def dedented(text: str) -> str:
    return textwrap.dedent(text).strip()


def test_helper_statements_are_those_that_assertions_use() -> None:
    program = """
        import re
        def f(s, n):
            '''What it does.'''
            words = s.split()
            count = len(words)
            longest = max(words)
            assert count == 5, "no five words"
            out = []
            for word in words:
                out.append(word)
            return out
    """
    assert part(program) == "words = s.split()\ncount = len(words)\nassert count == 5"


def test_loops_and_branches_keep_what_brings_about_what_they_assert() -> None:
    program = """
        def f(s):
            depth = 0
            for ch in s:
                assert ch in "()"
                seen = ch
                if ch == "(":
                    depth += 1
                    print(ch)
                else:
                    depth -= 1
                assert depth >= 0
            return depth
    """
    assert part(program) == dedented(
        """
        depth = 0
        for ch in s:
            assert ch in '()'
            if ch == '(':
                depth += 1
            else:
                depth -= 1
            assert depth >= 0
        """
    )


def test_what_is_made_later_in_a_loop_is_used_in_its_next_round() -> None:
    program = """
        def f(xs):
            before = None
            for x in xs:
                assert before is None or before < x
                before = x
    """
    assert part(program).endswith("before = x")


def test_functions_that_assert_are_opened_and_those_that_assertions_call_are_kept() -> None:
    program = """
        from math import isqrt
        LIMIT = 9
        OTHER = 10
        def checked(n):
            assert isinstance(n, int)
        def prime(n):
            return all(n % d for d in range(2, isqrt(n) + 1))
        def f(n):
            checked(n)
            assert prime(n) and n < LIMIT
            return half(n)
        def half(n):
            return n // 2
    """
    assert part(program) == dedented(
        """
        LIMIT = 9
        assert isinstance(n, int)
        def prime(n):
            return all((n % d for d in range(2, isqrt(n) + 1)))
        assert prime(n) and n < LIMIT
        """
    )


def test_local_functions_that_assert_are_kept_with_their_calls() -> None:
    statements = ["def two(x):\n    assert len(x) == 2", "two(a)", "two(b)", "c = a"]
    assert [ast.unparse(each) for each in part_of_contract(statements)] == statements[:3]


def test_methods_have_an_assertion_part() -> None:
    assert (
        part("class A:\n    limit = 3\n    def f(self, n):\n        assert n > 0\n        return n")
        == "assert n > 0"
    )


@pytest.mark.parametrize(
    "change",
    ["xs[0] = 1", "xs.append(1)", "xs.total = 1", "del xs[0]", "xs += [1]", "xs: list = []"],
)
def test_what_changes_a_value_that_is_asserted_is_part(change: str) -> None:
    assert part(f"def f(xs):\n    {change}\n    assert xs") == f"{change}\nassert xs"


@pytest.mark.parametrize(
    "program", ["", "def f(:", "x = 1", "assert f(2) == 1\ndef f(n):\n    return n"]
)
def test_assertions_outside_of_functions_are_none(program: str) -> None:
    assert part_of_program(program) == ()
