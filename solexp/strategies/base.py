"""What every strategy does."""

from __future__ import annotations

from typing import Protocol

from solexp.core import Candidate, Generation, Prompt, Task


class Strategy(Protocol):
    """Asks for a task's target, and finds it in the reply."""

    def fingerprint(self) -> dict[str, object]:
        """Everything that decides how a reply becomes a candidate."""
        ...

    def prompt(self, task: Task) -> Prompt:
        """What is sent to the model for ``task``."""
        ...

    def candidate(self, task: Task, generation: Generation) -> Candidate:
        """The candidate in a reply, or the reason why there is none."""
        ...
