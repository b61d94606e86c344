"""The gold self-check: what is right passes, what is empty fails, and builds equal the chain's code."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

from solexp.benchmarks.solcontracteval.creation import CreationMatch, compare_creation
from solexp.config import RunSpec
from solexp.config.compose import choices, compose, group_options, plain, stamp
from solexp.core import Outcome, Task, Verdict
from solexp.metrics.failures import general
from solexp.oracles.base import Case
from solexp.run import start
from solexp.solidity.compiler import Compiler
from solexp.store import RunFolder


@runtime_checkable
class _Recorded(Protocol):
    """A benchmark whose creation transactions the chain recorded."""

    def creation_inputs(self) -> Mapping[str, str]: ...


def gold(benchmark: str, overrides: Sequence[str]) -> int:
    """Check ``benchmark`` and print what was found; returns the exit status.

    The reference is put through extraction, splicing, compiler and oracles, and must pass every task
    that can be decided. The same with its functions emptied, and with all of them reverting, must
    pass none.
    """
    # A benchmark with an answer's form, or oracles, of its own has a preset of its own.
    own = f"{benchmark}_gold"
    preset = own if own in group_options()["experiments"] else "gold"
    common = [f"experiments={preset}", f"benchmark={benchmark}", "tracking=none", *overrides]
    spec, folder = _run(common)
    tasks = {task.id: task for task in spec.benchmark.tasks()}
    reference = _by_task(folder)
    undecided = {
        task: reason for task, rows in reference.items() if (reason := _undecided(rows)) is not None
    }
    wrong = [
        f"{task}: the reference ends in {_worst(rows)}"
        for task, rows in reference.items()
        if task not in undecided and not _passes(rows)
    ]
    for kind in ("empty", "revert"):
        _, stubs = _run([*common, "model=stubs", f"model.kind={kind}"])
        wrong += [
            f"{task}: its stub ({kind}) ends in {_worst(rows)}"
            for task, rows in _by_task(stubs).items()
            if task not in undecided and not _fails(rows)
        ]
    print(f"{len(tasks)} tasks, {len(tasks) - len(undecided)} decidable")
    for reason, count in Counter(undecided.values()).most_common():
        print(f"  {count} undecidable: {reason}")
    if isinstance(spec.benchmark, _Recorded):
        wrong += _creations(tasks, spec.benchmark.creation_inputs())
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"gold self-check of {benchmark}: " + (f"{len(wrong)} faults" if wrong else "passed"))
    return 1 if wrong else 0


def _run(overrides: list[str]) -> tuple[RunSpec, RunFolder]:
    os.environ["SOLEXP_STAMP"] = stamp()
    composed = compose(overrides)
    config = plain(composed)
    folder = RunFolder(Path(config["runs_root"]) / os.environ["SOLEXP_STAMP"])
    chosen = choices(composed.hydra.runtime.choices, config["oracle"])
    spec, _ = start(config, folder, {"overrides": overrides, "choices": chosen})
    return spec, folder


def _by_task(folder: RunFolder) -> dict[str, list[Verdict]]:
    rows: dict[str, list[Verdict]] = {task.id: [] for task in folder.tasks()}
    for row in folder.verdicts():
        rows[row.task_id].append(row)
    return rows


def _undecided(rows: list[Verdict]) -> str | None:
    for row in rows:
        if row.outcome in (Outcome.UNDECIDABLE, Outcome.VACUOUS):
            return general(str(row.evidence.get("reason")))
    return None


def _passes(rows: list[Verdict]) -> bool:
    return bool(rows) and all(row.outcome is Outcome.PASS for row in rows)


def _fails(rows: list[Verdict]) -> bool:
    """Whether some oracle fails it and none is at a loss."""
    outcomes = {row.outcome for row in rows}
    return bool(outcomes & {Outcome.FAIL, Outcome.COMPILE_ERROR, Outcome.TIMEOUT}) and (
        Outcome.HARNESS_ERROR not in outcomes
    )


def _worst(rows: list[Verdict]) -> str:
    for row in rows:
        if row.outcome is not Outcome.PASS:
            where = f" at {row.divergence.axis}" if row.divergence else ""
            return f"{row.outcome.value} of {row.oracle}{where}: {row.evidence.get('reason', '')}"
    return "pass"


def _creations(tasks: Mapping[str, Task], inputs: Mapping[str, str]) -> list[str]:
    """Print how the builds compare with the chain's creation code; returns a line for each that differs."""
    counts: Counter[str] = Counter()
    different = []
    with Compiler() as compiler:
        for name, task in tasks.items():
            if name not in inputs or task.program is None:
                continue
            deployed = task.program.deployment.contract
            made = Case(task, (), compiler).reference().contract(deployed)
            match = (
                compare_creation(
                    made,
                    task.program,
                    inputs[name],
                    nightly="nightly" in str(task.facts.get("compiler_full")),
                )
                if made is not None
                else CreationMatch.DIFFERENT
            )
            counts[match.value] += 1
            if match is CreationMatch.DIFFERENT:
                different.append(f"{name}: the build of {deployed} is not the chain's code")
    told = ", ".join(f"{count} {match}" for match, count in counts.most_common())
    print(f"creation code beside the chain's: {told or 'nothing recorded'}")
    return different
