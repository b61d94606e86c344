"""What a run may spend: nothing is asked whose worst case would pass a limit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from solexp.core import Completion
from solexp.llm.budget import BudgetReached
from solexp.llm.model import LiveModel, Model, Request

Settle = Callable[[Sequence[Completion]], None]


class Spending:
    """A model's budget, shared by all requests that are under way."""

    def __init__(self, model: Model | LiveModel) -> None:
        self._model = model if isinstance(model, LiveModel) else None
        self._under_way = 0
        self._waiting: list[asyncio.Future[None]] = []

    @asynccontextmanager
    async def reserved(self, requests: Sequence[Request]) -> AsyncIterator[Settle]:
        """Put the requests' worst case aside, and give back what was not used once they are settled.

        Where only requests under way stand against it, waits for them. Raises BudgetReached when what is left does
        not suffice.
        """
        if self._model is None or not self._model.budget.limited:
            yield lambda _: None
            return
        budget, first = self._model.budget, requests[0]
        tokens, cost = self._model.at_most(first.prompt, first.batch, 1)
        # Each with a prompt of its own: a server that gives fewer samples than it was asked for is asked singly.
        worst = tokens * len(requests), None if cost is None else cost * len(requests)
        while True:
            try:
                reservation = budget.reserve(*worst)
                break
            except BudgetReached:
                if not self._under_way:
                    raise
            self._waiting.append(asyncio.get_running_loop().create_future())
            await self._waiting[-1]
        self._under_way += 1
        used: Sequence[Completion] = ()

        def settle(replies: Sequence[Completion]) -> None:
            nonlocal used
            used = replies

        try:
            yield settle
        finally:
            budget.settle(reservation, [each.usage for each in used])
            self._under_way -= 1
            for waiting in self._waiting:
                if not waiting.done():
                    waiting.set_result(None)
            self._waiting.clear()
