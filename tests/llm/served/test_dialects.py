"""One thing said in many ways: errors, limits and waiting times as the known servers put them."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import msgspec
import pytest

from solexp.core import (
    Batch,
    Completion,
    FinishReason,
    Message,
    Prompt,
    Tool,
    ToolCall,
    UserError,
)
from solexp.llm.served.faults import Kind, error_body, kind_of, mend_of, wait_of
from solexp.llm.served.reading import reply_of
from solexp.llm.served.wire import Dialect, wire
from tests.llm.served.asking import ask, model_of
from tests.llm.served.server import Fault, LoopbackServer, status


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, 1e9),
        ({"retry-after": "soon"}, None),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after-ms": "x", "retry-after": "9"}, 9.0),
        ({"retry-after": "Mon, 30 Nov 2026 00:00:10 GMT"}, 10.0),
        ({"retry-after": "Mon, 30 Nov 2026 00:00:10 -0000"}, 10.0),
        ({"retry-after": "Sun, 29 Nov 2026 00:00:10 GMT"}, 0.0),
    ],
)
def test_retry_after_is_read_in_all_its_forms(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert wait_of(headers, dt.datetime(2026, 11, 30, tzinfo=dt.UTC)) == seconds


@pytest.mark.parametrize(
    ("code", "body"),
    [
        # OpenAI, DeepSeek, OpenRouter, vLLM
        (400, {"error": {"message": "This model's maximum context length is 8192 tokens. However, your messages "
                         "resulted in 9000 tokens.", "code": "context_length_exceeded"}}),
        (400, {"error": {"message": "Input tokens exceed the configured limit", "code": "context_length_exceeded"}}),
        (400, {"object": "error", "message": "This model's maximum context length is 8192 tokens. However, you "
               "requested 9000 tokens (8000 in the messages, 1000 in the completion).", "code": 400}),
        (400, {"error": {"message": "This endpoint's maximum context length is 8192 tokens. However, you requested "
                         "about 9000 tokens", "code": 400}}),
        (400, {"error": {"message": "The decoder prompt (length 9000) is longer than the maximum model length of "
                         "8192."}}),
        # llama.cpp
        (400, {"error": {"code": 400, "message": "the request exceeds the available context size, try increasing it",
                         "type": "exceed_context_size_error", "n_ctx": 4096}}),
        # Anthropic
        (400, {"error": {"message": "prompt is too long: 215000 tokens > 200000 maximum"}}),
        (400, {"error": {"message": "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"}}),
        (413, {"error": {"type": "request_too_large", "message": "Request exceeds the maximum size"}}),
        # Google, in a list
        (400, [{"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "The input token count (1200000) "
                          "exceeds the maximum number of tokens allowed (1048576)."}}]),
        # Text Generation Inference, Together
        (422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4000",
               "error_type": "validation"}),
        # Mistral, SGLang, xAI, Ollama, LM Studio, Groq
        (400, {"message": "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}),
        (400, {"message": "The input (9000 tokens) is longer than the model's context length (8192 tokens)."}),
        (400, {"error": "This model's maximum prompt length is 131072 but the request contains 131146 tokens."}),
        (400, {"error": {"message": "input length exceeds maximum context length"}}),
        (400, {"error": "Trying to keep the first 5000 tokens when context the overflows."}),
        (413, {"error": {"message": "Please reduce the length of the messages or completion."}}),
    ],
)  # fmt: skip
def test_a_prompt_that_is_too_long_is_an_outcome_of_each_sample(code: int, body: Any) -> None:
    with LoopbackServer(script=(Fault(status=code, body=body),)) as server:
        replies = ask(model_of(server, n_per_request=2, max_output_tokens=512), samples=2)
        assert server.count == 1
    assert [(reply.text, reply.finish) for reply in replies] == [("", FinishReason.CONTEXT)] * 2


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 9010 tokens.",
        "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is 4096 "
        "tokens and your request has 10 input tokens (9000 > 4096 - 10).",
    ],
)
def test_a_limit_of_replies_that_alone_fills_the_context_is_the_users_to_mend(said: str) -> None:
    with (
        LoopbackServer(script=(status(400, said),)) as server,
        pytest.raises(UserError, match=r"lower model.max_output_tokens"),
    ):
        ask(model_of(server, max_output_tokens=9000))


@pytest.mark.parametrize(
    "fault",
    [
        status(400, "The response was filtered", code="content_filter"),
        status(400, "Invalid prompt: your prompt was flagged as potentially violating our policy"),
        status(403, "qwen requires moderation and your input was flagged for violence"),
        status(400, "Output data may contain inappropriate content", code="data_inspection_failed"),
    ],
)
def test_a_prompt_that_the_provider_refuses_is_an_outcome(fault: Fault) -> None:
    with LoopbackServer(script=(fault,)) as server:
        assert ask(model_of(server))[0].finish is FinishReason.REFUSED
        assert server.count == 1


@pytest.mark.parametrize(
    "body",
    [None, "", [], {}, {"error": None}, {"error": []}, {"error": {"code": 5}}, 7, "x" * 9999],
)
def test_any_error_body_has_a_message_of_one_short_line(body: Any) -> None:
    said = error_body(body)
    assert said.message
    assert "\n" not in said.message
    assert len(said.message) <= 400
    assert kind_of(500, said) is Kind.PASSING


def test_a_complaint_that_names_no_parameter_gets_no_mend() -> None:
    assert mend_of("I am a teapot") == ""


@pytest.mark.parametrize(
    ("code", "body", "kind"),
    [
        (
            404,
            {"error": {"message": "The model `x` does not exist.", "type": "NotFoundError"}},
            Kind.MODEL,
        ),
        (404, {"error": {"message": 'model "x" not found, try pulling it first'}}, Kind.MODEL),
        (404, [{"error": {"message": "models/x is not found for API version v1main"}}], Kind.MODEL),
        (
            404,
            {"type": "error", "error": {"type": "not_found_error", "message": "model: claude-x"}},
            Kind.MODEL,
        ),
        (400, {"error": {"message": "Model Not Exist"}}, Kind.MODEL),
        (404, {"error": {"message": "Not Found"}}, Kind.WRONG),
        (
            400,
            {"error": {"message": "this model knows no tools: 'tools' is not supported"}},
            Kind.WRONG,
        ),
        (
            400,
            [{"error": {"message": "API key not valid. Please pass a valid API key."}}],
            Kind.KEY,
        ),
        (401, {"type": "error", "error": {"message": "invalid x-api-key"}}, Kind.KEY),
        (422, {"detail": [{"loc": ["body", "n"], "msg": "must be 1"}]}, Kind.WRONG),
        (524, "<html>A timeout occurred</html>", Kind.PASSING),
        (500, {"error": {"message": "input (9000 tokens) is too large to process"}}, Kind.CONTEXT),
    ],
)
def test_servers_that_say_one_thing_in_many_ways_are_understood(
    code: int, body: Any, kind: Kind
) -> None:
    assert kind_of(code, error_body(body)) is kind


def test_tools_their_calls_and_their_results_are_sent_and_read() -> None:
    call = ToolCall("c1", "read", '{"path": "a"}')
    prompt = Prompt(
        task_id="t",
        messages=(
            Message("user", "go"),
            Message("assistant", "", (call,)),
            Message("tool", "text", answers="c1"),
        ),
        tools=(Tool("read", "Read a file.", {"type": "object", "properties": {}}),),
    )
    sent = json.loads(
        wire(Dialect(), "m", prompt, Batch(name="b", n=1), n=1, repeat=0, index=0).body
    )
    assert sent["tools"][0]["function"]["name"] == "read"
    assert sent["messages"][1]["tool_calls"][0] == {
        "id": "c1",
        "type": "function",
        "function": {"name": "read", "arguments": '{"path": "a"}'},
    }
    assert sent["messages"][2] == {"role": "tool", "content": "text", "tool_call_id": "c1"}

    def read(*calls: Any) -> Completion:
        message = {"role": "assistant", "content": None, "tool_calls": list(calls)}
        body = {"choices": [{"message": message, "finish_reason": "tool_calls"}]}
        return reply_of(body, "chat", (), seconds=0, max_chars=99).completions[0]

    reply = read(sent["messages"][1]["tool_calls"][0])
    assert (reply.text, reply.calls, reply.finish) == ("", (call,), FinishReason.STOP)
    # As some servers have it: no id, and arguments that are an object.
    odd = read({"function": {"name": "read", "arguments": {"path": "a"}}}, "what", {"id": 1})
    assert odd.calls == (ToolCall("call_0", "read", '{"path": "a"}'),)
    assert read().calls is msgspec.UNSET
