"""A benchmark of three Python functions made by hand, in the layout of the data home."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from solexp.benchmarks.contracteval import ContractEval
from solexp.core import Task

HALVE, LONGEST, MEAN = "Mbpp/90001", "Mbpp/90002", "Mbpp/90003"

_ROWS: tuple[dict[str, Any], ...] = (
    {
        "task_id": HALVE,
        "entry_point": "halve",
        "prompt": '"""\nWrite a function that halves a number, rounding down.\nassert halve(5) == 2\n"""\n',
        "canonical_solution": "\ndef halve(n):\n    return n // 2\n",
        "contract": '\n    assert isinstance(n, int), "invalid inputs"\n    assert n > 0, "invalid inputs"\n',
        "base_input": [[4], [7]],
        # -3 is refused by the contract.
        "plus_input": [[10], [1], [-3], [99]],
    },
    {
        "task_id": LONGEST,
        "entry_point": "longest",
        "prompt": '"""\nWrite a function for the first longest word.\nassert longest(["a", "bc"]) == "bc"\n"""\n',
        "canonical_solution": "\ndef longest(words):\n    return max(words, key=len)\n",
        "contract": (
            '\n    assert isinstance(words, list), "invalid inputs"'
            '\n    assert all(isinstance(w, str) for w in words), "invalid inputs"'
            '\n    assert len(words) > 0, "invalid inputs"\n'
        ),
        "base_input": [[["a", "bc"]], [["x"]]],
        "plus_input": [[["ab", "cd"]], [["", "z"]]],
    },
    {
        "task_id": MEAN,
        "entry_point": "mean",
        "prompt": '"""\nWrite a function for the mean of two numbers.\nassert mean(1, 2) == 1.5\n"""\n',
        "canonical_solution": "\ndef mean(a, b):\n    return (a + b) / 2\n",
        "contract": '\n    assert isinstance(a, (int, float)) and isinstance(b, (int, float)), "invalid inputs"\n',
        "base_input": [[1, 2]],
        "plus_input": [[0.1, 0.2], [3, -3]],
    },
)

_CVTS: Mapping[str, Iterable[tuple[str, dict[str, Any]]]] = {
    HALVE: (
        *(("satisfied_assert_1, violated_assert_0", {"n": n}) for n in (1.5, 2.5, 3.5)),
        *(("satisfied_assert_0, violated_assert_1", {"n": n}) for n in (0, -1, -2)),
        *(("violated_assert_0;assert_1", {"n": n}) for n in (-1.5, -2.5)),
    ),
    LONGEST: (
        *(
            ("satisfied_assert_1;assert_2, violated_assert_0", {"words": w})
            for w in ("ab", {"k": 1})
        ),
        *(
            ("satisfied_assert_0;assert_2, violated_assert_1", {"words": w})
            for w in ([1], [2, "b"])
        ),
        ("satisfied_assert_0;assert_1, violated_assert_2", {"words": []}),
        ("satisfied_assert_1, violated_assert_0;assert_2", {"words": {}}),
    ),
    MEAN: [
        ("violated_assert_0", {"a": a, "b": b})
        for a, b in (("x", 1), (2, "y"), (None, 3), ([], []))
    ],
}


def write_data(home: Path) -> Path:
    """Fill a data home; returns the benchmark's folder.

    Prompts show a test an assertion, so that 6 are left to score of halve, and 3 each of longest and mean.
    """
    folder = home / "contracteval"
    folder.mkdir(parents=True)
    write_rows(folder / "HumanEvalPlus.jsonl.gz", ())
    write_rows(folder / "MbppPlus.jsonl.gz", ({"atol": 0, **row} for row in _ROWS))
    write_rows(
        folder / "cvts_smt_verified.jsonl.gz",
        (
            {
                "task_id": task,
                "section": section,
                "contract_in_key": section.partition("violated_")[2],
                "input": values,
            }
            for task, rows in _CVTS.items()
            for section, values in rows
        ),
    )
    return folder


def tasks(home: Path) -> dict[str, Task]:
    """The tasks by id."""
    made = ContractEval(part="mbpp", path=str(home / "contracteval")).tasks()
    return {task.id: task for task in made}


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON lines."""
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
