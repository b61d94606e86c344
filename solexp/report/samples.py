"""One sample of one task of a run: its verdicts, and its code made anew from what the run kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from solexp.config.instantiate import instantiate
from solexp.core import Candidate, Generation, Task, UserError, Verdict
from solexp.core.errors import nearest
from solexp.evm.machine import Subject
from solexp.oracles.base import Case
from solexp.oracles.staging import subject
from solexp.solidity.compiler import Compiler
from solexp.solidity.splice import sources_of
from solexp.store import RunFolder
from solexp.store.runfolder import TaskRow
from solexp.strategies import Reader, Strategy
from solexp.strategies.together import TogetherReader, judgeable

Place = tuple[str, int, int]
"""A sample's batch, repeat and index."""


def find_task(folder: RunFolder, name: str) -> TaskRow:
    """The run's task of that id, or the only one that begins so. Raises UserError naming the nearest."""
    rows = {row.id: row for row in folder.tasks()}
    whole = {row.parent: row.parent_hash for row in rows.values() if row.parent is not None}
    if name in whole and name not in rows:
        return TaskRow(id=name, hash=whole[name] or "")
    if name in rows:
        return rows[name]
    found = [row for row in rows.values() if row.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f"task '{name}' is short for several: {some(row.id for row in found)}")
    raise UserError(f"{folder.path}: no task '{name}'; {nearest(name, rows)}")


def some(names: Any, most: int = 8) -> str:
    """The first few names, and how many there are besides."""
    known = list(names)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return ", ".join(known[:most]) + more


def place_name(place: Place) -> str:
    """How a sample is called: ``greedy/0``, and ``greedy/1/0`` where it is not of the first repeat.

    >>> place_name(("nucleus", 0, 3)), place_name(("nucleus", 2, 3))
    ('nucleus/3', 'nucleus/2/3')
    """
    batch, repeat, index = place
    return f"{batch}/{repeat}/{index}" if repeat else f"{batch}/{index}"


def verdicts_of(folder: RunFolder, row: TaskRow) -> dict[Place, list[Verdict]]:
    """The verdicts on each sample of a task, those of its last round alone, in the run's order."""
    found: dict[Place, list[Verdict]] = {}
    for said in [*folder.verdicts(), *folder.together()]:
        if said.task_id == row.id:
            rows = found.setdefault((said.batch, said.repeat, said.index), [])
            if rows and said.round > rows[0].round:
                rows.clear()
            if not rows or said.round == rows[0].round:
                rows.append(said)
    if not found:
        raise UserError(f"{folder.path}: no sample of '{row.id}' is judged yet")
    return found


def find_sample(found: dict[Place, list[Verdict]], name: str) -> Place:
    """The sample called ``INDEX``, ``BATCH/INDEX`` or ``BATCH/REPEAT/INDEX``. Raises UserError where there is none."""
    parts = name.split("/")
    if parts[-1].isdecimal() and (len(parts) < 3 or parts[1].isdecimal()) and len(parts) <= 3:
        wanted = [
            place
            for place in found
            if place[2] == int(parts[-1])
            and (len(parts) == 1 or place[0] == parts[0])
            and place[1] == (int(parts[1]) if len(parts) == 3 else 0)
        ]
        if len(wanted) == 1:
            return wanted[0]
        if wanted:
            names = some(map(place_name, wanted))
            raise UserError(f"sample {name}: there is one in several batches; choose from: {names}")
    raise UserError(f"no sample '{name}'; choose from: {some(map(place_name, found))}")


class Remade(msgspec.Struct, frozen=True, kw_only=True):
    """A sample's task and code, as the run had them."""

    task: Task
    candidate: Candidate
    label: str | None
    """What a calibration model says that the answer is."""


def remake(folder: RunFolder, config: dict[str, Any], row: TaskRow, said: Verdict) -> Remade:
    """The task and the candidate of a verdict; ``config`` is the run's, as it was composed.

    Raises UserError where the benchmark is not there any more, or not the same.
    """
    strategy: Strategy = instantiate(config["strategy"], "strategy")
    whole = instantiate(config["benchmark"], "benchmark").tasks()
    posed = {task.id: task for task in strategy.expand(whole)}
    together = row.id not in posed
    task = posed.get(row.id) or next((task for task in whole if task.id == row.id), None)
    if task is None or (row.hash and task.content_hash != row.hash):
        raise UserError(
            f"{row.id}: the benchmark's task is not the one of this run any more; start the run again"
        )
    generations = folder.generations()
    reader: Reader = strategy.reader
    if together:
        functions = [each for each in posed.values() if each.facts.get("parent") == task.id]
        generations = list(judgeable(task, functions, generations, reader))
        reader = TogetherReader()
    for generation in generations:
        if _is_of(generation, said):
            candidate = reader.candidate(task, generation)
            return Remade(task=task, candidate=candidate, label=generation.completion.label)
    raise UserError(f"{folder.path}: holds no reply for this sample of '{row.id}'")


def _is_of(generation: Generation, said: Verdict) -> bool:
    fields: Sequence[str] = ("task_id", "batch", "repeat", "index", "round")
    return all(getattr(generation, name) == getattr(said, name) for name in fields)


def subjects(remade: Remade, compiler: Compiler) -> tuple[Subject, Subject]:
    """What creates the original and the candidate. Raises UserError where one of them cannot be built."""
    task = remade.task
    case = Case(task, [remade.candidate], compiler)
    if task.program is None:
        raise UserError(f"{task.id}: the task has no deployment")
    name = task.program.deployment.contract
    texts = (task.sources, sources_of(task, remade.candidate))
    made = []
    for what, sources in zip(("original", "candidate"), texts, strict=True):
        build = case.compiled(sources)
        contract = build.contract(name)
        if contract is None:
            raise UserError(f"{task.id}: the {what} does not build a contract '{name}'")
        made.append(subject(build, contract, case, sources))
    return made[0], made[1]
