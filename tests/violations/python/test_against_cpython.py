"""Formulas say of an input what Python does: the same expressions, the same values, no solver between."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from solexp.violations.python.inputs import Bounds
from tests.violations.python.grammar import (
    DEEP,
    SHAPE,
    contracts,
    deep_values,
    disagreements,
    expressions,
    values,
)

PAIRS = st.lists(st.tuples(values, values), min_size=15, max_size=15)
DEEP_PAIRS = st.lists(st.tuples(deep_values, deep_values), min_size=10, max_size=10)


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(expressions, PAIRS)
@pytest.mark.filterwarnings("ignore")
def test_random_expressions_agree(source: str, pairs: list[tuple[Any, Any]]) -> None:
    wrong, _, _ = disagreements(source, pairs)
    assert wrong == []


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(contracts, PAIRS)
@pytest.mark.filterwarnings("ignore")
def test_random_contracts_agree(source: str, pairs: list[tuple[Any, Any]]) -> None:
    wrong, _, _ = disagreements(source, pairs)
    assert wrong == []


@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(expressions, DEEP_PAIRS)
@pytest.mark.filterwarnings("ignore")
def test_random_expressions_agree_on_nested_values(
    source: str, pairs: list[tuple[Any, Any]]
) -> None:
    wrong, _, _ = disagreements(source, pairs, DEEP)
    assert wrong == []


SMALL: list[Any] = [
    None, True, False, 0, 1, -1, 3, 0.5, -2.0, 1.0, "", "a", "1", " ", "ab", [], [1], ["a"], [1, 2], [2, 1],
    [True, 1], (), (1,), (1, 2), ("a", 1), set(), {1}, {"a"}, {}, {"a": 1}, {1: "b"}, [0.5, None],
]  # fmt: skip

SAID = [
    "x == y", "x < y", "x <= y", "x in y", "x + y", "x - y", "x * 2", "x / y", "x // y", "x % y", "x[0]", "x[-1]",
    "x[1:]", "x[::-1]", "x[:y]", "len(x) == len(y)", "sum(x)", "max(x)", "min(x, y)", "sorted(x)", "set(x)",
    "list(x)[0]", "dict(x)", "all(x)", "any(e > 0 for e in x)", "isinstance(x, type(y))", "abs(x)", "round(x)",
    "int(x)", "float(x)", "str(x)", "x and y", "not x", "0 < x < 2", "x.split('1')", "x.strip('a')",
    "x.upper() == y", "x.isdigit()", "x.startswith(y)", "x.replace('a', '')", "x.count(y)", "x | y", "x & y",
    "list(zip(x, y))", "sum(x, y)", "dict(enumerate(x))", "range(x)", "x.keys()", "x.get(y)", "x is y", "x is not None",
    "[e for e in x if e]", "{e for e in x}", "{e: 1 for e in x}", "'a'.join(x)", "x ** 2", "divmod(x, y)",
    "isinstance(x, (int, y))", "f'{x}' == y", "x if y else 0", "lambda: x", "hash(x) is not None", "ord(x) > 65",
    "x.issubset(y)", "tuple(map(str, x))", "sorted(x, key=lambda e: -e)", "max(x, key=len)", "x[y]",
]  # fmt: skip


@pytest.mark.parametrize("source", SAID)
@pytest.mark.filterwarnings("ignore")
def test_each_construct_agrees_on_small_values(source: str) -> None:
    pairs = list(itertools.product(SMALL, SMALL[::4]))
    wrong, agreed, _ = disagreements(source, pairs)
    assert wrong == []
    assert agreed > 0


CONTRACTS = {
    "a loop": "n = 0\nfor e in x:\n    if e == y:\n        n += 1\n    elif e is None:\n        break\nassert n > 0",
    "a loop's else": "for e in x:\n    if e == y:\n        break\nelse:\n    assert False",
    "continue": "n = 0\nfor e in x:\n    if not e:\n        continue\n    n = n + 1\nassert n != 1",
    "while": "n = len(x)\nwhile n > 1:\n    n -= 2\nassert n == 0",
    "try": "try:\n    v = float(x)\nexcept ValueError:\n    v = 0\nexcept TypeError:\n    v = 1\nassert v > 0",
    "a try that returns": "def sized(v):\n    try:\n        len(v)\n        return True\n    except TypeError:\n"
    "        return False\nassert sized(x)",
    "a bare except": "try:\n    assert x\nexcept:\n    raise Exception('no')",
    "raise": "if not x:\n    raise ValueError('x')\nassert y == x",
    "a function": "def size(v):\n    if isinstance(v, (list, tuple)):\n        return sum(size(e) for e in v)\n"
    "    return 1\nassert size(x) > 1",
    "hash": "def hashable(v):\n    try:\n        hash(v)\n        return True\n    except TypeError:\n"
    "        return False\nassert all(hashable(e) for e in x)",
    "iterating over a type": "n = 0\nfor e in zip(type(x), [y]):\n    n += 1\nassert n < 2",
    "unbound": "if x:\n    z = 1\nassert z == 1",
    "unpacking": "a, b = x\nassert a == b",
    "math": "import math\nv = float(x)\nassert not (math.isinf(v) or math.isnan(v))",
    "a shadowed name": "len = x\nassert len == y",
    "a default": "def f(a, b=2):\n    return a == b\nassert f(x) or f(y, b=1)",
}


@pytest.mark.parametrize("name", CONTRACTS)
@pytest.mark.filterwarnings("ignore")
def test_statements_agree_on_small_values(name: str) -> None:
    wrong, agreed, _ = disagreements(CONTRACTS[name], list(itertools.product(SMALL, SMALL[::3])))
    assert wrong == []
    assert agreed > 0


@pytest.mark.parametrize("source", ["float(x) > 0", "float(x) < y", "float(x) + 1 > 0"])
@pytest.mark.filterwarnings("ignore")
def test_floats_that_are_written_in_words_agree(source: str) -> None:
    words = ["inf", "-INF", "nan", " +inF", "-nan ", "7"]
    shape = msgspec.structs.replace(SHAPE, bounds=Bounds(1, 1, 5))
    pairs = list(itertools.product(words, [0, None]))
    wrong, agreed, unsaid = disagreements(source, pairs, shape)
    assert wrong == []
    assert (agreed, unsaid) == (12, 0)
