"""One function in a reply, all else kept: SolContractEval's function level (§4.4), SolBench's completion."""

from __future__ import annotations

import logging
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from solexp.core import Candidate, Completion, Generation, PromptForm, Target, Task
from solexp.core.errors import UserError, nearest
from solexp.core.reply import Extraction
from solexp.core.settings import at_least
from solexp.solidity.comments import without_comments
from solexp.solidity.functions import (
    MARKERS,
    Member,
    documented,
    extract_function,
    identifiers,
    member_at,
    members,
    replace_body,
    scope_of,
)
from solexp.solidity.functions.masking import EMPTY
from solexp.strategies.material import Material
from solexp.strategies.prompted import Prompted, check_solidity
from solexp.strategies.reading import read_last

_LOG = logging.getLogger("solexp")

MEMBERS = ("function", "constructor", "receive", "fallback")
"""Kinds of members that become tasks unless told otherwise; modifiers are the other kind."""


@dataclass(kw_only=True, eq=False)
class Function(Prompted):
    """Shows a contract in which one function's body is missing; wants that function."""

    granularity = "function"

    template: str = "function"
    members: Sequence[str] = MEMBERS
    """Kinds of functions that are asked for."""
    markers: Sequence[str] = MARKERS
    """Words that a reply may have on lines of their own around the code."""
    ids: Sequence[str] | None = None
    """Just these function tasks."""
    limit: int | None = None
    """So many function tasks, drawn by the seed."""
    seed: int = 0

    def __post_init__(self) -> None:
        """Raises UserError for a kind that there is not, and for a limit below 1."""
        super().__post_init__()
        if self.form == "completion" and not self.layout.begins_the_answer:
            raise UserError(
                f"strategy.template: '{self.template}' does not begin the answer, so there is nothing to go on "
                "from; choose soleval or solbench, or strategy.form=chat"
            )
        known = (*MEMBERS, "modifier")
        for kind in self.members:
            if kind not in known:
                raise UserError(f"strategy.members: no kind '{kind}'; {nearest(kind, known)}")
        at_least("strategy.limit", self.limit)

    @property
    def reader(self) -> FunctionReader:
        return FunctionReader(form=self.form, markers=tuple(self.markers))

    def fingerprint(self) -> dict[str, Any]:
        return {**super().fingerprint(), "members": list(self.members)}

    def expand(self, tasks: Sequence[Task]) -> list[Task]:
        """A task for each function; tasks without any are left out, with a warning."""
        check_solidity(tasks)
        posed = [function_tasks(task, self.members) for task in tasks]
        left = [task.id for task, own in zip(tasks, posed, strict=True) if not own]
        if left:
            _LOG.warning("no function to write, so left out: %s", ", ".join(left))
        return self._chosen([one for own in posed for one in own])

    def _chosen(self, posed: list[Task]) -> list[Task]:
        if self.ids is not None:
            known = {task.id for task in posed}
            for name in self.ids:
                if name not in known:
                    raise UserError(f"strategy.ids: no function '{name}'; {nearest(name, known)}")
            wanted = set(self.ids)
            posed = [task for task in posed if task.id in wanted]
        if self.limit is not None and self.limit < len(posed):
            order = sorted(task.id for task in posed)
            random.Random(self.seed).shuffle(order)
            drawn = set(order[: self.limit])
            posed = [task for task in posed if task.id in drawn]
        return posed

    def material(self, task: Task) -> Material:
        wanted = wanted_of(task)
        source = task.sources[task.target.path].encode()
        before = source[: wanted.body_start + 1].decode()
        after = source[wanted.end - 1 :].decode()
        kept = self.natspec == "task"
        return msgspec.structs.replace(
            super().material(task),
            signature=without_comments(wanted.header).strip(),
            before=before if kept else without_comments(before),
            after=after if kept else without_comments(after),
        )


class FunctionReader:
    """Finds one function in the last reply."""

    def __init__(self, form: PromptForm = "chat", markers: Sequence[str] = MARKERS) -> None:
        """``form`` is how the model was asked; ``markers`` as `Function` says."""
        self.form = form
        self.markers = tuple(markers)

    def fingerprint(self) -> dict[str, Any]:
        return {
            "strategy": "function",
            "extraction": 1,
            "form": self.form,
            "markers": self.markers,
        }

    def candidate(self, task: Task, generation: Generation) -> Candidate:
        def extract(reply: Completion) -> Extraction:
            return extract_function(
                reply.text,
                wanted_of(task),
                scope=scope_of(task.sources.values(), task.target.contract),
                finish=reply.finish,
                form="chat" if generation.round else self.form,
                markers=self.markers,
            )

        return read_last(generation, extract)


def wanted_of(task: Task) -> Member:
    """The function that a task of this granularity wants. Raises ValueError for any other task."""
    target = task.target
    return member_at(task.sources[target.path], target.contract, target.start)


def function_tasks(parent: Task, kinds: Collection[str] = MEMBERS) -> list[Task]:
    """A task for each function of the target whose body does something, in source order.

    Their ids are ``PARENT/signature``; their facts add ``parent``, ``parent_hash``, ``signature`` and ``member`` (its
    kind). The framework is the target with this one body missing; the requirement is the function's documentation in
    the parent's framework, or else in the source. Program and compiler stay the parent's, so that oracles judge the
    whole contract with the candidate in place. Of the parent's mutants those are kept that differ within the function.

    A task that wants one function already is that one task, as it is.

    Raises ValueError when the target is not in its source.
    """
    target = parent.target
    if target.member:
        return [parent]
    source = parent.sources[target.path]
    known = [
        member
        for member in members(source, target.contract)
        if target.start <= member.start and member.end <= target.end
    ]
    said = documented(parent.framework, target.contract)
    return [
        _task(parent, source, member, name, said.get(member.signature, ""))
        for member, name in zip(known, identifiers(known), strict=True)
        if member.kind in kinds and not member.empty
    ]


def _task(parent: Task, source: str, member: Member, name: str, said: str) -> Task:
    target = parent.target
    masked = replace_body(source, member, EMPTY).encode()
    cut = len(source.encode()) - len(masked)
    mutants = _mutants(parent, member)
    return msgspec.structs.replace(
        parent,
        id=f"{parent.id}/{name}",
        target=Target(
            path=target.path,
            contract=target.contract,
            start=member.start,
            end=member.end,
            member=name,
        ),
        framework=masked[target.start : target.end - cut].decode(),
        requirement=said or member.natspec,
        facts={
            **parent.facts,
            "parent": parent.id,
            "parent_hash": parent.content_hash,
            "signature": member.signature,
            "member": member.kind,
        },
        mutants=mutants,
        mutant_labels={
            name: label for name, label in parent.mutant_labels.items() if name in mutants
        },
        mutant_faults={
            name: fault for name, fault in (parent.mutant_faults or {}).items() if name in mutants
        }
        or msgspec.UNSET,
    )


def _mutants(parent: Task, member: Member) -> dict[str, str]:
    """The mutants of the target that differ from it within one function only: that function's text in each."""
    reference = parent.reference.encode()
    before = reference[: member.start - parent.target.start]
    after = reference[member.end - parent.target.start :]
    found = {}
    for name, code in parent.mutants.items():
        data = code.encode()
        if (
            len(data) >= len(before) + len(after)
            and data.startswith(before)
            and data.endswith(after)
        ):
            found[name] = data[len(before) : len(data) - len(after)].decode()
    return found
