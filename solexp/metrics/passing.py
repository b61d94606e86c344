"""Which candidates pass, along which axes; and which tasks are exercised."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from solexp.core import Outcome
from solexp.metrics.decidable import says_open_by
from solexp.metrics.scores import Judged, Passes, combined

EXERCISED_SHARE = 0.5
"""Share of a target's functions that the program must reach for a task to count as exercised."""


def all_but(left: set[str]) -> Callable[[str], bool]:
    return lambda task: task not in left


def is_sample(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome is not Outcome.HARNESS_ERROR


def all_pass(deciding: Sequence[str]) -> Passes:
    """Passing on every deciding oracle."""

    def passes(candidate: Judged) -> bool | None:
        outcome = combined(candidate, deciding)
        return outcome is Outcome.PASS if is_sample(outcome) else None

    return passes


def compiles(candidate: Judged) -> bool | None:
    outcome = combined(candidate, ["compile"])
    return outcome is Outcome.PASS if is_sample(outcome) else None


def analyses(candidate: Judged) -> bool | None:
    compiled = compiles(candidate)
    if compiled is None:
        return None
    return compiled or candidate.verdicts["compile"].measures.get("analysis_ok") is True


def axes_pass(axes: Sequence[str], others: Sequence[str]) -> Passes:
    """Passing if just ``axes`` (and the deployment) decided the replay, and the ``others`` as they do."""
    decisive = ("deployment", *axes)
    # A vacuous task's candidates were measured too: along other axes it may be none.
    measured = (Outcome.PASS, Outcome.FAIL, Outcome.VACUOUS)

    def passes(candidate: Judged) -> bool | None:
        beside = combined(candidate, others) if others else Outcome.PASS
        replay = combined(candidate, ["replay"])
        if not (is_sample(beside) and is_sample(replay)):
            return None
        row = candidate.verdicts["replay"]
        if beside is not Outcome.PASS or replay not in measured or says_open_by(row, axes):
            return False
        measures = row.measures
        if measures.get("truncated") is True:
            return False
        return not any(measures.get(f"diverges.{axis}") for axis in decisive)

    return passes


def exercised_tasks(candidates: Iterable[Judged]) -> set[str]:
    """Tasks whose program reaches enough functions, as the replay oracle measured on the reference."""
    found = set()
    for candidate in candidates:
        if "replay" in candidate.verdicts:
            share = candidate.verdicts["replay"].measures.get("functions_exercised_share")
            if isinstance(share, int | float) and share >= EXERCISED_SHARE:
                found.add(candidate.task_id)
    return found
