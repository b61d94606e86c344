"""Values as source text."""

from __future__ import annotations

import ast
import math
import struct
import sys
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.python.literals import read, write

_ATOMS: Any = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers(allow_nan=True, allow_infinity=True)
    | st.text()
    | st.text("ab\\'\"\n\t\x00\ud800é漢")
    | st.binary()
)
_PLAIN: Any = st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text()
_HASHED: Any = st.recursive(
    _ATOMS.filter(lambda value: value == value),  # noqa: PLR0124  (no nan: it is in a set more than once)
    lambda inner: st.lists(inner).map(tuple) | st.frozensets(inner),
    max_leaves=4,
)
VALUES: Any = st.recursive(
    _ATOMS | _HASHED | st.sets(_HASHED) | st.binary().map(bytearray),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(_HASHED, inner),
    max_leaves=8,
)


def alike(one: object, other: object) -> bool:  # noqa: PLR0911
    """Equal, of one type throughout, floats bit for bit but for what a nan carries."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float) and isinstance(other, float):
        both = math.isnan(one) and math.isnan(other)
        return both or struct.pack("d", one) == struct.pack("d", other)
    if isinstance(one, complex) and isinstance(other, complex):
        return alike(one.real, other.real) and alike(one.imag, other.imag)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return alike(list(one), list(other)) and alike(list(one.values()), list(other.values()))
    if isinstance(one, set | frozenset) and isinstance(other, set | frozenset):
        return one == other and alike(*(sorted(map(write, each)) for each in (one, other)))
    return one == other


@settings(max_examples=40)
@given(VALUES)
def test_every_value_is_read_as_it_was_written(value: object) -> None:
    assert alike(read(write(value)), value)


@settings(max_examples=40)
@given(VALUES)
def test_equal_values_are_written_alike(value: object) -> None:
    assert write(read(write(value))) == write(value)


@settings(max_examples=40)
@given(st.recursive(_PLAIN, st.lists, max_leaves=8))
def test_plain_values_are_written_so_that_ast_reads_them(value: object) -> None:
    assert ast.literal_eval(write(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("set()", set()),
        ("frozenset({1})", frozenset({1})),
        ("float('inf')", math.inf),
        ("-float('inf')", -math.inf),
        ("inf", math.inf),
        ("(1,)", (1,)),
        ("[True, 1, 1.0]", [True, 1, 1.0]),
        ("{1: {'a': (2, [])}}", {1: {"a": (2, [])}}),
        ("(1+2j)", 1 + 2j),
        ("-1-2j", -1 - 2j),
        (" [1,\n 2] ", [1, 2]),
    ],
)
def test_literals_of_others_are_read(text: str, value: object) -> None:
    assert alike(read(text), value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it is no expression"),
        ("x", "it has x"),
        ("[1, f(2)]", "it calls f"),
        ("__import__('os').system('true')", "it has __import__('os').system('true')"),
        ("set([[1]])", "unhashable type: 'list'"),
        ("{[]: 1}", "unhashable type: 'list'"),
        ("1 + 2", "it has 1 + 2"),
        ("-'a'", "'a' has no sign"),
        ("[1", "'[' was never closed"),
        ("1; 2", "it is no expression"),
        ("{**{}}", "it unpacks a dict"),
        ("float('x')", "could not convert string to float: 'x'"),
        ("f'{1}'", "it has f'{1}'"),
        ("9" * 5000, "Exceeds the limit (4300 digits) for integer string conversion"),
        ("[" * 5000, "too many nested parentheses"),
    ],
)
def test_what_is_no_literal_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(ValueError) as error:
        read(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value) and len(str(error.value)) < 250


@pytest.mark.parametrize("digits", [4290, 4310, 9000])
def test_an_integer_of_any_length_is_read_as_it_was_written(digits: int) -> None:
    for value in (10**digits, -(10**digits)):
        assert read(write([value])) == [value]


def _within_itself() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (object(), "a object has no literal"),
        ([OrderedDict()], "a OrderedDict has no literal"),
        (range(3), "a range has no literal"),
        (_within_itself(), "it contains itself"),
    ],
)
def test_a_value_without_a_literal_is_refused(value: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        write(value)


@pytest.mark.parametrize("limit", [1000, 100_000])
def test_a_value_nested_too_deeply_is_refused_whatever_the_limit_of_recursion(limit: int) -> None:
    value: object = 1
    for _ in range(100_000):
        value = [value]
    earlier = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, earlier))
    try:
        with pytest.raises(ValueError, match="nested too deeply"):
            write(value)
    finally:
        sys.setrecursionlimit(earlier)


@pytest.mark.parametrize("kind", [lambda x: [x], lambda x: (x,), lambda x: frozenset([x])])
def test_what_is_written_can_be_read_however_deep(kind: Callable[[object], object]) -> None:
    value: object = complex(math.inf, 0)
    for _ in range(95):
        value = kind(value)
    assert read(write(value)) == value
    with pytest.raises(ValueError, match="nested too deeply"):
        write(kind(value))
