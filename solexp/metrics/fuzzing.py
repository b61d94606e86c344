"""Differential fuzzing: which functions, and which contracts, do what their originals do (SolBehave, O1)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from solexp.core import Outcome, Verdict
from solexp.metrics.estimators import bootstrap
from solexp.metrics.scores import Judged, Metric

ORACLE = "fuzz"
_OPEN = (Outcome.UNDECIDABLE, Outcome.HARNESS_ERROR, Outcome.TIMEOUT)


def fuzz_metrics(candidates: Iterable[Judged], *, seed: int) -> dict[str, Metric]:
    """What the oracle ``fuzz`` measured, over the candidates that were fuzzed; empty without it.

    ``fuzz.equivalent_pairs``
        The share of (function, sample) pairs that are equivalent, of those whose function is not vacuous.
    ``fuzz.equivalent_pairs_paper``
        The same as SolBehave counts: functions of which every call fails on both are equivalent.
    ``fuzz.equivalent_contracts``
        The share of contracts with a sample all of whose functions are equivalent, of the contracts with a sample that
        was fuzzed.
    ``fuzz.vacuous``
        The share of functions of which every call fails on the original.
    """
    rows = [c.verdicts[ORACLE] for c in candidates if ORACLE in c.verdicts]
    fuzzed = [row for row in rows if "fuzz.divergent" in row.measures and row.outcome not in _OPEN]
    if not fuzzed:
        return {}
    found: dict[str, Metric] = {}
    by_function = [row for row in fuzzed if row.measures.get("fuzz.scope") == "function"]
    for name, parts in (
        ("equivalent_pairs", [_pairs(row) for row in by_function]),
        ("equivalent_pairs_paper", [_paper_pairs(row) for row in by_function]),
        ("vacuous", [(_number(row, "vacuous"), _number(row, "functions")) for row in by_function]),
    ):
        metric = _share(by_function, parts, seed)
        if metric is not None:
            found[f"fuzz.{name}"] = metric
    best: dict[str, bool] = {}
    for row in fuzzed:
        whole = not _number(row, "divergent") and row.outcome is not Outcome.FAIL
        best[row.task_id] = best.get(row.task_id, False) or whole
    flags = [float(best[task]) for task in sorted(best)]
    lo, hi = bootstrap([[flag] for flag in flags], seed=seed)
    found["fuzz.equivalent_contracts"] = Metric(
        value=math.fsum(flags) / len(flags), lo=lo, hi=hi, n=len(flags)
    )
    return found


def _number(row: Verdict, name: str) -> int:
    value = row.measures.get(f"fuzz.{name}")
    return value if isinstance(value, int) else 0


def _pairs(row: Verdict) -> tuple[int, int]:
    return _number(row, "equivalent"), _number(row, "functions") - _number(row, "vacuous")


def _paper_pairs(row: Verdict) -> tuple[int, int]:
    functions = _number(row, "functions")
    return max(0, functions - _number(row, "divergent")), functions


def _share(rows: Sequence[Verdict], parts: Sequence[tuple[int, int]], seed: int) -> Metric | None:
    """A share of all pairs together; tasks are drawn anew for its interval."""
    by_task: dict[str, list[int]] = {}
    for row, (part, whole) in zip(rows, parts, strict=True):
        sums = by_task.setdefault(row.task_id, [0, 0])
        sums[0] += part
        sums[1] += whole
    cells = [by_task[task] for task in sorted(by_task) if by_task[task][1]]
    if not cells:
        return None
    above = [[float(part)] for part, _ in cells]
    below = [[float(whole)] for _, whole in cells]
    lo, hi = bootstrap(above, below, seed=seed)
    value = sum(part for part, _ in cells) / sum(whole for _, whole in cells)
    return Metric(value=value, lo=lo, hi=hi, n=len(cells))
