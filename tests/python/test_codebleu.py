"""Assertion parts that are alike."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.python.asserting import part_of_contract, part_of_program
from solexp.python.codebleu import Likeness, likeness

CONTRACT = "assert isinstance(n, int), 'invalid inputs'\nassert n > 0, 'invalid inputs'\n"
CONDITIONS = ["isinstance(n, int)", "n > 0", "n >= 0", "len(s) == 1", "all(x > 0 for x in s)", "s"]

MEASURED = [
    (
        "assert isinstance(n, int)\nassert n > 0",
        "assert isinstance(n, int)\nassert n >= 1",
        (0.786075, 0.803851, 1.0, 1.0),
    ),
    (
        "assert type(xs) == list\nassert len(xs) > 0",
        "assert isinstance(xs, list)\nassert len(xs) > 0",
        (0.514240, 0.521861, 0.5, 1.0),
    ),
    (
        "assert isinstance(s, str)\nassert len(s) == 1",
        "assert len(s) == 1\nassert isinstance(s, str)",
        (0.864845, 0.864845, 0.875, 1.0),
    ),
    (
        "assert all((x > 0 for x in xs))\nassert len(xs) == n",
        "assert all((x > 0 for x in ys))\nassert len(ys) == k",
        (0.670929, 0.683715, 1.0, 1.0),
    ),
    (
        "m = max(xs)\nassert m < n\nassert m != k",
        "m = min(xs)\nassert m < n\nassert m > k",
        (0.659184, 0.668953, 1.0, 1.0),
    ),
    (
        "def even(v):\n    return v % 2 == 0\nassert even(n)\nassert n > k",
        "def odd(v):\n    return v % 2 == 1\nassert odd(n)\nassert n > k",
        (0.677371, 0.689259, 1.0, 1.0),
    ),
    (
        "total = first\nfor x in xs:\n    assert x > total\n    total = total + x",
        "total = first\nfor x in xs:\n    total = total + x\n    assert x > total",
        (0.778158, 0.778158, 0.7, 1.0),
    ),
]
"""Pairs, and what the package codebleu 0.7.0 says of them when it is given Python's tokens.

Both sides of a pair have as many tokens and keywords, so that its recall of weighted tokens is the precision that the
paper defines."""


def alike(candidate: str, reference: str = CONTRACT) -> Likeness:
    found = likeness(part_of_program(candidate), part_of_contract([reference]))
    assert found is not None
    return found


@pytest.mark.parametrize(("candidate", "reference", "measured"), MEASURED)
def test_parts_are_those_of_the_package_codebleu(
    candidate: str, reference: str, measured: tuple[float, ...]
) -> None:
    found = likeness(ast.parse(candidate).body, ast.parse(reference).body)
    assert found is not None
    # Figures have six digits.
    parts = (found.ngrams, found.weighted_ngrams, found.dataflow)
    assert parts == pytest.approx((measured[0], measured[1], measured[3]), abs=1e-6)
    # Its trees have more nodes (such as a list of arguments), and it does not count how often a subtree occurs: a share
    # of 10 to 20 subtrees is off by less than one of them.
    assert found.syntax == pytest.approx(measured[2], abs=0.05)
    assert found.codebleu == pytest.approx(sum(measured) / 4, abs=0.05 / 4 + 1e-6)


def test_messages_layout_place_and_docstrings_do_not_matter() -> None:
    other = "def f(n):\n    '''Docs.'''\n    assert (isinstance(n,\n        int))\n    x = 1\n    assert n>0, 'no'\n"
    assert alike(other).codebleu == pytest.approx(1.0)


def test_more_alike_is_nearer_to_one() -> None:
    both, one, near, none = (
        alike(f"def f(n):\n    {text}\n").codebleu
        for text in (
            "assert isinstance(n, int); assert n > 0",
            "assert isinstance(n, int)",
            "assert type(n) is int",
            "assert s",
        )
    )
    assert both > one > near > none > 0


def test_keywords_weigh_more_than_names() -> None:
    reference = "assert a in b and c"
    other_name = alike("def f():\n    assert a in b and d\n", reference)
    other_keyword = alike("def f():\n    assert a in b or c\n", reference)
    assert other_name.weighted_ngrams > other_name.ngrams
    assert other_keyword.weighted_ngrams < other_name.weighted_ngrams


def test_names_values_and_signs_are_no_part_of_trees() -> None:
    found = alike("def f(k):\n    assert type(k, str)\n    assert k < 1\n")
    assert found.syntax == 1.0
    assert found.dataflow == 1.0
    assert found.ngrams < 1


def test_a_contract_without_data_flow_has_three_parts() -> None:
    found = alike("def f(n):\n    assert n > 1\n", "assert n > 0")
    assert found.dataflow is None
    assert found.codebleu == (found.ngrams + found.weighted_ngrams + found.syntax) / 3


@pytest.mark.parametrize("candidate", ["", "def f(n): return n", "def f(n:\n", "assert n > 0\n"])
def test_without_assertions_in_a_function_nothing_is_alike(candidate: str) -> None:
    found = alike(candidate)
    assert found == Likeness(ngrams=0.0, weighted_ngrams=0.0, syntax=0.0, dataflow=0.0)
    assert found.codebleu == 0.0


def test_code_that_is_nested_deeply_is_read_or_like_nothing() -> None:
    def deep(levels: int) -> str:
        return "def f(n):\n    assert " + "1 + " * levels + "n\n"

    assert alike(deep(90)).codebleu > 0.0
    assert alike(deep(120)).codebleu == alike(deep(3000)).codebleu == 0.0
    loops = "".join(f"{'    ' * depth}for x{depth} in xs:\n" for depth in range(1, 20))
    many = f"def f(xs):\n{loops}{'    ' * 20}assert x1\n"
    assert 0.0 < alike(many).ngrams < 0.01


def test_to_a_contract_without_assertions_nothing_compares() -> None:
    assert (
        likeness(part_of_program("def f(n):\n    assert n\n"), part_of_contract(["x = 1"])) is None
    )


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(CONDITIONS), min_size=1),
    st.lists(st.sampled_from(CONDITIONS), min_size=1),
)
def test_parts_are_shares_and_one_for_equals(ours: list[str], theirs: list[str]) -> None:
    one, other = (
        ast.parse("".join(f"assert {text}\n" for text in each)) for each in (ours, theirs)
    )
    found, same = likeness(one.body, other.body), likeness(one.body, one.body)
    assert found is not None
    assert same is not None
    for value in (found.ngrams, found.weighted_ngrams, found.syntax, found.dataflow or 0.0):
        assert 0.0 <= value <= 1.0
    assert same.codebleu == pytest.approx(1.0)
