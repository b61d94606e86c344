"""Bringing rows into the data home."""

from __future__ import annotations

from pathlib import Path

from solexp.benchmarks.fetching import Problem, Report
from solexp.benchmarks.rowfiles import files_of, read, write_parquet
from solexp.benchmarks.solidity_eval.benchmark import CONFIGS
from solexp.benchmarks.solidity_eval.posing import pose
from solexp.benchmarks.solidity_eval.rows import COLUMNS, Row, read_row
from solexp.core import DataError, UserError


def fetch(folder: Path) -> Report:  # noqa: ARG001  (as all benchmarks have it)
    """Raises UserError: where the rows are published is for the user to know."""
    raise UserError(
        "solidity_eval: no place is known to fetch it from; download it and run solexp data import solidity_eval "
        "--from DIR, or build rows: solexp data build solidity_eval --from SOURCES --out DIR"
    )


def import_release(source: Path, folder: Path) -> Report:
    """Reads both configs of a copy of the data set and writes the rows that are well-formed into ``folder``."""
    count, problems, notes = 0, [], []
    for config in CONFIGS:
        try:
            files = files_of(source, config)
        except UserError:
            notes.append(f"no rows of '{config}'")
            continue
        rows: dict[str, Row] = {}
        for path in files:
            for place, values in read(path, COLUMNS):
                try:
                    row = read_row(values, place)
                    pose(row, place)
                except DataError as error:
                    problems.append(Problem(config, None, str(error)))
                else:
                    rows[row.task_id] = row
        write_parquet(folder / f"{config}.parquet", rows.values(), Row)
        count = max(count, len(rows))
    if not count:
        raise UserError(
            f"{source} holds no usable rows; {'; '.join(map(str, [*notes, *problems][:1]))}"
        )
    return Report(folder=folder, tasks=count, problems=tuple(problems), notes=tuple(notes))
