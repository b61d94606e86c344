"""Documentation that is written anew: a sheet of the functions that are to be written, and what was filled into it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from solexp.benchmarks.building.choosing import Chosen
from solexp.core import Task, UserError
from solexp.core.errors import nearest
from solexp.solidity.comments import without_comments
from solexp.solidity.frameworks import redocumented
from solexp.solidity.functions import Member, documented, identifiers, member_at, members, text_of
from solexp.store.sheets import rows_of

Written = Mapping[str, Mapping[str, str]]
"""Documentation by task and signature."""

NOTHING: Written = {}

ITEM, TASK, SIGNATURE, FILLED = "item", "task_id", "signature", "documentation"
_COLUMNS = (ITEM, TASK, "contract", SIGNATURE, "was", "code", FILLED)


def sheet(tasks: Iterable[Task], written: Written) -> Iterator[dict[str, str]]:
    """A row for each function that is to be written: what was said of it, its code, and what is ``written`` of it.

    The code is without comments. Raises UserError for a task that is not in Solidity.
    """
    for task in tasks:
        if task.language != "solidity":
            raise UserError(f"{task.id}: NatSpec is of Solidity; choose another benchmark")
        source = task.sources[task.target.path]
        said = documented(task.framework, task.target.contract)
        for member in _asked_for(task, source):
            yield {
                ITEM: f"{task.id} {member.signature}",
                TASK: task.id,
                "contract": task.target.contract,
                SIGNATURE: member.signature,
                "was": task.requirement
                if task.target.member
                else said.get(member.signature, "") or member.natspec,
                "code": without_comments(text_of(source, member)),
                FILLED: written.get(task.id, {}).get(member.signature, ""),
            }


def read_written(path: Path) -> dict[str, dict[str, str]]:
    """What a sheet says of each function; empty cells say nothing. Raises UserError, naming file and line."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for place, row in rows_of(path):
        for key in (TASK, SIGNATURE, FILLED):
            if not isinstance(row.get(key), str):
                raise UserError(f"{place}: has no text in the column '{key}'")
        if row[SIGNATURE] in found[row[TASK]]:
            raise UserError(f"{place}: {row[SIGNATURE]} of {row[TASK]} is there already")
        if row[FILLED].strip():
            found[row[TASK]][row[SIGNATURE]] = row[FILLED]
    if not any(found.values()):
        raise UserError(f"{path}: nothing is filled into the column '{FILLED}'")
    return dict(found)


def check_kept(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    """Raises UserError where a file is at the path that ``rows`` in its place would lose something of.

    That is what people, or another model, have filled in, and what is no such sheet.
    """
    if not path.exists():
        return
    new = {row[ITEM]: row for row in rows}
    for place, old in rows_of(path):
        row = new.get(str(old.get(ITEM)), {})
        filled = str(old.get(FILLED) or "").strip()
        further = any(value for key, value in old.items() if key not in _COLUMNS)
        if FILLED not in old or further or filled not in ("", row.get(FILLED, "").strip()):
            raise UserError(f"{place}: would be lost; give another --out, or delete the file")


def rewritten(chosen: Sequence[Chosen], names: Sequence[str], written: Written) -> list[Chosen]:
    """The functions, with what is written of each in place of the comments above it in its source.

    ``names`` are the ids of their tasks. Of what nothing is written stays as it is. Raises UserError as `check_used`.
    """
    check_used(written, names)
    return [_rewritten(one, written.get(name, {})) for one, name in zip(chosen, names, strict=True)]


def check_used(written: Written, names: Iterable[str]) -> None:
    """Raises UserError when documentation is of none of the tasks of these names."""
    if written and not written.keys() & set(names):
        raise UserError(
            f"data build: the sheet's tasks, such as '{next(iter(written))}', are none of this set; make it of the set "
            "with: solexp data natspec"
        )


def check_signatures(task: str, said: Mapping[str, str], known: Iterable[str]) -> None:
    """Raises UserError when a signature in a sheet is none of the functions that are known."""
    known = set(known)
    for signature in said:
        if signature not in known:
            raise UserError(
                f"data build: the sheet's {signature} is no function of {task}; {nearest(signature, known)}"
            )


def _rewritten(one: Chosen, said: Mapping[str, str]) -> Chosen:
    check_signatures(one.contract, said, [one.member.signature])
    new = said.get(one.member.signature)
    if not new:
        return one
    text = redocumented(one.source.text, one.contract, {one.member.signature: new})
    known = members(text, one.contract)
    place = identifiers(known).index(one.name)
    return msgspec.structs.replace(
        one, source=msgspec.structs.replace(one.source, text=text), member=known[place]
    )


def _asked_for(task: Task, source: str) -> list[Member]:
    """The functions of a task that are to be written."""
    target = task.target
    if target.member:
        return [member_at(source, target.contract, target.start)]
    empty = {each.signature for each in members(task.framework, target.contract) if each.empty}
    return [
        each
        for each in members(source, target.contract)
        if each.kind != "modifier" and not each.empty and each.signature in empty
    ]
