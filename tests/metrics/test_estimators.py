"""Estimators against enumeration, published figures and SciPy."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solexp.metrics.estimators import bootstrap, mean_and_spread, pass_at_k, wilson

SAMPLES = st.integers(1, 9).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))
)


@given(SAMPLES)
def test_pass_at_k_is_the_share_of_subsets_with_a_pass(case: tuple[int, int, int]) -> None:
    n, c, k = case
    samples = [True] * c + [False] * (n - c)
    subsets = list(itertools.combinations(samples, k))
    assert pass_at_k(n, c, k) == sum(map(any, subsets)) / len(subsets)


@given(st.integers(0, 8), st.integers(1, 8))
def test_too_few_samples_are_missing_and_never_certain(n: int, more: int) -> None:
    for c in range(n + 1):
        assert pass_at_k(n, c, n + more) is None


@given(st.integers(1, 400), st.data())
def test_pass_at_1_is_the_share_of_passes(n: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(0, n))
    assert pass_at_k(n, c, 1) == c / n


@given(st.integers(2, 60), st.data())
def test_pass_at_k_grows_with_k_and_with_passes(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n - 1)), data.draw(st.integers(1, n - 1))
    here, more_k, more_c = pass_at_k(n, c, k), pass_at_k(n, c, k + 1), pass_at_k(n, c + 1, k)
    assert here is not None
    assert more_k is not None
    assert more_c is not None
    assert 0 <= here <= more_k <= 1
    assert here <= more_c


def test_pass_at_k_stays_exact_where_factorials_overflow_floats() -> None:
    # 1 - C(1999, 1000) / C(2000, 1000) = 1000 / 2000
    assert pass_at_k(2_000, 1, 1_000) == 0.5


@pytest.mark.parametrize(("n", "c", "k"), [(5, 6, 1), (5, -1, 1), (5, 1, 0), (-1, 0, 1)])
def test_impossible_counts_are_refused(n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match="pass@k wants"):
        pass_at_k(n, c, k)


def test_wilson_gives_newcombes_published_limits() -> None:
    # Newcombe (1998), Statistics in Medicine 17, 857-872, Table I, method 3.
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (successes, trials), limits in published.items():
        assert wilson(successes, trials) == pytest.approx(limits, abs=5e-5)


@settings(deadline=None)  # the first call imports SciPy
@given(st.integers(1, 500), st.data())
def test_wilson_equals_scipys(trials: int, data: st.DataObject) -> None:
    stats = pytest.importorskip("scipy.stats", reason="SciPy is the peer")
    successes = data.draw(st.integers(0, trials))
    peer = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    assert wilson(successes, trials) == pytest.approx((peer.low, peer.high), abs=1e-12)


@given(st.integers(1, 300), st.data())
def test_wilson_holds_the_share_and_mirrors(trials: int, data: st.DataObject) -> None:
    successes = data.draw(st.integers(0, trials))
    lo, hi = wilson(successes, trials)
    assert 0 <= lo <= successes / trials <= hi <= 1
    assert wilson(trials - successes, trials) == pytest.approx((1 - hi, 1 - lo), abs=1e-12)


def test_wilson_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="a proportion wants"):
        wilson(0, 0)


SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


@settings(deadline=None)  # the first call imports NumPy
@given(SCORES, st.integers(0, 2**31))
def test_bootstrap_repeats_itself_and_stays_within_the_scores(
    scores: list[float], seed: int
) -> None:
    rows = [[score] for score in scores]
    lo, hi = bootstrap(rows, seed=seed, k=3, resamples=50)
    assert (lo, hi) == bootstrap(rows, seed=seed, k=3, resamples=50)
    assert min(scores) - 1e-9 <= lo <= hi <= max(scores) + 1e-9


def test_bootstrap_limits_are_near_the_normal_ones_for_many_tasks() -> None:
    draw = random.Random(1)
    scores = [draw.random() for _ in range(400)]
    mean, spread = mean_and_spread(scores)
    assert spread is not None
    half = 1.96 * spread / math.sqrt(len(scores))
    lo, hi = bootstrap([[score] for score in scores], seed=0)
    assert (lo, hi) == pytest.approx((mean - half, mean + half), abs=0.1 * half)


def test_bootstrap_draws_whole_tasks_with_their_repeats() -> None:
    # Repeats that agree add nothing: the interval must not shrink.
    one = bootstrap([[float(i % 2)] for i in range(40)], seed=3)
    five = bootstrap([[float(i % 2)] * 5 for i in range(40)], seed=3)
    assert one == pytest.approx(five)


def test_bootstrap_passes_over_missing_cells() -> None:
    assert bootstrap([[1.0, None], [None, 1.0], [1.0, 1.0]], seed=0) == (1.0, 1.0)


def test_bootstrap_of_a_ratio_divides_sums() -> None:
    lo, hi = bootstrap([[1.0], [3.0]], [[2.0], [6.0]], seed=0)
    assert (lo, hi) == (0.5, 0.5)


def test_mean_and_spread_are_those_of_the_sample() -> None:
    assert mean_and_spread([1.0, 2.0, 3.0]) == (2.0, 1.0)
    assert mean_and_spread([0.25]) == (0.25, None)
