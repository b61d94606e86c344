"""Assertions that are alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.python.likeness import assertions, ngrams, syntax

CONTRACT = "assert isinstance(n, int), 'invalid inputs'\nassert n > 0, 'invalid inputs'\n"
CONDITIONS = ["isinstance(n, int)", "n > 0", "n >= 0", "len(s) == 1", "all(x > 0 for x in s)", "s"]


def alike(candidate: str, reference: str = CONTRACT) -> tuple[float, float]:
    ours, theirs = assertions(candidate), assertions(reference)
    return ngrams(ours, theirs), syntax(ours, theirs)


def test_messages_layout_and_place_do_not_matter() -> None:
    other = "def f(n):\n    assert (isinstance(n,\n        int))\n    x = 1\n    assert n>0, 'no'\n"
    assert alike(other) == (1.0, 1.0)


def test_more_alike_is_nearer_to_one() -> None:
    both, one, near, none = (
        alike(f"def f(n):\n    {text}\n")
        for text in (
            "assert isinstance(n, int); assert n > 0",
            "assert isinstance(n, int)",
            "assert type(n) is int",
            "assert s",
        )
    )
    assert both == (1.0, 1.0)
    assert both[0] > one[0] > near[0] > none[0] > 0
    assert one[1] == 0.5
    assert near[1] == none[1] == 0.0


@pytest.mark.parametrize("candidate", ["", "def f(n): return n", "def f(n:\n", "assert\n"])
def test_without_assertions_nothing_is_alike(candidate: str) -> None:
    assert alike(candidate) == (0.0, 0.0)


def test_a_contract_without_assertions_is_like_nothing() -> None:
    assert alike("assert n > 0\n", "x = 1\n") == (0.0, 0.0)


@given(
    st.lists(st.sampled_from(CONDITIONS), min_size=1),
    st.lists(st.sampled_from(CONDITIONS), min_size=1),
)
def test_both_are_shares_and_one_for_equals(ours: list[str], theirs: list[str]) -> None:
    one, other = ("".join(f"assert {text}\n" for text in each) for each in (ours, theirs))
    for value in alike(one, other):
        assert 0.0 <= value <= 1.0
    assert alike(one, one)[0] == pytest.approx(1.0)
