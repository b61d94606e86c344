"""Captured contracts as what sets are built from."""

from __future__ import annotations

from pathlib import Path

import msgspec

from solexp.benchmarks.building.chain.folder import SOURCES, read_told
from solexp.benchmarks.building.sources import Source, from_folder
from solexp.benchmarks.solcontracteval import bundle
from solexp.core import Task, UserError
from solexp.core.hashing import file_hash


def from_capture(folder: Path) -> tuple[list[Source], list[tuple[str, str]]]:
    """The contracts in a folder that ``solexp data capture`` wrote, with their histories; and what it left out.

    Raises UserError where the capture did not come to its end.
    """
    told = read_told(folder)
    if told is None or not told.done:
        raise UserError(f"{folder}: the capture is not done; start it again to go on")
    for name in (bundle.TASKS, bundle.TRANSACTIONS):
        place = folder / name
        if not place.is_file() or file_hash(place) != told.hashes.get(name):
            raise UserError(
                f"{place} is not what was captured; capture again into {folder}: answers are kept"
            )
    left_out = sorted(told.left_out.items())
    missing = [
        (name, f"is missing: {SOURCES}/{name}.sol")
        for name in sorted(told.contracts)
        if name.rpartition("_")[2] not in told.left_out
        and not (folder / SOURCES / f"{name}.sol").is_file()
    ]
    left_out += missing
    if len(missing) == len(told.contracts) or not (folder / SOURCES).is_dir():
        return [], left_out
    tasks = {task.id: task for task in bundle.tasks(folder)}
    sources, unread = from_folder(folder / SOURCES)
    # Others are of an earlier capture into the same folder.
    return [
        _with_history(each, tasks[each.id]) if each.id in tasks else each
        for each in sources
        if each.id in told.contracts
    ], [*unread, *left_out]


def _with_history(source: Source, task: Task) -> Source:
    program, compiler = task.program, task.compiler
    deployment = source.deployment if program is None else program.deployment
    return msgspec.structs.replace(
        source, program=program, compiler=compiler, deployment=deployment
    )
