"""From the authors' release to solexp's task format."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import msgspec

from solexp.benchmarks import taskset
from solexp.benchmarks.fetching import Report, clone
from solexp.benchmarks.solcontracteval.entry import task
from solexp.benchmarks.solcontracteval.linking import linked, may_need_linking
from solexp.benchmarks.solcontracteval.release import Release
from solexp.core import DataError, Task, TimeLimitExceeded, ToolError, UserError
from solexp.solidity.compiler import Compiler
from solexp.store.records import read_gzip_lines, write_gzip_lines

log = logging.getLogger(__name__)

REPOSITORY = "https://github.com/yzf0304/SolContractEval"
COMMIT = "9b88f1ab1a58a12d99f421a811221091d138a7cf"
"""The commit of 2025-09-19 that everything measured here refers to."""

CREATIONS = "creations.jsonl.gz"
"""Inputs of the recorded creations, for the check against the chain: ``{"id", "input"}`` a line."""

_FOLDERS = (
    "dataset",
    "results/experiments",
    "results/model_output",
    "results/transaction_replay/Contract_Info",
    "results/transaction_replay/Transaction_Trace",
    "results/transaction_replay/Tx_History",
)


def import_release(source: Path, folder: Path, *, origin: str | None = None) -> Report:
    """Makes a task set in ``folder`` from the release in ``source``.

    Malformed files and rows are left out and listed in the report. Raises UserError when ``source`` is no release, or
    when nothing of it is usable; then ``folder`` stays as it was.
    """
    release = Release(source)
    creations: dict[str, str] = {}
    tasks = _linked(release, list(_tasks(release, creations)), creations)
    if not tasks:
        first = f"; the first problem: {release.problems[0]}" if release.problems else ""
        raise UserError(f"{source} holds no usable task{first}")
    taskset.write(folder, "solcontracteval", origin or str(source), tasks)
    rows = (_Creation(id=task_id, input=data) for task_id, data in creations.items())
    write_gzip_lines(folder / CREATIONS, rows)
    return Report(
        folder=folder,
        tasks=len(tasks),
        problems=tuple(release.problems),
        notes=(f"{sum(found.program is None for found in tasks)} without history",),
    )


def _tasks(release: Release, creations: dict[str, str]) -> Iterator[Task]:
    for entry in release.entries():
        try:
            found = task(entry)
        except DataError as error:
            release.problem(Path(f"dataset/prompt/{entry.id}.json"), str(error))
            continue
        if entry.transactions:
            creations[entry.id] = entry.transactions[0].input
        yield found


def _linked(release: Release, tasks: list[Task], creations: dict[str, str]) -> list[Task]:
    """The tasks, those that call libraries linked as on the chain; that needs their compilers."""
    if not any(map(may_need_linking, tasks)):
        return tasks
    result = []
    with Compiler() as compiler:
        for found in tasks:
            made = found
            if found.id in creations and may_need_linking(found):
                try:
                    made = linked(found, creations[found.id], compiler)
                except (ToolError, TimeLimitExceeded) as error:
                    file = Path(f"dataset/source_code/{found.id}.sol")
                    release.problem(file, f"its libraries' addresses are not known: {error}")
            result.append(made)
    return result


class _Creation(msgspec.Struct):
    id: str
    input: str


def read_creations(folder: Path) -> dict[str, str]:
    """Inputs of the recorded creations by task id, as an import wrote them; malformed lines are left out."""
    path = folder / CREATIONS
    try:
        rows = [row for _, row in read_gzip_lines(path, _Creation, log.warning)]
    except FileNotFoundError:
        raise DataError(f"{path} is missing; import the data again") from None
    return {row.id: row.input for row in rows}


def fetch(folder: Path, *, repository: str = REPOSITORY, commit: str = COMMIT) -> Report:
    """Clones the release at the pinned commit into ``folder``/release and imports it into ``folder``.

    The clone is kept, since it holds the released model outputs. Raises UserError as `fetching.clone` does.
    """
    release = folder / "release"
    clone(release, repository, commit, benchmark="solcontracteval", only=_FOLDERS)
    return import_release(release, folder, origin=f"{repository} at {commit}")
