"""How the workspaces of agents fared: rewards, and the routes by which they came about (Solidity Eval, 2026)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import msgspec

from solexp.core import Outcome, Verdict
from solexp.metrics.estimators import bootstrap
from solexp.metrics.scores import Judged, Metric

ORACLE = "workspace"
_MANY = 0.2
"""Share of what shows no difference from which on runs are flagged: so much was never tested."""
_FEW = 5
"""Candidates without a difference below which there is no such share."""
_BY_OUTCOME = {Outcome.TIMEOUT: "time", Outcome.HARNESS_ERROR: "harness"}


class Workspaces(msgspec.Struct, frozen=True, kw_only=True):
    """Routes of all candidates."""

    routes: dict[str, int]
    """Candidates by route, the most frequent first."""
    best_effort: int
    """Workspaces without a text by which a leak would show."""
    vacuous_share: float | None
    """Of the candidates that show no difference, the share of those of which nothing was tested."""
    flagged: bool
    """Whether that share is so large that scores which count it mean little."""


def workspaces(candidates: Sequence[Judged]) -> Workspaces | None:
    """The routes; None without the oracle ``workspace``."""
    rows = _rows(candidates)
    if not rows:
        return None
    routes = Counter(map(_route, rows))
    vacuous = routes["vacuous_no_diff"]
    without = routes["exit_0"] + vacuous
    share = vacuous / without if without else None
    return Workspaces(
        routes=dict(sorted(routes.items(), key=lambda pair: (-pair[1], pair[0]))),
        best_effort=sum(row.measures.get("workspace.best_effort") is True for row in rows),
        vacuous_share=share,
        flagged=share is not None and without >= _FEW and share > _MANY,
    )


def workspace_metrics(candidates: Sequence[Judged], *, seed: int) -> dict[str, Metric]:
    """``workspace.reward``: the mean over tasks of the mean reward of their candidates, of those that have one."""
    by_task: dict[str, list[float]] = {}
    for row in _rows(candidates):
        reward = row.measures.get("workspace.reward")
        if row.outcome is Outcome.TIMEOUT:
            reward = 0
        if isinstance(reward, int | float):
            by_task.setdefault(row.task_id, []).append(float(reward))
    if not by_task:
        return {}
    means = [math.fsum(by_task[task]) / len(by_task[task]) for task in sorted(by_task)]
    lo, hi = bootstrap([[mean] for mean in means], seed=seed)
    value = math.fsum(means) / len(means)
    return {"workspace.reward": Metric(value=value, lo=lo, hi=hi, n=len(means))}


def _rows(candidates: Sequence[Judged]) -> list[Verdict]:
    return [c.verdicts[ORACLE] for c in candidates if ORACLE in c.verdicts]


def _route(row: Verdict) -> str:
    return str(row.measures.get("workspace.route") or _BY_OUTCOME.get(row.outcome, "fail"))
