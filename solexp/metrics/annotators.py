"""Do annotators agree? Cohen's kappa for two, Fleiss' for two or more, over any labels, with intervals."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from solexp.metrics.agreement import cohen
from solexp.metrics.estimators import CONFIDENCE, RESAMPLES

Labels = Mapping[str, str]
"""A label by item."""


class Kappa(msgspec.Struct, frozen=True, kw_only=True):
    """How several annotators' labels compare."""

    annotators: tuple[str, ...]
    items: int
    """What all of them have labelled."""
    alike: float | None
    """Of these, the share to which all give one label; None where there are none."""
    kappa: float | None
    """1 for no disagreement, 0 for what chance alone would give; None where only one label occurs."""
    lo: float | None = None
    hi: float | None = None
    """Ends of the 95 % interval, by a bootstrap over groups of items; None where it cannot be told."""


class Disagreement(msgspec.Struct, frozen=True, kw_only=True):
    """An item to which not all give one label."""

    item: str
    labels: dict[str, str]
    """By annotator; of those who have labelled it."""


class Annotated(msgspec.Struct, frozen=True, kw_only=True):
    """What several annotators say of the same items."""

    labels: dict[str, dict[str, int]]
    """How often each annotator gives each label."""
    items: int
    """All that anybody has labelled."""
    cohen: tuple[Kappa, ...]
    """Of each two annotators."""
    fleiss: Kappa
    """Of all, over the items that all have labelled."""
    disagreements: tuple[Disagreement, ...]


def annotated(
    given: Mapping[str, Labels],
    *,
    groups: Mapping[str, str] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> Annotated:
    """Compares the labels of two annotators or more.

    ``groups`` says of items what they belong to, such as a task: for intervals whole groups are drawn, since items of
    one group are not independent. Without it, or for items of which it says nothing, every item is by itself. Raises
    ValueError for fewer than two annotators.
    """
    if len(given) < 2:
        raise ValueError("it takes two annotators or more")
    everything = sorted({item for own in given.values() for item in own})
    spread = _Spread(groups or {}, seed, resamples, confidence)
    return Annotated(
        labels={name: dict(sorted(Counter(own.values()).items())) for name, own in given.items()},
        items=len(everything),
        cohen=tuple(_two(given, pair, spread) for pair in itertools.combinations(given, 2)),
        fleiss=_all(given, spread),
        disagreements=tuple(
            Disagreement(item=item, labels=said)
            for item in everything
            if len(set((said := _said(given, item)).values())) > 1
        ),
    )


def fleiss(counts: Sequence[Sequence[int]]) -> float | None:
    """Fleiss' kappa (Fleiss 1971): for each item how many annotators give it each label.

    None where only one label occurs, or nothing is labelled. Raises ValueError unless every item has as many labels,
    two or more.
    """
    raters = {sum(row) for row in counts}
    if not counts:
        return None
    if len(raters) > 1 or min(raters) < 2:
        raise ValueError("every item must have as many labels, two or more")
    sums = [sum(column) for column in zip(*counts, strict=True)]
    return _of_sums([sum(_alike(row) for row in counts), len(counts), *sums])


def _of_sums(sums: Sequence[float]) -> float | None:
    """Fleiss' kappa of the items' summed agreement, how many they are, and how often each label was given."""
    agreed, items, *labels = sums
    given = sum(labels)
    if not items:
        return None
    expected = sum((count / given) ** 2 for count in labels)
    return None if math.isclose(expected, 1.0) else (agreed / items - expected) / (1 - expected)


def _alike(row: Sequence[int]) -> float:
    """The share of an item's pairs of labels that are alike."""
    total = sum(row)
    return sum(count * (count - 1) for count in row) / (total * (total - 1))


def _said(given: Mapping[str, Labels], item: str) -> dict[str, str]:
    return {name: own[item] for name, own in given.items() if item in own}


def _two(given: Mapping[str, Labels], pair: tuple[str, str], spread: _Spread) -> Kappa:
    one, other = (given[name] for name in pair)
    items = sorted(one.keys() & other.keys())
    names = sorted({own[item] for own in (one, other) for item in items})
    places = {label: place for place, label in enumerate(names)}
    rows = []
    for item in items:
        row = [0.0] * len(names) ** 2
        row[places[one[item]] * len(names) + places[other[item]]] = 1.0
        rows.append(row)

    def value(sums: Sequence[float]) -> float | None:
        return cohen([sums[at : at + len(names)] for at in range(0, len(sums), len(names) or 1)])

    alike = sum(one[item] == other[item] for item in items)
    return _kappa(pair, items, rows, value, alike=alike, spread=spread)


def _all(given: Mapping[str, Labels], spread: _Spread) -> Kappa:
    items = sorted(set.intersection(*(set(own) for own in given.values())))
    names = sorted({own[item] for own in given.values() for item in items})
    counts = [
        [sum(own[item] == name for own in given.values()) for name in names] for item in items
    ]
    rows = [[_alike(row), 1.0, *map(float, row)] for row in counts]
    alike = sum(max(row) == len(given) for row in counts)
    return _kappa(tuple(given), items, rows, _of_sums, alike=alike, spread=spread)


def _kappa(
    annotators: tuple[str, ...],
    items: Sequence[str],
    rows: Sequence[Sequence[float]],
    value: Callable[[Sequence[float]], float | None],
    *,
    alike: int,
    spread: _Spread,
) -> Kappa:
    """What ``value`` makes of the rows' sums; ``rows`` has one for each item."""
    if not items:
        return Kappa(annotators=annotators, items=0, alike=None, kappa=None)
    found = value([sum(column) for column in zip(*rows, strict=True)])
    lo, hi = (None, None) if found is None else spread.interval(items, rows, value)
    return Kappa(
        annotators=annotators,
        items=len(items),
        alike=alike / len(items),
        kappa=found,
        lo=lo,
        hi=hi,
    )


class _Spread:
    """Intervals by a bootstrap over groups."""

    def __init__(
        self, groups: Mapping[str, str], seed: int, resamples: int, confidence: float
    ) -> None:
        self._groups = groups
        self._seed = seed
        self._resamples = resamples
        self._tail = (1 - confidence) / 2

    def interval(
        self,
        items: Sequence[str],
        rows: Sequence[Sequence[float]],
        value: Callable[[Sequence[float]], float | None],
    ) -> tuple[float | None, float | None]:
        """The ends for the kappa that ``value`` makes of sums; None for fewer than two groups."""
        import numpy as np  # noqa: PLC0415  (0.1 s that most commands can do without)

        sums: dict[tuple[bool, str], Any] = {}
        for item, row in zip(items, rows, strict=True):
            key = (item in self._groups, self._groups.get(item, item))
            sums[key] = sums.get(key, 0) + np.asarray(row)
        if len(sums) < 2:
            return None, None
        random = np.random.default_rng(self._seed)
        draws = random.multinomial(
            len(sums), np.full(len(sums), 1 / len(sums)), size=self._resamples
        )
        known = [
            each
            for drawn in draws @ np.asarray(list(sums.values()))
            if (each := value(drawn.tolist())) is not None
        ]
        lo, hi = map(float, np.quantile(known, [self._tail, 1 - self._tail]))
        return lo, hi
