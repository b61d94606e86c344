"""Bringing rows into the data home."""

from __future__ import annotations

from pathlib import Path

from solexp.benchmarks.fetching import Problem, Report
from solexp.benchmarks.rowfiles import files_of, read, write_parquet
from solexp.benchmarks.solbench.benchmark import NAME
from solexp.benchmarks.solbench.rows import Row, pose, read_row
from solexp.core import DataError, UserError
from solexp.toolchain.install import soljson_versions


def fetch(folder: Path) -> Report:  # noqa: ARG001  (as all benchmarks have it)
    """Raises UserError: where the rows are published is for the user to know."""
    raise UserError(
        "solbench: no place is known to fetch it from; download it and run solexp data import solbench --from DIR, "
        "or build rows: solexp data build solbench --from SOURCES --out DIR"
    )


def import_release(source: Path, folder: Path) -> Report:
    """Reads a copy of the data set and writes the rows that are well-formed into ``folder``."""
    installed = soljson_versions()
    rows, problems = [], []
    for path in files_of(source, NAME):
        for place, values in read(path):
            try:
                row = read_row(values, place)
                pose(row, place, installed)
            except DataError as error:
                problems.append(Problem(path.name, None, str(error)))
            else:
                rows.append(row)
    if not rows:
        raise UserError(f"{source} holds no usable rows; {problems[0] if problems else 'none'}")
    write_parquet(folder / f"{NAME}.parquet", rows, Row)
    return Report(folder=folder, tasks=len(rows), problems=tuple(problems))
