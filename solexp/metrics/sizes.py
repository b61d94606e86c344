"""Parts of the tasks that are scored by themselves: by the contract's size (SolBehave's Table VII), kind and age."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from solexp.core import Generation
from solexp.metrics.passing import compiles
from solexp.metrics.scores import Judged, Metric, counts, metric_at_k
from solexp.metrics.spent import paid_replies
from solexp.store.runfolder import TaskRow

Groups = dict[str, Callable[[str], bool]]
"""Whether a task id belongs, by the prefix of the metrics that are over such tasks."""

STEP = 5
"""Functions that a class of sizes spans."""


def size_class(functions: int) -> str:
    """The class of a contract with so many functions.

    >>> size_class(5), size_class(6)
    ('1-5', '6-10')
    """
    first = (functions - 1) // STEP * STEP + 1
    return f"{first}-{first + STEP - 1}"


def sizes(tasks: Iterable[TaskRow]) -> dict[str, set[str]]:
    """The tasks of each class of sizes, the smallest class first; tasks whose size is not known are in none."""
    found: dict[str, set[str]] = {}
    for task in sorted(tasks, key=lambda row: row.functions):
        if task.functions > 0:
            found.setdefault(size_class(task.functions), set()).add(task.id)
    return found


def size_metrics(
    tasks: Sequence[TaskRow], candidates: Iterable[Judged], *, seed: int
) -> dict[str, Metric]:
    """``functions.<class>.compile_rate``: the mean over a class's tasks of the share of samples that compile."""
    table = counts(candidates, compiles)
    found = {}
    for name, members in sizes(tasks).items():
        part = {task: row for task, row in table.items() if task in members}
        metric = metric_at_k(part, 1, seed=seed)
        if metric is not None:
            found[f"functions.{name}.compile_rate"] = metric
    return found


def seconds_per_compiling(
    tasks: Sequence[TaskRow], candidates: Iterable[Judged], generations: Iterable[Generation]
) -> dict[str, float]:
    """Seconds of generating for each sample that compiles in the end, by class of sizes; none where none compiles."""
    of_task: dict[str, list[Generation]] = {}
    for row in generations:
        of_task.setdefault(row.task_id, []).append(row)
    spent = {
        task: [reply.seconds for reply in paid_replies(rows)] for task, rows in of_task.items()
    }
    compiling: dict[str, int] = {}
    for candidate in candidates:
        if compiles(candidate):
            compiling[candidate.task_id] = compiling.get(candidate.task_id, 0) + 1
    found = {}
    for name, members in sizes(tasks).items():
        count = sum(compiling.get(task, 0) for task in members)
        total = math.fsum(each for task in sorted(members) for each in spent.get(task, ()))
        if count and total:
            found[name] = total / count
    return found


def part_groups(tasks: Iterable[TaskRow]) -> Groups:
    """Task groups by category, compiler series and number of functions; MLflow takes the prefixes in metric names."""
    rows = list(tasks)
    members = {f"functions.{size}.": ids for size, ids in sizes(rows).items()}
    for task in rows:
        for kind, value in (("category", task.category), ("series", task.series)):
            if value:
                legal = re.sub(r"[^\w.:/ -]", "_", value)
                members.setdefault(f"{kind}.{legal}.", set()).add(task.id)
    return {prefix: members[prefix].__contains__ for prefix in sorted(members)}


def cutoff_groups(tasks: Iterable[TaskRow], cutoff: str | None) -> Groups:
    """The tasks whose contract was deployed up to the month ``cutoff`` (``YYYY-MM``) of a model, and those after it.

    Empty where no cut-off is stated. Tasks without a recorded date are in neither.
    """
    if cutoff is None:
        return {}
    dated: Mapping[str, str] = {task.id: task.deployed[:7] for task in tasks if task.deployed}
    before = {task for task, month in dated.items() if month <= cutoff}
    return {
        "before_cutoff.": before.__contains__,
        "after_cutoff.": (dated.keys() - before).__contains__,
    }


def stated_cutoff(config: Mapping[str, Any]) -> str | None:
    """The cut-off that a run's configuration states of its model, or None."""
    model = config.get("model")
    cutoff = model.get("cutoff") if isinstance(model, Mapping) else None
    return str(cutoff) if cutoff else None
