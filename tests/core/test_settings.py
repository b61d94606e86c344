"""Settings that are numbers."""

from __future__ import annotations

import math

import pytest

from solexp.core import UserError
from solexp.core.settings import above, at_least


@pytest.mark.parametrize("value", [0, -1, 0.0, -0.5, math.nan])
def test_a_setting_that_is_too_small_is_told_by_name(value: float) -> None:
    with pytest.raises(UserError, match=rf"^oracle\.cpu_s: must be above 0, got {value:g}$"):
        above("oracle.cpu_s", value)
    with pytest.raises(UserError, match=rf"^run\.tasks: must be at least 1, got {value:g}$"):
        at_least("run.tasks", value)


@pytest.mark.parametrize("value", [None, 1, 1.0, 3, math.inf])
def test_a_limit_that_there_is_not_is_right_as_are_large_numbers(value: float | None) -> None:
    above("oracle.cpu_s", value)
    at_least("run.tasks", value)


def test_bounds_may_be_others_than_those_of_most() -> None:
    at_least("strategy.tokens", 0, 0)
    with pytest.raises(UserError, match=r"must be at least 3, got 2$"):
        at_least("oracle.states", 2, 3)
    with pytest.raises(UserError, match=r"must be above 2, got 2$"):
        above("oracle.share", 2, 2)
