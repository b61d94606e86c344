"""What passing candidates cost in gas beside their references; and SolEval's Fee, which exists only between runs.

A saving is what the reference uses more than the candidate, f − f′ as in SolEval's formula: positive where the
candidate is cheaper.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from solexp.core import Outcome
from solexp.core.hashing import content_hash
from solexp.metrics.estimators import bootstrap, bootstrap_median, wilson
from solexp.metrics.scores import Judged, Metric, combined

ORACLE = "gas"
TESTS = "gas_tests"
"""The measure of how many unit tests reach the function; every candidate has it that passes its tests."""
WHOLE = ("gas_reference", "gas_candidate")
"""Gas of all those unit tests, with either in place."""
FRAMES = ("gas_function_reference", "gas_function_candidate")
"""Gas of the calls from contract to contract of the function itself; missing for what is not called so."""


class TaskGas(msgspec.Struct, frozen=True, kw_only=True):
    """Gas of one task's unit tests, with the reference and with each sample that passes and was measured."""

    reference: int
    samples: tuple[int, ...]

    @property
    def candidate(self) -> float:
        """f′ of a run that solves the task more than once: the mean over the samples that pass."""
        return math.fsum(self.samples) / len(self.samples)

    @property
    def saving(self) -> float:
        """The share of the reference's gas that is saved; negative where it is more."""
        return (self.reference - self.candidate) / self.reference


class RunGas(msgspec.Struct, frozen=True, kw_only=True):
    """What one run's candidates were measured to use."""

    solved: dict[str, tuple[int, int]]
    """By task that some sample solves: how many do, and how many of these were measured."""
    tasks: dict[str, TaskGas]
    """The tasks that were measured."""


def run_gas(
    candidates: Iterable[Judged],
    deciding: Sequence[str],
    measures: tuple[str, str] = WHOLE,
) -> RunGas | None:
    """The gas of the candidates that pass on every deciding oracle; None where the oracle ``gas`` was not asked."""
    asked = False
    solved: dict[str, list[int]] = {}
    found: dict[str, tuple[int, list[int]]] = {}
    for candidate in candidates:
        row = candidate.verdicts.get(ORACLE)
        asked |= row is not None
        if row is None or TESTS not in row.measures:
            continue
        if deciding and combined(candidate, deciding) is not Outcome.PASS:
            continue
        counts = solved.setdefault(candidate.task_id, [0, 0])
        counts[0] += 1
        reference, used = (row.measures.get(name) for name in measures)
        if isinstance(reference, int) and isinstance(used, int) and reference > 0:
            counts[1] += 1
            found.setdefault(candidate.task_id, (reference, []))[1].append(used)
    if not asked:
        return None
    return RunGas(
        solved={task: (counts[0], counts[1]) for task, counts in sorted(solved.items())},
        tasks={
            task: TaskGas(reference=reference, samples=tuple(used))
            for task, (reference, used) in sorted(found.items())
        },
    )


def gas_metrics(
    candidates: Sequence[Judged], deciding: Sequence[str], *, seed: int
) -> dict[str, Metric]:
    """What the oracle ``gas`` measured of the candidates that pass; empty without it.

    ``gas.saving_median``
        The median over tasks of the share of the reference's gas that is saved, (f − f′) / f, where f is the gas of all
        unit tests that reach the function and f′ its mean over the samples of the task that pass.
    ``gas.function_saving_median``
        The same of the calls of the function itself, where contracts call it from outside.
    ``gas.coverage``
        The share of samples that pass which a unit test reaches: the others could not be measured.
    """
    found: dict[str, Metric] = {}
    for name, measures in (("saving", WHOLE), ("function_saving", FRAMES)):
        gas = run_gas(candidates, deciding, measures)
        if gas is None:
            return {}
        if (metric := saving_median(gas.tasks, seed=seed)) is not None:
            found[f"gas.{name}_median"] = metric
        if measures == WHOLE and (metric := coverage(gas.solved, seed=seed)) is not None:
            found["gas.coverage"] = metric
    return found


def saving_median(tasks: Mapping[str, TaskGas], *, seed: int) -> Metric | None:
    """The median over tasks of `TaskGas.saving`, with a bootstrap over tasks; None of no tasks."""
    if not tasks:
        return None
    savings = [tasks[task].saving for task in sorted(tasks)]
    value, lo, hi = bootstrap_median(savings, seed=seed)
    return Metric(value=value, lo=lo, hi=hi, n=len(savings))


def coverage(solved: Mapping[str, tuple[int, int]], *, seed: int) -> Metric | None:
    """The share of samples that were measured, of those that solve their task; None where there are none.

    The interval is over tasks, since all samples of a task are reached by the same tests.
    """
    if not solved:
        return None
    rows = [solved[task] for task in sorted(solved)]
    value = sum(measured for _, measured in rows) / sum(count for count, _ in rows)
    if value in (0.0, 1.0):
        lo, hi = wilson(round(value * len(rows)), len(rows))
    else:
        lo, hi = bootstrap([[m] for _, m in rows], [[count] for count, _ in rows], seed=seed)
    return Metric(value=value, lo=lo, hi=hi, n=len(rows))


class Fee(msgspec.Struct, frozen=True, kw_only=True):
    """One run's Fee within a set of runs that are compared."""

    value: float
    """Σ (f − f′) over the tasks that all of them solve, in gas: positive where candidates are cheaper."""
    tasks: int
    """How many tasks that is the sum over: those that all solve and that were measured."""
    solved_by_all: int
    """Tasks that all solve, measured or not."""
    saving_median: Metric | None
    """Of the same tasks, the median of the share that is saved."""
    coverage: Metric | None
    """Of all samples of this run that solve a task, the share that was measured."""


class FeeSet(msgspec.Struct, frozen=True, kw_only=True):
    """The Fees of runs that are compared with each other, in their order."""

    hash: str
    """SHA-256 of what was compared: the measured gas of all these runs, whatever their order."""
    fees: tuple[Fee, ...]


def fee(runs: Sequence[RunGas], *, seed: int) -> FeeSet:
    """SolEval's Fee of each of ``runs``, over the tasks that all of them solve; the same whatever their order.

    Another run can only make those tasks fewer. Raises ValueError naming a task whose reference was measured otherwise
    in one run than in another: such figures cannot be compared.
    """
    if not runs:
        raise ValueError("the fee of no runs")
    common = sorted(set.intersection(*(set(run.solved) for run in runs)))
    measured = [task for task in common if all(task in run.tasks for run in runs)]
    for task in measured:
        if len({run.tasks[task].reference for run in runs}) > 1:
            raise ValueError(task)
    return FeeSet(
        hash=content_hash("fee", sorted(content_hash(run) for run in runs)),
        fees=tuple(
            Fee(
                value=math.fsum(
                    run.tasks[task].reference - run.tasks[task].candidate for task in measured
                ),
                tasks=len(measured),
                solved_by_all=len(common),
                saving_median=saving_median({t: run.tasks[t] for t in measured}, seed=seed),
                coverage=coverage(run.solved, seed=seed),
            )
            for run in runs
        ),
    )
