"""Requests that these tests send."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from solexp.core import Batch, Completion, Message, Prompt, Task
from solexp.core.prompt import PromptForm
from solexp.llm.model import Request


def request(
    text: str = "Write a Solidity function that adds two numbers.",
    *,
    form: PromptForm = "chat",
    index: int = 0,
    temperature: float = 0.0,
    stop: tuple[str, ...] = (),
    most: int | None = 8,
) -> Request:
    """A request for one sample of at most ``most`` tokens."""
    prompt = Prompt(task_id="t", messages=(Message("user", text),), form=form, stop=stop)
    batch = Batch(name="b", n=2, temperature=temperature, top_p=0.95, max_tokens=most, seed=5)
    task: Task = None  # type: ignore[assignment]  # no live model looks at it
    return Request(task=task, prompt=prompt, batch=batch, repeat=0, index=index)


def timeless(replies: Sequence[Completion]) -> list[Completion]:
    """Replies without how long they took."""
    return [msgspec.structs.replace(reply, seconds=0.0) for reply in replies]
