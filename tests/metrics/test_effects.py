"""Effects of factors: what was put into a grid comes out of it, and nothing else."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from solexp.metrics.effects import Factor, effects, missing

CONTEXT = Factor(name="context", levels=("none", "needed"))
SHOTS = Factor(name="shots", levels=("0", "1", "2"))
COT = Factor(name="cot", levels=("false", "true"))
GRID = (CONTEXT, SHOTS, COT)


def _probability(context: str, shots: str, cot: str) -> float:
    """0.2, plus 0.2 for the context and 0.1 a shot, which is twice as much with the context; nothing for cot."""
    held = context == "needed"
    return 0.2 + 0.2 * held + 0.1 * int(shots) * (1 + held) + 0.0 * (cot == "true")


def _grid(samples: int | None, tasks: int = 40) -> dict[tuple[str, ...], dict[str, float]]:
    random = np.random.default_rng(2)
    cells = {}
    for levels in itertools.product(*(factor.levels for factor in GRID)):
        p = _probability(*levels)
        cells[levels] = {
            f"t{n}": p if samples is None else random.binomial(samples, p) / samples
            for n in range(tasks)
        }
    return cells


TRUE = {
    ("context: needed",): 0.3,
    ("shots: 1",): 0.15,
    ("shots: 2",): 0.3,
    ("cot: true",): 0.0,
    ("context: needed", "shots: 1"): 0.1,
    ("context: needed", "shots: 2"): 0.2,
    ("context: needed", "cot: true"): 0.0,
    ("shots: 1", "cot: true"): 0.0,
    ("shots: 2", "cot: true"): 0.0,
}


def test_effects_of_exact_scores_are_those_that_were_put_in() -> None:
    found = {
        tuple(f"{step.factor}: {step.level}" for step in effect.steps): effect.difference.value
        for effect in effects(GRID, _grid(None), seed=1)
    }
    assert found == pytest.approx(TRUE)


def test_effects_of_samples_are_within_their_intervals_and_nothings_are_not_found() -> None:
    for effect in effects(GRID, _grid(10), seed=1):
        true = TRUE[tuple(f"{step.factor}: {step.level}" for step in effect.steps)]
        difference = effect.difference
        assert difference.lo <= true <= difference.hi
        assert (difference.p < 0.05) == (true != 0)


def test_interactions_of_three_are_there_when_they_are_wanted() -> None:
    of_three = [e for e in effects(GRID, _grid(None), seed=1, order=3) if len(e.steps) == 3]
    assert [effect.difference.value for effect in of_three] == pytest.approx([0.0, 0.0])


def test_a_grid_with_a_hole_has_no_effects() -> None:
    cells = _grid(None)
    del cells["needed", "1", "true"]
    assert missing(GRID, cells) == [("needed", "1", "true")]
    with pytest.raises(ValueError, match="needed"):
        effects(GRID, cells, seed=1)
