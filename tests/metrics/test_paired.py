"""Paired differences: against SciPy and published figures, by their laws, and by simulation."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from solexp.metrics.paired import compare, contrast, holm, interval, mcnemar, sign_flip

SHARES = st.integers(0, 10).map(lambda count: count / 10)
CELLS = st.lists(st.tuples(SHARES, SHARES), min_size=1, max_size=20)


def _cells(pairs: list[tuple[float, float]]) -> tuple[dict[str, float], dict[str, float]]:
    return (
        {f"t{number}": pair[0] for number, pair in enumerate(pairs)},
        {f"t{number}": pair[1] for number, pair in enumerate(pairs)},
    )


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_scipys_binomial_test_of_the_discordant_tasks(better: int, worse: int) -> None:
    if better + worse:
        peer = stats.binomtest(better, better + worse, 0.5).pvalue
        assert mcnemar(better, worse) == pytest.approx(peer, rel=1e-9)
    assert 0 < mcnemar(better, worse) <= 1
    assert mcnemar(better, worse) == mcnemar(worse, better)


def test_mcnemar_of_published_counts() -> None:
    # Agresti, Categorical Data Analysis (2nd ed. 2002), section 10.1: 150 against 86 who changed their minds;
    # z squared is 17.36, so p is about 3e-5, and the exact p is near it.
    assert mcnemar(150, 86) == pytest.approx(3.7e-5, rel=0.1)
    # Ten that change, all to one side: 2 / 2**10.
    assert mcnemar(0, 10) == 2 / 2**10


@given(st.lists(st.integers(-10, 10), min_size=2, max_size=9))
def test_flipping_all_signs_equals_scipys_exact_permutation_test(counts: list[int]) -> None:
    differences = [count / 10 for count in counts]
    p, exact = sign_flip(differences, seed=1)
    assert exact
    if any(counts):
        peer = stats.permutation_test(
            (np.array(counts, dtype=float),),
            np.sum,
            permutation_type="samples",
            n_resamples=np.inf,
            alternative="two-sided",
        ).pvalue
        assert p == pytest.approx(min(1.0, peer), abs=1e-9)
    else:
        assert p == 1


def test_flipping_all_signs_of_darwins_maize_gives_fishers_figure() -> None:
    # Fisher, The Design of Experiments (1935), section 21: of 2**15 sign patterns of Darwin's 15 pairs of plants 863
    # reach the observed sum, on either side: p = 2 * 863 / 2**15.
    pairs = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
    whole = [
        sum(sign * abs(value) for sign, value in zip(signs, pairs, strict=True)) >= sum(pairs)
        for signs in itertools.product((1, -1), repeat=15)
    ]
    assert sum(whole) == 863
    p, exact = sign_flip([value / 100 for value in pairs], seed=3, flips=100_000)
    assert not exact
    assert p == pytest.approx(2 * 863 / 2**15, abs=0.003)


def test_drawn_flips_agree_with_all_of_them() -> None:
    random = np.random.default_rng(5)
    for _ in range(3):
        differences = list(random.integers(-4, 7, 16) / 10)
        sums = np.zeros(1)
        for value in differences:
            sums = np.concatenate([sums + value, sums - value])
        exact = float((np.abs(sums) >= abs(sum(differences)) - 1e-9).mean())
        p, _ = sign_flip(differences, seed=5)
        assert p == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 20_000) + 1e-4)


@settings(deadline=None)
@given(CELLS, st.randoms(use_true_random=False))
def test_a_difference_keeps_its_laws(pairs: list[tuple[float, float]], order: Any) -> None:
    baseline, cell = _cells(pairs)
    found = compare(baseline, cell, single=False, seed=7)
    assert 0 < found.p <= 1
    assert found.lo - 1e-9 <= found.value <= found.hi + 1e-9
    assert -1 <= found.lo <= found.hi <= 1

    swapped = compare(cell, baseline, single=False, seed=7)
    assert swapped.p == found.p
    assert (swapped.better, swapped.worse) == (found.worse, found.better)
    assert swapped.value == pytest.approx(-found.value)
    assert (swapped.lo, swapped.hi) == pytest.approx((-found.hi, -found.lo))

    names = list(cell)
    order.shuffle(names)
    assert compare(baseline, {name: cell[name] for name in names}, single=False, seed=7) == found


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=12))
def test_holm_never_lowers_a_p_and_keeps_their_order(ps: list[float]) -> None:
    corrected = holm(ps)
    assert all(
        p <= new <= min(1, p * len(ps) + 1e-12) for p, new in zip(ps, corrected, strict=True)
    )
    for (p, new), (q, other) in itertools.combinations(zip(ps, corrected, strict=True), 2):
        assert (new <= other) if p <= q else (new >= other)
    # Holm's procedure stops at the first that it does not reject.
    order = sorted(ps)
    rejected = 0
    while rejected < len(order) and order[rejected] <= 0.05 / (len(order) - rejected):
        rejected += 1
    assert sum(new <= 0.05 * (1 + 1e-12) for new in corrected) == rejected


def test_holm_of_a_published_example() -> None:
    # R's help of p.adjust and statsmodels' multipletests agree on these.
    assert holm([0.01, 0.02, 0.03, 0.04, 0.05]) == pytest.approx([0.05, 0.08, 0.09, 0.09, 0.09])
    assert holm([]) == []


def test_an_interval_is_widened_for_few_tasks_and_never_a_point() -> None:
    lo, hi = interval([0.2] * 12, seed=1)
    assert lo < 0.2 < hi
    assert interval([0.0] * 10, seed=1) == pytest.approx((-0.2775, 0.2775), abs=1e-3)
    wide = interval([0.0, 0.4] * 3, seed=1)
    narrow = interval([0.0, 0.4] * 50, seed=1)
    assert wide[1] - wide[0] > 3 * (narrow[1] - narrow[0])


def _simulated(
    random: Any, tasks: int, samples: int, effect: float
) -> tuple[dict[str, float], dict[str, float]]:
    """Two cells: tasks of unlike difficulty, and ``effect`` on each task's probability."""
    easy = random.uniform(0.2, 0.8 - effect, tasks)
    cells = [random.binomial(samples, easy + add) / samples for add in (0.0, effect)]
    return _cells(list(zip(cells[0].tolist(), cells[1].tolist(), strict=True)))


@pytest.mark.parametrize(("tasks", "samples"), [(4, 10), (6, 10), (12, 10), (30, 1), (40, 3)])
def test_without_a_difference_few_are_found_and_intervals_hold_the_truth(
    tasks: int, samples: int
) -> None:
    random = np.random.default_rng(11)
    trials, found, covered = 300, 0, 0
    for _ in range(trials):
        baseline, cell = _simulated(random, tasks, samples, 0.0)
        difference = compare(baseline, cell, single=samples == 1, seed=1)
        found += difference.p <= 0.05
        covered += difference.lo <= 0 <= difference.hi
    # A binomial count's standard deviation is 0.013 here.
    assert found / trials <= 0.05 + 3 * 0.013
    assert covered / trials == pytest.approx(0.95, abs=0.035)


def test_with_a_difference_intervals_hold_it() -> None:
    random = np.random.default_rng(12)
    covered = 0
    for _ in range(300):
        baseline, cell = _simulated(random, 12, 8, 0.2)
        difference = compare(baseline, cell, single=False, seed=1)
        covered += difference.lo <= 0.2 <= difference.hi
    assert covered / 300 == pytest.approx(0.95, abs=0.035)


def test_no_common_task_is_no_difference() -> None:
    with pytest.raises(ValueError, match="no task has a score in both"):
        contrast([], seed=1)
