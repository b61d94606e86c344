"""Contract-violating tests (ContractEval, §4.1): AVC, TS, and the exact set, over tests and over tasks."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from solexp.core import Outcome, Verdict
from solexp.metrics.estimators import bootstrap, wilson
from solexp.metrics.scores import Judged, Metric

ORACLE = "cvt"
_SHARES = {
    "avc": ("cvt.rejected", "cvt.tests"),
    "ts": ("cvt.specific", "cvt.tests"),
    "exact_set": ("cvt.exact", "cvt.tests"),
}
"""The scores: a sum, and the number of tests it is over."""
_COVERAGE = {
    "combinations": ("cvt.combinations_covered", "cvt.combinations"),
    "assertions": ("cvt.assertions_covered", "cvt.assertions"),
    "accepted": ("cvt.valid_accepted", "cvt.valid"),
}
_RELEASE = {
    "release.avc": ("cvt.release.right", "cvt.release.tests"),
    "release.ts": ("cvt.release.specific", "cvt.release.targeted"),
    "release.ts_merged": ("cvt.release.merged", "cvt.release.targeted"),
}
_COUNTS = (
    "tests",
    "rejected",
    "exact",
    "refused",
    "unreadable",
    "valid",
    "unsupported",
    "unsat",
    "unknown",
    "timeout",
)


class CvtCounts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Contract-violating tests of a run, all candidates together; see `solexp.oracles.cvt.Cvt`."""

    tests: int = 0
    rejected: int = 0
    exact: int = 0
    refused: int = 0
    """Tests whose claim CPython does not bear out."""
    unreadable: int = 0
    valid: int = 0
    unsupported: int = 0
    """Assertions that the generator cannot translate."""
    unsat: int = 0
    unknown: int = 0
    timeout: int = 0
    """Combinations by the generator's own word."""
    untranslated_tasks: int = 0
    """Tasks with an assertion that is not translated, or with no test at all."""
    constructs: dict[str, tuple[str, ...]] = {}
    """By construct that is not translated: the assertions, as ``TASK assert_NUMBER``."""


def cvt_metrics(candidates: Iterable[Judged], *, seed: int) -> dict[str, Metric]:
    """What the oracle ``cvt`` found, over the samples of all batches; empty without it.

    ``cvt.avc``
        The share of tests that the contract-aware reference refuses with AssertionError.
    ``cvt.ts``
        The mean over tests of the share of its own targets that fire, each assertion standing alone.
    ``cvt.exact_set``
        The share of tests of which every target fires alone and every other assertion stays silent.
    ``cvt.avc_by_task`` and so on
        The mean over tasks with a test, each with the same weight.
    ``cvt.avc_all`` and so on
        The same over all tasks, where one that is not wholly translated, or has no test, counts as 0.
    ``cvt.translated``
        The share of tasks that are wholly translated and have a test.
    ``cvt.combinations``, ``cvt.assertions``
        The share of combinations that have an input which some test hits; of assertions which some test makes fire.
    ``cvt.accepted``
        The share of inputs meant to satisfy everything on which no assertion fires.
    ``cvt.release.avc``, ``cvt.release.ts``, ``cvt.release.ts_merged``
        By the release's formulas, the last with its merged lists of targets.
    """
    tasks = _by_task(candidates)
    if not tasks:
        return {}
    found: dict[str, Metric] = {}
    for name, (above, below) in (_SHARES | _COVERAGE | _RELEASE).items():
        sums = [(_sum(rows, above), _sum(rows, below)) for rows in tasks.values()]
        _put(found, f"cvt.{name}", [pair for pair in sums if pair[1]], seed)
    for name, (above, below) in _SHARES.items():
        means = {task: _mean(rows, above, below) for task, rows in tasks.items()}
        _put(
            found, f"cvt.{name}_by_task", [(m, 1.0) for m in means.values() if m is not None], seed
        )
        counted = [
            (mean if mean is not None and _translated(tasks[task]) else 0.0, 1.0)
            for task, mean in means.items()
        ]
        _put(found, f"cvt.{name}_all", counted, seed)
    whole = [(float(_translated(rows)), 1.0) for rows in tasks.values()]
    _put(found, "cvt.translated", whole, seed)
    return found


def cvt_counts(candidates: Iterable[Judged]) -> CvtCounts | None:
    """All tests together; None without the oracle ``cvt``."""
    tasks = _by_task(candidates)
    if not tasks:
        return None
    counts = {
        name: int(sum(_sum(rows, f"cvt.{name}") for rows in tasks.values())) for name in _COUNTS
    }
    constructs: dict[str, list[str]] = {}
    for task, rows in tasks.items():
        for row in rows:
            said = row.evidence.get("unsupported")
            for number, construct in said.items() if isinstance(said, Mapping) else ():
                where = constructs.setdefault(str(construct), [])
                if (name := f"{task} assert_{number}") not in where:
                    where.append(name)
    order = Counter({construct: len(where) for construct, where in constructs.items()})
    return CvtCounts(
        **counts,
        untranslated_tasks=sum(not _translated(rows) for rows in tasks.values()),
        constructs={
            construct: tuple(constructs[construct]) for construct, _ in order.most_common()
        },
    )


def _by_task(candidates: Iterable[Judged]) -> dict[str, list[Verdict]]:
    """The verdicts of the oracle by task, in the tasks' order; without faults of the harness."""
    found: dict[str, list[Verdict]] = {}
    for candidate in candidates:
        row = candidate.verdicts.get(ORACLE)
        if row is not None and row.outcome is not Outcome.HARNESS_ERROR:
            found.setdefault(candidate.task_id, []).append(row)
    return dict(sorted(found.items()))


def _sum(rows: Sequence[Verdict], measure: str) -> float:
    return math.fsum(float(row.measures.get(measure) or 0) for row in rows)


def _mean(rows: Sequence[Verdict], above: str, below: str) -> float | None:
    """The mean over samples that have a test; None when none has."""
    shares = [_sum([row], above) / size for row in rows if (size := _sum([row], below))]
    return math.fsum(shares) / len(shares) if shares else None


def _translated(rows: Sequence[Verdict]) -> bool:
    return all(
        row.measures.get("cvt.tests") and not row.measures.get("cvt.unsupported") for row in rows
    )


def _put(
    found: dict[str, Metric], name: str, pairs: Sequence[tuple[float, float]], seed: int
) -> None:
    """A ratio of sums over tasks with its interval; nothing of no tasks."""
    if not pairs:
        return
    value = math.fsum(above for above, _ in pairs) / math.fsum(below for _, below in pairs)
    if value in (0.0, 1.0):
        lo, hi = wilson(round(value * len(pairs)), len(pairs))
    else:
        lo, hi = bootstrap(
            [[above] for above, _ in pairs], [[below] for _, below in pairs], seed=seed
        )
    found[name] = Metric(value=value, lo=lo, hi=hi, n=len(pairs))
