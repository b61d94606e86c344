"""One function after the other, each with the bodies that were written before it (SolBehave, §3.2)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from solexp.core import Candidate, FinishReason, Generation, NoCode, PromptForm, Task
from solexp.core.reply import Extraction
from solexp.llm.tokens import count
from solexp.solidity.comments import without_comments
from solexp.solidity.functions import (
    Member,
    extract_function,
    members,
    replace_members,
)
from solexp.solidity.functions.masking import EMPTY
from solexp.solidity.functions.repeats import without_repeats
from solexp.solidity.functions.scope import scope_of
from solexp.strategies.base import Ask, Dialogue
from solexp.strategies.contract import ContractReader
from solexp.strategies.function import MEMBERS
from solexp.strategies.prompted import Prompted, holds

_LOG = logging.getLogger("solexp")
_HOLE = "\ufdd1"
"""Marks places while an outline is pieced together; no source holds it."""


@dataclass(kw_only=True, eq=False)
class Sequential(Prompted):
    """Stub and complete: comments stripped, bodies deleted, then written in the source's order."""

    granularity = "sequential"
    examples_of = "function"

    template: str = "solbehave"

    @property
    def reader(self) -> SequentialReader:
        return SequentialReader(form=self.form)

    def expand(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks that have a function to write; the others are left out, with a warning."""
        posed = [task for task in super().expand(tasks) if open_members(task)]
        left = sorted({task.id for task in tasks} - {task.id for task in posed})
        if left:
            _LOG.warning("no function to write, so left out: %s", ", ".join(left))
        return posed

    def turns(self, task: Task) -> int:
        return len(open_members(task))

    def dialogue(self, task: Task) -> Dialogue:
        documented = yield from self.documented(task)
        material = self.material(documented)
        # What a later function sees of the contract is the reference's own outline, so that what was
        # written fits in, with the documentation that is wanted above each header.
        said = _documentation(documented)
        written: dict[str, str] = {}
        for member in open_members(task):
            before, after = _outline(task, said, written, member)
            ask = msgspec.structs.replace(
                material,
                framework=f"{before} {after}",
                before=before,
                after=after,
                signature=_indented(member.header),
                requirement=said.get(member.signature, ""),
            )
            shown = holds(ask) | {
                "function": member.signature,
                "framework_tokens": count(ask.framework),
            }
            reply = yield Ask(
                prompt=self.layout.prompt(ask, form=self.form, stop=self.stop, holds=shown)
            )
            found = _read(task, member, reply.text, reply.finish, self.form)
            if found.code is not None:
                written[member.signature] = found.code


class SequentialReader:
    """Puts the functions of all replies into the contract; a round of refinement answers with the whole."""

    def __init__(self, form: PromptForm = "chat") -> None:
        self.form: PromptForm = form

    def fingerprint(self) -> dict[str, Any]:
        return {"strategy": "sequential", "extraction": 2, "form": self.form}

    def candidate(self, task: Task, generation: Generation) -> Candidate:
        if generation.round:
            return ContractReader().candidate(task, generation)
        wanted = open_members(task)
        # Documentation that was written first is no function.
        replies = generation.completions[-len(wanted) :] if wanted else ()
        codes: list[tuple[Member, str]] = []
        notes: list[str] = []
        missing: NoCode | None = None
        # The original's comments are no part of the answer: a round of refinement shows it to the model.
        outline = without_comments(task.reference)
        places = _open(outline, task)
        for member, place, reply in zip(wanted, places, replies, strict=True):
            found = _read(task, member, reply.text, reply.finish, self.form)
            notes += [f"{member.signature}: {note}" for note in found.notes]
            if found.code is None:
                # A contract that lacks a function is not what was asked for, whatever the rest.
                missing = missing or found.no_code or NoCode.NOTHING_FOUND
                notes.append(f"{member.signature}: no code")
            else:
                codes.append((place, found.code))
        code = None
        if missing is None:
            code = without_repeats(replace_members(outline, codes), task.target.contract)
        return Candidate.of(generation, code, missing, tuple(notes))


def open_members(task: Task) -> list[Member]:
    """The functions of a task's target that have to be written, in the source's order."""
    return _open(task.reference, task)


def _open(code: str, task: Task) -> list[Member]:
    return [
        member
        for member in members(code, task.target.contract)
        if member.kind in MEMBERS and not member.empty
    ]


def _read(
    task: Task, member: Member, text: str, finish: FinishReason, form: PromptForm
) -> Extraction:
    if finish is FinishReason.CONTEXT:
        return Extraction(no_code=NoCode.PROMPT_TOO_LONG)
    scope = scope_of(task.sources.values(), task.target.contract)
    return extract_function(text, member, scope=scope, finish=finish, form=form)


def _documentation(task: Task) -> dict[str, str]:
    """What the outline says of each function, by signature, comment marks off."""
    return {
        member.signature: member.natspec
        for member in members(task.framework, task.target.contract)
        if member.documentation
    }


def _outline(
    task: Task, said: dict[str, str], written: dict[str, str], current: Member
) -> tuple[str, str]:
    """The contract up to the opening brace of the ``current`` function, and from its closing brace on.

    With the bodies that are written, stubs for the others, and above the headers what is ``said`` of them; no comment
    of the original is left.
    """
    codes = []
    for member in open_members(task):
        code = f"{member.header}{EMPTY}"
        if member == current:
            code = f"{member.header}{{{_HOLE}}}"
        elif member.signature in written:
            code = written[member.signature]
        codes.append((member, f"{_mark(member)}{code}"))
    text = without_comments(replace_members(task.reference, codes))
    for member, _ in codes:
        at = text.find(_mark(member))
        indent = text[text.rfind("\n", 0, at) + 1 : at]
        lines = said.get(member.signature, "").splitlines()
        documentation = "".join(f"/// {line}\n{indent}" for line in lines)
        text = text.replace(_mark(member), documentation, 1)
    before, _, after = text.partition(_HOLE)
    return before, after


def _mark(member: Member) -> str:
    """Stands for a member's documentation while an outline is pieced together."""
    return f"{_HOLE}{member.signature}{_HOLE}{_HOLE}"


def _indented(header: str) -> str:
    return " ".join(without_comments(header).split())
