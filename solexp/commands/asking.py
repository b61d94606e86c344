"""Asking a model about tasks outside of runs: one question about each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from solexp.core import Batch, Completion, Generation, Prompt, Task
from solexp.generating import Wanted, generate
from solexp.llm.forecast import foresee
from solexp.llm.model import LiveModel, Model, Request, generation_key
from solexp.progress import Progress
from solexp.store import Store
from solexp.strategies import Ask, Dialogue
from solexp.toolchain.homes import cache_home

Again = Callable[[Task, Prompt, str], Prompt | None]
"""From a task, what was asked and the answer: what is asked once more, or None where the answer will do."""


def answers(
    model: Model | LiveModel,
    tasks: Sequence[Task],
    batch: Batch,
    question: Callable[[Task], Prompt],
    *,
    again: Again = lambda *_: None,
    title: str = "asking",
) -> tuple[dict[str, str], str | None]:
    """The last answer about each task, by its id and in the tasks' order; and why asking ended early, if it did.

    What it may cost is told on standard error beforehand. What was asked once is not paid for again.
    """
    store = Store(cache_home() / "generations")
    dialogues = [_Questions(task, question(task), again) for task in tasks]
    asks = [(each.first, batch, 1, 1) for each in dialogues if not each.kept(model, store, batch)]
    print(foresee(model, asks).told(), file=sys.stderr)
    found: dict[str, str] = {}
    wanted = [
        Wanted(task=each.task, batch=batch, repeat=0, indices=(0,), begin=each)
        for each in dialogues
    ]
    with Progress(title) as progress:
        progress.total(len(wanted))

        def keep(generation: Generation) -> None:
            progress.advance()
            found[generation.task_id] = generation.completion.text

        halted = generate(model, wanted, store, keep=keep)
    # Whoever answered first.
    return {task.id: found[task.id] for task in tasks if task.id in found}, halted.told()


class _Questions:
    """The dialogue about a task: a question, and perhaps once more."""

    def __init__(self, task: Task, first: Prompt, again: Again) -> None:
        self.task = task
        self.first = first
        self._again = again

    def kept(self, model: Model | LiveModel, store: Store, batch: Batch) -> bool:
        """Whether the first answer is there already."""
        request = Request(task=self.task, prompt=self.first, batch=batch, repeat=0, index=0)
        return model.paid and store.get(generation_key(model, request), Completion) is not None

    def __call__(self, _index: int) -> Dialogue:
        return self._dialogue()

    def _dialogue(self) -> Dialogue:
        reply = yield Ask(prompt=self.first)
        more = self._again(self.task, self.first, reply.text)
        if more is not None:
            yield Ask(prompt=more)
