"""The harness's own CPU time over a whole run: everything but the compilers and the node.

Runs the embedded benchmark with six distinct replies a task from loading the tasks to writing the
summary. The judging happens in this process, with compilers and nodes as its children, whose CPU
time does not count. Builds and what is known of the originals are looked up in a cache that a first
run fills, as on every run after the first; verdicts are made anew each time. The last line is one
JSON object.

The budget is 5 ms a candidate and 10 µs a call; ``ratio`` is the time used over that budget.
Importing Python packages is left out, and so is MLflow (see the tests of tracking).
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import solexp.run
from solexp.config.compose import compose, plain
from solexp.core import Completion, Task
from solexp.judging import Job, Judged, judge_job
from solexp.llm.model import Request
from solexp.store import RunFolder

CANDIDATE_S = 0.005
CALL_S = 0.000_010
SAMPLES = 6
PASSES = 5


class Variants:
    """Answers with the reference and five of the task's mutants, in turn."""

    paid = False

    def fingerprint(self, task: Task) -> dict[str, object]:
        return {"model": "variants", "task": task.content_hash}

    def complete(self, request: Request) -> Completion:
        task = request.task
        codes = [task.reference, *(task.mutants[name] for name in sorted(task.mutants))]
        return Completion(text=f"```solidity\n{codes[request.index]}\n```\n")


def in_this_process(jobs: Sequence[Job], n_jobs: int, backend: str) -> Iterator[Judged]:  # noqa: ARG001
    """Stands in for the pool of workers, whose CPU time this process could not tell from their children's."""
    for job in jobs:
        yield judge_job(job)


def one_run(home: Path, number: int) -> tuple[float, int, int]:
    """CPU seconds of this process, candidates judged, and calls run (those of the reference beside them too)."""
    shutil.rmtree(home / "cache" / "verdicts", ignore_errors=True)
    config = plain(
        compose(
            [
                "sampling=mean_of_n",
                f"sampling.batches.mean_of_n.n={SAMPLES}",
                "tracking=none",
                f"runs_root={home / 'runs'}",
            ]
        )
    )
    config["model"] = {"_target_": "__main__.Variants"}
    started = time.process_time()
    spec, summary = solexp.run.start(config, RunFolder(home / "runs" / str(number)), {}, cores=1)
    used = time.process_time() - started
    if summary.outcomes.get("harness_error") or summary.unjudged:
        raise SystemExit(f"not every candidate was judged: {summary.outcomes}")
    calls = sum(len(task.program.calls) for task in spec.benchmark.tasks() if task.program)
    return used, summary.candidates, calls * (SAMPLES + 1)


def main() -> None:
    """Measure, and print the figures."""
    solexp.run.judge_all = in_this_process  # type: ignore[attr-defined, assignment, unused-ignore]
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        os.environ["SOLEXP_CACHE"] = str(home / "cache")
        first, candidates, calls = one_run(home, 0)
        passes = [one_run(home, number + 1)[0] for number in range(PASSES)]
    budget = candidates * CANDIDATE_S + calls * CALL_S
    used = statistics.median(passes)
    print(f"{candidates} candidates, {calls} calls: {used:.3f} CPU s of a budget of {budget:.3f}")
    figures = {
        "candidates": candidates,
        "calls": calls,
        "cpu_s_first_run": round(first, 4),
        "cpu_s_runs": [round(value, 4) for value in passes],
        "cpu_s": round(used, 4),
        "budget_s": round(budget, 4),
        "ratio": round(used / budget, 3),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
