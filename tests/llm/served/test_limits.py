"""Pace, money, keys and prices."""

from __future__ import annotations

import asyncio
import logging
import math
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solexp.config import compose
from solexp.config.compose import plain
from solexp.config.instantiate import instantiate
from solexp.core import Batch, Completion, Usage, UserError
from solexp.core.errors import RequestFailed
from solexp.llm import tokens
from solexp.llm.budget import BudgetReached
from solexp.llm.forecast import foresee
from solexp.llm.served import OpenAICompatible
from solexp.llm.served.names import same_model
from solexp.llm.served.pace import Bucket
from solexp.llm.served.pricing import find_price
from solexp.llm.served.sharing import shares, split
from tests.llm.served.asking import TASK, ask, ask_each, chat, model_of, requests_for
from tests.llm.served.server import HALF_A_BODY, Asked, Fault, LoopbackServer, status

PRESETS = (
    "anthropic", "deepseek", "google", "llamacpp_server", "ollama", "openai", "openrouter", "together", "vllm",
)  # fmt: skip
KEY = "sk-loopback-0123456789abcdef"


def preset(name: str, *overrides: str) -> OpenAICompatible:
    config = plain(compose([f"model={name}", *overrides]))
    made = instantiate(config["model"], "model")
    assert isinstance(made, OpenAICompatible)
    return made


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_a_model_and_no_preset_says_what_the_class_says(name: str) -> None:
    model = preset(name, "model.name=some-model", "model.max_cost_usd=3")
    assert model.name == "some-model"
    assert model.max_cost_usd == 3
    local = name in ("vllm", "ollama", "llamacpp_server")
    assert (model.api_key_env is None) is local
    assert model.base_url.startswith("http://localhost:" if local else "https://")


def test_the_settings_that_presets_build_on_are_those_of_the_class() -> None:
    config = plain(compose(["model=vllm", "model.name=m"]))
    settings = config["model"]
    del settings["_target_"]
    plainly = OpenAICompatible(name="m", base_url="http://localhost:8000/v1")
    differ = {name for name, value in settings.items() if getattr(plainly, name) != value}
    assert differ == {"provider", "concurrency", "n_per_request"}
    assert set(settings) == set(OpenAICompatible.__dataclass_fields__)


def test_requests_a_minute_are_kept_whatever_the_concurrency() -> None:
    times: list[float] = []

    def reply(*_: object) -> str:
        times.append(time.monotonic())
        return "ok"

    with LoopbackServer(reply) as server:
        ask_each(model_of(server, requests_per_minute=1200, concurrency=40), ["q"] * 40)
    # A second's worth at once, then one every 50 ms; a busy machine delays the first, unpaced they take 0.1 s.
    assert times[-1] - times[0] >= 20 * 0.05 / 2


def test_tokens_a_minute_count_prompt_and_reply_and_give_back_what_was_not_used() -> None:
    def took(delay_s: float, **settings: Any) -> float:
        with LoopbackServer(delay_s=delay_s) as server:
            start = time.monotonic()
            ask_each(model_of(server, tokens_per_minute=60_000, **settings), ["q"] * 5)
            return time.monotonic() - start

    # A thousand a second. 5 requests for 500 at most but in truth 5 would wait 2 s were nothing given back.
    assert took(0.0, max_output_tokens=500, concurrency=1) < 1.5
    # As long as no reply says so, two fit into the first second.
    assert took(0.8, max_output_tokens=500, concurrency=5) >= 1.2


@given(st.lists(st.floats(0, 50), min_size=1, max_size=30), st.floats(60, 600))
def test_a_bucket_never_lets_more_pass_than_its_rate_and_one_admission(
    amounts: list[float], per_minute: float
) -> None:
    clock = [0.0]

    async def sleep(seconds: float) -> None:
        clock[0] += seconds + 1e-9

    async def run() -> list[tuple[float, float]]:
        bucket = Bucket(per_minute)
        passed = []
        for amount in amounts:
            await bucket.take(amount)
            passed.append((clock[0], amount))
        return passed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("solexp.llm.served.pace.time.monotonic", lambda: clock[0])
        patch.setattr("solexp.llm.served.pace.asyncio.sleep", sleep)
        passed = asyncio.run(run())
    rate = per_minute / 60
    for first, (start, _) in enumerate(passed):
        for last in range(first, len(passed)):
            before_last = sum(amount for _, amount in passed[first:last])
            assert before_last <= (passed[last][0] - start) * rate + max(1.0, rate) + 1e-6


def test_a_reply_that_was_lost_is_charged_at_its_dearest_before_it_is_asked_for_again() -> None:
    with LoopbackServer(script=(HALF_A_BODY, status(500, "not billed"))) as server:
        model = model_of(server, prices={"input": 1, "output": 10}, max_output_tokens=1000)
        ask(model)
    most, cost = model.at_most(chat("hello"), Batch(name="b", n=1), 1)
    assert model.budget.tokens == most
    assert model.budget.cost_usd == cost
    assert cost == pytest.approx(0.01, rel=0.01)


def test_lost_replies_end_the_run_before_its_limit_is_passed() -> None:
    with LoopbackServer() as server:
        server.always = HALF_A_BODY
        model = model_of(server, max_tokens_total=3500, max_output_tokens=1000)
        worst = model.at_most(chat("hello"), Batch(name="b", n=1), 1)[0]
        held = model.budget.reserve(worst, None)
        with pytest.raises(BudgetReached, match="max_tokens_total"):
            ask(model)
        model.budget.settle(held, [])
        assert server.count == 3
    assert model.budget.tokens == 3 * worst <= 3500


def test_a_limit_of_cost_without_a_price_is_refused_before_anything_is_asked() -> None:
    with LoopbackServer() as server:
        with pytest.raises(UserError, match=r"model.max_cost_usd: .* model.prices="):
            ask(model_of(server, max_cost_usd=1.0))
        assert server.count == 0


@given(st.text(max_size=300))
def test_the_worst_case_of_a_prompt_is_no_less_than_its_estimate(text: str) -> None:
    model = OpenAICompatible(name="m", base_url="http://localhost:1/v1")
    batch = Batch(name="b", n=1, max_tokens=10)
    prompt, reply = model.estimate(chat(text), batch)
    most, cost = model.at_most(chat(text), batch, 3)
    assert most >= min(prompt, len(text.encode())) + 3 * reply
    assert cost is None
    # A byte-level tokenizer never makes more tokens than there are bytes.
    assert most <= len(text.encode("utf-8", "replace")) + 16 + 3 * reply
    assert tokens.count(text) <= prompt


def test_cost_is_known_where_price_and_usage_are() -> None:
    def cached(answer: dict[str, Any]) -> dict[str, Any]:
        usage = {
            "prompt_tokens": 1000,
            "completion_tokens": 10,
            "prompt_tokens_details": {"cached_tokens": 400},
        }
        return {**answer, "usage": usage}  # fmt: skip

    price = {"input": 2, "output": 8, "cached_input": 0.5}
    with LoopbackServer(script=(Fault(change=cached), Fault(change=cached))) as server:
        (reply,) = ask(model_of(server, prices=price))
        (unpriced,) = ask(model_of(server))
    assert reply.usage.cost_usd == pytest.approx((600 * 2 + 400 * 0.5 + 10 * 8) / 1e6)
    assert unpriced.usage.cost_usd is None


def test_thoughts_are_counted() -> None:
    def thought(answer: dict[str, Any]) -> dict[str, Any]:
        details = {"reasoning_tokens": 90}
        usage = {"prompt_tokens": 5, "completion_tokens": 100, "completion_tokens_details": details}
        return {**answer, "usage": usage}

    with LoopbackServer(script=(Fault(change=thought),)) as server:
        (reply,) = ask(model_of(server))
    assert reply.usage == Usage(prompt_tokens=5, completion_tokens=100, reasoning_tokens=90)


def test_shipped_prices_hold_for_their_host_only_and_the_users_come_first(tmp_path: Path) -> None:
    shipped = find_price("api.openai.com", "gpt-4o-2024-11-20", None)
    assert shipped is not None and shipped.output == 10
    assert find_price("api.openai.com", "gpt-4o-2024-05-13", None) != shipped
    assert find_price("localhost", "gpt-4o", None) is None
    assert find_price("api.openai.com", "gpt-99", None) is None
    mine = tmp_path / "prices.yaml"
    mine.write_text("gpt-4o: {input: 1, output: 2}\nh:\n  m: {input: 3, output: 4}\n", "utf-8")
    own = find_price("api.openai.com", "gpt-4o", str(mine))
    assert own is not None and own.output == 2
    there = find_price("h", "m", str(mine))
    assert there is not None and there.output == 4
    assert find_price("elsewhere", "m", str(mine)) is None
    assert find_price("api.openai.com", "o3", str(mine)) is not None


def test_a_forecast_says_how_old_the_shipped_price_is() -> None:
    batch = Batch(name="greedy", n=1, max_tokens=100)

    def told(**settings: Any) -> str:
        openai = "https://api.openai.com/v1"
        model = OpenAICompatible(name="gpt-4o-2024-11-20", base_url=openai, **settings)
        return foresee(model, [(chat("hello"), batch, 1, 1_000)]).told()

    assert re.search(r"at most 1\.\d\d USD at prices of 20\d\d-\d\d$", told())
    assert told(prices={"input": 0, "output": 10}).endswith("at most 1.00 USD")


@pytest.mark.parametrize(
    ("given_price", "named"),
    [
        ("missing.yaml", "missing.yaml: No such file"),
        ({"input": 1}, "model.prices: .*output"),
        ({"input": "x", "output": 1}, "model.prices"),
        ({"input": -1, "output": 1}, "must not be below 0"),
        ({"input": 1, "output": 1, "outptu": 1}, "model.prices: .*outptu"),
    ],
)
def test_wrong_prices_are_refused_by_name(given_price: Any, named: str) -> None:
    with pytest.raises(UserError, match=named):
        find_price("h", "m", given_price)


def test_a_price_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    for text in ("- a\n- b\n", "{{{", "m: {input: 1}"):
        path.write_text(text, "utf-8")
        with pytest.raises(UserError, match=r"model.prices: .*p\.yaml"):
            find_price("h", "m", str(path))


@given(
    st.one_of(st.none(), st.integers(0, 10**9)),
    st.lists(st.integers(1, 10**6), min_size=1, max_size=9),
)
def test_parts_of_a_request_add_up_to_it(total: int | None, weights: list[int]) -> None:
    parts = split(total, weights)
    assert len(parts) == len(weights)
    if total is None:
        assert set(parts) == {None}
    else:
        assert sum(part or 0 for part in parts) == total
        assert all(part is not None and part >= 0 for part in parts)


def test_costs_of_samples_add_up_to_that_of_their_request() -> None:
    replies = [Completion(text="x" * size) for size in (1, 20, 300)]
    usage = Usage(prompt_tokens=10, completion_tokens=100, cost_usd=0.5)
    assert math.isclose(sum(each.usage.cost_usd or 0 for each in shares(replies, usage, 3)), 0.5)


def test_a_missing_key_is_told_in_one_line_when_it_is_needed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("LOOPBACK_KEY", raising=False)
    with LoopbackServer(key=KEY) as server:
        model = model_of(server, api_key_env="LOOPBACK_KEY")
        model.fingerprint(TASK)
        model.estimate(chat("q"), Batch(name="b", n=1))
        for value in ("", "  "):
            monkeypatch.setenv("LOOPBACK_KEY", value)
            with pytest.raises(UserError, match="LOOPBACK_KEY is not set") as missing:
                ask(model)
            assert "\n" not in str(missing.value)
        monkeypatch.setenv("LOOPBACK_KEY", f" {KEY}\n")
        assert ask(model)[0].text == "hello #0"


@pytest.mark.parametrize(
    "value", ["sk-geheim-schlüssel-123", "sk-two words-0123456789", "sk-a\x01b-0123456789"]
)
def test_what_can_be_no_key_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", value)
    with LoopbackServer() as server, pytest.raises(UserError, match="LOOPBACK_KEY is no key") as no:
        ask(model_of(server, api_key_env="LOOPBACK_KEY"))
    assert value not in str(no.value)


def test_the_key_is_in_no_error_log_or_completion(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("LOOPBACK_KEY", KEY)
    caplog.set_level(logging.DEBUG)

    def tells(number: int) -> Fault:
        return status(number, f"request with Authorization: Bearer {KEY} was bad")

    with LoopbackServer(key=KEY, script=(tells(500), tells(429), tells(503))) as server:
        model = model_of(server, api_key_env="LOOPBACK_KEY")
        replies = ask(model)
        assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
        errors: list[BaseException] = []
        for number in (400, 401, 403, 404, 402, 500):
            server.always = tells(number)
            with pytest.raises((UserError, RequestFailed)) as failed:
                ask(model_of(server, api_key_env="LOOPBACK_KEY", tries=1))
            errors.append(failed.value)
    shown = [repr(model), repr(replies), repr(model.fingerprint(TASK)), caplog.text]
    for error in errors:
        shown.append(str(error))
        assert error.__cause__ is None
    assert not any(KEY in text for text in shown)


def test_organisation_and_project_of_openai_are_told_to_no_other_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-mine")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-mine")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-others")
    with LoopbackServer() as server:
        ask(model_of(server))
        (asked,) = server.asked
    assert not [value for value in asked.headers.values() if "mine" in value or "not-for" in value]


def test_a_proxy_is_not_asked_for_what_runs_on_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with LoopbackServer() as server:
        assert ask(model_of(server, tries=1))[0].text == "hello #0"


@pytest.mark.parametrize(
    ("asked", "served", "same"),
    [
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("gpt-3.5-turbo", "gpt-3.5-turbo-0125", True),
        ("claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022", True),
        ("claude-3-5-sonnet-20241022", "claude-3-5-haiku-20241022", False),
        ("models/gemini-2.5-flash", "gemini-2.5-flash", True),
        ("gemini-2.5-flash", "gemini-2.5-flash-lite", False),
        ("gemini-2.5-pro", "gemini-2.5-pro-preview-05-06", True),
        ("qwen/qwen-2.5:free", "qwen/qwen-2.5", True),
        ("llama3", "llama3:latest", True),
        ("smol", "/models/smol.gguf", True),
        ("qwen2.5-coder:7b", "qwen2.5-coder:32b", False),
        ("deepseek-chat", "deepseek-reasoner", False),
    ],
)
def test_names_of_one_model_are_told_from_those_of_two(asked: str, served: str, same: bool) -> None:
    assert same_model(asked, served) is same


def test_importing_the_client_does_not_import_the_sdk() -> None:
    code = "import solexp.llm.served, sys; sys.exit('openai' in sys.modules or 'httpx2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_loopback_server_answers_by_what_it_was_asked() -> None:
    def reply(asked: Asked, index: int) -> str:
        return "yes" if "needle" in asked.text else f"no {index}"

    with LoopbackServer(reply) as server:
        replies = ask_each(model_of(server), ["hay needle hay", "hay"])
    assert [each.text for each in replies if isinstance(each, Completion)] == ["yes", "no 0"]


def test_a_lost_reply_waits_for_requests_in_flight_before_it_ends_the_run() -> None:
    def reply(asked: Asked, _: int) -> str:
        return asked.text

    with LoopbackServer(reply, script=(Fault(stall_s=0.5), HALF_A_BODY)) as server:
        model = model_of(server, max_tokens_total=2500, max_output_tokens=1000)
        # As the engine does: the worst case of both is put aside, so that a third has no room until one is settled.
        worst = model.at_most(chat("a"), Batch(name="b", n=1), 1)[0]
        held = [model.budget.reserve(worst, None) for _ in range(2)]

        async def run() -> None:
            async with model.session() as session:
                drawn = Batch(name="drawn", n=1)

                async def one(text: str, number: int) -> None:
                    (got,) = await session.complete(requests_for(chat(text), drawn, [0]))
                    model.budget.settle(number, [got.usage])

                first = asyncio.create_task(one("a", held[0]))
                await asyncio.sleep(0.1)
                await asyncio.gather(first, one("b", held[1]))

        asyncio.run(run())
        assert server.count == 3
    assert worst <= model.budget.tokens <= 2500
