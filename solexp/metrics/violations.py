"""Transactions that violate the original's guards: what candidates reject, and what they should not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import msgspec

from solexp.core import Outcome, Verdict
from solexp.metrics.estimators import bootstrap
from solexp.metrics.scores import Judged, Metric, combined, counts
from solexp.metrics.static import share_of_samples

ORACLE = "violation"
_TASK = "violation.task."
_ASKED = "violation.asked"

Shares = Callable[[Verdict], tuple[int, int] | None]
"""A part and a whole, of one candidate."""


class Guards(msgspec.Struct, frozen=True, kw_only=True):
    """The originals' guards and their witnesses; each task counts once."""

    tasks: int
    """Tasks whose original was searched."""
    functions: int
    found: int
    translated: int
    """Of the found guards, those that the solver could be asked for."""
    satisfiable: int
    """Of these, guards that some call violates alone."""
    confirmed: int
    """Of these, guards of which the original ended such a call as it should."""
    witnesses: int


def guards(candidates: Iterable[Judged]) -> Guards | None:
    """What `solexp.oracles.violation` found in the originals; None without it."""
    names = ("functions", "guards", "translated", "satisfiable", "confirmed", "witnesses")
    found: dict[str, tuple[int, ...]] = {}
    for candidate in candidates:
        row = candidate.verdicts.get(ORACLE)
        if row is not None and f"{_TASK}guards" in row.measures:
            found[candidate.task_id] = tuple(
                int(row.measures.get(_TASK + name) or 0) for name in names
            )
    if not found:
        return None
    functions, *totals, witnesses = (
        sum(row[place] for row in found.values()) for place in range(len(names))
    )
    return Guards(
        tasks=len(found),
        functions=functions,
        found=totals[0],
        translated=totals[1],
        satisfiable=totals[2],
        confirmed=totals[3],
        witnesses=witnesses,
    )


def violation_metrics(
    candidates: Sequence[Judged], deciding: Sequence[str], *, seed: int
) -> dict[str, Metric]:
    """What the oracle ``violation`` measured, over the candidates that were asked anything; empty without it.

    Each is a mean over tasks of the mean over a task's candidates, but for ``caught``:

    ``violation.csr``
        The share of calls that the original rejects which the candidate rejects too (contract satisfaction rate).
    ``violation.csr_same_error``
        ... rejects with the same revert data.
    ``violation.over_rejection``
        The share of calls that satisfy every guard which the candidate rejects.
    ``violation.guards_held``
        The share of guards of which the candidate rejects every call that was asked.
    ``violation.csr.KIND``, ``violation.csr_same_error.KIND``
        The first two for the calls that the original ends at a guard of that kind, such as ``require``.
    ``violation.caught``
        The share of samples that pass every other deciding oracle but not this one, of those that pass the others, on
        tasks that this one could decide.
    ``violation.caught_accepting``
        The same of samples that accept a call which the original rejects: not those that are only stricter.
    """
    rows = [c.verdicts[ORACLE] for c in candidates if ORACLE in c.verdicts]
    found: dict[str, Metric] = {}
    for name, shares in _shares(rows).items():
        if (metric := _mean(rows, shares, seed)) is not None:
            found[f"violation.{name}"] = metric
    others = [name for name in deciding if name != ORACLE]
    if rows and others:
        for name, caught in (("caught", _fails), ("caught_accepting", _accepts)):
            table = counts(candidates, partial(_caught, others=others, caught=caught))
            if (metric := share_of_samples(table, seed=seed)) is not None:
                found[f"violation.{name}"] = metric
    return found


def _shares(rows: Iterable[Verdict]) -> dict[str, Shares]:
    kinds = sorted(
        {
            name.removeprefix(f"{_ASKED}.")
            for row in rows
            for name in row.measures
            if name.startswith(f"{_ASKED}.")
        }
    )
    found: dict[str, Shares] = {
        "csr": _share("rejected", "asked"),
        "csr_same_error": _share("same_error", "asked"),
        "over_rejection": _refused,
        "guards_held": _share("guards_held", "guards"),
    }
    for kind in kinds:
        found[f"csr.{kind}"] = _share(f"rejected.{kind}", f"asked.{kind}")
        found[f"csr_same_error.{kind}"] = _share(f"same_error.{kind}", f"asked.{kind}")
    return found


def _share(part: str, whole: str) -> Shares:
    def share(row: Verdict) -> tuple[int, int] | None:
        total = row.measures.get(f"violation.{whole}")
        if not isinstance(total, int):
            return None
        return int(row.measures.get(f"violation.{part}") or 0), total

    return share


def _refused(row: Verdict) -> tuple[int, int] | None:
    found = _share("accepted", "satisfying")(row)
    return None if found is None else (found[1] - found[0], found[1])


def _mean(rows: Iterable[Verdict], shares: Shares, seed: int) -> Metric | None:
    by_task: dict[str, list[float]] = {}
    for row in rows:
        found = shares(row)
        if found is not None and found[1]:
            by_task.setdefault(row.task_id, []).append(found[0] / found[1])
    if not by_task:
        return None
    means = [math.fsum(by_task[task]) / len(by_task[task]) for task in sorted(by_task)]
    lo, hi = bootstrap([[mean] for mean in means], seed=seed)
    return Metric(value=math.fsum(means) / len(means), lo=lo, hi=hi, n=len(means))


def _caught(
    candidate: Judged, *, others: Sequence[str], caught: Callable[[Verdict], bool]
) -> bool | None:
    """Whether a candidate that passes all others is caught; None where others fail it, or this one could not tell."""
    row = candidate.verdicts.get(ORACLE)
    if row is None or row.outcome not in (Outcome.PASS, Outcome.FAIL):
        return None
    return caught(row) if combined(candidate, others) is Outcome.PASS else None


def _fails(row: Verdict) -> bool:
    return row.outcome is Outcome.FAIL


def _accepts(row: Verdict) -> bool:
    found = _share("rejected", "asked")(row)
    return found is not None and found[0] < found[1]
