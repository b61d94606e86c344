"""Where candidates fail: axes on which they diverge, kinds of compile errors, reasons of the other outcomes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from solexp.core import Outcome
from solexp.metrics.scores import Judged, combined

PREFIX = "diverges."
OTHERS = "others"

REASONED = (
    Outcome.HARNESS_ERROR,
    Outcome.UNDECIDABLE,
    Outcome.VACUOUS,
    Outcome.TIMEOUT,
    Outcome.NO_CODE,
)
"""Outcomes whose verdicts give a reason in words."""

REASON_LENGTH = 160

_PARTICULARS = (
    (re.compile(r"'[^']*'|\"[^\"]*\""), "'…'"),
    (re.compile(r"(?<!\S)/\S+"), "PATH"),
    (re.compile(r"\b0x[0-9a-fA-F]+\b"), "0x…"),
    (re.compile(r"(?<![\w…])\d+(?:[.,]\d+)*(?!\w)"), "N"),
)
"""What tells one candidate's reason from another's of the same sort, and what stands for it."""


class AxisShare(msgspec.Struct, frozen=True, kw_only=True):
    """How one axis fails. A candidate that fails on several axes counts on each."""

    candidates: int
    """Failing candidates that diverge on this axis."""
    share: float
    """Of all candidates that fail on replay."""
    calls: int
    """Calls, or values of state, that diverge on this axis."""


class KindShare(msgspec.Struct, frozen=True, kw_only=True):
    """How often one kind of compile error occurs."""

    errors: int
    share: float
    """Of all errors."""
    candidates: int
    """Candidates with at least one such error."""


class CompileErrors(msgspec.Struct, frozen=True, kw_only=True):
    """All errors of the candidates that do not compile."""

    errors: int
    candidates: int
    kinds: dict[str, KindShare]
    """By solexp's taxonomy of SolContractEval's kinds (paper, Table IV)."""
    types: dict[str, KindShare]
    """By the compiler's own class, such as ``TypeError``."""


DIMENSIONS = {
    "return": ("deployment", "status", "return"),
    "storage": ("storage",),
    "events": ("events",),
}
"""SolContractEval's dimensions, by the axes that make them up: it counts the status with the return value."""


def axis_shares(candidates: Iterable[Judged]) -> dict[str, AxisShare]:
    """Shares by axis over the candidates that fail on replay, from their measures ``diverges.<axis>``."""
    failing = _failing(candidates)
    pairs = Counter(axis for axes in failing for axis in axes)
    return {
        axis: AxisShare(
            candidates=count,
            share=count / len(failing),
            calls=sum(axes.get(axis, 0) for axes in failing),
        )
        for axis, count in sorted(pairs.items())
    }


def dimension_shares(candidates: Iterable[Judged]) -> dict[str, float]:
    """Of all (failing candidate, failing dimension) pairs, the share of each dimension."""
    pairs = Counter(
        dimension
        for axes in _failing(candidates)
        for dimension, members in DIMENSIONS.items()
        if any(axis in axes for axis in members)
    )
    return {name: pairs[name] / pairs.total() for name in DIMENSIONS if pairs[name]}


def _failing(candidates: Iterable[Judged]) -> list[dict[str, int]]:
    """The axes on which each candidate that fails on replay diverges, with how often."""
    return [
        {
            name.removeprefix(PREFIX): int(value)
            for name, value in row.measures.items()
            if name.startswith(PREFIX) and isinstance(value, int | float) and value
        }
        for candidate in candidates
        if (row := candidate.verdicts.get("replay")) is not None and row.outcome is Outcome.FAIL
    ]


def compile_errors(candidates: Iterable[Judged]) -> CompileErrors:
    """Shares by kind and by compiler class, from the compile verdicts' evidence ``errors``."""
    per_candidate: list[list[dict[str, object]]] = []
    for candidate in candidates:
        row = candidate.verdicts.get("compile")
        if row is not None and row.outcome is Outcome.COMPILE_ERROR:
            errors = row.evidence.get("errors")
            if isinstance(errors, list):
                per_candidate.append([error for error in errors if isinstance(error, dict)])
    return CompileErrors(
        errors=sum(map(len, per_candidate)),
        candidates=len(per_candidate),
        kinds=_shares(per_candidate, "kind"),
        types=_shares(per_candidate, "type"),
    )


def _shares(per_candidate: list[list[dict[str, object]]], field: str) -> dict[str, KindShare]:
    names = [[str(error.get(field) or OTHERS) for error in errors] for errors in per_candidate]
    errors = Counter(name for row in names for name in row)
    holders = Counter(name for row in names for name in set(row))
    return {
        name: KindShare(errors=count, share=count / errors.total(), candidates=holders[name])
        for name, count in sorted(errors.items(), key=lambda item: (-item[1], item[0]))
    }


def reasons(candidates: Iterable[Judged], deciding: Sequence[str]) -> dict[str, dict[str, int]]:
    """Candidates by `general` reason, the most frequent first, for each of the `REASONED` outcomes that occurs."""
    found: dict[Outcome, Counter[str]] = defaultdict(Counter)
    for candidate in candidates:
        outcome = combined(candidate, deciding)
        if outcome in REASONED:
            rows = [candidate.verdicts[name] for name in deciding]
            said = [row.evidence.get("reason") for row in rows if row.outcome is outcome]
            found[outcome][general(str(next(filter(None, said), "no reason given")))] += 1
    return {
        outcome.value: dict(sorted(found[outcome].items(), key=lambda item: (-item[1], item[0])))
        for outcome in REASONED
        if outcome in found
    }


def general(reason: str) -> str:
    """A reason's first line without names in quotes, paths, addresses and numbers, so that equal ones can be counted.

    >>> general("3 calls of the original succeed, fewer than 5")
    'N calls of the original succeed, fewer than N'
    """
    line = (reason.strip().splitlines() or [""])[0]
    for pattern, word in _PARTICULARS:
        line = pattern.sub(word, line)
    return line if len(line) <= REASON_LENGTH else line[: REASON_LENGTH - 1] + "…"
