from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.solidity.lexing import bodies, brace_pairs, headers, mask, stray_brace
from solexp.solidity.parsing import definition, functions, outline
from tests.solidity.replies import CODE, LIBRARY, OLD, OUTLINE, SKETCH

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


@pytest.mark.parametrize(
    ("text", "bases", "strict"),
    [
        ("contract A {", (), True),
        ("contract A is B, C . D(1) {", ("B", "C.D"), True),
        ("contract A is B(P({a: 1, b: f(g(2))})), C {", ("B", "C"), True),
        ("contract A is B(new C{salt: s}()) {", ("B",), True),
        ("contract A layout at 2 + f(3) is B {", ("B",), True),
        ("contract A is B layout at 0x10 {", ("B",), True),
        ("contract A is B, {", ("B",), False),
        ("contract A is B(1, {", ("B",), False),
        ("contract A is a vault: {", ("a",), False),
    ],
)
def test_a_header_ends_at_the_brace_that_opens_the_definition(
    text: str, bases: tuple[str, ...], strict: bool
) -> None:
    (header,) = headers(text + "}")
    assert (header.start, header.brace) == (0, len(text) - 1)
    assert (header.kind, header.name) == ("contract", "A")
    assert (header.bases, header.strict) == (bases, strict)


def test_sentences_and_members_are_no_headers() -> None:
    assert headers("The contract A is done; see contract B. {}") == []
    assert headers("a.contract A {} mycontract B {} contract contract;") == []
    assert headers("contract A is B; {}") == []
    found = headers("x abstract contract A {} notabstract contract B {} interface C {}")
    assert [(one.name, one.abstract, one.start) for one in found] == [
        ("A", True, 2),
        ("B", False, 37),
        ("C", False, 51),
    ]


def test_an_outline_reads_a_struct_in_a_bases_arguments_and_counts_bytes() -> None:
    source = "// é\ncontract A {}\n// ü\ncontract B is A(P({a: 1})), D { /* ß */ }\ncontract C {}"
    assert [one.inherits for one in outline(source)] == [(), ("A", "D"), ()]
    data = source.encode()
    assert [data[one.start : one.end].decode().split()[1] for one in outline(source)] == [*"ABC"]
    assert all(data[one.end - 1 : one.end] == b"}" for one in outline(source))
    assert definition(source, "B") is not None


@pytest.mark.parametrize("code", [CODE, OUTLINE, OLD, LIBRARY, SKETCH, CODE + CODE])
def test_functions_that_do_something_are_counted_as_a_parser_counts_them(code: str) -> None:
    assert bodies(mask(code)) == sum(not one.empty for one in functions(code))


def test_a_struct_in_a_modifiers_arguments_is_no_body() -> None:
    assert (
        bodies("contract A { function f() only(P({a: 1})) {} function g() only(P({a: 1})) { x; } }")
        == 1
    )
    assert bodies("contract A { function () external f; struct S { uint x; } }") == 0


@given(st.text(), st.integers(0, 40))
def test_any_text_has_headers_and_bodies_in_order(text: str, depth: int) -> None:
    masked = mask(f"{text}contract A is {'(' * depth}{text}{{{text}")
    found = headers(masked)
    assert [one.start for one in found] == sorted(one.start for one in found)
    assert all(masked[one.brace] == "{" for one in found)
    assert bodies(masked) >= 0
