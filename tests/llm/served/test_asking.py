"""What is sent, and what is made of right answers."""

from __future__ import annotations

from typing import Any

import pytest

from solexp.core import Batch, FinishReason, Message, Prompt, UserError
from solexp.llm.model import LiveModel, generation_key
from solexp.llm.served import OpenAICompatible
from tests.llm.served.asking import TASK, ask, ask_each, chat, model_of, requests_for
from tests.llm.served.server import N_IGNORED, Answer, LoopbackServer


def test_it_is_a_live_model() -> None:
    with LoopbackServer() as server:
        model = model_of(server)
    assert isinstance(model, LiveModel)
    assert model.paid


def test_a_conversation_is_sent_with_its_sampling_and_the_reply_comes_with_usage() -> None:
    with LoopbackServer() as server:
        (reply,) = ask(
            model_of(server), chat("be brief", "hello", stop=("END",)), temperature=0.2, top_p=0.9,
            max_tokens=77, seed=5,
        )  # fmt: skip
        (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.body == {
        "model": "loopback",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "user", "content": "hello"},
        ],
        "max_tokens": 77,
        "temperature": 0.2,
        "top_p": 0.9,
        "stop": ["END"],
        "seed": 5,
    }
    assert reply.text == "hello #0"
    assert reply.finish is FinishReason.STOP
    assert reply.served_by == "loopback"
    assert reply.seconds > 0
    assert reply.usage.prompt_tokens == 4
    assert reply.usage.completion_tokens == 3
    assert reply.usage.cost_usd is None


def test_a_text_to_be_continued_goes_as_it_is_and_its_blanks_stay() -> None:
    prompt = Prompt(
        task_id=TASK.id, messages=(Message("user", "function f() {\n"),), form="completion"
    )
    with LoopbackServer(lambda *_: "  <think>x</think> y; }\n") as server:
        (reply,) = ask(model_of(server), prompt)
        (asked,) = server.asked
    assert asked.path == "/v1/completions"
    assert asked.body["prompt"] == "function f() {\n"
    assert reply.text == "  <think>x</think> y; }\n"


@pytest.mark.parametrize(
    ("infill", "path", "sent"),
    [
        ("suffix", "/v1/completions", {"prompt": "before{suffix}", "suffix": "after"}),
        ("/infill", "/infill", {"input_prefix": "before{suffix}", "input_suffix": "after"}),
        (
            "<P>{prefix}<S>{suffix}<M>",
            "/v1/completions",
            {"prompt": "<P>before{suffix}<S>after<M>"},
        ),
    ],
)
def test_a_gap_is_filled_as_the_server_wants_it(
    infill: str, path: str, sent: dict[str, str]
) -> None:
    prompt = Prompt(
        task_id=TASK.id,
        messages=(Message("user", "before{suffix}"),),
        form="infill",
        suffix="after",
    )
    with LoopbackServer(lambda *_: "middle") as server:
        (reply,) = ask(model_of(server, infill=infill), prompt)
        (asked,) = server.asked
    assert asked.path == path
    assert sent.items() <= asked.body.items()
    assert reply.text == "middle"
    assert reply.usage.completion_tokens is not None


def test_each_sample_has_a_seed_of_its_own() -> None:
    with LoopbackServer() as server:
        ask(model_of(server), samples=3, seed=10)
        assert sorted(asked.body["seed"] for asked in server.asked) == [10, 11, 12]


def test_samples_come_in_one_request_and_share_its_tokens_exactly() -> None:
    with LoopbackServer(lambda _, index: "x" * (10 + 50 * index)) as server:
        replies = ask(model_of(server, n_per_request=4), "a" * 30, samples=6)
        assert sorted(int(asked.body["n"]) for asked in server.asked) == [2, 4]
    assert [len(reply.text) for reply in replies] == [10, 60, 110, 160, 10, 60]
    assert sum(reply.usage.prompt_tokens or 0 for reply in replies) == 2 * 8
    made = [reply.usage.completion_tokens or 0 for reply in replies]
    assert sum(made) == (3 + 16 + 28 + 41) + (3 + 16)
    assert made[0] < made[3]


def test_where_the_server_ignores_n_the_rest_is_asked_for_singly() -> None:
    with LoopbackServer(script=(N_IGNORED,)) as server:
        replies = ask(model_of(server, n_per_request=5), samples=5)
        assert [asked.body.get("n") for asked in server.asked] == [5, None, None, None, None]
    assert [reply.text for reply in replies] == ["hello #0"] * 5


def test_reasoning_models_are_asked_in_their_own_terms() -> None:
    with LoopbackServer() as server:
        model = model_of(
            server,
            max_tokens_field="max_completion_tokens",
            max_output_tokens=99,
            fixed_sampling=True,
            reasoning_effort="high",
            system_role="developer",
            seeded=False,
            stops=0,
            extra_body={"verbosity": "low"},
        )
        ask(model, chat("s", "q", stop=("END",)), seed=1, temperature=0.5)
        (asked,) = server.asked
    assert asked.body == {
        "model": "loopback",
        "messages": [{"role": "developer", "content": "s"}, {"role": "user", "content": "q"}],
        "max_completion_tokens": 99,
        "reasoning_effort": "high",
        "verbosity": "low",
    }


def test_a_model_that_refuses_top_p_beside_a_temperature_is_told_the_temperature_alone() -> None:
    with LoopbackServer() as server:
        ask(model_of(server, fixed_sampling="top_p"), temperature=0.2, top_p=0.95)
        (asked,) = server.asked
    assert asked.body["temperature"] == 0.2
    assert "top_p" not in asked.body


def test_a_model_without_system_messages_is_told_in_the_first_question() -> None:
    with LoopbackServer() as server:
        ask(model_of(server, system_role="user"), chat("be brief", "hello"))
        (asked,) = server.asked
    assert asked.body["messages"] == [{"role": "user", "content": "be brief\n\nhello"}]


@pytest.mark.parametrize(
    ("answer", "text", "reasoning"),
    [
        (Answer("code", more={"reasoning_content": "hm"}), "code", "hm"),
        (Answer("code", more={"reasoning": "hm"}), "code", "hm"),
        (Answer("<think>\nhm\n</think>\n\ncode"), "code", "hm"),
        (Answer("<thought>hm</thought>code"), "code", "hm"),
        (Answer("hm\n</think>\ncode"), "code", "hm"),
        (Answer("<think>hm", finish="length"), "", "hm"),
        (Answer("<think>contract A {}"), "<think>contract A {}", ""),
        (Answer("code // <think>a</think>"), "code // <think>a</think>", ""),
        (Answer("<think></think>code"), "code", ""),
        (Answer(None, more={"reasoning_content": "hm"}), "", "hm"),
        (Answer("code", more={"reasoning_content": None}), "code", ""),
    ],
)
def test_thoughts_are_kept_apart_from_the_answer(answer: Answer, text: str, reasoning: str) -> None:
    with LoopbackServer(lambda *_: answer) as server:
        (reply,) = ask(model_of(server))
    assert (reply.text, reply.reasoning) == (text, reasoning)


@pytest.mark.parametrize(
    ("answer", "finish"),
    [
        (Answer("x", finish="stop"), FinishReason.STOP),
        (Answer("x", finish=None), FinishReason.STOP),
        (Answer("x", finish="end_turn"), FinishReason.STOP),
        (Answer("x", finish="length"), FinishReason.LENGTH),
        (Answer("x", finish="MAX_TOKENS"), FinishReason.LENGTH),
        (Answer("", finish="content_filter"), FinishReason.REFUSED),
        (Answer(None, more={"refusal": "I will not."}), FinishReason.REFUSED),
    ],
)
def test_why_the_model_stopped_is_known(answer: Answer, finish: FinishReason) -> None:
    with LoopbackServer(lambda *_: answer) as server:
        assert ask(model_of(server))[0].finish is finish


def test_a_refusal_is_readable() -> None:
    with LoopbackServer(lambda *_: Answer(None, more={"refusal": "I will not."})) as server:
        assert ask(model_of(server))[0].text == "I will not."


def test_stop_sequences_that_the_server_does_not_know_end_the_reply_all_the_same() -> None:
    with LoopbackServer(lambda *_: Answer("one TWO three", finish="length")) as server:
        (reply,) = ask(model_of(server, stops=0), chat("q", stop=("three", "TWO")))
        assert "stop" not in server.asked[0].body
    assert (reply.text, reply.finish) == ("one ", FinishReason.STOP)


def test_parts_of_a_content_are_joined_and_thoughts_among_them_set_apart() -> None:
    parts: Any = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "con"},
        {"type": "text", "text": "tract"},
    ]
    with LoopbackServer(lambda *_: Answer(parts)) as server:
        (reply,) = ask(model_of(server))
    assert (reply.text, reply.reasoning) == ("contract", "hm")


def test_any_text_survives_the_way_there_and_back() -> None:
    said = 'π "quoted" \\ \t \u2028 \U0001f600 \x00 é'
    with LoopbackServer(lambda asked, _: asked.text) as server:
        assert ask(model_of(server), said)[0].text == said


def test_surrogates_that_stand_alone_become_replacement_characters() -> None:
    with LoopbackServer(lambda asked, _: asked.text + "\ud83d y \ude00") as server:
        (reply,) = ask(model_of(server), "a \udc80 b")
    assert reply.text == "a \ufffd b\ufffd y \ufffd"
    reply.text.encode()


def test_no_more_requests_are_in_flight_than_allowed() -> None:
    with LoopbackServer(delay_s=0.01) as server:
        replies = ask_each(model_of(server, concurrency=5), [f"q{at}" for at in range(40)])
        assert server.at_once == 5
    assert [getattr(reply, "text", reply) for reply in replies] == [f"q{at} #0" for at in range(40)]


def test_the_key_of_a_generation_depends_on_who_answers_and_how_and_on_nothing_else() -> None:
    def key(**settings: Any) -> str:
        model = OpenAICompatible(
            **{"name": "m", "base_url": "https://api.example.com/v1", **settings}
        )
        (request,) = requests_for(chat("q"), Batch(name="one", n=1), [0])
        return generation_key(model, request)

    same: list[dict[str, Any]] = [
        {"concurrency": 3}, {"api_key_env": "SOME_KEY"}, {"max_cost_usd": 1.0}, {"tries": 2},
        {"prices": {"input": 1, "output": 2}}, {"n_per_request": 8}, {"timeout_s": 5.0},
        {"base_url": "https://api.example.com/v1/"},
    ]  # fmt: skip
    other: list[dict[str, Any]] = [
        {"name": "n"}, {"base_url": "https://api.example.org/v1"}, {"reasoning_effort": "low"},
        {"fixed_sampling": True}, {"max_output_tokens": 5}, {"extra_body": {"a": 1}},
        {"provider": "p"}, {"system_role": "user"},
    ]  # fmt: skip
    assert {key(**settings) for settings in same} == {key()}
    assert len({key(**settings) for settings in other} | {key()}) == len(other) + 1
    assert key(provider="p") == key(provider="p", base_url="http://localhost:1/v1")


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"concurrency": 0}, "model.concurrency: must be above 0"),
        ({"tries": 0}, "model.tries: must be above 0"),
        ({"timeout_s": float("nan")}, "model.timeout_s: must be above 0"),
        ({"stops": -1}, "model.stops: must not be below 0"),
        ({"infill": "what"}, "model.infill: must be suffix"),
        ({"name": ""}, "model.name: must be given"),
        ({"base_url": "localhost:8000"}, "model.base_url: must be an address"),
        ({"base_url": "http://localhost:port/v1"}, "model.base_url: is no address"),
        ({"base_url": "https://me:pa55word@h/v1"}, "model.base_url: must not hold a user"),
        ({"base_url": "https://h/v1?key=pa55word"}, "model.base_url: must end with its path"),
        ({"max_cost_usd": -1.0}, "model.max_cost_usd: must be above 0"),
        ({"extra_body": {"n": 4}}, "model.extra_body.n: has a setting of its own"),
    ],
)
def test_wrong_settings_are_refused_by_name_without_telling_secrets(
    settings: dict[str, Any], named: str
) -> None:
    with pytest.raises(UserError) as refused:
        OpenAICompatible(**{"name": "m", "base_url": "http://localhost:1/v1", **settings})
    assert named in str(refused.value)
    assert "pa55word" not in str(refused.value)
    assert "\n" not in str(refused.value)
