"""Which tasks could not be decided, by which oracle, along which axes, and why."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from solexp.core import Outcome, Verdict
from solexp.metrics.failures import general
from solexp.metrics.scores import Judged
from solexp.store.runfolder import TaskRow

STUBS = "stubs_differ"
"""Replay's measure of the axes that tell each stub from the original, such as ``status,return|status``."""

OPEN = (Outcome.UNDECIDABLE, Outcome.VACUOUS)
"""Outcomes that say something about the task, and nothing about the candidate."""


def open_tasks(
    tasks: Iterable[TaskRow], candidates: Iterable[Judged], deciding: Sequence[str]
) -> set[str]:
    """Tasks that some deciding oracle could not decide.

    A candidate that fails beforehand may hide this, so what the data alone tell counts too, when anything but
    compiling decides: else a model's own failures would choose its denominator.
    """
    found = {
        candidate.task_id
        for candidate in candidates
        for name in deciding
        if name in candidate.verdicts and _says_open(candidate.verdicts[name])
    }
    if set(deciding) - {"compile"}:
        found |= {task.id for task in tasks if task.undecidable}
    return found


def _says_open(row: Verdict) -> bool:
    """Whether an oracle could not decide the task, which it may say beside a candidate's own failure."""
    return row.outcome in OPEN or row.measures.get("task_decidable") is False


def open_tasks_along(
    axes: Sequence[str],
    tasks: Iterable[TaskRow],
    candidates: Iterable[Judged],
    others: Sequence[str],
) -> set[str]:
    """Tasks that replay could not decide if just ``axes`` decided, or one of the ``others`` could not as it is."""
    rows = list(candidates)
    found = open_tasks((), rows, others) | {task.id for task in tasks if task.undecidable}
    return found | {
        candidate.task_id
        for candidate in rows
        if "replay" in candidate.verdicts and says_open_by(candidate.verdicts["replay"], axes)
    }


def says_open_by(row: Verdict, axes: Sequence[str]) -> bool:
    """Whether replay could not decide the task if just ``axes`` decided.

    The measure `STUBS` names for each stub the axes that tell it from the original. A verdict without it is of a task
    whose grounds are no matter of axes.
    """
    stubs = row.measures.get(STUBS)
    if isinstance(stubs, str):
        return any(
            not {"deployment", *axes}.intersection(stub.split(",")) for stub in stubs.split("|")
        )
    return _says_open(row)


def open_reasons(
    tasks: Iterable[TaskRow], candidates: Iterable[Judged], deciding: Sequence[str]
) -> dict[str, dict[str, int]]:
    """The `open_tasks` by outcome and `general` reason, the most frequent first."""
    rows, judged = list(tasks), list(candidates)
    said: dict[str, tuple[Outcome, str]] = {}
    for candidate in judged:
        for name in deciding:
            verdict = candidate.verdicts.get(name)
            found = open_reason(verdict) if verdict is not None else None
            if found is not None:
                said.setdefault(candidate.task_id, found)
    for task in rows:
        if task.undecidable:
            said.setdefault(task.id, (Outcome.UNDECIDABLE, task.undecidable))
    nothing = (Outcome.UNDECIDABLE, "no reason given")
    counts: dict[Outcome, Counter[str]] = defaultdict(Counter)
    for name in open_tasks(rows, judged, deciding):
        outcome, reason = said.get(name, nothing)
        counts[outcome][general(reason)] += 1
    return {
        outcome.value: dict(sorted(counts[outcome].items(), key=lambda item: (-item[1], item[0])))
        for outcome in OPEN
        if outcome in counts
    }


def open_reason(row: Verdict) -> tuple[Outcome, str] | None:
    """How and why an oracle could not decide the task, also where the candidate failed before that mattered."""
    if row.outcome in OPEN:
        return row.outcome, str(row.evidence.get("reason") or "no reason given")
    outcome, reason = row.measures.get("task_outcome"), row.measures.get("task_reason")
    if outcome in OPEN:
        return Outcome(str(outcome)), str(reason or "no reason given")
    return None
