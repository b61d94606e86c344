"""What an agent and its tools have said, as the run folder keeps it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from solexp.core import Completion, Generation, Message, Verdict
from solexp.store import RunFolder

_INDENT = "    "


def print_transcript(folder: RunFolder, said: Verdict, file: IO[str]) -> None:
    """Print the conversation that led to a verdict's candidate, where it is one of an agent."""
    for generation in folder.generations():
        if (
            (generation.task_id, generation.batch, generation.repeat) == (said.task_id, said.batch, said.repeat)
            and (generation.index, generation.round) == (said.index, said.round)
        ):  # fmt: skip
            for line in lines(folder, generation):
                print(line, file=file)
            return


def lines(folder: RunFolder, generation: Generation) -> Iterator[str]:
    """A conversation with tools, line by line; nothing for any other."""
    wanted = set(generation.prompts)
    prompts = {prompt.key: prompt for prompt in folder.prompts() if prompt.key in wanted}
    if not any("step" in prompt.holds for prompt in prompts.values()):
        return
    for number, (key, reply) in enumerate(
        zip(generation.prompts, generation.completions, strict=False)
    ):
        prompt = prompts.get(key)
        yield ""
        if prompt is None:
            yield f"[{number + 1}] (what was asked is not kept)"
        else:
            for message in prompt.messages:
                if message.role != "assistant":
                    yield from _message(message)
        yield f"[{number + 1}] the model{_spent(reply)}:"
        yield from _indented(reply.text)
        for call in reply.calls or ():
            yield f"{_INDENT}-> {call.name} {call.arguments}"


def _message(message: Message) -> Iterator[str]:
    yield {"tool": "the tool", "user": "told", "system": "instructions"}.get(
        message.role, message.role
    ) + ":"
    yield from _indented(message.content)
    yield ""


def _spent(reply: Completion) -> str:
    usage = reply.usage
    if usage.prompt_tokens is None or usage.completion_tokens is None:
        return ""
    return f" ({usage.prompt_tokens} tokens in, {usage.completion_tokens} out)"


def _indented(text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f"{_INDENT}{line}"
