"""No examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solexp.core import Task
from solexp.strategies.base import Example, Kind


class NoExamples:
    """Shows none; strategies refuse to want shots of it."""

    def fingerprint(self) -> dict[str, Any]:
        return {"examples": "none"}

    def prepare(
        self, tasks: Sequence[Task], pool: Sequence[Task], kind: Kind | None = None
    ) -> None:
        """Nothing to prepare."""

    def choose(self, task: Task, shots: int) -> Sequence[Example]:  # noqa: ARG002
        return ()
