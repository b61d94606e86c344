"""Every fault of a server: tried again where it may pass, told clearly where it may not."""

from __future__ import annotations

import datetime as dt
import email.utils
import json
import logging
import time

import pytest

from solexp.core import Completion, FinishReason, UserError
from solexp.core.errors import ModelGone, RequestFailed
from solexp.llm.served import answered
from tests.llm.served.asking import ask, ask_each, model_of
from tests.llm.served.server import (
    HALF_A_BODY,
    NO_CHOICES,
    NO_USAGE,
    NOT_JSON,
    OTHER_JSON,
    RESET,
    TORN_JSON,
    Answer,
    Asked,
    Fault,
    LoopbackServer,
    status,
    too_many,
    wrong_model,
)

OVERLOADED_INSIDE = Fault(body={"error": {"code": 502, "message": "Provider overloaded"}})
BROKEN_OFF = Fault(
    change=lambda answer: {
        **answer,
        "choices": [{**choice, "finish_reason": "error"} for choice in answer["choices"]],
    }
)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(status(500, "oops"), id="500"),
        pytest.param(status(503, "overloaded"), id="503"),
        pytest.param(Fault(status=502, body=b"<html>Bad gateway</html>"), id="502 in HTML"),
        pytest.param(Fault(status=529, body={"type": "error", "error": {"type": "overloaded_error"}}), id="529"),
        pytest.param(status(408, "timeout"), id="408"),
        pytest.param(status(409, "conflict"), id="409"),
        pytest.param(too_many(), id="429"),
        pytest.param(
            status(429, "You exceeded your current quota, please check your plan. * Quota exceeded for metric: "
                   "input_token_count, limit: 250000. Please retry in 0.02s.", code="resource_exhausted"),
            id="a minute's quota in the words of an empty account",
        ),
        pytest.param(HALF_A_BODY, id="half a body"),
        pytest.param(Fault(share=0.0), id="no body"),
        pytest.param(Fault(body=b""), id="empty body"),
        pytest.param(NOT_JSON, id="not JSON"),
        pytest.param(TORN_JSON, id="torn JSON"),
        pytest.param(OTHER_JSON, id="other JSON"),
        pytest.param(Fault(body=None, change=lambda _: {"choices": "none"}), id="wrong JSON"),
        pytest.param(NO_CHOICES, id="no choices"),
        pytest.param(Fault(change=lambda answer: {**answer, "choices": []}), id="empty choices"),
        pytest.param(Fault(change=lambda answer: {**answer, "choices": [{}]}), id="no message"),
        pytest.param(RESET, id="connection reset"),
        pytest.param(OVERLOADED_INSIDE, id="error inside 200"),
        pytest.param(BROKEN_OFF, id="broken off"),
    ],
)  # fmt: skip
def test_what_may_pass_is_tried_again(fault: Fault) -> None:
    with LoopbackServer(script=(fault, fault)) as server:
        (reply,) = ask(model_of(server))
        assert server.count == 3
    assert reply.text == "hello #0"


@pytest.mark.parametrize(
    "slow", [pytest.param(Fault(stall_s=30), id="stall"), pytest.param(Fault(trickle_s=0.02), id="trickle")]
)  # fmt: skip
def test_a_server_that_stalls_or_trickles_is_left_at_the_limit_of_the_whole_request(
    slow: Fault,
) -> None:
    start = time.monotonic()
    with LoopbackServer(script=(slow,)) as server:
        (reply,) = ask(model_of(server, timeout_s=0.4))
        assert server.count == 2
    assert reply.text == "hello #0"
    assert time.monotonic() - start < 15


def test_nobody_listening_is_told_as_no_connection() -> None:
    with LoopbackServer() as server:
        model = model_of(server, tries=2, circuit=2)
    with pytest.raises(RequestFailed, match=r"127.0.0.1:\d+: .*tried 2 times"):
        ask(model)
    assert model.budget.tokens == 0


def test_a_request_is_given_up_when_its_tries_are_used_up() -> None:
    with LoopbackServer(script=(status(500, "broken\nfor good"),) * 3) as server:
        with pytest.raises(RequestFailed, match=r"broken for good \(status 500\); tried 3 times"):
            ask(model_of(server, tries=3))
        assert server.count == 3


def test_the_circuit_opens_when_the_server_fails_everything() -> None:
    with LoopbackServer() as server:
        server.always = status(500, "broken")
        model = model_of(server, tries=2, circuit=3, concurrency=2)
        replies = ask_each(model, [f"q{at}" for at in range(50)])
        assert server.count <= 8
    kinds = [type(reply) for reply in replies]
    assert kinds.count(RequestFailed) == 2
    assert kinds.count(ModelGone) == 48
    assert "failed 3 requests in a row" in str(replies[-1])


def test_an_answer_in_between_keeps_the_circuit_closed() -> None:
    with LoopbackServer() as server:
        bad = status(500, "broken")
        server.script.extend([bad, bad, None] * 10)
        replies = ask_each(model_of(server, tries=1, circuit=3, concurrency=1), ["q"] * 30)
    assert sum(isinstance(reply, Completion) for reply in replies) == 10
    assert not any(isinstance(reply, ModelGone) for reply in replies)


def test_an_open_circuit_wakes_those_that_wait_to_try_again() -> None:
    def reply(asked: Asked, _: int) -> str:
        return asked.text

    with LoopbackServer(reply) as server:
        server.script.append(status(500, "first", code="slow"))
        server.always = status(401, "bad key")
        start = time.monotonic()
        replies = ask_each(model_of(server, concurrency=2, backoff_s=30), ["a", "b"])
    assert [type(each) for each in replies] == [UserError, UserError]
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("after", ["seconds", "date", "milliseconds", "details", "message"])
def test_retry_after_holds_back_every_request(after: str) -> None:
    headers = {
        "seconds": {"Retry-After": "1"},
        # Dates have whole seconds, so that up to one is lost.
        "date": {"Retry-After": email.utils.format_datetime(dt.datetime.now(dt.UTC) + dt.timedelta(seconds=2))},
        "milliseconds": {"retry-after-ms": "800"},
    }.get(after)  # fmt: skip
    body = {
        "details": [{"error": {"message": "too many", "details": [{"reason": "x"}, {"retryDelay": "0.8s"}]}}],
        "message": {"error": {"message": "Quota exceeded per minute. Please retry in 800ms."}},
    }.get(after, {})  # fmt: skip
    times: list[float] = []

    def reply(*_: object) -> str:
        times.append(time.monotonic() - start)
        return "ok"

    with LoopbackServer(
        reply, script=(Fault(status=429, headers=headers or {}, body=body),)
    ) as server:
        start = time.monotonic()
        replies = ask_each(model_of(server, concurrency=1, tries=1), ["a", "b", "c"])
        assert server.count == 4
    assert all(isinstance(each, Completion) for each in replies)
    assert min(times) > 0.7


def test_being_told_to_wait_uses_up_no_tries() -> None:
    with LoopbackServer(script=(too_many("0"),) * 12) as server:
        ask(model_of(server, tries=1))
        assert server.count == 13


def test_being_told_to_wait_no_time_does_not_hammer_the_server() -> None:
    with LoopbackServer() as server:
        server.always = too_many("0")
        with pytest.raises(RequestFailed, match="Rate limit reached"):
            ask(model_of(server, patience_s=0.5, backoff_s=0.1, max_backoff_s=60))
        assert server.count < 8


def test_a_request_that_a_firewall_blocks_is_no_refusal_of_the_models() -> None:
    blocked = status(403, "Access blocked by your network's administrator")
    with LoopbackServer(script=(blocked,)) as server, pytest.raises(UserError, match="blocked by"):
        ask(model_of(server))


def test_patience_with_too_many_requests_ends() -> None:
    with LoopbackServer() as server:
        server.always = too_many("0.05")
        with pytest.raises(RequestFailed, match="Rate limit reached"):
            ask(model_of(server, patience_s=0.2))
        assert server.count < 10


def test_a_server_that_wants_to_be_left_alone_for_too_long_is_gone() -> None:
    with LoopbackServer(script=(too_many("86400"),)) as server:
        with pytest.raises(ModelGone, match="left alone for 86400 s"):
            ask(model_of(server))
        assert server.count == 1


def test_a_refused_key_stops_at_once_and_names_its_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", "sk-wrong-0123456789")
    with LoopbackServer(key="sk-right-0123456789") as server:
        model = model_of(server, api_key_env="LOOPBACK_KEY", concurrency=1)
        replies = ask_each(model, ["a"] * 20)
        assert server.count == 1
    assert all(isinstance(reply, UserError) for reply in replies)
    assert "LOOPBACK_KEY" in str(replies[0])
    assert "sk-wrong" not in str(replies[0])


def test_an_unknown_model_stops_and_the_nearest_is_named() -> None:
    with LoopbackServer(models=("qwen-coder", "llama")) as server:
        with pytest.raises(
            UserError, match=r"model.name: .* has no 'qwen-codr'.*did you mean 'qwen-coder'"
        ):
            ask(model_of(server, name="qwen-codr"))
        assert server.count == 1


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (status(403, "Country not supported"), "model.api_key_env: .*Country not supported"),
        (status(429, "You exceeded your current quota", code="insufficient_quota"), "is used up"),
        (status(402, "Insufficient Balance"), "is used up"),
        (status(400, "Your credit balance is too low to access the API"), "is used up"),
        (
            status(400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                   "'max_completion_tokens' instead."),
            "set model.max_tokens_field=max_completion_tokens",
        ),
        (status(400, "'temperature' does not support 0.0 with this model"), "set model.fixed_sampling=true"),
        (status(400, "`temperature` and `top_p` cannot both be specified for this model."),
         "set model.fixed_sampling=top_p"),
        (status(400, "suffix is not currently supported"), "set model.infill"),
        (status(400, "model xyz is not a valid model ID"), "model.name: "),
        (Fault(status=400, body=b"nonsense\nin lines"), r"refuses the request: nonsense in lines \(status 400\)"),
        (Fault(status=404, body=b"<h1>Not Found</h1>"), r"Not Found.*model.base_url"),
        (Fault(status=405, body={"detail": "Method Not Allowed"}), "Method Not Allowed"),
    ],
)  # fmt: skip
def test_what_cannot_pass_stops_at_once_in_one_line(fault: Fault, told: str) -> None:
    with LoopbackServer(script=(fault,)) as server:
        with pytest.raises(UserError, match=told) as stopped:
            ask(model_of(server))
        assert server.count == 1
    assert "\n" not in str(stopped.value)


def test_a_request_larger_than_the_rate_itself_fails_alone() -> None:
    large = status(429, "Request too large for gpt-4 on tokens per min (TPM): Limit 10, Requested 12",
                   code="rate_limit_exceeded")  # fmt: skip
    with LoopbackServer(script=(large,)) as server:
        first, second = ask_each(model_of(server, concurrency=1), ["a", "b"])
    assert isinstance(first, RequestFailed)
    assert isinstance(second, Completion)


def test_another_model_than_asked_is_recorded_and_told_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with LoopbackServer() as server:
        server.always = wrong_model("gpt-3.5-turbo")
        replies = ask(model_of(server), samples=4)
    assert {reply.served_by for reply in replies} == {"gpt-3.5-turbo"}
    told = [
        record.getMessage() for record in caplog.records if "has answered" in record.getMessage()
    ]
    assert len(told) == 1
    assert "asked for 'loopback' and says that 'gpt-3.5-turbo'" in told[0]


def test_a_dated_name_of_the_same_model_is_no_other_model(caplog: pytest.LogCaptureFixture) -> None:
    with LoopbackServer() as server:
        server.always = wrong_model("loopback-2026-11-30")
        (reply,) = ask(model_of(server))
    assert reply.served_by == "loopback-2026-11-30"
    assert not caplog.records


def test_missing_usage_is_unknown_and_not_nothing() -> None:
    with LoopbackServer(script=(NO_USAGE,)) as server:
        (reply,) = ask(model_of(server, prices={"input": 1, "output": 2}))
    assert reply.usage.prompt_tokens is None
    assert reply.usage.completion_tokens is None
    assert reply.usage.cost_usd is None


def test_a_huge_reply_is_cut_and_counts_as_truncated() -> None:
    with LoopbackServer(lambda *_: "é" * 2_000_000) as server:
        (whole,) = ask(model_of(server, max_reply_chars=3_000_000))
        (cut,) = ask(model_of(server, max_reply_chars=1_000))
    assert (len(whole.text), whole.finish) == (2_000_000, FinishReason.STOP)
    assert (len(cut.text), cut.finish) == (1_000, FinishReason.LENGTH)


def test_a_reply_without_end_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("solexp.llm.served.model._LEAST_BODY", 1_000_000)
    with LoopbackServer(lambda *_: "x" * 3_000_000) as server:
        with pytest.raises(RequestFailed, match="the reply passes"):
            ask(model_of(server, max_reply_chars=100))
        assert server.count == 1


def test_samples_that_arrived_are_not_lost_when_others_fail() -> None:
    def reply(asked: Asked, _: int) -> Answer:
        return Answer(f"seed {asked.body['seed']}")

    with LoopbackServer(reply) as server:
        server.script.extend([None, status(500, "broken"), None])
        with pytest.raises(RequestFailed) as failed:
            ask(model_of(server, tries=1, concurrency=1), samples=3, seed=7)
    got = {place: completion.text for place, completion in answered(failed.value).items()}
    assert got == {0: "seed 7", 2: "seed 9"}


def test_tries_are_told_in_the_log_and_nothing_else_is(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="solexp")
    with LoopbackServer(script=(status(500, "oops"),)) as server:
        ask(model_of(server))
    (record,) = [each for each in caplog.records if each.name.startswith("solexp")]
    assert record.levelno == logging.INFO
    assert "oops (status 500); again in" in record.getMessage()
    json.dumps(record.getMessage())
