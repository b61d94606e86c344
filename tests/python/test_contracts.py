"""Contracts and programs that hold them."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.python.contracts import parameters_of, read_contract, standing_alone, with_contract

LOOP = """
    assert type(text) == str, "invalid" # $_CONTRACT_$
    depth = 0 # $_CONTRACT_$
    for letter in text: # $_CONTRACT_$
        # comments go, "#" in strings stays
        assert letter in "()#", "invalid" # $_CONTRACT_$
        if letter == "(": depth += 1
        assert depth >= 0

    assert depth == 0
"""


def test_assertions_are_counted_in_loops_too_and_helper_statements_kept() -> None:
    contract = read_contract(LOOP)
    assert contract.statements == (
        'assert type(text) == str, "invalid"',
        "depth = 0",
        'for letter in text:\n    assert letter in "()#", "invalid"\n'
        '    if letter == "(": depth += 1\n    assert depth >= 0',
        "assert depth == 0",
    )
    assert contract.assertions == (0, 2, 2, 3)


@pytest.mark.parametrize("text", ["", "\n", "\n   # nothing\n"])
def test_a_contract_may_be_empty(text: str) -> None:
    assert read_contract(text).statements == ()


def test_a_contract_need_not_be_indented() -> None:
    assert read_contract("assert x\nassert y").assertions == (0, 1)


def test_text_over_several_lines_is_not_changed() -> None:
    contract = read_contract('\n    words = """a\n      b # c\n"""\n    assert x in words\n')
    namespace: dict[str, str] = {}
    exec(contract.statements[0], namespace)
    assert namespace["words"] == "a\n      b # c\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n    assert x ==\n", "the contract does not parse: line 2: invalid syntax"),
        ("\n    assert (x\n", r"the contract does not parse: line 2: '\(' was never closed"),
        ("\n    assert x\n  assert y\n", "the contract does not parse: line 3: unindent"),
        ("\n    assert x\nassert y\n", "the contract does not parse: its lines are not indented"),
        (
            "\n    assert ok\n    assert x.pop()\n",
            r"assertion 1 has a side effect: x.pop\(\) changes x",
        ),
        ("\n    assert (y := f(x))\n", r"assertion 0 has a side effect: \(y := f\(x\)\) assigns"),
        ("\n    assert print(x) is None\n", "assertion 0 has a side effect: it calls print"),
        ("\n    assert [x.sort() for _ in x]\n", r"assertion 0 has a side effect: x.sort\(\)"),
        (
            "\n    x.clear()\n    assert x\n",
            r"statement 0 has a side effect: x.clear\(\) changes x",
        ),
        ("\n    x[0] = 1\n    assert x\n", r"statement 0 has a side effect: it changes x\[0\]"),
        ("\n    print(x)\n    assert x\n", "statement 0 has a side effect: it calls print"),
    ],
)
def test_a_contract_that_cannot_be_one_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said) as error:
        read_contract(text)
    assert "\n" not in str(error.value)


def test_helper_statements_may_change_what_is_theirs() -> None:
    text = "\n    seen = []\n    for item in x:\n        seen.append(item)\n        seen[0] = 1\n    assert seen\n"
    assert read_contract(text).assertions == (2,)


PROGRAM = '''import math

def root(x):
    """The square root.

    >>> root(4)
    2.0
    """
    # exact
    return math.sqrt(x)


print(root(4))  # stays
'''


def test_a_contract_stands_behind_the_docstring_and_the_rest_stays_byte_for_byte() -> None:
    written = with_contract(PROGRAM, "root", ("limit = 0", "assert x >= limit"))
    assert written == PROGRAM.replace(
        "    return", "    limit = 0\n    assert x >= limit\n    return"
    )


@pytest.mark.parametrize(
    "program",
    [
        "def f(x): return x",
        "def f(x):\n    return x",
        "def f(x):\n\treturn x\n",
        "def f(x):\n  'says'\n",
        "def f(x): 'says'",
        "def f(x):\n    'says'; return x\n",
        "@staticmethod\ndef f(x):\n    @other\n    def g(): pass\n    return g\n",
        "é = 1; \ndef f(x):\n    return 'é'\n",
        "def f(x):\n    return 1\n\ndef f(x):\n    return 2\n",
    ],
)
def test_a_contract_is_checked_before_anything_else_of_the_function(program: str) -> None:
    statements = ("words = '''a\n  b'''", "for word in words:\n    assert word != x, word")
    # What decorates the function is not there to be called.
    known = {"staticmethod": lambda function: function, "other": lambda function: function}
    namespace: dict[str, object] = dict(known)
    exec(with_contract(program, "f", statements), namespace)
    call = namespace["f"]
    assert callable(call)
    with pytest.raises(AssertionError, match="b"):
        call("b")
    plain: dict[str, object] = dict(known)
    exec(program, plain)
    original = plain["f"]
    assert callable(original)
    if "@other" not in program:
        assert call("c") == original("c")


@given(st.lists(st.sampled_from(["assert a > 0", "b = a", "if a:\n    assert b"]), max_size=4))
def test_the_contract_of_a_program_is_read_again_as_it_was(statements: list[str]) -> None:
    written = with_contract("def f(a):\n    return a\n", "f", tuple(statements))
    body = written.removeprefix("def f(a):\n").removesuffix("    return a\n")
    assert read_contract("\n" + body).statements == tuple(statements)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("def g(x): pass", "no function f is defined"),
        ("class A:\n    def f(self): pass", "no function f is defined"),
        ("def f(x", r"the program does not parse: line 1: '\(' was never closed"),
    ],
)
def test_a_program_without_the_function_is_refused(program: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        with_contract(program, "f", ("assert x",))


def test_parameters_are_named_in_order() -> None:
    assert parameters_of("def f(a, /, b, c=1, *rest, d): pass", "f") == ("a", "b", "c")


def test_an_assertion_in_a_function_stands_with_the_calls_of_that_function() -> None:
    contract = read_contract("def ok(n):\n    assert n\nm = x\nok(m)\nassert x > 1\n")
    within, first = standing_alone(contract.statements, contract.assertions, 0)
    assert [ast.unparse(each) for each in within[1:]] == ["m = x", "ok(m)", "assert x > 1"]
    assert ast.unparse(first) == "assert n"
    plain = read_contract("m = x\nassert m\nassert x > 1\nn = 2\n")
    before, second = standing_alone(plain.statements, plain.assertions, 0)
    assert [ast.unparse(each) for each in before] == ["m = x", "assert m"]
    assert second is before[-1]
    with pytest.raises(ValueError, match="no assertion 2"):
        standing_alone(plain.statements, plain.assertions, 2)
