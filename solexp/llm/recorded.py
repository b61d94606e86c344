"""Replies recorded earlier, judged as if they had just come in."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from solexp.core import Completion, Task, UserError
from solexp.core.errors import nearest
from solexp.core.hashing import content_hash
from solexp.llm.model import Request
from solexp.llm.replies import recorded_replies


class Recorded:
    """Answers sample i of a task with the i-th recorded reply."""

    paid = False

    def __init__(self, path: str, model: str | None = None) -> None:
        """``path`` is a folder in a release's layout or a table; ``model`` picks one of the table's models."""
        self.path = Path(path).expanduser()
        self.model = model

    @cached_property
    def _replies(self) -> dict[tuple[str, int], str]:
        return dict(recorded_replies(self.path, self.model))

    @cached_property
    def _tasks(self) -> set[str]:
        return {task for task, _ in self._replies}

    def fingerprint(self, task: Task) -> dict[str, object]:
        replies = sorted((i, text) for (name, i), text in self._replies.items() if name == task.id)
        return {"model": "recorded", "replies": content_hash(replies)}

    def complete(self, request: Request) -> Completion:
        task, index = request.task.id, request.index
        try:
            return Completion(text=self._replies[task, index])
        except KeyError:
            if task not in self._tasks:
                mend = f"no replies for task '{task}'; {nearest(task, self._tasks)}"
            else:
                mend = f"no reply {index} for task '{task}'; lower the samples of sampling.batches"
            raise UserError(f"model.path: {self.path}: {mend}") from None
