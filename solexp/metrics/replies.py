"""Replies that hold no candidate: refused, empty, cut off, too long a prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from solexp.core import NoCode, Outcome
from solexp.metrics.passing import is_sample
from solexp.metrics.scores import Judged, Metric, combined, counts, metric_at_k

SHARES = {
    "no_code_share": frozenset(reason.value for reason in NoCode),
    "refused_share": frozenset({NoCode.REFUSED.value}),
    "empty_share": frozenset({NoCode.EMPTY.value}),
    "truncated_share": frozenset({NoCode.TRUNCATED.value}),
    "prompt_too_long_share": frozenset({NoCode.PROMPT_TOO_LONG.value}),
}
"""The reasons for having no code that each metric counts."""


def reply_metrics(
    candidates: Iterable[Judged], deciding: Sequence[str], *, seed: int
) -> dict[str, Metric]:
    """The mean over tasks of the share of replies without code, and by reason."""
    rows = list(candidates)
    found = {}
    for name, reasons in SHARES.items():
        metric = metric_at_k(counts(rows, _without_code(deciding, reasons)), 1, seed=seed)
        if metric is not None:
            found[name] = metric
    return found


def _without_code(
    deciding: Sequence[str], reasons: frozenset[str]
) -> Callable[[Judged], bool | None]:
    def counted(candidate: Judged) -> bool | None:
        outcome = combined(candidate, deciding)
        if not is_sample(outcome):
            return None
        if outcome is not Outcome.NO_CODE:
            return False
        rows = [candidate.verdicts[name] for name in deciding]
        said = {str(r.evidence.get("reason")) for r in rows if r.outcome is Outcome.NO_CODE}
        return len(reasons) == len(NoCode) or bool(said & reasons)

    return counted
