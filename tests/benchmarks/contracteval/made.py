"""Rows like EvalPlus's, made by hand."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

HALF: dict[str, Any] = {
    "task_id": "HumanEval/900",
    "prompt": 'import math\n\n\ndef half(x: int, limit: int) -> int:\n    """Half of x, rounded down.\n\n'
    '    >>> half(5, 9)\n    2\n    """\n',
    "entry_point": "half",
    "canonical_solution": "\n    return math.floor(x / 2)\n\n",
    "contract": '\n    assert isinstance(x, int), "invalid inputs" # $_CONTRACT_$\n'
    '    top = max(limit, 0) # $_CONTRACT_$\n    assert 0 <= x <= top, "invalid inputs" # $_CONTRACT_$\n',
    "base_input": [[5, 9]],
    "plus_input": [[0, 0], [7, 10**30]],
    "atol": 0,
    "test": "def check(candidate): pass",
}
PAIRS: dict[str, Any] = {
    "task_id": "Mbpp/750",
    "prompt": '"""\nWrite a function to add a tuple to a list.\nassert extend([1], (2,)) == [1, 2]\n"""\n',
    "entry_point": "extend",
    "canonical_solution": "\ndef extend(items, more):\n  items.extend(more)\n  return items\n",
    "contract": "\n  assert isinstance(more, tuple)\n",
    "base_input": [[[1], [2]]],
    "plus_input": {},
    "atol": 0,
    "assertion": "",
}


def changed(row: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """A row with other values in some fields."""
    return {**row, **fields}


def packed(rows: Iterable[Mapping[str, Any] | str]) -> bytes:
    """A file of rows, compressed; text stands for itself."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    return gzip.compress("".join(line + "\n" for line in lines).encode(), mtime=0)


def written(
    folder: Path,
    humaneval: Iterable[Mapping[str, Any] | str] = (HALF,),
    mbpp: Iterable[Mapping[str, Any] | str] = (PAIRS,),
) -> Path:
    """A data folder with these rows."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "HumanEvalPlus.jsonl.gz").write_bytes(packed(humaneval))
    (folder / "MbppPlus.jsonl.gz").write_bytes(packed(mbpp))
    return folder
