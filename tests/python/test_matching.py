"""Outputs that match, by EvalPlus's rules."""

from __future__ import annotations

from typing import Any

import pytest

from solexp.python.matching import FLOATS, FOREIGN, Rule, matches, rule_of, tolerances


@pytest.mark.parametrize(
    ("got", "expected", "same"),
    [
        (1, True, True),
        (1.0, 1, True),
        ((1, 2), [1, 2], False),
        ([1, 2], [2, 1], False),
        ("1", 1, False),
        (None, None, True),
        (None, 0, False),
        ({1, 2}, {2, 1}, True),
        ({"a": [1]}, {"a": [1.0]}, True),
        (float("nan"), float("nan"), False),
        (FOREIGN, [1], False),
    ],
)
def test_equality_is_pythons(got: Any, expected: Any, same: bool) -> None:
    assert matches(got, expected, []) is same


@pytest.mark.parametrize(
    ("got", "expected", "same"),
    [
        (0.1 + 0.2, 0.3, True),
        (0.301, 0.3, False),
        ([0.1 + 0.2], [0.3], True),
        ((0.1 + 0.2,), [0.3], False),
        ([0.3, 0.3], [0.3], False),
        ([[0.1 + 0.2], [1]], [[0.3], [1]], True),
        ([[0.3], [1, 2]], [[0.30000001], [1, 2]], False),
        ({"a": 0.1 + 0.2}, {"a": 0.3}, False),
        (True, 1.0000001, False),
        (1, 1.0, True),
        (float("inf"), float("inf"), True),
        (float("nan"), float("nan"), False),
        ("a", "b", False),
        (1e9 + 1, 1e9, True),
    ],
)
def test_a_tolerance_compares_outputs_of_one_type_as_arrays(
    got: Any, expected: Any, same: bool
) -> None:
    assert matches(got, expected, [], atol=FLOATS) is same


def test_a_task_without_a_tolerance_has_one_from_the_first_float_on() -> None:
    assert tolerances([1, [], [1.0, 2.0], None], 0.0) == [0.0, 0.0, FLOATS, FLOATS]
    assert tolerances([1, "a"], 1e-4) == [1e-4, 1e-4]
    assert tolerances([(1.0, 2)], 0.0) == [0.0]


@pytest.mark.parametrize(
    ("rule", "got", "expected", "arguments", "same"),
    [
        ("set", [2, 1, 1], (1, 2), [], True),
        ("set", [1], (1, 2), [], False),
        ("set", [[1]], [[1]], [], False),
        ("present", FOREIGN, True, [], True),
        ("present", None, True, [], False),
        ("present", None, False, [], True),
        ("present", False, False, [], True),
        ("present", "no", False, [], False),
        ("anything", "whatever", 5, [], True),
        ("zero", 0, 7, [], True),
        ("zero", 1, 7, [], False),
        ("slant", 33, 30, [3, 4], False),
        ("slant", round(9 + 6 * (1.5**2 + 16) ** 0.5), 1, [3, 4], True),
        ("padded", 6, 1, [1, 23], False),
        ("padded", 4, 1, [1, 23], True),
        ("root", -0.5, None, [[1, 2]], True),
        ("root", 0.5, -0.5, [[1, 2]], False),
    ],
)
def test_some_tasks_have_rules_of_their_own(
    rule: Rule, got: Any, expected: Any, arguments: list[Any], same: bool
) -> None:
    assert matches(got, expected, arguments, rule=rule, atol=0.0) is same


def test_rules_are_of_evalplus_tasks_alone() -> None:
    assert rule_of("Mbpp/769", "Diff") == "set"
    assert rule_of("HumanEval/32", "find_zero") == "root"
    assert rule_of("own/1", "Diff") == "equal"
    assert rule_of("Mbpp/999", "find_zero") == "equal"
