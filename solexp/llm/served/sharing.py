"""Which part of a request's tokens and cost each of its samples bears."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from solexp.core import Completion, Usage


def shares(completions: Sequence[Completion], usage: Usage, n: int) -> tuple[Completion, ...]:
    """The first ``n`` completions, each with its part of ``usage``: the prompt's tokens in equal parts, the
    reply's by the length of the texts. The parts add up to the whole."""
    kept = completions[:n]
    if len(kept) == 1:
        return (msgspec.structs.replace(kept[0], usage=usage),)
    lengths = [len(reply.text) + len(reply.reasoning) + 1 for reply in kept]
    prompts = split(usage.prompt_tokens, [1] * len(kept))
    replies = split(usage.completion_tokens, lengths)
    thoughts = split(usage.reasoning_tokens, lengths)
    whole = sum(lengths)
    return tuple(
        msgspec.structs.replace(
            reply,
            usage=Usage(
                prompt_tokens=prompts[at],
                completion_tokens=replies[at],
                reasoning_tokens=thoughts[at],
                cost_usd=None if usage.cost_usd is None else usage.cost_usd * lengths[at] / whole,
            ),
        )
        for at, reply in enumerate(kept)
    )


def split(total: int | None, weights: Sequence[int]) -> list[int | None]:
    """Whole numbers in proportion to ``weights`` that add up to ``total``.

    >>> split(10, [1, 1, 1])
    [3, 3, 4]
    """
    if total is None:
        return [None] * len(weights)
    parts: list[int | None] = []
    before, sum_of_weights, so_far = 0, sum(weights), 0
    for weight in weights:
        so_far += weight
        until = total * so_far // sum_of_weights
        parts.append(until - before)
        before = until
    return parts
