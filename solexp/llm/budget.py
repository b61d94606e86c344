"""Limits of what a run may spend."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from solexp.core import HarnessError, Usage, UserError
from solexp.core.settings import above


class BudgetReached(HarnessError):
    """The next request might pass a limit of the run."""


class Budget:
    """Money and tokens that a run may still spend; nothing is asked for whose worst case does not fit."""

    def __init__(
        self, max_cost_usd: float | None = None, max_tokens_total: int | None = None
    ) -> None:
        """None is no limit. Raises UserError for a limit that is not above 0."""
        above("model.max_cost_usd", max_cost_usd)
        above("model.max_tokens_total", max_tokens_total)
        self.max_cost_usd = max_cost_usd
        self.max_tokens_total = max_tokens_total
        self.cost_usd = 0.0
        """Spent so far."""
        self.tokens = 0
        self._reserved: dict[int, tuple[int, float]] = {}
        self._numbers = itertools.count()

    @property
    def limited(self) -> bool:
        """Whether there is any limit."""
        return self.max_cost_usd is not None or self.max_tokens_total is not None

    def reserve(self, tokens: int, cost_usd: float | None) -> int:
        """Put the worst case of a request aside; returns the reservation's number.

        Raises BudgetReached when a limit would be passed with it, UserError when there is a limit of
        cost and the price is unknown.
        """
        if self.max_cost_usd is not None and cost_usd is None:
            raise UserError(
                "model.max_cost_usd: the model's price is not known, so its cost cannot be limited; "
                "give model.prices=FILE, or limit model.max_tokens_total"
            )
        held_tokens = sum(each for each, _ in self._reserved.values())
        held_cost = sum(each for _, each in self._reserved.values())
        cost = cost_usd or 0.0
        if (
            self.max_tokens_total is not None
            and self.tokens + held_tokens + tokens > self.max_tokens_total
        ):
            raise BudgetReached(
                f"{self.tokens} tokens are used, and the next request may take {tokens}: "
                f"model.max_tokens_total={self.max_tokens_total} would be passed; raise it and run "
                "again to go on"
            )
        if self.max_cost_usd is not None and self.cost_usd + held_cost + cost > self.max_cost_usd:
            raise BudgetReached(
                f"{self.cost_usd:.4f} USD are spent, and the next request may cost {cost:.4f}: "
                f"model.max_cost_usd={self.max_cost_usd:g} would be passed; raise it and run again "
                "to go on"
            )
        number = next(self._numbers)
        self._reserved[number] = tokens, cost
        return number

    def settle(self, reservation: int, used: Sequence[Usage]) -> None:
        """Give back what a reservation did not use.

        ``used`` is the usage of its replies; what a server does not state counts as reserved, and no
        reply at all counts as nothing.
        """
        tokens, cost = self._reserved.pop(reservation)
        if not used:
            return
        stated = [each.prompt_tokens for each in used] + [each.completion_tokens for each in used]
        known = [each for each in stated if each is not None]
        self.tokens += sum(known) if len(known) == len(stated) else tokens
        costs = [each.cost_usd for each in used if each.cost_usd is not None]
        self.cost_usd += sum(costs) if len(costs) == len(used) else cost
