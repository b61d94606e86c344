"""The harness's own CPU time: everything but the compilers and the node.

Judges the embedded benchmark in this process, with compilers and nodes as its children, whose CPU
time does not count. Builds are looked up in a cache that a first pass filled, as on every run after
the first; the first pass is reported beside it. The last line is one JSON object.

The budget is 5 ms a candidate and 10 µs a call; ``ratio`` is the time used over that budget.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time

from solexp.benchmarks.starter import Starter
from solexp.core import Completion, Generation, Task
from solexp.judging import Job, judge_job
from solexp.oracles.compile import Compile
from solexp.oracles.replay import Replay
from solexp.strategies import WholeContract

CANDIDATE_S = 0.005
CALL_S = 0.000_010
SAMPLES = 6
PASSES = 5


def job(task: Task) -> Job:
    """Six distinct candidates of one task: the reference and five of its mutants."""
    codes = [task.reference, *(task.mutants[name] for name in sorted(task.mutants))][:SAMPLES]
    return Job(
        task=task,
        generations=tuple(
            Generation(
                key=f"{task.id}/{index}",
                task_id=task.id,
                batch="nucleus",
                repeat=0,
                index=index,
                completion=Completion(text=f"```solidity\n{code}\n```\n"),
            )
            for index, code in enumerate(codes)
        ),
        strategy=WholeContract(),
        oracles=(Compile(), Replay()),
        seconds=600,
        memory_mb=6000,
    )


def one_pass(jobs: list[Job]) -> tuple[float, int, int]:
    """CPU seconds of this process, candidates judged, and calls run (the reference's among them)."""
    candidates = calls = 0
    started = time.process_time()
    for each in jobs:
        judged = judge_job(each)
        assert all(row.outcome.value != "harness_error" for row in judged.verdicts), judged
        candidates += len(each.generations)
        assert each.task.program is not None
        calls += len(each.task.program.calls) * (len(each.generations) + 1)
    return time.process_time() - started, candidates, calls


def main() -> None:
    """Measure, and print the figures."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["SOLEXP_CACHE"] = cache
        jobs = [job(task) for task in Starter().tasks()]
        first, candidates, calls = one_pass(jobs)
        passes = [one_pass(jobs)[0] for _ in range(PASSES)]
    budget = candidates * CANDIDATE_S + calls * CALL_S
    used = statistics.median(passes)
    print(f"{candidates} candidates, {calls} calls: {used:.3f} CPU s of a budget of {budget:.3f}")
    figures = {
        "candidates": candidates,
        "calls": calls,
        "cpu_s_first_pass": round(first, 4),
        "cpu_s_passes": [round(value, 4) for value in passes],
        "cpu_s": round(used, 4),
        "budget_s": round(budget, 4),
        "ratio": round(used / budget, 3),
        "ms_per_candidate": round(1000 * used / candidates, 3),
        "us_per_call_if_all_were_calls": round(1e6 * used / calls, 2),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
