"""Which of the oracles of behaviour flag a candidate: the regions between them (SolBehave, §6)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

import msgspec

from solexp.core import Outcome
from solexp.metrics.scores import Judged

BEHAVIOUR = ("fuzz", "replay", "dcr", "negative", "violation")
"""The oracles that ask what a candidate does, in the order of tables."""
PAPER = ("fuzz", "replay", "dcr")
"""SolBehave's O1, O2 and O3."""

_FLAGGED = (Outcome.FAIL, Outcome.TIMEOUT)


class Evaluated(msgspec.Struct, frozen=True, kw_only=True):
    """What one oracle could evaluate: candidates that it passed, failed, or that took too long."""

    candidates: int
    flagged: int
    tasks: int
    """Tasks with such a candidate."""
    divergent: int
    """Of these, tasks with one that it flags: SolBehave's divergent contracts."""


class Region(msgspec.Struct, frozen=True, kw_only=True):
    """What these oracles flag and the others do not."""

    oracles: tuple[str, ...]
    candidates: int
    tasks: int


class Regions(msgspec.Struct, frozen=True, kw_only=True):
    """Counts over what all of some oracles evaluated."""

    oracles: tuple[str, ...]
    candidates: int
    """That all of them evaluated."""
    tasks: int
    """Of which each of them evaluated a candidate; a task is flagged where one of its candidates is."""
    regions: tuple[Region, ...]
    """Every combination of the oracles, the smallest first; what none flags comes last."""


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two oracles beside each other, over what both evaluated (SolBehave: O2 and O3)."""

    first: str
    second: str
    candidates: int
    first_only: int
    """Candidates that the first flags and the second does not."""
    second_only: int
    tasks: int
    first_only_tasks: int
    """Tasks with a candidate that the first flags, and none that the second does."""
    second_only_tasks: int
    rho: float | None
    """Spearman's rank correlation of the tasks' mean match rates; None below three tasks or where one side is equal."""
    rated_tasks: int
    """Tasks with match rates of both."""


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """What the oracles of behaviour flag, each and in every combination."""

    oracles: dict[str, Evaluated]
    every: Regions
    """Over what all of the run's evaluated."""
    paper: Regions | None
    """Over what fuzz, replay and dcr evaluated, whatever others there are; None where the run lacks one of them."""
    replay_dcr: Pair | None


def behaviour(candidates: Iterable[Judged], oracles: Collection[str]) -> Behaviour | None:
    """Compare a run's oracles of behaviour; None where it has fewer than two of them."""
    names = [name for name in BEHAVIOUR if name in oracles]
    if len(names) < 2:
        return None
    rows = list(candidates)
    return Behaviour(
        oracles={name: _evaluated(rows, name) for name in names},
        every=_regions(rows, names),
        paper=_regions(rows, PAPER) if set(PAPER) <= set(names) else None,
        replay_dcr=_pair(rows, "replay", "dcr") if {"replay", "dcr"} <= set(names) else None,
    )


def _flags(candidate: Judged, oracle: str) -> bool | None:
    """Whether the oracle flags the candidate; None where it did not evaluate it."""
    row = candidate.verdicts.get(oracle)
    if row is None or (row.outcome not in _FLAGGED and row.outcome is not Outcome.PASS):
        return None
    return row.outcome in _FLAGGED


def _by_task(rows: Iterable[Judged], oracle: str) -> dict[str, bool]:
    """By task that the oracle evaluated: whether it flags a candidate."""
    found: dict[str, bool] = {}
    for each in rows:
        flagged = _flags(each, oracle)
        if flagged is not None:
            found[each.task_id] = found.get(each.task_id, False) or flagged
    return found


def _evaluated(rows: Sequence[Judged], oracle: str) -> Evaluated:
    flags = [flagged for each in rows if (flagged := _flags(each, oracle)) is not None]
    tasks = _by_task(rows, oracle)
    return Evaluated(
        candidates=len(flags),
        flagged=sum(flags),
        tasks=len(tasks),
        divergent=sum(tasks.values()),
    )


def _regions(rows: Sequence[Judged], oracles: Sequence[str]) -> Regions:
    candidates = [
        tuple(name for name, flagged in flags.items() if flagged)
        for flags in ({name: _flags(each, name) for name in oracles} for each in rows)
        if None not in flags.values()
    ]
    columns = {name: _by_task(rows, name) for name in oracles}
    common = set.intersection(*(set(column) for column in columns.values()))
    tasks = [tuple(name for name in oracles if columns[name][task]) for task in sorted(common)]
    sets = [each for size in range(1, len(oracles) + 1) for each in combinations(oracles, size)]
    return Regions(
        oracles=tuple(oracles),
        candidates=len(candidates),
        tasks=len(tasks),
        regions=tuple(
            Region(oracles=each, candidates=candidates.count(each), tasks=tasks.count(each))
            for each in (*sets, ())
        ),
    )


def _pair(rows: Sequence[Judged], first: str, second: str) -> Pair:
    found = _regions(rows, (first, second))
    only = {region.oracles: region for region in found.regions}
    rates = [_rates(rows, name) for name in (first, second)]
    rated = sorted(set(rates[0]) & set(rates[1]))
    return Pair(
        first=first,
        second=second,
        candidates=found.candidates,
        first_only=only[first,].candidates,
        second_only=only[second,].candidates,
        tasks=found.tasks,
        first_only_tasks=only[first,].tasks,
        second_only_tasks=only[second,].tasks,
        rho=spearman([rates[0][task] for task in rated], [rates[1][task] for task in rated]),
        rated_tasks=len(rated),
    )


def _rates(rows: Iterable[Judged], oracle: str) -> dict[str, float]:
    """By task, the mean of its candidates' ``ORACLE.match_rate``."""
    found: dict[str, list[float]] = defaultdict(list)
    for each in rows:
        row = each.verdicts.get(oracle)
        rate = row.measures.get(f"{oracle}.match_rate") if row is not None else None
        if isinstance(rate, int | float):
            found[each.task_id].append(float(rate))
    return {task: math.fsum(rates) / len(rates) for task, rates in found.items()}


def spearman(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Spearman's rank correlation (1904), ties at their mean rank; None below three pairs, or where a side is equal."""
    if len(xs) < 3 or len(set(xs)) == 1 or len(set(ys)) == 1:
        return None
    first, second = _ranks(xs), _ranks(ys)
    middle = (len(xs) + 1) / 2
    above = math.fsum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    spread = [math.fsum((a - middle) ** 2 for a in ranks) for ranks in (first, second)]
    return above / math.sqrt(spread[0] * spread[1])


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    places = {value: ordered.index(value) + (ordered.count(value) + 1) / 2 for value in set(values)}
    return [places[value] for value in values]
