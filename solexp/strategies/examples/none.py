"""No examples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solexp.core import Task, UserError
from solexp.strategies.base import Example


class NoExamples:
    """Shows none; wanting shots of it is refused."""

    def fingerprint(self) -> dict[str, Any]:
        return {"examples": "none"}

    def prepare(self, tasks: Sequence[Task], pool: Sequence[Task]) -> None:
        """Nothing to prepare."""

    def choose(self, task: Task, shots: int) -> Sequence[Example]:
        """None. Raises UserError when some are wanted."""
        if shots:
            raise UserError(
                "strategy.shots: no examples to choose from; choose strategy/examples=random or bm25"
            )
        return ()
