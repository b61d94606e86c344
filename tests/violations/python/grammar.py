"""Random expressions and contracts over two parameters, and values for these: their jury is Python itself."""

from __future__ import annotations

import ast
from typing import Any

from hypothesis import strategies as st

from solexp.core.preconditions import Preconditions
from solexp.python.contracts import read_contract
from solexp.violations.python.assigning import OutOfBounds, judgements
from solexp.violations.python.inputs import Bounds, Shape
from solexp.violations.python.terms import fresh_pool
from solexp.violations.python.translating import Translation, translate

SHAPE = Shape(
    bounds=Bounds(1, 2, 2),
    largest_int=2**21,
    words=("", "a", "b1", "-12", "Ab c"),
    special_floats=False,
    long=(),
    open_words=False,
)
DEEP = Shape(
    bounds=Bounds(2, 2, 1),
    largest_int=2**21,
    words=("", "a"),
    special_floats=False,
    long=(),
    open_words=False,
)

scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-4, 12),
    st.integers(-1000, 1000),
    st.sampled_from([-2.5, -1.0, -0.5, 0.0, 0.125, 0.5, 1.0, 1.5, 2.0, 3.0, 7.75]),
    st.sampled_from(SHAPE.words),
    st.text("ab1 -", min_size=1, max_size=2),
)
numbers: st.SearchStrategy[Any] = st.one_of(st.integers(-3, 6), st.sampled_from([-0.5, 1.0, 2.5]))


def _containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    lists = st.lists(inner, max_size=2)
    sets = lists.map(lambda items: {each for each in items if _hashable(each)})
    keys = st.one_of(st.sampled_from(SHAPE.words), st.integers(0, 3))
    return st.one_of(lists, lists.map(tuple), sets, st.dictionaries(keys, inner, max_size=2))


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


values = st.one_of(scalars, _containers(scalars), _containers(numbers), numbers)
deep_values = st.one_of(values, _containers(_containers(numbers)), _containers(values))

_CONSTANTS = [
    "0",
    "1",
    "2",
    "-1",
    "3",
    "0.5",
    "2.0",
    "True",
    "None",
    "''",
    "'a'",
    "'1'",
    "[]",
    "(1, 2)",
]
_TYPES = [
    "int",
    "float",
    "str",
    "bool",
    "list",
    "tuple",
    "set",
    "dict",
    "(int, float)",
    "type(x)",
    "type(y)",
]
_UNARY = [
    "len({0})", "abs({0})", "-{0}", "not {0}", "int({0})", "float({0})", "bool({0})", "str({0})", "round({0})",
    "sum({0})", "min({0})", "max({0})", "sorted({0})", "set({0})", "list({0})", "tuple({0})", "all({0})",
    "any({0})", "{0}[0]", "{0}[-1]", "{0}[1]", "{0}[:1]", "{0}[1:]", "{0}[::-1]", "{0}[:-1]", "type({0})",
    "{0}.isdigit()", "{0}.isalpha()", "{0}.islower()", "{0}.isupper()", "{0}.upper()", "{0}.strip()",
    "{0}.split()", "{0}.split(' ')", "{0}.lstrip('-')", "{0}.replace('a', 'bb')", "{0}.keys()", "{0}.values()",
    "{0}.items()", "{0} ** 2", "list(range({0}))", "list(enumerate({0}))", "list(reversed({0}))", "~{0}",
    "''.join({0})", "list(map(str, {0}))", "{0}.count('a')", "{0}.swapcase()", "sorted({0}, reverse=True)",
]  # fmt: skip
_BINARY = [
    "{0} + {1}", "{0} - {1}", "{0} * {1}", "{0} / {1}", "{0} // {1}", "{0} % {1}", "{0} == {1}", "{0} != {1}",
    "{0} < {1}", "{0} <= {1}", "{0} > {1}", "{0} in {1}", "{0} not in {1}", "{0} and {1}", "{0} or {1}",
    "{0} < {1} < 3", "0 <= {0} <= {1}", "{0} is {1}", "{0} if {1} else 1", "max({0}, {1})", "{0}[{1}]",
    "[{0}, {1}]", "({0}, {1})", "{{{0}, {1}}}", "{0} | {1}", "{0} & {1}", "list(zip({0}, {1}))",
    "{0}[:{1}]", "{0}[{1}:]", "{0}.startswith({1})", "{0}.endswith({1})", "{0} is not None and {1}",
    "{0}.count({1})", "{0}.get({1})", "divmod({0}, {1})", "set({0}).issubset({1})", "sum({0}, {1})",
]  # fmt: skip
_ELEMENTS = [
    "e", "e > 0", "isinstance(e, int)", "isinstance(e, (int, float))", "type(e) == str", "e % 2 == 0", "e == x",
    "len(e)", "e in y", "e + 1", "e * 2", "e[0]", "not e", "isinstance(e, type(y))", "e is None",
]  # fmt: skip
_LOOPS = [
    "all({1} for e in {0})", "any({1} for e in {0})", "[{1} for e in {0}]", "{{{1} for e in {0}}}",
    "sum({1} for e in {0})", "[e for e in {0} if {1}]", "len([e for e in {0} if {1}])", "all([{1} for e in {0}])",
    "sorted({0}, key=lambda e: {1})", "list(filter(lambda e: {1}, {0}))", "list(map(lambda e: {1}, {0}))",
    "{{e: {1} for e in {0}}}", "any({1} for f in {0} for e in f)", "max({0}, key=lambda e: {1})",
]  # fmt: skip

names = st.sampled_from(["x", "y"])
leaves = st.one_of(names, names, names, st.sampled_from(_CONSTANTS))


def _larger(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def put(template: str, *parts: str) -> str:
        return template.format(*(f"({part})" for part in parts))

    return st.one_of(
        st.builds(put, st.sampled_from(_UNARY), inner),
        st.builds(put, st.sampled_from(_BINARY), inner, inner),
        st.builds(put, st.sampled_from(_LOOPS), inner, st.sampled_from(_ELEMENTS)),
        st.builds(lambda part, kind: f"isinstance({part}, {kind})", inner, st.sampled_from(_TYPES)),
    )


expressions = st.recursive(leaves, _larger, max_leaves=4).filter(lambda text: len(text) > 2)

_CONTRACTS = [
    "try:\n    v = {0}\nexcept TypeError:\n    v = {1}\nassert v",
    "try:\n    v = {0}\nexcept (TypeError, ValueError):\n    v = None\nelse:\n    v = {1}\nassert v",
    "def f(v):\n    try:\n        {0}\n        return True\n    except TypeError:\n        return {1}\nassert f(y)",
    "def f(v):\n    if {0}:\n        return {1}\n    return v\nassert f(y)",
    "def f(v, w=1):\n    for e in v:\n        if e == w:\n            return {0}\n    return {1}\nassert f(x)",
    "def f(v):\n    while v > 2:\n        v -= 2\n    return v == {0}\nassert f({1})",
    "v = {0}\nif v:\n    w = {1}\nelif y:\n    w = 0\nelse:\n    w = v\nassert w",
    "n = 0\nfor e in {0}:\n    if e == {1}:\n        continue\n    n += 1\nassert n > 1",
    "n = 0\nfor e in {0}:\n    if not e:\n        break\n    n += 1\nelse:\n    n = {1}\nassert n < 2",
    "a, b = {0}, {1}\nassert a == b or a",
    "v = {0}\nif {1}:\n    raise ValueError(v)\nassert v",
]
contracts = st.builds(
    lambda template, one, other: template.format(f"({one})", f"({other})"),
    st.sampled_from(_CONTRACTS),
    expressions,
    expressions,
)
"""Statements round two expressions, with one assertion."""


def translated(source: str, shape: Shape = SHAPE) -> Translation:
    """The assertion of an expression, or a whole contract, over ``x`` and ``y``. Within a pool."""
    text = source if "assert " in source else f"assert {source}"
    contract = read_contract(text)
    pre = Preconditions(
        entry_point="f",
        parameters=("x", "y"),
        statements=contract.statements,
        assertions=contract.assertions,
    )
    return translate(pre, shape, [])


def truly(source: str, x: object, y: object) -> str:
    """What Python makes of the assertion of an expression."""
    text = source if "assert " in source else f"assert {source}"
    try:
        exec(_compiled(text), {"x": x, "y": y})
    except AssertionError:
        return "violated"
    except Exception:
        return "raises"
    return "satisfied"


def _compiled(text: str) -> Any:
    return compile(ast.parse(text), "assertion", "exec")


def disagreements(
    source: str, pairs: list[tuple[Any, Any]], shape: Shape = SHAPE
) -> tuple[list[Any], int, int]:
    """Where formulas and Python differ; how often they agree; and how often the formulas do not say."""
    wrong, agreed, unsaid = [], 0, 0
    with fresh_pool():
        translation = translated(source, shape)
        for x, y in pairs:
            try:
                said = judgements(translation, [x, y])[-1]
            except OutOfBounds:
                continue
            if said in ("refused", "beyond"):
                unsaid += 1
                continue
            true = truly(source, x, y)
            if said == true:
                agreed += 1
            else:
                wrong.append((source, x, y, said, true))
    return wrong, agreed, unsaid
