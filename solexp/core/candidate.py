"""Candidates: a task plus one completion, spliced into buildable sources."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from solexp.core.prompt import Generation


class NoCode(StrEnum):
    """Why a reply holds no candidate."""

    REFUSED = "refused"
    EMPTY = "empty"
    TRUNCATED = "truncated"
    PROMPT_TOO_LONG = "prompt_too_long"
    NOTHING_FOUND = "nothing_found"


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """What is judged: one completion of one task, extracted and spliced, or the reason why there is none."""

    task_id: str
    batch: str
    repeat: int
    index: int
    round: int = 0
    """0 is the first answer; each round of refinement adds one."""
    code: str | None = None
    """The target as the model wrote it."""
    files: dict[str, str] | None = None
    """All that an agent left in its workspace, text by path; None where there was no workspace."""
    no_code: NoCode | None = None
    notes: tuple[str, ...] = ()
    """What extraction had to do, such as ``unclosed fence``."""

    @classmethod
    def of(
        cls,
        generation: Generation,
        code: str | None = None,
        no_code: NoCode | None = None,
        notes: tuple[str, ...] = (),
        files: dict[str, str] | None = None,
    ) -> Candidate:
        """The candidate in a generation's place."""
        return cls(
            task_id=generation.task_id,
            batch=generation.batch,
            repeat=generation.repeat,
            index=generation.index,
            round=generation.round,
            code=code,
            files=files,
            no_code=no_code,
            notes=notes,
        )

    @property
    def key(self) -> str:
        """Unique within a task of a run: ``batch/repeat/index``, and the round where it is not the first."""
        later = f"/{self.round}" if self.round else ""
        return f"{self.batch}/{self.repeat}/{self.index}{later}"
