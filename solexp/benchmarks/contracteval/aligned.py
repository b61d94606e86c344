"""Which assertions the description of a task asks for, as judges have said: ``aligned.jsonl``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from solexp.core import DataError, Preconditions, Task, UserError
from solexp.python.contracts import assertions_of
from solexp.store.records import write_lines

FILE = "aligned.jsonl"


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the file: one task."""

    task_id: str
    assertions: tuple[str, ...]
    """Their source, so that judgements of another contract are known as such."""
    aligned: tuple[bool, ...]
    """For each whether the description asks for it: what more than half of the judges say."""
    judges: dict[str, tuple[bool, ...]]
    """What each judge said."""


Votes = Mapping[str, Sequence[bool]]
"""What a judge said of each assertion, by task."""


def asserted(task: Task) -> tuple[str, ...]:
    """The source of each assertion of a task."""
    if not isinstance(task.preconditions, Preconditions):
        raise UserError(f"task {task.id} has no contract; choose benchmark=contracteval")
    return assertions_of(task.preconditions.statements)


def read_judged(folder: Path) -> dict[str, Judged]:
    """The judgements in ``folder`` by task; none where there is no file. Raises DataError for a malformed line."""
    path = folder / FILE
    if not path.is_file():
        return {}
    found = {}
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            row = msgspec.json.decode(line, type=Judged)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise DataError(
                f"{path} line {number}: {error}; run: solexp data build contracteval"
            ) from None
        found[row.task_id] = row
    return found


def merged(
    known: Mapping[str, Judged], tasks: Iterable[Task], judge: str, votes: Votes
) -> dict[str, Judged]:
    """The judgements with those of one more judge, in place of what it said of the same tasks before.

    No votes at all say that it was asked and could not be understood. What was said of another contract of a task is
    dropped. Raises UserError where the number of votes is another than
    that of the task's assertions.
    """
    result = dict(known)
    for task in tasks:
        if task.id not in votes:
            continue
        texts = asserted(task)
        if votes[task.id] and len(votes[task.id]) != len(texts):
            raise UserError(
                f"judge {judge}: task {task.id} has {len(texts)} assertions, and {len(votes[task.id])} are judged"
            )
        before = result.get(task.id)
        judges = dict(before.judges) if before and before.assertions == texts else {}
        judges.pop(judge, None)
        if votes[task.id]:
            judges[judge] = tuple(votes[task.id])
        result[task.id] = Judged(
            task_id=task.id,
            assertions=texts,
            aligned=tuple(
                _majority([votes[place] for votes in judges.values()])
                for place in range(len(texts))
            ),
            judges=dict(sorted(judges.items())),
        )
    return result


def write_judged(folder: Path, judged: Mapping[str, Judged]) -> Path:
    """Writes the judgements, by task; returns the file."""
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / FILE, judged.values())
    return folder / FILE


def votes_of(judged: Iterable[Judged]) -> dict[str, dict[str, tuple[bool, ...]]]:
    """What was said, by judge and task."""
    found: dict[str, dict[str, tuple[bool, ...]]] = {}
    for row in judged:
        for judge, votes in row.judges.items():
            found.setdefault(judge, {})[row.task_id] = votes
    return found


def aligned_only(tasks: Iterable[Task], folder: Path) -> list[Task]:
    """The tasks of which the description asks for some assertion, each with the judgement in its preconditions.

    Raises UserError where there is no judgement at all, or one of these tasks has none or that of another contract.
    """
    judged = read_judged(folder)
    mend = "run: solexp data build contracteval model=NAME"
    if not judged:
        raise UserError(f"benchmark.subset: {folder / FILE} is not there; {mend}")
    found = []
    for task in tasks:
        if not asserted(task):
            continue
        row = judged.get(task.id)
        if row is None or row.assertions != asserted(task):
            what = "no judgement" if row is None else "the judgement of another contract"
            raise UserError(f"benchmark.subset: {folder / FILE} has {what} for {task.id}; {mend}")
        if any(row.aligned):
            assert isinstance(task.preconditions, Preconditions)
            known = msgspec.structs.replace(task.preconditions, aligned=row.aligned)
            found.append(msgspec.structs.replace(task, preconditions=known))
    return found


def _majority(votes: Sequence[bool]) -> bool:
    """A tie is no yes."""
    return 2 * sum(votes) > len(votes)
