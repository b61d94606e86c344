"""What models on this machine have in common, whatever runs them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from solexp.core import Batch, Prompt
from solexp.llm import tokens
from solexp.llm.budget import Budget
from solexp.llm.local.threads import checked_threads
from solexp.llm.model import checked_cutoff


@dataclass(kw_only=True)
class OnThisMachine(ABC):
    """Costs nothing; may use the cores that are free; counts tokens itself once it is loaded."""

    threads: int | None = None
    """At most so many threads; never more than there are free cores, which null takes all."""
    max_output_tokens: int = 2048
    """Limit of a reply where the batch's ``max_tokens`` is null."""
    chat_template: str | None = None
    """A Jinja template in place of the model's own."""
    max_tokens_total: int | None = None
    """Limit of this run's tokens, prompts and replies together."""
    cutoff: str | None = None
    """Last month that the model has learnt from, such as ``2023-10``. It changes no answer."""

    def __post_init__(self) -> None:
        self.paid = True
        self.n_per_request = 1
        self.budget = Budget(None, self.max_tokens_total)
        checked_threads(self.threads)
        checked_cutoff(self.cutoff)

    @property
    def price_date(self) -> str | None:
        """None: nothing is paid."""
        return None

    @abstractmethod
    def counted(self, prompt: Prompt) -> int | None:
        """Tokens of ``prompt`` by the model's own tokenizer; None while it is not loaded."""

    def estimate(self, prompt: Prompt, batch: Batch) -> tuple[int, int]:
        """Tokens of ``prompt``, counted by the model's own tokenizer while a session is open and otherwise by a
        stated approximation (see `solexp.llm.tokens`); and at most of one reply."""
        most = self.max_output_tokens if batch.max_tokens is None else batch.max_tokens
        known = self.counted(prompt)
        if known is not None:
            return known, most
        texts = (*(message.content for message in prompt.messages), prompt.suffix)
        return sum(tokens.count(text) for text in texts), most

    def at_most(self, prompt: Prompt, batch: Batch, n: int) -> tuple[int, float | None]:
        """Tokens of one request for ``n`` samples in the worst case; it costs nothing.

        Before a session is open the estimate may be a quarter too low, so half as much again is taken.
        """
        asked, most = self.estimate(prompt, batch)
        return asked * 3 // 2 + n * most, 0.0

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:  # noqa: ARG002
        """Nothing: it runs on this machine."""
        return 0.0
