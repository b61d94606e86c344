"""Values pass the wall unchanged, and literals are read as `solexp.python.literals` reads them."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.python import literals
from solexp.sandbox import Ended, Limits, call_python
from solexp.sandbox.inside import plain, reading
from solexp.sandbox.records import literal

ATOMS: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.just(...),
    st.integers(),
    st.integers(min_value=10**4200, max_value=10**4400),
    st.floats(),
    st.complex_numbers(),
    st.text(st.characters(exclude_categories=())),
    st.binary(),
    st.binary().map(bytearray),
)
HASHABLE = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.tuples(st.integers()))
VALUES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.sets(HASHABLE),
        st.frozensets(HASHABLE),
        st.dictionaries(HASHABLE, inner),
    ),
    max_leaves=20,
)


@settings(max_examples=40)
@given(VALUES)
def test_a_packed_value_becomes_the_literal_that_the_value_has(value: object) -> None:
    assert literal(plain.pack(value, 1 << 20)) == literals.write(value)


@settings(max_examples=20)
@given(st.lists(VALUES, max_size=4))
def test_an_argument_list_is_read_as_it_was_written(values: list[object]) -> None:
    text = literals.write(values)
    found = reading.arguments(reading.prepared(text))
    assert literals.write(found) == text


@settings(max_examples=150)
@given(
    st.text(st.sampled_from(list("[](){},:'\"\\#\n 0b.xje+-*fr_")), max_size=30)
    | st.lists(
        st.sampled_from(["'''", '"""', "'", '"', "#", "x()", "0", " ", "[", "]", ",", "\\", "b", "\n"])
    ).map("".join)
)  # fmt: skip
def test_nothing_is_read_that_is_more_than_a_literal(text: str) -> None:
    try:
        reading.prepared(text)
    except ValueError:
        return
    names = set(compile(text.strip(), "", "eval").co_names)
    assert names <= {"float", "set", "frozenset", "complex", "bytearray", "inf", "nan"}


@given(st.binary())
def test_bytes_that_are_no_packed_value_raise_an_error_and_no_other(data: bytes) -> None:
    try:
        text = literal(data)
    except ValueError:
        return
    literals.read(text)


def test_the_deepest_value_can_be_read_again() -> None:
    value: Any = 0
    for _ in range(plain.MAX_DEPTH - 1):
        value = frozenset([value])
    assert literals.read(literal(plain.pack([value], 1 << 20))) == [value]
    with pytest.raises(plain.NotPlain):
        plain.pack([[[value]]], 1 << 20)


def test_numbers_keep_their_signs_and_kinds() -> None:
    for value in (0.0, -0.0, math.inf, -math.inf, 1e308, 5e-324, complex(-0.0, math.inf), True, 1):
        assert literal(plain.pack(value, 100)) == literals.write(value)


def test_values_of_other_types_are_told_from_those_that_are_too_large() -> None:
    program = "class Own: pass\ndef f(large): return 'x' * 3_000_000 if large else [Own()]"
    large, own = call_python(program, "f", ["[True]", "[False]"], Limits(output_mb=1.0))
    assert (large.ended, large.foreign) == (Ended.UNREADABLE, False)
    assert (own.ended, own.foreign) == (Ended.UNREADABLE, True)
