"""Functions of a project as tasks: what benchmarks of single functions share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

import msgspec

from solexp.core import Task
from solexp.solidity.contracts import Definition
from solexp.solidity.functions import (
    Member,
    free_functions,
    identifiers,
    members,
    replace_body,
)
from solexp.solidity.parsing import definitions

Found = tuple[Member, str, Definition | None]
"""A function, its name among its like, and the contract around it."""


def all_functions(source: str) -> list[Found]:
    """Every function of a source that has a body; those of contracts that cannot be read are left out."""
    found: list[Found] = []
    for around in (*_definitions(source), None):
        try:
            known = members(source, around.name) if around else free_functions(source)
        except ValueError:
            continue
        found += [
            (member, name, around) for member, name in zip(known, identifiers(known), strict=True)
        ]
    return found


def function_at(source: str, start: int) -> Found | None:
    """The function that begins at a byte."""
    return next((found for found in all_functions(source) if found[0].start == start), None)


def framework(source: str, member: Member, around: Definition | None) -> str:
    """The contract around a function with its body emptied; the function alone where there is none."""
    masked = replace_body(source, member, "{ }").encode()
    if around is None:
        return masked[member.start :].decode().partition("}")[0] + "}"
    return masked[around.start : around.end - (len(source.encode()) - len(masked))].decode()


def named_apart(tasks: Iterable[Task]) -> list[Task]:
    """The tasks, with a number behind an id that an earlier one has."""
    seen: Counter[str] = Counter()
    apart = []
    for task in tasks:
        seen[task.id] += 1
        count = seen[task.id]
        apart.append(task if count == 1 else msgspec.structs.replace(task, id=f"{task.id}#{count}"))
    return apart


@lru_cache(maxsize=64)
def _definitions(source: str) -> tuple[Definition, ...]:
    return definitions(source)
