"""From verdicts to scores: one outcome a candidate, counts a task, a metric over tasks."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from solexp.core import Batch, Outcome, UserError, Verdict
from solexp.metrics.estimators import bootstrap, mean_and_spread, pass_at_k, wilson

MEAN_OF_N = "mean_of_n"
"""The one batch name under which pass@1 may come from several nucleus samples."""

_FAILURES = (Outcome.NO_CODE, Outcome.COMPILE_ERROR, Outcome.TIMEOUT, Outcome.FAIL)
_OPEN = (Outcome.HARNESS_ERROR, Outcome.UNDECIDABLE, Outcome.VACUOUS)


class Metric(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One figure with its interval."""

    value: float
    lo: float | None
    """Lower end of the 95 % interval: Wilson's for one sample a task, and where all tasks score 0 or all 1; a bootstrap
    over tasks else."""
    hi: float | None
    n: int
    """Tasks the value is a mean over."""
    spread: float | None = None
    """Standard deviation over repeats, when there are several."""
    repeats: tuple[float, ...] = ()
    """The value of each repeat, when there are several."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate with all its verdicts."""

    task_id: str
    batch: str
    repeat: int
    index: int
    round: int = 0
    verdicts: dict[str, Verdict]
    """By oracle."""


Passes = Callable[[Judged], bool | None]
"""Whether a candidate passes; None leaves it out, as a fault of the harness must be."""

Counts = dict[str, dict[int, tuple[int, int]]]
"""(samples, passes) by task and repeat."""


def check_batches(batches: Iterable[Batch]) -> None:
    """Raise UserError unless every k has one batch, and k = 1 no nucleus one but `MEAN_OF_N`."""
    serves: dict[int, str] = {}
    for batch in batches:
        for k in batch.ks:
            if k in serves:
                raise UserError(
                    f"sampling: batches '{serves[k]}' and '{batch.name}' both serve k = {k}; "
                    f"take {k} out of the ks of one of them"
                )
            serves[k] = batch.name
            if k > batch.n:
                raise UserError(
                    f"sampling: batch '{batch.name}' draws n = {batch.n} samples, too few for "
                    f"k = {k}; raise n or take {k} out of its ks"
                )
        if 1 in batch.ks and batch.n > 1 and batch.temperature > 0 and batch.name != MEAN_OF_N:
            raise UserError(
                f"sampling: batch '{batch.name}' would estimate k = 1 from {batch.n} nucleus "
                f"samples; add a greedy batch for k = 1, or name the batch '{MEAN_OF_N}'"
            )


def judged(verdicts: Iterable[Verdict]) -> list[Judged]:
    """Candidates in order of task, batch, repeat and index, whatever the order of the verdicts."""
    groups: dict[tuple[str, str, int, int, int], dict[str, Verdict]] = defaultdict(dict)
    for row in verdicts:
        groups[row.task_id, row.batch, row.repeat, row.index, row.round][row.oracle] = row
    return [
        Judged(
            task_id=task,
            batch=batch,
            repeat=repeat,
            index=index,
            round=number,
            verdicts=groups[key],
        )
        for key in sorted(groups)
        for task, batch, repeat, index, number in [key]
    ]


def combined(candidate: Judged, deciding: Iterable[str]) -> Outcome | None:
    """The outcome of a candidate over the oracles that decide; None while one of them is missing.

    A failure found by one oracle stands whatever the others could not tell. After failures, a fault of the harness
    outweighs ``undecidable``, which outweighs ``vacuous``; ``pass`` is a pass on every deciding oracle.
    """
    outcomes = [
        candidate.verdicts[name].outcome if name in candidate.verdicts else None
        for name in deciding
    ]
    if not outcomes or None in outcomes:
        return None
    return next((o for o in (*_FAILURES, *_OPEN) if o in outcomes), Outcome.PASS)


def counts(candidates: Iterable[Judged], passes: Passes) -> Counts:
    """Samples and passes of each task and repeat."""
    table: dict[str, dict[int, list[int]]] = defaultdict(dict)
    for candidate in candidates:
        cell = table[candidate.task_id].setdefault(candidate.repeat, [0, 0])
        passed = passes(candidate)
        if passed is not None:
            cell[0] += 1
            cell[1] += passed
    return {
        task: {repeat: (n, c) for repeat, (n, c) in sorted(row.items())}
        for task, row in sorted(table.items())
    }


def metric_at_k(table: Counts, k: int, *, seed: int) -> Metric | None:
    """Pass@k of each task first, then the mean over tasks; repeats are estimated apart and averaged.

    Tasks with fewer than k samples are missing. None when no task is left.
    """
    repeats = sorted({repeat for row in table.values() for repeat in row})
    rows: list[list[float | None]] = []
    single = len(repeats) == 1
    for row in table.values():
        cells = [row.get(repeat, (0, 0)) for repeat in repeats]
        scores = [pass_at_k(n, c, k) for n, c in cells]
        if all(score is None for score in scores):
            continue
        rows.append(scores)
        single = single and cells[0][0] == 1
    if not rows:
        return None
    columns = [[row[i] for row in rows] for i in range(len(repeats))]
    values = [
        math.fsum(present) / len(present)
        for column in columns
        if (present := [score for score in column if score is not None])
    ]
    value, spread = mean_and_spread(values)
    if single or value in (0.0, 1.0):
        # Where all tasks score alike at an end, every resample does too: the bootstrap would claim certainty.
        lo, hi = wilson(round(value * len(rows)), len(rows))
    else:
        lo, hi = bootstrap(rows, seed=seed, k=k)
    several = tuple(values) if len(values) > 1 else ()
    return Metric(value=value, lo=lo, hi=hi, n=len(rows), spread=spread, repeats=several)


def metrics_at_k(
    name: str,
    candidates: Sequence[Judged],
    passes: Passes,
    batches: Sequence[Batch],
    groups: Mapping[str, Callable[[str], bool]],
    *,
    seed: int,
) -> dict[str, Metric]:
    """``<group><name>_at_<k>`` for every batch, each of its ks, and every group of tasks.

    ``groups`` tells by prefix (``""`` for all tasks) whether a task id belongs.
    """
    found: dict[str, Metric] = {}
    for batch in batches:
        table = counts((c for c in candidates if c.batch == batch.name), passes)
        for prefix, belongs in groups.items():
            part = {task: row for task, row in table.items() if belongs(task)}
            for k in batch.ks:
                metric = metric_at_k(part, k, seed=seed)
                if metric is not None:
                    found[f"{prefix}{name}_at_{k}"] = metric
    return found
