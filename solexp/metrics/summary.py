"""The summary of a run: every metric, outcome counts, and where candidates fail."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from solexp.core import Batch, Generation, Outcome, Verdict
from solexp.evm.compare import AXIS_SETS
from solexp.metrics.decidable import open_reasons, open_tasks, open_tasks_along, says_open_by
from solexp.metrics.failures import (
    AxisShare,
    CompileErrors,
    axis_shares,
    compile_errors,
    dimension_shares,
    reasons,
)
from solexp.metrics.scores import (
    Judged,
    Metric,
    Passes,
    check_batches,
    combined,
    judged,
    metrics_at_k,
)
from solexp.store.runfolder import TaskRow

Groups = dict[str, Callable[[str], bool]]

SCHEMA = 1

SCORED_AXES = {name: axes for name, axes in AXIS_SETS.items() if "gas" not in axes}
"""Choices of axes that are scored beside the one that decides; gas never fails anybody here."""

EXERCISED_SHARE = 0.5
"""Share of a target's functions that the program must reach for a task to count as exercised."""


class OracleCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What one oracle said."""

    decides: bool
    outcomes: dict[str, int]


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens and money of all generations; None when not every generation states it."""

    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None


class Seconds(msgspec.Struct, frozen=True, kw_only=True):
    """Time, in seconds, summed over candidates. The one part that differs between equal runs."""

    generating: float | None
    judging: float


class Gas(msgspec.Struct, frozen=True, kw_only=True):
    """Gas, which is flagged and by default fails nobody."""

    flagged: int
    """Candidates with a successful call whose gas leaves the reference's by more than the tolerance."""
    passing_out_of_gas: int
    """Passing candidates that would have run out at a recorded limit where the reference fits."""


class Fidelity(msgspec.Struct, frozen=True, kw_only=True):
    """How far the references, replayed here, agree with what the chain recorded; each task counts once."""

    tasks: int
    """Tasks whose reference was replayed."""
    exact_tasks: int
    """Of these, tasks on which every recorded status is reproduced."""
    calls: int
    """Calls with a recorded status."""
    statuses: int
    """Of these, calls whose status is the recorded one."""
    successes: int
    """Calls that succeed both on the chain and here."""
    gas: int
    """Of these, calls whose gas equals the recorded figure to the unit."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """``summary.json``."""

    schema: int = SCHEMA
    metrics: dict[str, Metric]
    outcomes: dict[str, int]
    """Candidates by outcome over the deciding oracles together."""
    oracles: dict[str, OracleCounts]
    tasks: int
    decidable_tasks: int
    """Tasks with a sample that can be scored, and that no deciding oracle left open."""
    candidates: int
    unjudged: int
    """Candidates that lack the verdict of a deciding oracle; in no score."""
    missing_tasks: tuple[str, ...]
    """Tasks with no sample that could be scored; in no denominator."""
    failing_axes: dict[str, AxisShare]
    failing_dimensions: dict[str, float]
    """Shares of SolContractEval's three dimensions among those that fail; they sum to 1."""
    compile_errors: CompileErrors
    reasons: dict[str, dict[str, int]]
    """By outcome that is neither ``pass``, ``fail`` nor ``compile_error``: candidates by reason."""
    open_tasks: dict[str, dict[str, int]] = {}
    """By ``undecidable`` and ``vacuous``: tasks by reason, also those of which no candidate could be run."""
    gas: Gas
    fidelity: Fidelity
    usage: Usage
    seconds: Seconds
    batches: tuple[Batch, ...]


def summarise(
    tasks: Sequence[TaskRow],
    verdicts: Sequence[Verdict],
    batches: Sequence[Batch],
    *,
    seed: int,
    oracles: Mapping[str, bool],
    generations: Iterable[Generation] = (),
) -> Summary:
    """Everything that is said about a run; the same whatever the order of its rows.

    ``oracles`` tells by name whether an oracle decides. The scores, all shares in [0, 1]:

    ``pass_at_k``
        A candidate passes when every deciding oracle passes it. The mean is over all tasks: an ``undecidable`` or
        ``vacuous`` verdict is no pass. A ``harness_error`` is no sample at all; a task left with n < k is missing.
    ``decidable.pass_at_k``
        Over the tasks that every deciding oracle could decide.
    ``exercised.pass_at_k``
        Over the decidable tasks whose program reaches at least half of the target's functions.
    ``compile_at_k``, ``analysis_compile_at_k``
        Over all tasks; strictly (code was generated), and counting candidates that only code generation refused.
    ``axes.<set>.pass_at_k``, ``axes.<set>.decidable.pass_at_k``
        What ``pass_at_k`` would be if that choice of axes decided, vacuity included.
    ``category.<name>.…``, ``series.<name>.…``
        The same over a category or a compiler series.

    Raises UserError when two batches serve one k, or k = 1 would come from nucleus samples.
    """
    check_batches(batches)
    candidates = judged(verdicts)
    deciding = [name for name, decides in oracles.items() if decides]
    outcomes = [combined(candidate, deciding) for candidate in candidates]
    undecided = open_tasks(tasks, candidates, deciding)
    exercised = _exercised(candidates) - undecided

    everything: Groups = {"": lambda _: True}
    decidable: Groups = {"decidable.": _all_but(undecided)}
    well_exercised: Groups = {"exercised.": exercised.__contains__}
    parts = _parts(tasks)

    def score(name: str, passes: Passes, groups: Groups) -> dict[str, Metric]:
        return metrics_at_k(name, candidates, passes, batches, groups, seed=seed)

    metrics: dict[str, Metric] = {}
    if deciding:
        groups = everything | decidable | well_exercised | parts
        metrics |= score("pass", _all_pass(deciding), groups)
    if "compile" in oracles:
        metrics |= score("compile", _compiles, everything | parts)
        metrics |= score("analysis_compile", _analyses, everything)
    if "replay" in oracles:
        others = [name for name in deciding if name != "replay"]
        for axes, members in SCORED_AXES.items():
            left_open = open_tasks_along(members, tasks, candidates, others)
            groups = {
                f"axes.{axes}.": everything[""],
                f"axes.{axes}.decidable.": _all_but(left_open),
            }
            metrics |= score("pass", _axes_pass(members, others), groups)

    scored = {c.task_id for c, o in zip(candidates, outcomes, strict=True) if _is_sample(o)}
    rows = list(generations)
    return Summary(
        metrics=metrics,
        outcomes=_count(outcomes),
        oracles={
            name: OracleCounts(
                decides=decides,
                outcomes=_count(c.verdicts[name].outcome for c in candidates if name in c.verdicts),
            )
            for name, decides in oracles.items()
        },
        tasks=len(tasks),
        decidable_tasks=sum(task.id in scored - undecided for task in tasks),
        candidates=len(candidates),
        unjudged=outcomes.count(None),
        missing_tasks=tuple(sorted(task.id for task in tasks if task.id not in scored)),
        failing_axes=axis_shares(candidates),
        failing_dimensions=dimension_shares(candidates),
        compile_errors=compile_errors(candidates),
        reasons=reasons(candidates, deciding),
        open_tasks=open_reasons(tasks, candidates, deciding),
        gas=_gas(candidates, outcomes),
        fidelity=_fidelity(candidates),
        usage=_usage(rows),
        seconds=Seconds(
            generating=math.fsum(row.completion.seconds for row in rows) if rows else None,
            judging=math.fsum(row.seconds for c in candidates for row in c.verdicts.values()),
        ),
        batches=tuple(batches),
    )


def _all_but(left: set[str]) -> Callable[[str], bool]:
    return lambda task: task not in left


def _is_sample(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome is not Outcome.HARNESS_ERROR


def _all_pass(deciding: Sequence[str]) -> Passes:
    """Passing on every deciding oracle."""

    def passes(candidate: Judged) -> bool | None:
        outcome = combined(candidate, deciding)
        return outcome is Outcome.PASS if _is_sample(outcome) else None

    return passes


def _compiles(candidate: Judged) -> bool | None:
    outcome = combined(candidate, ["compile"])
    return outcome is Outcome.PASS if _is_sample(outcome) else None


def _analyses(candidate: Judged) -> bool | None:
    compiles = _compiles(candidate)
    if compiles is None:
        return None
    return compiles or candidate.verdicts["compile"].measures.get("analysis_ok") is True


def _axes_pass(axes: Sequence[str], others: Sequence[str]) -> Passes:
    """Passing if just ``axes`` (and the deployment) decided the replay, and the ``others`` as they do."""
    decisive = ("deployment", *axes)
    # A vacuous task's candidates were measured too: along other axes it may be none.
    measured = (Outcome.PASS, Outcome.FAIL, Outcome.VACUOUS)

    def passes(candidate: Judged) -> bool | None:
        beside = combined(candidate, others) if others else Outcome.PASS
        replay = combined(candidate, ["replay"])
        if not (_is_sample(beside) and _is_sample(replay)):
            return None
        row = candidate.verdicts["replay"]
        if beside is not Outcome.PASS or replay not in measured or says_open_by(row, axes):
            return False
        measures = row.measures
        if measures.get("truncated") is True:
            return False
        return not any(measures.get(f"diverges.{axis}") for axis in decisive)

    return passes


def _exercised(candidates: Iterable[Judged]) -> set[str]:
    """Tasks whose program reaches enough functions, as the replay oracle measured on the reference."""
    found = set()
    for candidate in candidates:
        if "replay" in candidate.verdicts:
            share = candidate.verdicts["replay"].measures.get("functions_exercised_share")
            if isinstance(share, int | float) and share >= EXERCISED_SHARE:
                found.add(candidate.task_id)
    return found


def _parts(tasks: Iterable[TaskRow]) -> Groups:
    """Task groups by category and compiler series, under prefixes that MLflow takes as metric names."""
    members: dict[str, set[str]] = {}
    for task in tasks:
        for kind, value in (("category", task.category), ("series", task.series)):
            if value:
                legal = re.sub(r"[^\w.:/ -]", "_", value)
                members.setdefault(f"{kind}.{legal}.", set()).add(task.id)
    return {prefix: members[prefix].__contains__ for prefix in sorted(members)}


def _count(outcomes: Iterable[Outcome | None]) -> dict[str, int]:
    table = Counter(outcome for outcome in outcomes if outcome is not None)
    return {outcome.value: table[outcome] for outcome in Outcome if table[outcome]}


def _gas(candidates: Sequence[Judged], outcomes: Sequence[Outcome | None]) -> Gas:
    flagged = exhausted = 0
    for candidate, outcome in zip(candidates, outcomes, strict=True):
        for row in candidate.verdicts.values():
            flagged += bool(row.measures.get("diverges.gas"))
            exhausted += outcome is Outcome.PASS and bool(row.measures.get("over_recorded_gas"))
    return Gas(flagged=flagged, passing_out_of_gas=exhausted)


_AS_RECORDED = (
    "recorded_calls",
    "statuses_as_recorded",
    "successful_as_recorded",
    "gas_as_recorded",
)


def _fidelity(candidates: Iterable[Judged]) -> Fidelity:
    found: dict[str, tuple[int, ...]] = {}
    for candidate in candidates:
        row = candidate.verdicts.get("replay")
        if row is not None and row.measures.get("recorded_calls"):
            found[candidate.task_id] = tuple(
                int(row.measures.get(name) or 0) for name in _AS_RECORDED
            )
    calls, statuses, successes, gas = (
        sum(counts[place] for counts in found.values()) for place in range(len(_AS_RECORDED))
    )
    return Fidelity(
        tasks=len(found),
        exact_tasks=sum(counts[0] == counts[1] for counts in found.values()),
        calls=calls,
        statuses=statuses,
        successes=successes,
        gas=gas,
    )


def _usage(rows: Sequence[Generation]) -> Usage:
    usages = [row.completion.usage for row in rows]
    prompt = [u.prompt_tokens for u in usages if u.prompt_tokens is not None]
    completion = [u.completion_tokens for u in usages if u.completion_tokens is not None]
    cost = [u.cost_usd for u in usages if u.cost_usd is not None]
    full = len(rows) or -1
    return Usage(
        prompt_tokens=sum(prompt) if len(prompt) == full else None,
        completion_tokens=sum(completion) if len(completion) == full else None,
        cost_usd=math.fsum(cost) if len(cost) == full else None,
    )
