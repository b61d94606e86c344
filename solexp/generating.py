"""Asking a model for every sample of every task, and never twice for the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from solexp.config import RunSpec
from solexp.core import Completion, Generation, Task
from solexp.llm.model import Request, generation_key
from solexp.store import Store


def generate(
    spec: RunSpec, tasks: Sequence[Task], store: Store, total: Callable[[int], None]
) -> Iterator[Generation]:
    """Yield a generation for every task, repeat, batch and index, in that order.

    Paid answers are looked up in ``store`` first and kept there, on the disk, before they are
    yielded: a killed run asks only for what is missing. ``total`` is told how many there will be.
    """
    sampling = spec.sampling
    total(len(tasks) * sampling.repeats * sum(batch.n for batch in sampling.batches))
    for task in tasks:
        prompt = spec.strategy.prompt(task)
        for repeat in range(sampling.repeats):
            for batch in sampling.batches:
                for index in range(batch.n):
                    request = Request(
                        task=task, prompt=prompt, batch=batch, repeat=repeat, index=index
                    )
                    key = generation_key(spec.model, request)
                    yield Generation(
                        key=key,
                        task_id=task.id,
                        batch=batch.name,
                        repeat=repeat,
                        index=index,
                        completion=_completion(spec, request, key, store),
                    )


def _completion(spec: RunSpec, request: Request, key: str, store: Store) -> Completion:
    if not spec.model.paid:
        return spec.model.complete(request)
    known = store.get(key, Completion)
    if known is None:
        known = spec.model.complete(request)
        store.put(key, known, durable=True)
    return known
