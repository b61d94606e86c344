"""One metric of one run, task by task: what a comparison is made of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import msgspec

from solexp.core import Batch, UserError, Verdict
from solexp.core.errors import nearest
from solexp.evm.compare import AXIS_SETS
from solexp.metrics.decidable import open_tasks, open_tasks_along
from solexp.metrics.estimators import pass_at_k
from solexp.metrics.passing import (
    all_pass,
    analyses,
    axes_pass,
    compiles,
    exercised_tasks,
)
from solexp.metrics.rejection import SHARES_BY_TASK, share_counts
from solexp.metrics.rounds import at_round
from solexp.metrics.scores import Counts, Passes, counts, judged
from solexp.metrics.sizes import part_groups
from solexp.store.runfolder import TaskRow

_METRIC = re.compile(
    r"(?:axes\.(?P<axes>\w+)\.)?(?P<over>decidable\.|exercised\.|(?:category|series|functions)\..+\.)?"
    r"(?P<score>analysis_compile|compile|pass)_at_(?P<k>\d+)"
)


class ByTask(msgspec.Struct, frozen=True, kw_only=True):
    """Samples and passes of a metric for each task, and the tasks that the metric is over."""

    counts: Counts
    k: int
    left_out: frozenset[str]
    """Tasks that the metric does not concern."""


def by_task(
    metric: str,
    tasks: Sequence[TaskRow],
    verdicts: Sequence[Verdict],
    batches: Sequence[Batch],
    oracles: Mapping[str, bool],
) -> ByTask:
    """The samples and passes behind ``metric``, as `solexp.metrics.summary.summarise` counts them.

    ``oracles`` tells by name whether an oracle decides. Raises UserError when the run has no such metric.
    """
    if metric in SHARES_BY_TASK:
        table = share_counts(metric, judged(at_round(verdicts)))
        if table:
            return ByTask(counts=table, k=1, left_out=frozenset())
    found = _METRIC.fullmatch(metric)
    batch = next((b for b in batches if found and int(found["k"]) in b.ks), None)
    if found is None or batch is None or (found["axes"] and found["axes"] not in AXIS_SETS):
        known = [f"{score}_at_{k}" for score in ("pass", "compile") for b in batches for k in b.ks]
        known += [f"decidable.{name}" for name in known if name.startswith("pass")]
        raise UserError(f"metric '{metric}': no run has it; {nearest(metric, known)}")
    candidates = judged(at_round(verdicts))
    deciding = [name for name, decides in oracles.items() if decides]
    axes = AXIS_SETS[found["axes"]] if found["axes"] else ()
    others = [name for name in deciding if name != "replay"]
    scores: dict[str, Passes] = {
        "pass": axes_pass(axes, others) if axes else all_pass(deciding),
        "compile": compiles,
        "analysis_compile": analyses,
    }
    over = found["over"] or ""
    ids = {task.id for task in tasks}
    left: set[str] = set()
    if over in ("decidable.", "exercised."):
        left = (
            open_tasks_along(axes, tasks, candidates, others)
            if axes
            else open_tasks(tasks, candidates, deciding)
        )
    if over == "exercised.":
        left |= ids - exercised_tasks(candidates)
    if over.startswith(("category.", "series.", "functions.")):
        parts = part_groups(tasks)
        if over not in parts:
            raise UserError(f"metric '{metric}': no such part; {nearest(over, parts)}")
        left = {task for task in ids if not parts[over](task)}
    table = counts((c for c in candidates if c.batch == batch.name), scores[found["score"]])
    return ByTask(counts=table, k=int(found["k"]), left_out=frozenset(left))


def restricted(table: Counts, belongs: Callable[[str], bool]) -> Counts:
    """The counts of the tasks that belong."""
    return {task: row for task, row in table.items() if belongs(task)}


def task_scores(table: Counts, k: int) -> dict[str, float]:
    """Pass@k of each task that has at least k samples; the mean over repeats where there are several."""
    found = {}
    for task, row in table.items():
        scores = [s for n, c in row.values() if (s := pass_at_k(n, c, k)) is not None]
        if scores:
            found[task] = sum(scores) / len(scores)
    return found


def is_single(table: Counts) -> bool:
    """Whether each task has one sample and no more."""
    return all(sum(n for n, _ in row.values()) <= 1 for row in table.values())
