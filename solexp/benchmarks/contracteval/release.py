"""EvalPlus's own files: a JSON object a line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from solexp.core import DataError, UserError

FILES = {"humaneval": "HumanEvalPlus.jsonl.gz", "mbpp": "MbppPlus.jsonl.gz"}
"""The file of each part of the benchmark."""
TWICE = "an earlier row has this task already"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One task as EvalPlus has it."""

    task_id: str
    prompt: str
    entry_point: str
    canonical_solution: str
    contract: str
    base_input: list[list[Any]]
    plus_input: list[list[Any]]
    atol: float


def read_rows(path: Path) -> Iterator[tuple[str, bytes]]:
    """Each row, as it stands, with its place (file and line).

    Raises UserError where the file is missing, and DataError where it cannot be decompressed any further.
    """
    number = 0
    try:
        with gzip.open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield f"{path} line {number}", line
    except FileNotFoundError:
        raise UserError(
            f"{path}: no such file; run: solexp data fetch contracteval, or choose another benchmark.part"
        ) from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path} after line {number}: {error}") from None


def read_row(line: bytes) -> Row:
    """A row. Raises ValueError, in one line, where it is malformed."""
    # Inputs have integers of any size, which msgspec's own reader would take for floats.
    try:
        found = json.loads(line)
        if isinstance(found, dict) and found.get("plus_input") == {}:
            # One task (Mbpp/793) has none, and says so by an empty object.
            found["plus_input"] = []
        return msgspec.convert(found, Row)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("nested too deeply") from None


def count(folder: Path) -> int | None:
    """How many rows the files in ``folder`` have; None where there is neither."""
    there = [folder / name for name in FILES.values() if (folder / name).is_file()]
    return sum(1 for path in there for _ in read_rows(path)) if there else None
