"""What requests will take, told before the first is paid for."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from solexp.core import Batch, Prompt
from solexp.llm.model import LiveModel, Model


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """Requests, tokens and money of what is still to be asked."""

    requests: int
    samples: int
    prompt_tokens: int | None
    """None for a model that is no language model."""
    completion_tokens_at_most: int | None
    cost_usd_at_most: float | None
    """None when the price is unknown."""
    price_date: str | None = None
    """Of the shipped list that the price is from."""
    rounds: int = 0
    """Rounds of refinement that may come on top."""

    def told(self) -> str:
        """One line."""
        if not self.samples:
            return "forecast: nothing to ask, every answer is kept"
        several = "" if self.samples == self.requests else f" for {self.samples:,} samples"
        parts = [f"{self.requests:,} requests{several}"]
        if self.prompt_tokens is not None:
            parts.append(f"about {self.prompt_tokens:,} tokens of prompts")
        if self.completion_tokens_at_most is not None:
            parts.append(f"at most {self.completion_tokens_at_most:,} of replies")
        if self.prompt_tokens is not None:
            cost = self.cost_usd_at_most
            of = f" at prices of {self.price_date}" if self.price_date else ""
            parts.append("price unknown" if cost is None else f"at most {cost:,.2f} USD{of}")
        later = f"; up to {self.rounds} rounds of refinement on top" if self.rounds else ""
        return f"forecast: {', '.join(parts)}{later}"


def foresee(
    model: Model | LiveModel, asks: Iterable[tuple[Prompt, Batch, int, int]], *, rounds: int = 0
) -> Forecast:
    """What ``asks`` (a prompt, how it is sampled, how many samples at once, how many times) will take.

    Servers that give several samples a request charge its prompt once.
    """
    requests = samples = prompt_tokens = replies = 0
    for prompt, batch, n, times in asks:
        samples += n * times
        if isinstance(model, LiveModel):
            groups = -(-n // model.n_per_request) * times
            asked, answered = model.estimate(prompt, batch)
            requests += groups
            prompt_tokens += groups * asked
            replies += n * times * answered
    if not isinstance(model, LiveModel):
        return Forecast(
            requests=samples,
            samples=samples,
            prompt_tokens=None,
            completion_tokens_at_most=None,
            cost_usd_at_most=None,
            rounds=rounds,
        )
    return Forecast(
        requests=requests,
        samples=samples,
        prompt_tokens=prompt_tokens,
        completion_tokens_at_most=replies,
        cost_usd_at_most=model.cost(prompt_tokens, replies),
        price_date=model.price_date,
        rounds=rounds,
    )
