from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from solexp.solidity.lexing import brace_pairs, mask, stray_brace

pieces = st.lists(
    st.sampled_from(["{", "}", '"', "'", "/*", "*/", "//", "\n", "\\", "a", "é", " "]), max_size=60
).map("".join)


@given(st.one_of(st.text(max_size=200), pieces))
def test_masking_keeps_every_place(text: str) -> None:
    masked = mask(text)
    assert len(masked) == len(text)
    assert all(new in (old, " ") for old, new in zip(text, masked, strict=True))


@given(pieces)
def test_masking_twice_changes_nothing_where_no_quote_is_left(text: str) -> None:
    masked = mask(text)
    if not set("\"'/") & set(masked):
        assert mask(masked) == masked


def test_comments_and_strings_are_blanked_out() -> None:
    assert mask('a/*{*/b//{\nc"\\"}"d') == "a     b   \nc     d"
    assert mask("hex'00'") == "hex    "


def test_what_is_never_closed_is_left_alone() -> None:
    assert mask("it's {\n}") == "it's {\n}"
    assert mask("src/*.sol {") == "src/*.sol {"
    assert mask('"a\\" {') == '"a\\" {'
    assert mask("/* a */ src/*.sol // {") == "        src/*.sol     "


@given(st.integers(0, 30), st.integers(0, 30))
def test_a_brace_is_closed_by_the_one_that_balances_it(depth: int, more: int) -> None:
    text = "{" * depth + "}" * depth + "}" * more
    assert brace_pairs(text) == {place: 2 * depth - place for place in range(depth)}
    assert stray_brace(text, 0, len(text)) == (len(text) if more else None)
    assert 0 not in brace_pairs("{" * (depth + 1) + "}" * depth)
