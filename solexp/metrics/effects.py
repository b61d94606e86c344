"""Factors of a grid: what each does on average, and whether two do more together than apart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from solexp.metrics.paired import Difference, contrast

Levels = tuple[str, ...]
"""One level a factor, in the factors' order: a cell of the grid."""


class Factor(msgspec.Struct, frozen=True, kw_only=True):
    """A setting that a grid varies."""

    name: str
    levels: tuple[str, ...]
    """The first is the one that the others are held against."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """From a factor's reference to another of its levels."""

    factor: str
    reference: str
    level: str


class Effect(msgspec.Struct, frozen=True, kw_only=True):
    """A main effect (one step) or an interaction (several)."""

    steps: tuple[Step, ...]
    difference: Difference

    @property
    def factors(self) -> tuple[str, ...]:
        return tuple(step.factor for step in self.steps)


def missing(factors: Sequence[Factor], cells: Mapping[Levels, object]) -> list[Levels]:
    """The combinations of levels that no cell has."""
    grid = itertools.product(*(factor.levels for factor in factors))
    return [levels for levels in grid if levels not in cells]


def effects(
    factors: Sequence[Factor],
    cells: Mapping[Levels, Mapping[str, float]],
    *,
    seed: int,
    order: int = 2,
) -> list[Effect]:
    """All main effects, and the interactions of up to ``order`` factors, of a full grid of scores by task.

    A step's main effect on a task is the mean, over all combinations of the other factors, of the score at its level
    minus the score at its reference. The interaction of two steps is the mean of the difference between one step's
    effect with the other taken and without: 0 where effects add up. Interactions of more go on in this way. They
    concern the tasks that every cell has a score of. Raises ValueError when the grid has a hole, or no common task.
    """
    holes = missing(factors, cells)
    if holes:
        raise ValueError(f"no cell has {holes[0]}")
    tasks = sorted(set.intersection(*(set(scores) for scores in cells.values())))
    found = []
    for size in range(1, min(order, len(factors)) + 1):
        for places in itertools.combinations(range(len(factors)), size):
            for steps in _steps([factors[place] for place in places]):
                weights = _weights(factors, places, steps)
                differences = [
                    math.fsum(weight * cells[levels][task] for levels, weight in weights.items())
                    for task in tasks
                ]
                span = float(2 ** (size - 1))
                difference = contrast(differences, seed=seed, span=span)
                found.append(Effect(steps=steps, difference=difference))
    return found


def _steps(factors: Sequence[Factor]) -> Iterator[tuple[Step, ...]]:
    """Every choice of one step for each factor."""
    yield from itertools.product(
        *(
            [
                Step(factor=factor.name, reference=factor.levels[0], level=level)
                for level in factor.levels[1:]
            ]
            for factor in factors
        )
    )


def _weights(
    factors: Sequence[Factor], places: Sequence[int], steps: Sequence[Step]
) -> dict[Levels, float]:
    """What each cell counts in a contrast: plus or minus, over the number of combinations of the other factors."""
    others = math.prod(
        len(factor.levels) for place, factor in enumerate(factors) if place not in places
    )
    weights: dict[Levels, float] = {}
    for levels in itertools.product(*(factor.levels for factor in factors)):
        sign = 1
        for place, step in zip(places, steps, strict=True):
            if levels[place] == step.reference:
                sign = -sign
            elif levels[place] != step.level:
                break
        else:
            weights[levels] = sign / others
    return weights
