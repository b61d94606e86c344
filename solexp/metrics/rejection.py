"""ContractEval's metrics of Python functions: constraint satisfaction (CSR), over-rejection, and inputs that match."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from solexp.core import Batch, Outcome, Verdict
from solexp.metrics.agreement import agreement
from solexp.metrics.overlap import mean_over_tasks
from solexp.metrics.scores import Counts, Judged, Metric, metric_at_k, metrics_at_k
from solexp.metrics.static import share_of_samples

ORACLE = "rejection"
INPUTS = "inputs"

_SHARES = {
    "csr": ("rejection.refused", "rejection.cvts"),
    "rejection": ("rejection.refused_anyhow", "rejection.cvts"),
    "over_rejection": ("rejection.over_refused_anyhow", "rejection.valid"),
    "over_rejection_assertion": ("rejection.over_refused", "rejection.valid"),
}
"""By metric: the measure that is counted, and the one that it is a share of."""
_ALIKE = (
    "assertion_codebleu",
    "assertion_ngrams",
    "assertion_weighted_ngrams",
    "assertion_syntax",
    "assertion_dataflow",
)


def rejection_metrics(candidates: Iterable[Judged], *, seed: int) -> dict[str, Metric]:
    """What the oracle ``rejection`` measured, over the samples of all batches; empty without it.

    ``csr``
        The share of all contract-violating tests together that candidates refuse with AssertionError.
    ``rejection``
        The same with any exception.
    ``over_rejection``, ``over_rejection_assertion``
        The share of valid inputs that candidates refuse with any exception, and with AssertionError.
    ``csr_by_task``, ``rejection_by_task``, …
        The mean over tasks of the share in each.

    ``assertion_codebleu``, and its parts ``assertion_ngrams``, ``assertion_weighted_ngrams``, …
        Means over tasks of how alike the candidates' assertions are to the contract's (`solexp.python.codebleu`).

    A candidate without code refuses nothing. Tasks without tests are missing.
    """
    rows = list(candidates)
    found: dict[str, Metric | None] = {}
    for name in _SHARES:
        table = share_counts(f"{name}_by_task", rows)
        found[name] = share_of_samples(table, seed=seed)
        found[f"{name}_by_task"] = metric_at_k(table, 1, seed=seed)
    for name in _ALIKE:
        found[name] = mean_over_tasks(rows, partial(_likeness, name), seed)
    return {name: metric for name, metric in found.items() if metric is not None}


def _likeness(name: str, candidate: Judged) -> float | None:
    row = _told(candidate, ORACLE)
    value = row.measures.get(f"{ORACLE}.{name}") if row is not None else None
    return float(value) if isinstance(value, int | float) else None


SHARES_BY_TASK = {
    **{f"{name}_by_task": (ORACLE, *measures) for name, measures in _SHARES.items()},
    "plus_share": (INPUTS, "inputs.plus_matched", "inputs.plus"),
}
"""By metric that is a mean over tasks: the oracle, and the measures that make up each task's share."""


def share_counts(metric: str, candidates: Iterable[Judged]) -> Counts:
    """(Whole, part) of one of `SHARES_BY_TASK` by task and repeat, summed over samples; empty without its oracle."""
    oracle, part, whole = SHARES_BY_TASK[metric]
    table: dict[str, dict[int, tuple[int, int]]] = {}
    for candidate in candidates:
        row = _told(candidate, oracle)
        if row is not None:
            cell = table.setdefault(row.task_id, {})
            n, c = cell.get(row.repeat, (0, 0))
            cell[row.repeat] = n + _count(row.measures, whole), c + _count(row.measures, part)
    return {task: dict(sorted(row.items())) for task, row in sorted(table.items())}


def input_metrics(
    candidates: Sequence[Judged], batches: Sequence[Batch], *, seed: int
) -> dict[str, Metric]:
    """What the oracle ``inputs`` measured; empty without it.

    ``base.pass_at_k``
        Passing on the base inputs alone.
    ``plus_share``
        The mean over tasks of the share of plus inputs that match: what ContractEval's release calls pass@1.
    """
    table = share_counts("plus_share", candidates)
    if not table:
        return {}

    def passes(candidate: Judged) -> bool | None:
        row = _told(candidate, INPUTS)
        if row is None:
            return None
        return (
            row.outcome not in (Outcome.NO_CODE, Outcome.VACUOUS)
            and row.measures["inputs.base_matched"] == row.measures["inputs.base"]
        )

    found = metrics_at_k("pass", candidates, passes, batches, {"base.": lambda _: True}, seed=seed)
    share = metric_at_k(table, 1, seed=seed)
    return found if share is None else found | {"plus_share": share}


def judge_metrics(candidates: Iterable[Judged], *, seed: int) -> dict[str, Metric]:
    """How far the oracle ``judge`` and tests agree on which assertions candidates enforce; empty without it.

    ``judge.agreement`` is the share of all candidates' assertions that both see alike; ``judge.kappa`` is Cohen's
    kappa, between -1 and 1.
    """
    said: dict[str, list[bool]] = {}
    shown: dict[str, list[bool]] = {}
    for candidate in candidates:
        row = _told(candidate, "judge")
        if row is not None and isinstance(row.evidence.get("judge"), list):
            said.setdefault(row.task_id, []).extend(_bools(row.evidence["judge"]))
            shown.setdefault(row.task_id, []).extend(_bools(row.evidence["tests"]))
    found = agreement(said, shown, seed=seed)
    if found is None:
        return {}
    share = Metric(value=found.share, lo=None, hi=None, n=found.tasks)
    if found.kappa is None:
        return {"judge.agreement": share}
    kappa = Metric(value=found.kappa, lo=found.lo, hi=found.hi, n=found.tasks)
    return {"judge.agreement": share, "judge.kappa": kappa}


def _bools(values: object) -> list[bool]:
    return [bool(each) for each in values] if isinstance(values, list) else []


def _told(candidate: Judged, oracle: str) -> Verdict | None:
    row = candidate.verdicts.get(oracle)
    return None if row is None or row.outcome is Outcome.HARNESS_ERROR else row


def _count(measures: Mapping[str, object], name: str) -> int:
    value = measures.get(name)
    return value if isinstance(value, int) else 0
