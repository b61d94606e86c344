"""What is sent: a prompt and its sampling as the body of a request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from solexp.core import Batch, Message, Prompt, Tool

TokensField = Literal["max_tokens", "max_completion_tokens"]
SystemRole = Literal["system", "developer", "user"]
FixedSampling = bool | Literal["top_p"]

OWN_FIELDS = frozenset(
    ("model", "messages", "prompt", "suffix", "n", "stop", "stream", "max_tokens", "max_completion_tokens", "n_predict",
     "tools")
)  # fmt: skip
"""Parameters of a request that are told otherwise: limits of cost and the reading of replies rely on them."""


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """How a server and its model want to be asked; everything in it may change an answer."""

    max_tokens_field: TokensField = "max_tokens"
    max_output_tokens: int = 8192
    fixed_sampling: FixedSampling = False
    reasoning_effort: str | None = None
    seeded: bool = True
    stops: int = 4
    system_role: SystemRole = "system"
    infill: str = "suffix"
    extra_body: dict[str, Any] = {}
    max_reply_chars: int = 1_000_000


class Wire(msgspec.Struct, frozen=True, kw_only=True):
    """One HTTP request."""

    path: str
    """Under the base address; with a leading slash under the server's root."""
    body: bytes


def output_tokens(dialect: Dialect, batch: Batch) -> int:
    """Tokens that one reply may have at most: the batch's ``max_tokens``, else the model's own limit."""
    return dialect.max_output_tokens if batch.max_tokens is None else batch.max_tokens


def wire(
    dialect: Dialect, model: str, prompt: Prompt, batch: Batch, *, n: int, repeat: int, index: int
) -> Wire:
    """The request for ``n`` samples of ``prompt``, the first of which is sample ``index`` of ``repeat``."""
    path, body = _question(dialect, prompt)
    llamacpp = path.startswith("/")
    if not llamacpp:
        body["model"] = model
        if n > 1:
            body["n"] = n
    limit = output_tokens(dialect, batch)
    chat = prompt.form == "chat"
    body["n_predict" if llamacpp else dialect.max_tokens_field if chat else "max_tokens"] = limit
    if dialect.fixed_sampling is not True:
        body["temperature"] = batch.temperature
    if not dialect.fixed_sampling and batch.top_p != 1.0:
        body["top_p"] = batch.top_p
    if prompt.stop and dialect.stops:
        body["stop"] = list(prompt.stop[: dialect.stops])
    if dialect.seeded and batch.seed is not None:
        body["seed"] = seed_of(batch.seed, repeat, index)
    if chat and dialect.reasoning_effort is not None:
        body["reasoning_effort"] = dialect.reasoning_effort
    body.update(dialect.extra_body)
    return Wire(path=path, body=encoded(body))


def seed_of(seed: int, repeat: int, index: int) -> int:
    """The seed of one sample: samples that shared one would be copies of each other."""
    return (seed + 1_000_003 * repeat + index) % 2**31


def _question(dialect: Dialect, prompt: Prompt) -> tuple[str, dict[str, Any]]:
    if prompt.form == "chat":
        asked: dict[str, Any] = {"messages": _messages(dialect.system_role, prompt.messages)}
        if prompt.tools:
            asked["tools"] = [_tool(tool) for tool in prompt.tools]
        return "chat/completions", asked
    before = prompt.messages[0].content
    if prompt.form == "completion":
        return "completions", {"prompt": before}
    if dialect.infill == "suffix":
        return "completions", {"prompt": before, "suffix": prompt.suffix}
    if dialect.infill == "/infill":
        return "/infill", {"input_prefix": before, "input_suffix": prompt.suffix}
    text = dialect.infill.replace("{suffix}", "\0").replace("{prefix}", before)
    return "completions", {"prompt": text.replace("\0", prompt.suffix)}


def _tool(tool: Tool) -> dict[str, Any]:
    return {"type": "function", "function": msgspec.to_builtins(tool)}


def _called(message: Message) -> dict[str, Any]:
    """What a message has beside its text where tools are called."""
    more: dict[str, Any] = {}
    if message.calls:
        # Some servers refuse a text that is empty.
        more["content"] = message.content or None
        more["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in message.calls
        ]
    if isinstance(message.answers, str):
        more["tool_call_id"] = message.answers
    return more


def _messages(role: SystemRole, messages: tuple[Message, ...]) -> list[Mapping[str, Any]]:
    sent: list[Mapping[str, Any]] = []
    system: list[str] = []
    for message in messages:
        if message.role == "system" and role == "user":
            system.append(message.content)
        elif system and message.role == "user":
            content = "\n\n".join((*system, message.content))
            sent.append({"role": "user", "content": content})
            system = []
        else:
            spoken = role if message.role == "system" else message.role
            sent.append({"role": spoken, "content": message.content, **_called(message)})
    if system:
        sent.append({"role": "user", "content": "\n\n".join(system)})
    return sent


def encoded(body: Mapping[str, Any]) -> bytes:
    """``body`` as JSON in UTF-8; surrogates that stand alone, which no server takes, become U+FFFD."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        text = json.dumps(body, ensure_ascii=False)
        return whole(text).encode()


def whole(text: str) -> str:
    """``text`` with pairs of surrogates joined and those that stand alone replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
