"""What strategies for Python functions with preconditions have in common."""

from __future__ import annotations

from collections.abc import Sequence

from solexp.core import Task
from solexp.python.expected import preconditions_of


class OfFunctions:
    """Poses functions as they are, without examples."""

    shots = 0

    def expand(self, tasks: Sequence[Task]) -> list[Task]:
        """The tasks as they are. Raises UserError for one without preconditions."""
        for task in tasks:
            preconditions_of(task)
        return list(tasks)

    def prepare(self, tasks: Sequence[Task], pool: Sequence[Task]) -> None:
        """Nothing to prepare."""
