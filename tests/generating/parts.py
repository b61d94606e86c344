"""A language model in this process, and dialogues with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from solexp.core import (
    Batch,
    Completion,
    Message,
    Prompt,
    Task,
    Usage,
)
from solexp.generating import Wanted
from solexp.llm.budget import Budget
from solexp.llm.model import Request
from solexp.strategies import Ask, Dialogue
from tests.made_tasks import whole_source

NUCLEUS = Batch(name="nucleus", n=5, temperature=0.5, max_tokens=10, ks=(3,))


def ask(task: Task, text: str, **fields: Any) -> Ask:
    return Ask(prompt=Prompt(task_id=task.id, messages=(Message("user", text),)), **fields)


def once(task: Task) -> Callable[[int], Dialogue]:
    """One request, for its task's name."""

    def begin(_: int) -> Dialogue:
        yield ask(task, task.id)

    return begin


def wanted(
    name: str = "t",
    n: int = 1,
    begin: Callable[[int], Dialogue] | None = None,
    batch: Batch = NUCLEUS,
) -> Wanted:
    posed = whole_source(name)
    return Wanted(
        task=posed, batch=batch, repeat=0, indices=tuple(range(n)), begin=begin or once(posed)
    )


class Scripted:
    """Answers a prompt with its own text, or with what ``answer`` makes of it; counts what it is asked."""

    paid = True

    def __init__(
        self,
        answer: Callable[[Request], Completion] | None = None,
        *,
        concurrency: int = 4,
        n_per_request: int = 16,
        max_cost_usd: float | None = None,
        max_tokens_total: int | None = None,
        price: float | None = 0.001,
        name: str = "scripted",
    ) -> None:
        self.concurrency = concurrency
        self.n_per_request = n_per_request
        self.budget = Budget(max_cost_usd, max_tokens_total)
        self.price = price
        self.name = name
        self.asked: list[Request] = []
        self.calls = 0
        self.opened = 0
        self.most_at_once = 0
        self._at_once = 0
        self.price_date: str | None = None
        self._answer = answer or self._echo

    def _echo(self, request: Request) -> Completion:
        usage = Usage(prompt_tokens=5, completion_tokens=5, cost_usd=self.cost(5, 5))
        return Completion(
            text=f"{request.prompt.messages[-1].content}#{request.index}", usage=usage
        )

    def fingerprint(self, task: Task) -> dict[str, Any]:  # noqa: ARG002
        return {"model": self.name}

    def estimate(self, prompt: Prompt, batch: Batch) -> tuple[int, int]:  # noqa: ARG002
        return 5, batch.max_tokens or 10

    def at_most(self, prompt: Prompt, batch: Batch, n: int) -> tuple[int, float | None]:
        asked, answer = self.estimate(prompt, batch)
        return n * (asked + answer), self.cost(n * asked, n * answer)

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        return None if self.price is None else self.price * (prompt_tokens + completion_tokens)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Scripted]:
        self.opened += 1
        yield self

    async def complete(self, requests: Sequence[Request]) -> Sequence[Completion]:
        self.calls += 1
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            await asyncio.sleep(0.002)
            self.asked += requests
            return [self._answer(request) for request in requests]
        finally:
            self._at_once -= 1
