"""Prompts, and what comes back for them."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import Any, Literal

import msgspec

from solexp.core.hashing import content_hash

PromptForm = Literal["chat", "completion", "infill"]
"""A conversation; a text to be continued; or a gap to be filled between a text and a suffix."""


class Tool(msgspec.Struct, frozen=True):
    """Something that a model may ask to have done."""

    name: str
    description: str
    parameters: dict[str, Any]
    """A JSON schema of its arguments."""


class ToolCall(msgspec.Struct, frozen=True):
    """A model's wish to have something done, in the form that its server has for that."""

    id: str
    name: str
    arguments: str
    """JSON, as the model wrote it: it need not parse."""


class Message(msgspec.Struct, frozen=True):
    """One message of a conversation."""

    role: str
    content: str
    # What is unset is not encoded, so that questions without tools keep their hashes.
    calls: tuple[ToolCall, ...] | msgspec.UnsetType = msgspec.UNSET
    """What the model asked for with it."""
    answers: str | msgspec.UnsetType = msgspec.UNSET
    """Of a message of the role ``tool``: the id of the call whose result it is."""


class Prompt(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What is sent to a model for one task."""

    task_id: str
    messages: tuple[Message, ...]
    """The conversation; in the other forms one message, whose content is the text before the gap."""
    form: PromptForm = "chat"
    suffix: str = ""
    """The text behind the gap that is to be filled."""
    stop: tuple[str, ...] = ()
    """Sequences at which the reply ends; they are no part of it."""
    tools: tuple[Tool, ...] | msgspec.UnsetType = msgspec.UNSET
    """What the model may call, in the form that its server has for that; unset where nothing."""
    holds: dict[str, Any] = {}
    """What was put into it, such as the ids of the examples; for the reader, no part of the question."""

    @cached_property
    def key(self) -> str:
        """Hash of what is sent."""
        tools = [self.tools] if self.tools else []
        return content_hash(self.messages, self.form, self.suffix, self.stop, *tools)


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
    """Reasoning included."""
    reasoning_tokens: int | None = None
    cost_usd: float | None = None


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """A model's raw reply."""

    text: str
    calls: tuple[ToolCall, ...] | msgspec.UnsetType = msgspec.UNSET
    """The tools it asks for, in order; unset where none."""
    reasoning: str = ""
    """What the model thought before it answered, where the server tells; no part of the answer."""
    finish: FinishReason = FinishReason.STOP
    usage: Usage = Usage()
    seconds: float = 0.0
    """Latency, in seconds."""
    served_by: str | None = None
    """The model that the server says has answered."""
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
    """One sample of one task, as far as one round went: a line of ``generations.jsonl``."""

    key: str
    """Hash of (model fingerprint, messages, sampling, repeat, sample index) of the last request; see
    `solexp.llm.model.generation_key`."""
    task_id: str
    batch: str
    repeat: int
    index: int
    round: int = 0
    """0 is the first answer; each round of refinement adds one."""
    completion: Completion
    """The last reply of the round."""
    earlier: tuple[Completion, ...] = ()
    """The replies before it in the same round, where a strategy asks several times."""
    prompts: tuple[str, ...] = ()
    """`Prompt.key` of each request, in order."""
    shared: tuple[str, ...] = ()
    """Of these, the requests whose one reply all samples of the task have in common; it was paid for once."""

    @property
    def completions(self) -> tuple[Completion, ...]:
        """All replies of the round, in order."""
        return (*self.earlier, self.completion)
