"""Limits of what a run may cost, kept by reserving the worst case before each request."""

from __future__ import annotations

import asyncio
from collections import deque

import msgspec

from solexp.core import Usage
from solexp.core.errors import SolexpError

_ROUNDING = 1e-9


class BudgetReached(SolexpError):
    """A run's limit of cost or tokens would be passed by the next request. What was answered is kept."""


class Reservation(msgspec.Struct, frozen=True, kw_only=True):
    """What a request may cost at most."""

    tokens: int
    cost_usd: float | None = None


class Budget:
    """What this run has spent, what its requests in flight may yet spend, and the limits of both together.

    Only what is newly asked counts; answers kept from earlier runs cost nothing. One event loop at a time.
    """

    def __init__(
        self, max_cost_usd: float | None = None, max_tokens_total: int | None = None
    ) -> None:
        self.max_cost_usd = max_cost_usd
        self.max_tokens_total = max_tokens_total
        self.tokens = 0
        """Tokens spent, prompts and replies together."""
        self.cost_usd = 0.0
        """US dollars spent, as far as prices are known."""
        self._held_tokens = 0
        self._held_cost = 0.0
        self._held = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._reached: str | None = None

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return self.max_cost_usd is not None or self.max_tokens_total is not None

    async def reserve(self, tokens: int, cost_usd: float | None) -> Reservation:
        """Hold back the worst case of one request until `settle` or `release`.

        Where it fits only once requests in flight have cost less than feared, this waits for them. Raises
        BudgetReached when it does not fit with none in flight; from then on every reservation is refused.
        """
        while True:
            if self._reached is not None:
                raise BudgetReached(self._reached)
            excess = self._excess(tokens, cost_usd or 0.0)
            if excess is None:
                break
            if not self._held:
                self._reached = excess
                self._wake()
                raise BudgetReached(excess)
            woken = asyncio.get_running_loop().create_future()
            self._waiting.append(woken)
            try:
                await woken
            finally:
                if woken in self._waiting:
                    self._waiting.remove(woken)
        self._held += 1
        self._held_tokens += tokens
        self._held_cost += cost_usd or 0.0
        return Reservation(tokens=tokens, cost_usd=cost_usd)

    def settle(self, reservation: Reservation, usage: Usage | None) -> None:
        """Count what a request did cost. What ``usage`` does not say counts as reserved: the worst case."""
        self._let_go(reservation)
        prompt = usage.prompt_tokens if usage else None
        completion = usage.completion_tokens if usage else None
        cost = usage.cost_usd if usage else None
        known = prompt is not None and completion is not None
        self.tokens += (prompt or 0) + (completion or 0) if known else reservation.tokens
        self.cost_usd += (reservation.cost_usd or 0.0) if cost is None else cost
        self._wake()

    def release(self, reservation: Reservation) -> None:
        """A request that was not answered, and cost nothing."""
        self._let_go(reservation)
        self._wake()

    def _let_go(self, reservation: Reservation) -> None:
        self._held -= 1
        self._held_tokens -= reservation.tokens
        self._held_cost -= reservation.cost_usd or 0.0
        if not self._held:
            self._held_cost = 0.0

    def _excess(self, tokens: int, cost: float) -> str | None:
        limit = self.max_tokens_total
        if limit is not None and self.tokens + self._held_tokens + tokens > limit:
            return (
                f"model.max_tokens_total: {self.tokens:,} of {limit:,} tokens are spent, and the next request "
                f"may take {tokens:,}; raise it and start the run again: what was answered is kept"
            )
        most = self.max_cost_usd
        if most is not None and self.cost_usd + self._held_cost + cost > most + _ROUNDING:
            return (
                f"model.max_cost_usd: {self.cost_usd:.4f} of {most:g} USD are spent, and the next request may "
                f"cost {cost:.4f}; raise it and start the run again: what was answered is kept"
            )
        return None

    def _wake(self) -> None:
        while self._waiting:
            woken = self._waiting.popleft()
            if not woken.done():
                woken.set_result(None)
