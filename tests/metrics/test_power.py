"""Power: the difference that is promised is found about as often as promised."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.metrics.paired import mcnemar, sign_flip
from solexp.metrics.power import DISCORDANCE, detectable, told


@given(st.integers(6, 2000), st.integers(1, 50), st.integers(1, 20))
def test_more_tasks_and_samples_tell_less_and_a_family_tells_more(
    tasks: int, samples: int, family: int
) -> None:
    def least(*design: int) -> float:
        found = detectable(design[0], design[1], family=design[2])
        return 2.0 if found is None else found

    here = least(tasks, samples, family)
    assert least(tasks + 1, samples, family) <= here
    assert least(tasks, samples, family + 1) >= here
    if samples > 1:
        assert least(tasks, samples + 1, family) <= here


def test_mcnemars_tasks_are_those_of_a_published_formula() -> None:
    # Connor (1987): with 30 % discordant and a difference of 10 points, 80 % power at 5 % takes 234 tasks:
    # ((1.960 sqrt(0.3) + 0.842 sqrt(0.3 - 0.01)) / 0.1) ** 2 = 233.0.
    assert pytest.approx(0.3) == DISCORDANCE
    assert detectable(234) == pytest.approx(0.1, abs=5e-4)


def test_with_one_sample_the_promised_difference_is_found_in_four_of_five_trials() -> None:
    tasks = 120
    difference = detectable(tasks)
    assert difference is not None
    random = np.random.default_rng(3)
    better, worse = (DISCORDANCE + difference) / 2, (DISCORDANCE - difference) / 2
    draws = random.multinomial(tasks, [better, worse, 1 - better - worse], size=2_000)
    power = np.mean([mcnemar(int(b), int(w)) <= 0.05 for b, w, _ in draws])
    # The exact test is somewhat conservative.
    assert power == pytest.approx(0.8, abs=0.06)


def test_with_several_samples_the_promised_difference_is_found_in_four_of_five_trials() -> None:
    tasks, samples = 12, 20
    difference = detectable(tasks, samples, correlation=0.2)
    assert difference is not None
    # Probabilities of tasks: variance 0.25 * 0.2, of which 0.8 is shared by the cells.
    random = np.random.default_rng(4)
    found = 0
    for _ in range(400):
        shared = random.choice([-1, 1], tasks) * np.sqrt(0.05 * 0.8)
        own = random.choice([-1, 1], (2, tasks)) * np.sqrt(0.05 * 0.2)
        p = 0.5 + shared + own + np.array([[-difference / 2], [difference / 2]])
        first, second = random.binomial(samples, p) / samples
        found += sign_flip(list(second - first), seed=1)[0] <= 0.05
    assert found / 400 == pytest.approx(0.8, abs=0.08)


def test_what_cannot_be_told_is_said() -> None:
    assert detectable(4, 20) is None
    # McNemar's exact p is 2 / 2 ** 5 even where all five tasks fall on one side.
    assert detectable(5) is None
    assert detectable(6) is not None
    assert "take more tasks" in told(4, 20, 1)
    assert told(12, 20, 3).startswith("power: 12 tasks × 20 samples tell a difference of 22 points")
    assert "Holm over 3" in told(12, 20, 3)
    with pytest.raises(ValueError, match="wants tasks"):
        detectable(0)
