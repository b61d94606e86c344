"""Replies recorded earlier, judged as if they had just come in."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from solexp.core import Completion, Task, UserError
from solexp.core.errors import nearest
from solexp.core.hashing import content_hash
from solexp.llm.model import Request, checked_cutoff
from solexp.llm.replies import recorded_replies


class Recorded:
    """Answers sample i of a task with the i-th recorded reply.

    A recording holds one series of samples a task and does not say how they were drawn, so a run may have one batch and
    no repeats; anything else would count the same reply several times.
    """

    paid = False

    def __init__(self, path: str, model: str | None = None, cutoff: str | None = None) -> None:
        """``path`` is a folder in a release's layout or a table; ``model`` picks one of the table's models.

        ``cutoff`` is the last month that this model has learnt from, such as ``2023-10``.
        """
        self.cutoff = checked_cutoff(cutoff)
        self.path = Path(path).expanduser()
        self.model = model
        self._batch: str | None = None

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
        """The recorded reply.

        Raises UserError when there is none, or when the sampling wants more than one batch, repeats, or k = 1 from
        several samples without calling that a mean.
        """
        self._refuse_reuse(request)
        task, index = request.task.id, request.index
        try:
            return Completion(text=self._replies[task, index])
        except KeyError:
            if task not in self._tasks:
                mend = f"no replies for task '{task}'; {nearest(task, self._tasks)}"
            else:
                mend = f"no reply {index} for task '{task}'; lower the samples of sampling.batches"
            raise UserError(f"model.path: {self.path}: {mend}") from None

    def _refuse_reuse(self, request: Request) -> None:
        batch = request.batch
        if request.repeat:
            wrong = "sampling.repeats: must be 1 with recorded replies, which hold each sample once"
        elif self._batch not in (None, batch.name):
            wrong = (
                f"sampling.batches: recorded replies answer one batch, not both '{self._batch}' and "
                f"'{batch.name}'"
            )
        elif batch.n > 1 and 1 in batch.ks and batch.name != "mean_of_n":
            wrong = (
                f"sampling.batches.{batch.name}.ks: k = 1 over {batch.n} recorded samples is their "
                "mean"
            )
        else:
            self._batch = batch.name
            return
        raise UserError(f"{wrong}; choose sampling=mean_of_n")
