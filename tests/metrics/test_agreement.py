"""Cohen's kappa and its interval."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.metrics.agreement import agreement, kappa

COUNTS = st.tuples(*[st.integers(0, 50)] * 4)


@pytest.mark.parametrize(
    ("counts", "value"),
    [
        ((20, 5, 10, 15), 0.4),
        ((45, 15, 25, 15), 0.1304),
        ((25, 35, 5, 35), 0.2593),
        ((10, 0, 0, 10), 1.0),
        ((0, 10, 10, 0), -1.0),
        ((25, 25, 25, 25), 0.0),
    ],
)
def test_kappa_is_cohens(counts: tuple[int, int, int, int], value: float) -> None:
    found = kappa(*counts)
    assert found == pytest.approx(value, abs=5e-5)


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (7, 0, 0, 0), (0, 0, 0, 7)])
def test_there_is_no_kappa_where_nothing_could_be_told_apart(
    counts: tuple[int, int, int, int],
) -> None:
    assert kappa(*counts) is None


@given(COUNTS)
def test_kappa_does_not_change_with_who_is_first_or_what_is_called_yes(
    counts: tuple[int, int, int, int],
) -> None:
    both, first, second, neither = counts
    value = kappa(*counts)
    for other in (kappa(both, second, first, neither), kappa(neither, second, first, both)):
        assert (other is None) is (value is None)
        assert other == pytest.approx(value)
    assert value is None or -1 - 1e-9 <= value <= 1 + 1e-9


def test_only_tasks_that_both_judged_count() -> None:
    first = {"a": [True, False], "b": [True], "c": [False]}
    second = {"a": [True, True], "c": [False], "d": [True]}
    found = agreement(first, second, seed=1)
    assert found is not None
    assert (found.tasks, found.items) == (2, 3)
    assert found.share == pytest.approx(2 / 3)
    assert found.kappa == kappa(1, 0, 1, 1)
    assert agreement({"a": [True]}, {"b": [True]}, seed=1) is None
    with pytest.raises(ValueError):
        agreement({"a": [True]}, {"a": []}, seed=1)


def test_the_interval_is_about_as_wide_as_theory_says() -> None:
    # 200 tasks of one item each, in the shares 0.4, 0.1, 0.2, 0.3: standard error by Fleiss, Cohen and Everitt (1969).
    pairs = (
        [(True, True)] * 80 + [(True, False)] * 20 + [(False, True)] * 40 + [(False, False)] * 60
    )
    first = {str(n): [pair[0]] for n, pair in enumerate(pairs)}
    second = {str(n): [pair[1]] for n, pair in enumerate(pairs)}
    found = agreement(first, second, seed=1)
    assert found is not None and found.lo is not None and found.hi is not None
    assert found.kappa == pytest.approx(0.4)
    assert found.hi - found.lo == pytest.approx(2 * 1.96 * 0.0635, rel=0.15)
    assert found.lo < 0.4 < found.hi


def test_items_of_one_task_are_drawn_together() -> None:
    alone = {str(n): [n % 3 == 0] for n in range(60)}
    other = {str(n): [n % 2 == 0] for n in range(60)}
    together = {str(n): [n % 3 == 0] * 6 for n in range(60)}
    others = {str(n): [n % 2 == 0] * 6 for n in range(60)}
    one, six = agreement(alone, other, seed=1), agreement(together, others, seed=1)
    assert one is not None and six is not None
    assert (one.lo, one.hi) == pytest.approx((six.lo, six.hi))
