"""Where values of variables come from."""

from __future__ import annotations

import ast

import pytest

from solexp.python.dataflow import Flow, data_flow


def comes(name: int, *sources: int) -> Flow:
    return f"var_{name}", "comesFrom", tuple(f"var_{each}" for each in sources)


def computed(name: int, *sources: int) -> Flow:
    return f"var_{name}", "computedFrom", tuple(f"var_{each}" for each in sources)


@pytest.mark.parametrize(
    ("source", "flow"),
    [
        ("assert n > 0", []),
        ("assert n > 0\nassert n < 9", [comes(0), comes(0, 0)]),
        ("m = a + b", [computed(2, 0, 1), comes(0), comes(1)]),
        ("m = 0\nassert m", [comes(0), comes(0, 0)]),
        ("a, b = p, q", [computed(1, 0), computed(3, 2), comes(0), comes(2)]),
        ("a, b = p", [computed(1, 0), computed(2, 0), comes(0)]),
        ("m = 0\nm += n", [comes(0), computed(0, 0, 1), comes(1)]),
        ("m: int = n", [computed(1, 0), comes(0)]),
        ("assert (m := n)", [computed(1, 0), comes(0)]),
        ("assert all(x for x in xs)", [comes(0, 0), computed(0, 1), comes(1)]),
        (
            "assert {k: v for k, v in d}",
            [comes(0, 0), comes(1, 1), computed(0, 2), computed(1, 2), comes(2)],
        ),
        ("def f(x):\n    return x\nf(a)", [comes(0), comes(1), comes(1, 1), comes(0, 0)]),
        ("for x in xs:\n    assert x", [computed(1, 0), comes(0), comes(1, 1)]),
    ],
)
def test_items_are_of_places_that_values_come_to_or_go_from(source: str, flow: list[Flow]) -> None:
    assert data_flow(ast.parse(source)) == flow


def test_names_do_not_matter() -> None:
    one, other = "m = max(a)\nassert m > a", "top = highest(all)\nassert top > all"
    assert data_flow(ast.parse(one)) == data_flow(ast.parse(other))


def test_after_a_branch_a_value_is_from_either_side() -> None:
    either = data_flow(ast.parse("if c:\n    k = 1\nelse:\n    k = 2\nassert k"))
    last = data_flow(ast.parse("k = 1\nk = 2\nassert k"))
    assert either == [comes(0), comes(0), comes(0, 0)]
    assert last == [comes(0), comes(0, 0)]


def test_a_loop_uses_what_its_last_round_bound() -> None:
    flow = data_flow(ast.parse("while a:\n    assert b\n    b = a"))
    assert comes(1, 1) in flow
