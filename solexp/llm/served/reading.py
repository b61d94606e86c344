"""What comes back: a server's reply as completions."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from solexp.core import Completion, FinishReason, PromptForm, ToolCall, Usage
from solexp.core.nesting import refuse_depth
from solexp.llm.served.faults import Fault, Kind, error_body, kind_of
from solexp.llm.served.wire import whole

_FINISHES = {
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "max_output_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "limit": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "content_filter": FinishReason.REFUSED,
    "refusal": FinishReason.REFUSED,
    "safety": FinishReason.REFUSED,
    "recitation": FinishReason.REFUSED,
    "blocklist": FinishReason.REFUSED,
    "prohibited_content": FinishReason.REFUSED,
    "spii": FinishReason.REFUSED,
}
_BROKEN_OFF = frozenset({"error", "abort", "insufficient_system_resource", "network_error"})
"""Reasons for stopping that are the server's fault."""

_TAGS = "think|thinking|thought|thoughts|reasoning|seed:think"
_THOUGHT = re.compile(rf"\s*<({_TAGS})>(.*?)</\1>\s*", re.DOTALL)
_OPENED = re.compile(rf"\s*<(?:{_TAGS})>")
_CLOSED = re.compile(rf"</(?:{_TAGS})>\s*")


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A server's answer to one request."""

    completions: tuple[Completion, ...]
    """One a choice, without usage."""
    usage: Usage
    """Of all of them together."""
    cached_tokens: int = 0
    """Part of the prompt that the provider had in its cache."""
    cost_usd: float | None = None
    """What the server says the request cost."""


def decoded(body: bytes) -> Any:
    """The JSON in ``body``. Raises Fault when there is none."""
    try:
        refuse_depth(body)
    except ValueError as error:
        raise Fault(Kind.PASSING, f"the reply cannot be read: {error}", lost=True) from None
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        pass
    try:
        # Escaped surrogates that stand alone are JSON to Python; they are mended where text is taken out.
        return json.loads(body.decode("utf-8", "replace"))
    except ValueError:
        raise Fault(Kind.PASSING, "the reply is no JSON, or is cut short", lost=True) from None


def reply_of(
    body: Any, form: PromptForm, stop: Sequence[str], *, seconds: float, max_chars: int
) -> Reply:
    """The completions in a server's answer, in the order of its choices. Raises Fault when it holds none."""
    if isinstance(body, list) and len(body) == 1:
        body = body[0]
    if not isinstance(body, Mapping):
        raise Fault(Kind.PASSING, "the reply is no JSON object", lost=True)
    if body.get("error"):
        raise _error_within(body)
    served_by = body.get("model")
    choices = body.get("choices")
    if choices is None and isinstance(body.get("content"), str):
        choices = [{"text": body["content"], "finish_reason": body.get("stop_type")}]
    if not isinstance(choices, list) or not all(isinstance(choice, Mapping) for choice in choices):
        raise Fault(Kind.PASSING, "the reply has no choices", lost=True)
    if not choices:
        raise Fault(Kind.PASSING, "the reply has no choices", lost=True)
    indexes = [choice.get("index") for choice in choices]
    if all(isinstance(index, int) for index in indexes):
        choices = sorted(choices, key=lambda choice: int(choice["index"]))
    return Reply(
        completions=tuple(
            _completion(
                choice,
                form,
                stop,
                seconds=seconds,
                served_by=served_by if isinstance(served_by, str) else None,
                max_chars=max_chars,
            )
            for choice in choices
        ),
        usage=_usage(body),
        cached_tokens=_cached(body),
        cost_usd=_cost(body),
    )


def _error_within(body: Mapping[str, Any]) -> Fault:
    """Some gateways answer 200 and put the provider's error inside."""
    error = error_body(body)
    code = body["error"].get("code") if isinstance(body["error"], Mapping) else None
    status = code if isinstance(code, int) and 400 <= code <= 599 else 500
    return Fault(kind_of(status, error), error.message, lost=False)


def _completion(
    choice: Mapping[str, Any],
    form: PromptForm,
    stop: Sequence[str],
    *,
    seconds: float,
    served_by: str | None,
    max_chars: int,
) -> Completion:
    said = choice.get("finish_reason") or "stop"
    reason = str(said).lower()
    if reason in _BROKEN_OFF or choice.get("error"):
        raise Fault(Kind.PASSING, f"the server broke the reply off ({reason})", lost=True)
    finish = _FINISHES.get(reason, FinishReason.STOP)
    message = choice.get("message")
    if form == "chat":
        if not isinstance(message, Mapping):
            raise Fault(Kind.PASSING, "a choice of the reply has no message", lost=True)
        text, reasoning = _chat_text(message, finish)
        refusal = message.get("refusal")
        if isinstance(refusal, str) and refusal:
            text, finish = text or whole(refusal), FinishReason.REFUSED
    else:
        raw = choice.get("text")
        if raw is None and isinstance(message, Mapping):
            raw = message.get("content")
        text, reasoning = whole(_text(raw)), ""
    cut = min((at for at in (text.find(end) for end in stop if end) if at >= 0), default=None)
    if cut is not None:
        text = text[:cut]
        finish = FinishReason.STOP if finish is FinishReason.LENGTH else finish
    if len(text) > max_chars:
        text, finish = text[:max_chars], FinishReason.LENGTH
    return Completion(
        text=text,
        calls=_calls(message) or msgspec.UNSET,
        reasoning=reasoning[:max_chars],
        finish=finish,
        seconds=seconds,
        served_by=served_by,
    )


def _calls(message: Any) -> tuple[ToolCall, ...]:
    """The tools that a message calls. Some servers give arguments as an object, and some give no ids."""
    said = message.get("tool_calls") if isinstance(message, Mapping) else None
    found = []
    for number, call in enumerate(said if isinstance(said, list) else ()):
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping):
            continue
        arguments = function.get("arguments")
        text = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        name = str(call.get("id") or f"call_{number}")
        found.append(ToolCall(whole(name), whole(str(function.get("name") or "")), whole(text)))
    return tuple(found)


def _text(content: Any) -> str:
    """The text of a message's content: a string, nothing, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, Mapping))
    return ""


def _chat_text(message: Mapping[str, Any], finish: FinishReason) -> tuple[str, str]:
    """The answer, and the thoughts apart from it."""
    content = message.get("content")
    text = whole(_text(content))
    thoughts = [
        whole(_text(message.get(key)))
        for key in ("reasoning_content", "reasoning")
        if message.get(key)
    ][:1]
    if isinstance(content, list):
        thoughts += [
            whole(_text(part.get("thinking")))
            for part in content
            if isinstance(part, Mapping) and part.get("thinking")
        ]
    while found := _THOUGHT.match(text):
        thoughts.append(found[2].strip())
        text = text[found.end() :]
    if opened := _OPENED.match(text):
        if finish is FinishReason.LENGTH:
            # Cut short while thinking: there is no answer yet.
            thoughts.append(text[opened.end() :].strip())
            text = ""
    elif (closed := _CLOSED.search(text)) and not re.search(rf"<(?:{_TAGS})>", text):
        # Some templates open the thought at the end of the prompt, so that only its end is in the reply.
        thoughts.append(text[: closed.start()].strip())
        text = text[closed.end() :]
    return text, "\n\n".join(thought for thought in thoughts if thought)


def _usage(body: Mapping[str, Any]) -> Usage:
    usage = body.get("usage")
    if not isinstance(usage, Mapping):
        if "tokens_predicted" in body:
            return Usage(
                prompt_tokens=_count(body.get("tokens_evaluated")),
                completion_tokens=_count(body.get("tokens_predicted")),
            )
        return Usage()
    details = usage.get("completion_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, Mapping) else None
    prompt = _count(usage.get("prompt_tokens"))
    completion = _count(usage.get("completion_tokens"))
    total = _count(usage.get("total_tokens"))
    if total is not None and prompt is not None and completion is not None:
        # Google counts thoughts in the total only.
        completion = max(completion, total - prompt)
    return Usage(
        prompt_tokens=prompt,
        completion_tokens=completion,
        reasoning_tokens=_count(reasoning),
    )


def _cached(body: Mapping[str, Any]) -> int:
    usage = body.get("usage")
    details = usage.get("prompt_tokens_details") if isinstance(usage, Mapping) else None
    cached = details.get("cached_tokens") if isinstance(details, Mapping) else None
    if cached is None and isinstance(usage, Mapping):
        cached = usage.get("prompt_cache_hit_tokens")
    return _count(cached) or 0


def _cost(body: Mapping[str, Any]) -> float | None:
    usage = body.get("usage")
    cost = usage.get("cost") if isinstance(usage, Mapping) else None
    return float(cost) if isinstance(cost, int | float) and cost >= 0 else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
