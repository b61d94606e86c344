"""What the engines of fuzzing catch and cost on ``starter``, with the same number of calls.

    python -m bench.engines [--tasks InitVault TideAuction CrewToken] [--engines solexp forge] [--calls 10000]

Every mutant of each task is judged, with sequences of all functions, any arguments, and events compared. Nothing is
kept from before; candidates are compiled beforehand. Cost is CPU seconds of this process, compilers, nodes and engines
together, for one candidate, what is found out about the original included. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

import psutil

from bench.replay import cpu_seconds
from solexp.benchmarks.starter import Starter, mutant_labels
from solexp.core import Candidate, Outcome, Task
from solexp.oracles.base import Case
from solexp.oracles.fuzz import Fuzz
from solexp.solidity.compiler import Compiler


def spent() -> float:
    """CPU seconds of this process and all that it has started."""
    running = 0.0
    for child in psutil.Process().children(recursive=True):
        try:
            running += sum(child.cpu_times()[:2])
        except psutil.Error:
            continue
    return cpu_seconds() + running


def measured(task: Task, engine: Any, calls: int, compiler: Compiler) -> dict[str, Any]:
    """What an engine catches of a task's mutants."""
    labels = mutant_labels(task.id)
    names = [name for name in task.mutants if name in labels]
    candidates = [
        Candidate(task_id=task.id, batch="bench", repeat=0, index=at, code=task.mutants[name])
        for at, name in enumerate(names)
    ]
    case = Case(task, candidates, compiler, cached=False)
    for candidate in candidates:
        case.build(candidate)
    oracle = Fuzz(
        engine=engine, scope="contract", arguments="all", axes="status_return_events", calls=calls
    )
    before = spent()
    rows = oracle.judge(case)
    used = spent() - before
    failed = {name for name, row in zip(names, rows, strict=True) if row.outcome is Outcome.FAIL}
    wrong = {name for name in names if not labels[name].equivalent}
    return {
        "task": task.id,
        "engine": engine,
        "wrong": len(wrong),
        "caught": sorted(failed & wrong),
        "missed": sorted(wrong - failed),
        "equivalent": len(names) - len(wrong),
        "false_alarms": sorted(failed - wrong),
        "outcomes": sorted({row.outcome.value for row in rows}),
        "unconfirmed": sum(int(row.measures["fuzz.unconfirmed"] or 0) for row in rows),
        "cpu_s_per_candidate": round(used / len(names), 2),
    }


def main() -> None:
    """Print a line for each task and engine, and all of it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", nargs="+", default=["InitVault", "TideAuction", "CrewToken"])
    parser.add_argument("--engines", nargs="+", default=["solexp", "forge"])
    parser.add_argument("--calls", type=int, default=10_000)
    given = parser.parse_args()
    found = []
    with Compiler() as compiler:
        for task in Starter(ids=given.tasks).tasks():
            for engine in given.engines:
                found.append(measured(task, engine, given.calls, compiler))
                print(json.dumps(found[-1]), flush=True)
    print(json.dumps({"calls": given.calls, "results": found}))


if __name__ == "__main__":
    main()
