"""What generations took: every reply counts, of every round, and one that several samples share counts once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TypedDict

from solexp.core import Completion, Generation


class Totals(TypedDict):
    """Tokens and US dollars; None when not every reply states them."""

    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None


def paid_replies(generations: Iterable[Generation]) -> list[Completion]:
    """All replies of ``generations``: the last of a round and those before it, round after round.

    What was asked once for all samples of a task, such as freshly written documentation, is in the
    first sample only, so that sums over a run are what it cost. A reply that was found kept counts as
    what it cost when it was asked for.
    """
    found = []
    had: set[str] = set()
    for generation in generations:
        # A generation of a recording has no prompts, so nothing shared.
        prompts = (*generation.prompts, *[""] * len(generation.completions))
        for prompt, reply in zip(prompts, generation.completions, strict=False):
            if prompt in generation.shared:
                if prompt in had:
                    continue
                had.add(prompt)
            found.append(reply)
    return found


def totals(replies: Sequence[Completion]) -> Totals:
    """Their sums."""
    usages = [reply.usage for reply in replies]
    prompt = [u.prompt_tokens for u in usages if u.prompt_tokens is not None]
    completion = [u.completion_tokens for u in usages if u.completion_tokens is not None]
    cost = [u.cost_usd for u in usages if u.cost_usd is not None]
    full = len(replies) or -1
    return Totals(
        prompt_tokens=sum(prompt) if len(prompt) == full else None,
        completion_tokens=sum(completion) if len(completion) == full else None,
        cost_usd=math.fsum(cost) if len(cost) == full else None,
    )
