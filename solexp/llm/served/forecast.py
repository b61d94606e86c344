"""What a run will ask for, before it asks."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from solexp.core import Batch, Prompt
from solexp.llm.model import LiveModel


class Forecast(msgspec.Struct, frozen=True, kw_only=True):
    """Requests, tokens and cost of what is to be asked, from the prompts' lengths."""

    requests: int
    samples: int
    prompt_tokens: int
    """Approximate."""
    completion_tokens_at_most: int
    cost_at_most: float | None
    """US dollars; None when a price is not known."""

    def __str__(self) -> str:
        """One line."""
        asked = f"{self.requests:,} request{'' if self.requests == 1 else 's'}"
        if self.samples != self.requests:
            asked += f" for {self.samples:,} samples"
        cost = (
            "cost unknown" if self.cost_at_most is None else f"at most {self.cost_at_most:,.2f} USD"
        )
        return (
            f"{asked}, about {self.prompt_tokens:,} prompt tokens, at most "
            f"{self.completion_tokens_at_most:,} completion tokens, {cost}"
        )


def forecast(model: LiveModel, asks: Iterable[tuple[Prompt, Batch, int]]) -> Forecast:
    """What ``asks`` (prompt, batch, samples wanted) will take if every reply is as long as it may be.

    Prompts of later rounds and replies to be tried again are not in it.
    """
    per_request: int = getattr(model, "n_per_request", 1)
    requests = samples = prompts = replies = 0
    for prompt, batch, wanted in asks:
        if wanted <= 0:
            continue
        tokens, most = model.estimate(prompt, batch)
        groups = -(-wanted // per_request)
        requests += groups
        samples += wanted
        prompts += groups * tokens
        replies += wanted * most
    return Forecast(
        requests=requests,
        samples=samples,
        prompt_tokens=prompts,
        completion_tokens_at_most=replies,
        cost_at_most=model.cost(prompts, replies),
    )
