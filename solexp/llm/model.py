"""The seam to language models."""

from __future__ import annotations

from typing import Protocol

import msgspec

from solexp.core import Batch, Completion, Prompt, Task
from solexp.core.hashing import content_hash


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One sample that is wanted."""

    task: Task
    prompt: Prompt
    batch: Batch
    repeat: int
    index: int
    """0-based sample of its batch."""


class Model(Protocol):
    """Anything that answers prompts."""

    paid: bool
    """Whether an answer costs money or time, so that it must be kept and never be asked for twice."""

    def fingerprint(self, task: Task) -> dict[str, object]:
        """Everything besides prompt and sampling that an answer depends on."""
        ...

    def complete(self, request: Request) -> Completion:
        """The reply to one request."""
        ...


def generation_key(model: Model, request: Request) -> str:
    """Hash of (model fingerprint, messages, sampling, repeat, sample index).

    The batch's size stays out of it, so that raising n asks only for the samples that are missing.
    Its name does too where answers are paid for, so that a renamed batch asks for none anew;
    models that cost nothing may draw by it, as `Mutants` does.
    """
    batch = request.batch
    name = [] if model.paid else [batch.name]
    return content_hash(
        model.fingerprint(request.task),
        request.prompt.messages,
        [batch.temperature, batch.top_p, batch.max_tokens, batch.seed, *name],
        request.repeat,
        request.index,
    )
