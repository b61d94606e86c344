"""Prompts, and what comes back for them."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Message(msgspec.Struct, frozen=True):
    """One message of a conversation."""

    role: str
    content: str


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent to a model for one task."""

    task_id: str
    messages: tuple[Message, ...]


class FinishReason(StrEnum):
    """Why a model stopped."""

    STOP = "stop"
    LENGTH = "length"
    REFUSED = "refused"
    CONTEXT = "context"
    """The prompt was too long for the model."""


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens and money that a completion took; None where unknown."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """A model's raw reply."""

    text: str
    finish: FinishReason = FinishReason.STOP
    usage: Usage = Usage()
    seconds: float = 0.0
    """Latency, in seconds."""
    label: str | None = None
    """What a calibration model says its answer is, such as a mutant's name; never shown to an oracle."""


class Batch(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Samples drawn alike: one temperature, one top-p, for the ks they serve."""

    name: str
    n: int
    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int | None = None
    seed: int | None = None
    ks: tuple[int, ...] = (1,)
    """The k of pass@k that are estimated from this batch."""


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """One stored completion and the question it answers: a line of ``generations.jsonl``."""

    key: str
    """Hash of (model fingerprint, messages, sampling, repeat, sample index); see `solexp.llm.model.generation_key`."""
    task_id: str
    batch: str
    repeat: int
    index: int
    completion: Completion
