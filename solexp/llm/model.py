"""The seam to language models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, runtime_checkable

import msgspec

from solexp.core import Batch, Completion, Prompt, Task, UserError
from solexp.core.hashing import content_hash
from solexp.llm.budget import Budget


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

    def fingerprint(self, task: Task) -> dict[str, Any]:
        """Everything besides prompt and sampling that an answer depends on."""
        ...

    def complete(self, request: Request) -> Completion:
        """The reply to one request."""
        ...


class Session(Protocol):
    """A language model that is being asked."""

    async def complete(self, requests: Sequence[Request]) -> Sequence[Completion]:
        """The replies to requests that differ in nothing but their index, in their order.

        Raises UserError for what no further try can mend (a refused key, an unknown model),
        `RequestFailed` when these requests could not be answered, `ModelGone` when none can.
        """
        ...


@runtime_checkable
class LiveModel(Protocol):
    """A language model that is asked over a connection, many requests at a time."""

    paid: bool
    concurrency: int
    """Requests in flight at most."""
    n_per_request: int
    """Samples that one request asks for, at most."""
    budget: Budget
    """What a run may spend on it."""

    @property
    def price_date(self) -> str | None:
        """The date of the shipped list that its price is from, such as ``2025-12``; None for another price or none."""
        ...

    def fingerprint(self, task: Task) -> dict[str, Any]:
        """Everything besides prompt and sampling that an answer depends on; no key and no address with one."""
        ...

    def estimate(self, prompt: Prompt, batch: Batch) -> tuple[int, int]:
        """Tokens of ``prompt``, and at most of one reply to it under ``batch``."""
        ...

    def at_most(self, prompt: Prompt, batch: Batch, n: int) -> tuple[int, float | None]:
        """Tokens and US dollars of one request for ``n`` samples in the worst case; None for an unknown price."""
        ...

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """US dollars for so many tokens; None when the price is not known."""
        ...

    def session(self) -> AbstractAsyncContextManager[Session]:
        """Connect (start what has to be started); everything is closed again on leaving."""
        ...


def generation_key(model: Model | LiveModel, request: Request) -> str:
    """Hash of (model fingerprint, messages, sampling, repeat, sample index).

    The batch's size stays out of it, so that raising n asks only for the samples that are missing.
    Its name does too where answers are paid for, so that a renamed batch asks for none anew;
    models that cost nothing may draw by it, as `Mutants` does.
    """
    batch = request.batch
    name = [] if model.paid else [batch.name]
    return content_hash(
        model.fingerprint(request.task),
        request.prompt.key,
        [batch.temperature, batch.top_p, batch.max_tokens, batch.seed, *name],
        request.repeat,
        request.index,
    )


_MONTH = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])")


def checked_cutoff(month: str | None) -> str | None:
    """The last month that a model has learnt from, as its makers state it. Raises UserError when it is none."""
    if month is not None and not _MONTH.fullmatch(month):
        raise UserError(f"model.cutoff: must be a month such as 2023-10, got '{month}'")
    return month
