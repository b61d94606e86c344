"""Contract-violating tests as text: what is read, what is refused, and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.python.literals import read
from solexp.violations.cvts import (
    Asked,
    Cvt,
    CvtSet,
    NotRead,
    Translation,
    combinations,
    cvt_of,
    decode,
    encode,
    expression,
    numbered,
)
from tests.made_contracts import preconditions, python_task

NUMBERS = st.lists(st.integers(0, 9), max_size=4).map(lambda found: tuple(sorted(set(found))))
SETS = st.builds(
    CvtSet,
    cvts=st.lists(
        st.builds(Cvt, violated=NUMBERS, args=st.text(max_size=20), merged=st.none() | NUMBERS),
        max_size=4,
    ).map(tuple),
    asked=st.lists(
        st.builds(Asked, violated=NUMBERS, status=st.sampled_from(["sat", "unsat"])), max_size=3
    ).map(tuple),
    unsupported=st.dictionaries(st.integers(0, 5), st.text(max_size=9), max_size=2),
    unreadable=st.lists(st.text(max_size=9), max_size=2).map(tuple),
    translation=st.none()
    | st.builds(Translation, inputs=st.text(max_size=9), contract_defs=st.just({0: "(x)"})),
)


@given(SETS)
def test_what_is_encoded_is_decoded(found: CvtSet) -> None:
    assert decode(encode(found)) == found


def test_what_is_no_set_of_tests_is_refused() -> None:
    with pytest.raises(NotRead, match="Expected"):
        decode('{"cvts": [{"violated": "all", "args": "[]"}]}')


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, (2, 'a')]", [1, (2, "a")]),
        ("(1, {2})", [1, {2}]),
        ("[float('inf'), set()]", [float("inf"), set()]),
    ],
)
def test_literals_are_written_as_literals(text: str, value: object) -> None:
    assert read(expression(text)) == value


@pytest.mark.parametrize(
    "text",
    [
        "[true, null, Infinity]",
        "['a' * 100 + '1']",
        "[[n for n in range(10001)]]",
        "[set([1, 2]), dict(a=1)]",
    ],
)
def test_expressions_of_values_are_left_to_the_sandbox(text: str) -> None:
    assert expression(f" {text}\n") == text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[__import__('os').getcwd()]", "holds more than values"),
        ("['a'.upper()]", "holds more than values"),
        ("[(lambda: 1)()]", "holds more than values"),
        ("[x]", "holds more than values: x"),
        ("[new Set()]", "is no Python"),
        ("{1: 2}", "is no list of arguments"),
        ("12", "is no list of arguments"),
        ("(n for n in range(3))", "is no list of arguments"),
        ("[" * 300 + "]" * 300, "parse|no Python"),
    ],
)
def test_other_texts_are_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(NotRead, match=said) as caught:
        expression(text)
    assert "\n" not in str(caught.value)


def test_a_row_names_assertions_by_number_or_name_and_gives_text_or_json() -> None:
    assert cvt_of({"violated": [2, "assert_0", "2"], "args": [1, None]}, 3) == Cvt(
        violated=(0, 2), args="[1, None]"
    )
    assert cvt_of({"violated": [], "input": "(1,)"}, 3) == Cvt(violated=(), args="[1]")


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"args": "[1]"}, "'violated' must be a list"),
        ({"violated": [3], "args": "[1]"}, "there is no assertion 3: the contract has 3"),
        ({"violated": [True], "args": "[1]"}, "names no assertion"),
        ({"violated": ["first"], "args": "[1]"}, "'first' names no assertion"),
        ({"violated": [0]}, "'args' must be the list of arguments"),
        ({"violated": [0], "args": {"n": 1}}, "'args' must be the list of arguments"),
    ],
)
def test_a_row_that_is_no_test_is_refused(row: dict[str, object], said: str) -> None:
    with pytest.raises(NotRead, match=said):
        cvt_of(row, 3)


def test_of_many_assertions_single_ones_and_pairs_are_wanted() -> None:
    assert len(list(combinations(4, 4))) == 2**4 - 1
    assert list(combinations(5, 4)) == [(n,) for n in range(5)] + [
        (a, b) for a in range(5) for b in range(a + 1, 5)
    ]
    assert list(combinations(1, 1)) == [(0,)]


def test_assertions_are_numbered_where_they_stand() -> None:
    shown = numbered(preconditions(python_task())).splitlines()
    assert shown[0] == "# assertion 0"
    assert shown[shown.index("    # assertion 1") + 1].startswith("    assert sign in")
    assert sum("# assertion" in line for line in shown) == 4
