"""The summary of a run: every metric, outcome counts, and where candidates fail."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from solexp.core import Batch, Generation, Outcome, Verdict
from solexp.evm.compare import AXIS_SETS
from solexp.metrics.calibration import OracleCalibration
from solexp.metrics.cvt import CvtCounts, cvt_counts, cvt_metrics
from solexp.metrics.decidable import open_reasons, open_tasks, open_tasks_along
from solexp.metrics.failures import (
    AxisShare,
    CompileErrors,
    axis_shares,
    compile_errors,
    dimension_shares,
    reasons,
)
from solexp.metrics.fuzzing import fuzz_metrics
from solexp.metrics.gas import gas_metrics
from solexp.metrics.matching import matching_metrics
from solexp.metrics.overlap import overlap_metrics
from solexp.metrics.passing import (
    all_but,
    all_pass,
    analyses,
    axes_pass,
    compiles,
    exercised_tasks,
    is_sample,
)
from solexp.metrics.regions import Behaviour, behaviour
from solexp.metrics.rejection import input_metrics, judge_metrics, rejection_metrics
from solexp.metrics.replies import reply_metrics
from solexp.metrics.scores import (
    Judged,
    Metric,
    Passes,
    check_batches,
    combined,
    judged,
    metrics_at_k,
)
from solexp.metrics.sizes import (
    Groups,
    cutoff_groups,
    part_groups,
    seconds_per_compiling,
    size_metrics,
)
from solexp.metrics.spent import paid_replies, totals
from solexp.metrics.static import DetectorCount, detector_counts, vulnerability_metrics
from solexp.metrics.violations import Guards, guards, violation_metrics
from solexp.metrics.workspaces import Workspaces, workspace_metrics, workspaces
from solexp.store.runfolder import TaskRow

SCHEMA = 1

SCORED_AXES = {name: axes for name, axes in AXIS_SETS.items() if "gas" not in axes}
"""Choices of axes that are scored beside the one that decides; gas never fails anybody here."""


class OracleCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What one oracle said."""

    decides: bool
    outcomes: dict[str, int]


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens and money of all replies, see `solexp.metrics.spent`; None when not every reply states it."""

    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None


class Seconds(msgspec.Struct, frozen=True, kw_only=True):
    """Time, in seconds, summed over candidates. The one part that differs between equal runs."""

    generating: float | None
    """Latency of all replies, see `solexp.metrics.spent`."""
    judging: float
    per_compiling: dict[str, float] = {}
    """Generating, for each sample that compiles in the end, by the contract's number of functions, such as ``1-5``."""
    per_candidate: dict[str, float] = {}
    """Judging, by oracle: the mean over candidates. Kept verdicts count as when they were found."""


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
    detectors: dict[str, DetectorCount] = {}
    """Slither's detectors that find something, by name, the most frequent first."""
    cvt: CvtCounts | None = None
    """Contract-violating tests, where they were judged."""
    guards: Guards | None = None
    """The originals' guards and their witnesses; null without the oracle ``violation``."""
    behaviour: Behaviour | None = None
    """What the oracles of behaviour flag, each and together; null with fewer than two of them."""
    calibration: OracleCalibration | None = None
    """Which oracle catches which labelled mutants; null where no answer is labelled."""
    workspaces: Workspaces | None = None
    """How the workspaces of agents fared; null without the oracle ``workspace``."""
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
    cutoff: str | None = None,
) -> Summary:
    """Everything that is said about a run; the same whatever the order of its rows.

    ``oracles`` tells by name whether an oracle decides; ``cutoff`` is the last month (``YYYY-MM``) that the model has
    learnt from, where its makers state one. The scores, all shares in [0, 1]:

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
    ``category.<name>.…``, ``series.<name>.…``, ``functions.<class>.…``
        The same over a category, a compiler series or a class of sizes.
    ``before_cutoff.…``, ``after_cutoff.…``
        The same over the tasks deployed on chain until ``cutoff``, and over those after it.

    Beside them stand the shares of `reply_metrics`, `size_metrics`, `overlap_metrics`,
    `gas_metrics`, `vulnerability_metrics`, `cvt_metrics`, `violation_metrics`, `matching_metrics`, `input_metrics`,
    `rejection_metrics` and `judge_metrics`.

    Raises UserError when two batches serve one k, or k = 1 would come from nucleus samples.
    """
    check_batches(batches)
    candidates = judged(verdicts)
    deciding = [name for name, decides in oracles.items() if decides]
    outcomes = [combined(candidate, deciding) for candidate in candidates]
    undecided = open_tasks(tasks, candidates, deciding)
    exercised = exercised_tasks(candidates) - undecided

    everything: Groups = {"": lambda _: True}
    decidable: Groups = {"decidable.": all_but(undecided)}
    well_exercised: Groups = {"exercised.": exercised.__contains__}
    parts = part_groups(tasks) | cutoff_groups(tasks, cutoff)

    def score(name: str, passes: Passes, groups: Groups) -> dict[str, Metric]:
        return metrics_at_k(name, candidates, passes, batches, groups, seed=seed)

    metrics: dict[str, Metric] = {}
    if deciding:
        groups = everything | decidable | well_exercised | parts
        metrics |= score("pass", all_pass(deciding), groups)
        metrics |= reply_metrics(candidates, deciding, seed=seed)
    if "compile" in oracles:
        metrics |= size_metrics(tasks, candidates, seed=seed)
        metrics |= score("compile", compiles, everything | parts)
        metrics |= score("analysis_compile", analyses, everything)
    if "replay" in oracles:
        others = [name for name in deciding if name != "replay"]
        for axes, members in SCORED_AXES.items():
            left_open = open_tasks_along(members, tasks, candidates, others)
            groups = {
                f"axes.{axes}.": everything[""],
                f"axes.{axes}.decidable.": all_but(left_open),
            }
            metrics |= score("pass", axes_pass(members, others), groups)
    metrics |= overlap_metrics(candidates, seed=seed)
    metrics |= gas_metrics(candidates, deciding, seed=seed)
    metrics |= vulnerability_metrics(candidates, seed=seed)
    metrics |= cvt_metrics(candidates, seed=seed)
    metrics |= violation_metrics(candidates, deciding, seed=seed)
    metrics |= fuzz_metrics(candidates, seed=seed)
    metrics |= workspace_metrics(candidates, seed=seed)
    metrics |= matching_metrics(candidates, seed=seed)
    metrics |= input_metrics(candidates, batches, seed=seed)
    metrics |= rejection_metrics(candidates, seed=seed)
    metrics |= judge_metrics(candidates, seed=seed)

    scored = {c.task_id for c, o in zip(candidates, outcomes, strict=True) if is_sample(o)}
    rows = list(generations)
    replies = paid_replies(rows)
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
        detectors=detector_counts(candidates),
        cvt=cvt_counts(candidates),
        guards=guards(candidates),
        behaviour=behaviour(_each_once(candidates, rows), oracles),
        workspaces=workspaces(candidates),
        gas=_gas(candidates, outcomes),
        fidelity=_fidelity(candidates),
        usage=Usage(**totals(replies)),
        seconds=Seconds(
            generating=math.fsum(reply.seconds for reply in replies) if rows else None,
            judging=math.fsum(row.seconds for c in candidates for row in c.verdicts.values()),
            per_compiling=seconds_per_compiling(tasks, candidates, rows),
            per_candidate=_per_candidate(candidates, oracles),
        ),
        batches=tuple(batches),
    )


def _count(outcomes: Iterable[Outcome | None]) -> dict[str, int]:
    table = Counter(outcome for outcome in outcomes if outcome is not None)
    return {outcome.value: table[outcome] for outcome in Outcome if table[outcome]}


def _each_once(candidates: Iterable[Judged], generations: Iterable[Generation]) -> list[Judged]:
    """Without those that are a mutant, or the reference, that a task had before."""
    labels = {
        (row.task_id, row.batch, row.repeat, row.index, row.round): row.completion.label
        for row in generations
    }
    seen: set[tuple[str, str]] = set()
    found = []
    for each in candidates:
        place = (each.task_id, each.batch, each.repeat, each.index, each.round)
        label = labels.get(place)
        if label is None or (each.task_id, label) not in seen:
            found.append(each)
        if label is not None:
            seen.add((each.task_id, label))
    return found


def _per_candidate(candidates: Iterable[Judged], oracles: Iterable[str]) -> dict[str, float]:
    found: dict[str, list[float]] = {name: [] for name in oracles}
    for candidate in candidates:
        for name, row in candidate.verdicts.items():
            found[name].append(row.seconds)
    return {name: math.fsum(rows) / len(rows) for name, rows in found.items() if rows}


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
