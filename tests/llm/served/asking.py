"""Asking a loopback server, for the tests beside this file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from solexp.core import Batch, Completion, Message, Prompt
from solexp.llm.model import Request
from solexp.llm.served import OpenAICompatible
from tests.llm.served.server import LoopbackServer
from tests.made_tasks import whole_source

TASK = whole_source()


def model_of(server: LoopbackServer, **settings: Any) -> OpenAICompatible:
    """A model behind ``server`` that does not dawdle."""
    return OpenAICompatible(
        **{"name": "loopback", "base_url": server.base_url, "backoff_s": 0.001, **settings}
    )


def chat(*contents: str, stop: tuple[str, ...] = ()) -> Prompt:
    """A prompt of one system message, where two texts are given, and a question."""
    roles = ("system", "user")[-len(contents) :]
    messages = tuple(Message(role, text) for role, text in zip(roles, contents, strict=True))
    return Prompt(task_id=TASK.id, messages=messages, stop=stop)


def requests_for(prompt: Prompt, batch: Batch, indices: Sequence[int]) -> list[Request]:
    """One request a sample."""
    return [
        Request(task=TASK, prompt=prompt, batch=batch, repeat=0, index=index) for index in indices
    ]


def ask(
    model: OpenAICompatible, prompt: Prompt | str = "hello", samples: int = 1, **batch: Any
) -> list[Completion]:
    """The replies of one session to so many samples of one prompt."""
    if isinstance(prompt, str):
        prompt = chat(prompt)
    drawn = Batch(name="drawn", n=samples, **batch)

    async def asked() -> list[Completion]:
        async with model.session() as session:
            return list(await session.complete(requests_for(prompt, drawn, range(samples))))

    return asyncio.run(asked())


def ask_each(model: OpenAICompatible, prompts: Sequence[str]) -> list[Completion | BaseException]:
    """The replies of one session to many prompts at once, or why there is none."""
    drawn = Batch(name="drawn", n=1)

    async def asked() -> list[Completion | BaseException]:
        async with model.session() as session:
            results = await asyncio.gather(
                *(session.complete(requests_for(chat(text), drawn, [0])) for text in prompts),
                return_exceptions=True,
            )
        return [each if isinstance(each, BaseException) else each[0] for each in results]

    return asyncio.run(asked())
