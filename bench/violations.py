"""Contract-violating tests by the translator, over all tasks of ContractEval, each of them executed.

    make bench-violations

Beside it stand the tests that ContractEval's pipeline and a language model asked directly gave, as released, executed
in the same way and with the targets each was meant for. A test counts towards AVC when the contract-aware reference
raises AssertionError, towards TS by the share of its targets that fire standing alone, and is exact when all of them do
and all other assertions stay silent. ``whole`` counts every task and combination that has no test as 0.
Cost is CPU seconds. The last line of output is one JSON object.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import msgspec

from solexp.benchmarks.contracteval import ContractEval
from solexp.core import Task
from solexp.core.preconditions import Preconditions
from solexp.toolchain.homes import data_home
from solexp.violations.checking import Checked, check
from solexp.violations.cvts import Cvt
from solexp.violations.python import Generated, Settings, generate

PROCESSES = 2


class Row(msgspec.Struct, kw_only=True):
    """What one task gave."""

    task_id: str
    found: Generated
    checked: list[Checked]


def contract_of(task: Task) -> Preconditions:
    assert isinstance(task.preconditions, Preconditions)
    return task.preconditions


def program_of(task: Task) -> str:
    """The reference without its contract."""
    return "\n".join(task.sources.values())


def measured(task: Task, settings: Settings) -> Row:
    """Generate one task's tests, and execute them."""
    pre = contract_of(task)
    found = generate(pre, settings)
    cvts = [
        Cvt(violated=each.violated, args=args)
        for each in found.combinations
        for args in each.models
    ]
    return Row(task_id=task.id, found=found, checked=check(program_of(task), pre, cvts))


def rates(checked: Sequence[Checked]) -> dict[str, float | int]:
    """AVC, TS and exact-set rate, percent."""
    count = len(checked)
    share = 100 / max(count, 1)
    return {
        "cvts": count,
        "avc": round(share * sum(each.rejected for each in checked), 2),
        "ts": round(share * sum(each.specific() for each in checked), 2),
        "exact_set": round(share * sum(each.exact for each in checked), 2),
    }


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """The figures of all tasks."""
    translated = [row for row in rows if not row.found.unsupported]
    combinations = [each for row in rows for each in row.found.combinations]
    asked = [each for each in combinations if each.queries]
    seconds = [each.seconds / each.queries for each in asked]
    assertions = {row.task_id: set() for row in rows}  # type: dict[str, set[int]]
    for row in rows:
        for checked in row.checked:
            if checked.true:
                assertions[row.task_id] |= set(checked.cvt.violated)
    everything = [checked for row in rows for checked in row.checked]
    share = len(translated) / max(len(rows), 1)
    own = rates([checked for row in translated for checked in row.checked])
    return {
        "tasks": len(rows),
        "translated_tasks": len(translated),
        "translated_share": round(100 * share, 2),
        "assertions_violated": sum(map(len, assertions.values())),
        "status": dict(Counter(str(each.status) for each in combinations)),
        "translated": own,
        "rest_as_0": {key: round(value * share, 2) for key, value in own.items() if key != "cvts"},
        "all": rates(everything),
        "queries": sum(each.queries for each in combinations),
        "query_cpu_ms_median": round(1000 * statistics.median(seconds), 3) if seconds else 0,
        "combination_cpu_ms_median": round(
            1000 * statistics.median([e.seconds for e in asked] or [0]), 3
        ),
        "cpu_s": round(sum(row.found.cpu_s for row in rows), 1),
        "task_cpu_s_median": round(statistics.median(row.found.cpu_s for row in rows), 3),
        "task_cpu_s_max": round(max(row.found.cpu_s for row in rows), 1),
    }


def recorded(name: str) -> Iterator[tuple[str, Cvt]]:
    """Released tests, by task: the verified ones of the pipeline, or those of the model asked directly."""
    with gzip.open(data_home() / "contracteval" / name, "rt") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["task_id"], row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="*", help="ids of tasks; all by default")
    parser.add_argument("--out", type=Path, help="where rows are kept, one JSON line a task")
    parser.add_argument("--processes", type=int, default=PROCESSES)
    given = parser.parse_args()
    tasks = [each for each in ContractEval().tasks() if not given.tasks or each.id in given.tasks]
    started = time.monotonic()
    rows = []
    out = given.out.open("wb") if given.out else None
    with ProcessPoolExecutor(given.processes) as pool:
        for row in pool.map(measured, tasks, [Settings()] * len(tasks)):
            rows.append(row)
            report(row)
            if out is not None:
                out.write(msgspec.json.encode(row) + b"\n")
                out.flush()
    wall = time.monotonic() - started
    print(json.dumps({**summary(rows), "wall_s": round(wall, 1), "processes": given.processes}))


def report(row: Row) -> None:
    """What a reader should see of a task: what was refused, and tests that are not what they claim."""
    for number, construct in row.found.unsupported.items():
        print(f"{row.task_id} assertion {number}: {construct}", flush=True)
    for each in row.checked:
        if not each.true:
            print(
                f"{row.task_id} {each.cvt.violated} {each.cvt.args[:120]}: {each.whole} {each.alone}",
                flush=True,
            )


if __name__ == "__main__":
    main()
