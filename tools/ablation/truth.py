"""What a comparison of the probe's answers ought to say, from the prompts that the cells sent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np

from solexp.core import Prompt
from solexp.metrics.effects import Effect, Factor, Levels, Step, effects
from solexp.report.compare import Comparison
from solexp.report.compare.cells import short_names
from solexp.report.compare.comparison import effect_name
from solexp.store.records import read_lines
from tools.ablation.probe import Probe


class Recovered(msgspec.Struct, frozen=True, kw_only=True):
    """One effect: what was put in, and what came out."""

    name: str
    true: float
    found: Effect

    @property
    def within(self) -> bool:
        """Whether the interval that was found holds what was put in."""
        difference = self.found.difference
        return difference.lo <= self.true <= difference.hi


def chances(probe: Probe, folder: Path) -> dict[str, float]:
    """By task, how likely the probe answered a run's prompts rightly."""
    return {
        prompt.task_id: probe.chance("\n".join(message.content for message in prompt.messages))
        for prompt in read_lines(folder / "prompts.jsonl", Prompt)
    }


Grid = dict[Levels, dict[str, float]]
"""By cell and task, how likely a right answer is."""


def grid_of(probe: Probe, comparison: Comparison) -> Grid:
    """The chances that were put into each cell."""
    names = [factor.name for factor in comparison.factors]
    return {
        tuple(row.levels[name] for name in names): chances(probe, Path(row.folder))
        for row in comparison.rows
    }


def recovered(grid: Grid, comparison: Comparison) -> list[Recovered]:
    """Every effect of the comparison beside the one that was put in."""
    true = _true(grid, comparison.factors)
    short = short_names(factor.name for factor in comparison.factors)
    return [
        Recovered(name=effect_name(effect, short), true=true[effect.steps], found=effect)
        for effect in comparison.effects
    ]


def _true(grid: Grid, factors: Sequence[Factor]) -> dict[tuple[Step, ...], float]:
    return {effect.steps: effect.difference.value for effect in effects(factors, grid, seed=0)}


class Redrawn(msgspec.Struct, frozen=True, kw_only=True):
    """What became of many draws of one grid."""

    covered: float
    """Share of all intervals that hold what was put in; 0.95 is promised."""
    false_alarms: float
    """Share of the effects of nothing that have p of 0.05 or less; 0.05 is promised."""


def redraw(grid: Grid, comparison: Comparison, *, samples: int, draws: int, seed: int) -> Redrawn:
    """Draw the answers to the same prompts anew, time after time, without any run."""
    random = np.random.default_rng(seed)
    factors = comparison.factors
    true = _true(grid, factors)
    # Cells that ask the same are answered once.
    asked = {row.label: row.same_as or row.label for row in comparison.rows}
    labels = {tuple(row.levels[f.name] for f in factors): row.label for row in comparison.rows}
    covered, alarms = [], []
    for number in range(draws):
        scores: dict[str, dict[str, float]] = {}
        for levels, cell in grid.items():
            if (name := asked[labels[levels]]) not in scores:
                scores[name] = {t: random.binomial(samples, p) / samples for t, p in cell.items()}
        cells = {levels: scores[asked[labels[levels]]] for levels in grid}
        for effect in effects(factors, cells, seed=number):
            value, difference = true[effect.steps], effect.difference
            covered.append(difference.lo <= value <= difference.hi)
            if abs(value) < 1e-9:
                alarms.append(difference.p <= 0.05)
    return Redrawn(covered=float(np.mean(covered)), false_alarms=float(np.mean(alarms)))


def rows(found: Sequence[Recovered]) -> tuple[tuple[str, ...], ...]:
    """A row of a table each: the effect, what was put in, what was found, p and Holm's p, and the judgement."""
    return tuple(
        (
            one.name,
            f"{100 * one.true:+.1f}",
            f"{100 * d.value:+.1f} [{100 * d.lo:+.1f}, {100 * d.hi:+.1f}]",
            f"{d.p:.4f}",
            "–" if d.holm is None else f"{d.holm:.4f}",
            "yes" if one.within else "no",
        )
        for one in found
        for d in [one.found.difference]
    )
