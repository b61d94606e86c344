"""Scores of functions, and of contracts by their functions: FPR and CFPR (SolContractEval, §4.4, Table III)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from solexp.core import Batch, Outcome
from solexp.metrics.estimators import bootstrap, mean_and_spread, pass_at_k, wilson
from solexp.metrics.passing import all_pass, compiles, is_sample
from solexp.metrics.scores import Counts, Judged, Metric, Passes, combined, counts, metric_at_k

Scores = dict[str, list[float | None]]
"""Pass@k by task, one column a repeat; None where there are too few samples."""

_AXES = ("deployment", "status", "return", "events", "storage")


def function_metrics(
    parents: Mapping[str, str],
    candidates: Sequence[Judged],
    batches: Sequence[Batch],
    *,
    deciding: Sequence[str],
    undecided: Collection[str] = (),
    together: Sequence[Judged] = (),
    seed: int,
) -> dict[str, Metric]:
    """The function level of a run: all shares in [0, 1], for each batch and k of its ks.

    ``parents`` gives for each function task the contract's task it belongs to; ``undecided`` are the function tasks
    that a deciding oracle left open; ``together`` are the judged contracts that `solexp.strategies.together.assemble`
    made, by the parents' ids.

    ``fpr_c_at_k``, ``fpr_p_at_k``
        The share of functions that compile, that pass: the mean of their pass@k. The interval is over contracts.
    ``cfpr_c.each_alone_at_k``, ``cfpr_p.each_alone_at_k``
        The share of contracts all of whose functions do, each put into the original by itself. Functions are written
        independently, so that a contract's score is the product of its functions' pass@k.
    ``cfpr_c.together_at_k``, ``cfpr_p.together_at_k``
        The share of contracts that do with all functions of a sample in place.
    ``decidable.fpr_p_at_k``, ``decidable.cfpr_p.each_alone_at_k``
        Over the functions that the oracles could decide, and over the contracts that have any.
    ``unreached.fpr_p_at_k``, ``unreached.cfpr_p.each_alone_at_k``
        A function that no recorded call reaches passes if nothing differs, which is how the paper counts; by the
        others such a function is ``vacuous``, and no pass.

    A function with n < k samples is missing, and so is its contract.
    """
    found: dict[str, Metric] = {}
    everything = set(parents)
    readings: list[tuple[str, str, Passes, set[str]]] = []
    if any("compile" in one.verdicts for one in candidates):
        readings.append(("", "c", compiles, everything))
    if deciding:
        passes = all_pass(deciding)
        readings += [
            ("", "p", passes, everything),
            ("decidable.", "p", passes, everything - set(undecided)),
            ("unreached.", "p", _paper_pass(deciding), everything),
        ]
    for batch in batches:
        samples = [one for one in candidates if one.batch == batch.name]
        wholes = [one for one in together if one.batch == batch.name]
        for prefix, which, passes, members in readings:
            table = counts((one for one in samples if one.task_id in members), passes)
            whole = counts(wholes, passes) if not prefix else {}
            for k in batch.ks:
                found |= _at_k((prefix, which), table, parents, k, seed=seed)
                metric = metric_at_k(whole, k, seed=seed) if whole else None
                if metric is not None:
                    found[f"cfpr_{which}.together_at_{k}"] = metric
    return found


def _at_k(
    reading: tuple[str, str], table: Counts, parents: Mapping[str, str], k: int, *, seed: int
) -> dict[str, Metric]:
    prefix, which = reading
    scores = _scores(table, k)
    by_parent: dict[str, list[list[float | None]]] = {}
    for task, row in scores.items():
        by_parent.setdefault(parents[task], []).append(row)
    groups = [by_parent[parent] for parent in sorted(by_parent)]
    found = {}
    share = _share(groups, k, seed)
    if share is not None:
        found[f"{prefix}fpr_{which}_at_{k}"] = share
    single = all(n <= 1 for row in table.values() for n, _ in row.values())
    alone = _each_alone(groups, k, seed, single=single)
    if alone is not None:
        found[f"{prefix}cfpr_{which}.each_alone_at_{k}"] = alone
    return found


def _scores(table: Counts, k: int) -> Scores:
    repeats = sorted({repeat for row in table.values() for repeat in row})
    return {
        task: [pass_at_k(*row.get(repeat, (0, 0)), k) for repeat in repeats]
        for task, row in table.items()
    }


def _share(groups: Sequence[Sequence[Sequence[float | None]]], k: int, seed: int) -> Metric | None:
    """The mean over functions, its interval by drawing whole contracts, whose functions are not independent."""
    rows = [row for group in groups for row in group if any(score is not None for score in row)]
    if not rows:
        return None
    value, spread, values = _means(rows)
    if value in (0.0, 1.0):
        lo, hi = wilson(round(value * len(rows)), len(rows))
    else:
        columns = range(len(rows[0]))
        sums = [[_sum(group, column) for column in columns] for group in groups]
        sizes = [[_size(group, column) for column in columns] for group in groups]
        lo, hi = bootstrap(sums, sizes, seed=seed, k=k)
    return Metric(value=value, lo=lo, hi=hi, n=len(rows), spread=spread, repeats=values)


def _each_alone(
    groups: Sequence[Sequence[Sequence[float | None]]], k: int, seed: int, *, single: bool
) -> Metric | None:
    """The mean over contracts of the product over their functions."""
    rows = [[_product(column) for column in zip(*group, strict=True)] for group in groups]
    rows = [row for row in rows if any(score is not None for score in row)]
    if not rows:
        return None
    value, spread, values = _means(rows)
    if value in (0.0, 1.0) or (single and len(rows[0]) == 1):
        lo, hi = wilson(round(value * len(rows)), len(rows))
    else:
        lo, hi = bootstrap(rows, seed=seed, k=k)
    return Metric(value=value, lo=lo, hi=hi, n=len(rows), spread=spread, repeats=values)


def _means(
    rows: Sequence[Sequence[float | None]],
) -> tuple[float, float | None, tuple[float, ...]]:
    """The mean over repeats of the mean over rows, its spread, and the repeats' means where there are several."""
    columns = [
        [score for score in column if score is not None] for column in zip(*rows, strict=True)
    ]
    means = [math.fsum(column) / len(column) for column in columns if column]
    value, spread = mean_and_spread(means)
    return value, spread, tuple(means) if len(means) > 1 else ()


def _product(scores: Iterable[float | None]) -> float | None:
    product = 1.0
    for score in scores:
        if score is None:
            return None
        product *= score
    return product


def _sum(group: Sequence[Sequence[float | None]], column: int) -> float | None:
    present = [row[column] for row in group if row[column] is not None]
    return math.fsum(score for score in present if score is not None) if present else None


def _size(group: Sequence[Sequence[float | None]], column: int) -> float | None:
    present = sum(row[column] is not None for row in group)
    return float(present) if present else None


def _paper_pass(deciding: Sequence[str]) -> Passes:
    """Passing, or showing no difference where there was nothing to show."""

    def passes(candidate: Judged) -> bool | None:
        outcome = combined(candidate, deciding)
        if not is_sample(outcome):
            return None
        if outcome is not Outcome.VACUOUS:
            return outcome is Outcome.PASS
        replay = candidate.verdicts.get("replay")
        if replay is None or replay.measures.get("truncated") is True:
            return False
        # Unless a replay was run and measured, nothing is known.
        measured = [replay.measures.get(f"diverges.{axis}") for axis in _AXES]
        return any(value is not None for value in measured) and not any(measured)

    return passes
