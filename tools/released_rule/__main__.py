"""How many verdicts SolEval's released rule changes, and which of its faults do it.

python -m tools.released_rule [TASKS] [FOLDER]

Judges the reference, the emptied body and three mutants of TASKS (default 120) sampled functions, in a drawn order, by
the oracle `tests` and by running the whole test file; keeps what it finds in FOLDER, so that it goes on where it
stopped; and prints the table of docs/reference/soleval-released-rule.md. The faults are those that
docs/explanation/differences-from-releases.md names.
"""

from __future__ import annotations

import sys
from pathlib import Path

from joblib import Parallel, delayed

from solexp.benchmarks.base import select
from solexp.benchmarks.soleval import SolEval
from solexp.benchmarks.soleval.release import read_tasks
from solexp.core import Project
from solexp.toolchain.homes import data_home
from tools.released_rule.judging import SEED, judge
from tools.released_rule.rules import table


def main(count: int, folder: Path) -> None:
    """Judge what is not judged yet, and print the table."""
    folder.mkdir(parents=True, exist_ok=True)
    every = SolEval(subset="all").tasks()
    lines = [known for _, _, known in read_tasks(data_home() / "soleval")]
    test_files = {task.id: line.test_file for task, line in zip(every, lines, strict=True)}
    functions = [task for task in every if task.target.member and isinstance(task.project, Project)]
    # The name of a patch file is made of the source's and the function's.
    last = {
        (task.target.path, str(task.target.member).partition("(")[0]): task.id for task in functions
    }
    shared = {
        task.id: last[task.target.path, str(task.target.member).partition("(")[0]]
        for task in functions
    }
    chosen = [task.id for task in select(functions, limit=count, seed=SEED)]
    wanted = {*chosen, *(shared[name] for name in chosen)}
    found = Parallel(n_jobs=2)(
        delayed(judge)(task, test_files[task.id], folder) for task in functions if task.id in wanted
    )
    rows = {row.task_id: row for row in found}
    print("\n".join(table(rows, shared, chosen)))


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 120,
        Path(sys.argv[2] if len(sys.argv) > 2 else "runs/released_rule"),
    )
