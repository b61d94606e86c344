"""Scores before and after each round of refinement."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from solexp.core import Generation, Verdict
from solexp.metrics.estimators import bootstrap
from solexp.metrics.passing import all_pass
from solexp.metrics.scores import Judged, Metric, Passes, judged

Sample = tuple[str, str, int, int]
"""Task, batch, repeat, index."""


def sample_of(row: Generation | Verdict) -> Sample:
    """Which sample a row is about, whatever its round."""
    return row.task_id, row.batch, row.repeat, row.index


def at_round(verdicts: Sequence[Verdict], number: float = math.inf) -> list[Verdict]:
    """What each sample had come to when round ``number`` was over: the verdicts of its last round until then.

    Without a number, what it came to in the end. A sample that was not refined stays as it was.
    """
    last: dict[Sample, int] = {}
    for row in verdicts:
        if row.round <= number:
            last[sample_of(row)] = max(last.get(sample_of(row), 0), row.round)
    return [row for row in verdicts if row.round == last.get(sample_of(row))]


def round_metrics(
    verdicts: Sequence[Verdict], oracles: Mapping[str, bool], *, seed: int
) -> dict[str, Metric]:
    """``compile_rate`` and ``pass_rate`` of every round, and what the rounds gained; all shares in [-1, 1].

    A rate is the mean over tasks of the share of samples that compile (pass), as SolBehave counts
    its "Compile@k" (§5.1), raw and repaired: ``round0.compile_rate`` is raw, ``compile_rate`` is
    after the last round, and ``gain.compile_rate`` their difference, paired by task. Intervals are
    a bootstrap over tasks. Empty where nothing was refined but for the rates themselves.
    """
    found: dict[str, Metric] = {}
    rounds = sorted({row.round for row in verdicts})
    deciding = [name for name, decides in oracles.items() if decides]
    kinds = {"pass": deciding, "compile": ["compile"] if "compile" in oracles else []}
    for kind, names in kinds.items():
        if not names:
            continue
        shares = {
            number: _shares(judged(at_round(verdicts, number)), all_pass(names))
            for number in (*rounds, math.inf)
        }
        final = shares[math.inf]
        _put(found, f"{kind}_rate", final, seed)
        if len(rounds) < 2:
            continue
        for number in rounds:
            _put(found, f"round{number}.{kind}_rate", shares[number], seed)
        gains = {task: final[task] - share for task, share in shares[0].items() if task in final}
        _put(found, f"gain.{kind}_rate", gains, seed)
    return found


def _shares(candidates: Iterable[Judged], passes: Passes) -> dict[str, float]:
    """Share of a task's samples that pass, by task."""
    votes: dict[str, list[bool]] = {}
    for candidate in candidates:
        passed = passes(candidate)
        if passed is not None:
            votes.setdefault(candidate.task_id, []).append(passed)
    return {task: sum(each) / len(each) for task, each in votes.items()}


def _put(found: dict[str, Metric], name: str, shares: Mapping[str, float], seed: int) -> None:
    if not shares:
        return
    values = [shares[task] for task in sorted(shares)]
    lo, hi = bootstrap([[value] for value in values], seed=seed)
    found[name] = Metric(value=math.fsum(values) / len(values), lo=lo, hi=hi, n=len(values))
