"""What is said to a model about its answer."""

from __future__ import annotations

from typing import Literal

from solexp.core import Divergence, Outcome, Verdict
from solexp.solidity.comments import blanked_comments
from solexp.solidity.splice import splice
from solexp.strategies.base import Attempt

Source = Literal["compiler", "oracle", "always"]
"""Whose word another round waits for: the compiler's errors, any deciding oracle's failure, or nobody's."""

_FAILED = (Outcome.FAIL, Outcome.COMPILE_ERROR, Outcome.TIMEOUT)


def is_wanted(attempt: Attempt, source: Source) -> bool:
    """Whether an answer that holds code came out so that ``source`` asks for another round."""
    if attempt.candidate.code is None:
        return False
    if source == "always":
        return True
    found = {verdict.outcome for verdict in attempt.verdicts}
    if source == "compiler":
        return Outcome.COMPILE_ERROR in found
    return not found.isdisjoint(_FAILED)


def feedback(attempt: Attempt, errors: int = 1) -> str:
    """What is known to be wrong: the first ``errors`` of the compiler's, else the first divergence, else the reason.

    Only what the oracles reported, and of each error the line it is in, without comments: these may be the original's.
    """
    for verdict in attempt.verdicts:
        if verdict.outcome is Outcome.COMPILE_ERROR:
            return _compiler_said(attempt, verdict, errors)
    for verdict in attempt.verdicts:
        if verdict.divergence is not None:
            return _differs(verdict.divergence)
    for verdict in attempt.verdicts:
        if verdict.outcome in _FAILED:
            return f"It fails the check '{verdict.oracle}': {verdict.evidence.get('reason', verdict.outcome.value)}"
    return ""


def errors_of(attempt: Attempt) -> list[dict[str, object]]:
    """The compiler's errors as the verdicts' evidence has them."""
    for verdict in attempt.verdicts:
        found = verdict.evidence.get("errors")
        if verdict.outcome is Outcome.COMPILE_ERROR and isinstance(found, list):
            return [error for error in found if isinstance(error, dict)]
    return []


def _compiler_said(attempt: Attempt, verdict: Verdict, errors: int) -> str:
    found = verdict.evidence.get("errors")
    if not isinstance(found, list):
        return "It does not compile."
    sources = splice(attempt.task, attempt.candidate.code or "")
    lines = []
    for error in found[:errors]:
        if not isinstance(error, dict):
            continue
        lines.append(f"{error.get('type')}: {error.get('message')}")
        text = blanked_comments(sources.get(str(error.get("path")), "")).split("\n")
        line = error.get("line")
        if isinstance(line, int) and 0 < line <= len(text) and (shown := text[line - 1].strip()):
            lines.append(f"    {shown}")
    return "\n".join(lines)


def _differs(divergence: Divergence) -> str:
    where = divergence.function or (
        "the deployment" if divergence.index is None else f"call {divergence.index}"
    )
    return (
        f"When it was run, {where} went wrong ({divergence.axis}): "
        f"expected {divergence.expected}, got {divergence.got}."
    )
