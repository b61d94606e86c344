"""A folder of transformers, run in this process. The model is small, random and made here."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from solexp.core import Completion, FinishReason, UserError
from solexp.llm.local.hf import Transformers
from solexp.llm.model import LiveModel, Request
from tests.llm.local.asking import request, timeless

_NEEDS = "needs the extra hf, which is not in dev: with its libraries for GPUs torch takes 5.6 GB"
_CHAT = "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}<assistant>"
_TEXT = [
    "contract Token { uint256 public total; function add(uint256 a) external { total += a; } }"
]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of two layers with random weights, and a tokenizer trained on one line."""
    torch: Any = pytest.importorskip("torch", reason=_NEEDS)
    transformers: Any = pytest.importorskip("transformers", reason=_NEEDS)
    tokenizers: Any = importlib.import_module("tokenizers")
    made = tmp_path_factory.mktemp("tiny")
    bpe = tokenizers.Tokenizer(tokenizers.models.BPE())
    bpe.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=320, special_tokens=["<end>"], initial_alphabet=alphabet
    )
    bpe.train_from_iterator(_TEXT, trainer)
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token="<end>")
    tokenizer.chat_template = _CHAT
    tokenizer.save_pretrained(made)
    torch.manual_seed(1)
    config = transformers.LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=96,
        eos_token_id=tokenizer.eos_token_id,
        initializer_range=0.5,
    )
    model = transformers.LlamaForCausalLM(config)
    # A sampling of the folder's own, of which nothing may get into a batch's.
    model.generation_config.update(do_sample=True, top_k=1, temperature=0.01)
    model.save_pretrained(made)
    return made


def _ask(model: Transformers, *groups: Sequence[Request]) -> list[Completion]:
    async def answers() -> list[Completion]:
        async with model.session() as session:
            return [reply for group in groups for reply in await session.complete(group)]

    return asyncio.run(answers())


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(UserError, match=r"pip install 'solexp\[hf\]'"):
        Transformers(path=str(tmp_path)).fingerprint(request().task)


def test_a_folder_without_a_model_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^model\.path: .* has no config\.json"):
        _ = Transformers(path=str(tmp_path)).folder


def test_greedy_replies_are_alike_and_samples_follow_their_seeds(folder: Path) -> None:
    model = Transformers(path=str(folder), threads=1)
    assert isinstance(model, LiveModel)
    greedy = [request()]
    warm = [request(temperature=1.0, index=index) for index in range(3)]
    first = _ask(model, greedy, warm)
    # Neither the order nor what else was asked matters.
    again = _ask(model, [warm[2]], greedy, [warm[1], warm[0]])
    assert timeless(again) == timeless([first[3], first[0], first[2], first[1]])
    assert len({reply.text for reply in first}) == 4
    assert first[0].usage.completion_tokens == 8
    assert first[0].finish is FinishReason.LENGTH


def test_a_reply_ends_before_its_stop_sequence(folder: Path) -> None:
    model = Transformers(path=str(folder), threads=1)
    whole = _ask(model, [request(form="completion")])[0].text
    end = whole[len(whole) // 2]
    cut = _ask(model, [request(form="completion", stop=(end,))])[0]
    assert cut.text == whole[: whole.index(end)]
    assert cut.finish is FinishReason.STOP


def test_a_prompt_beyond_the_context_is_an_outcome(folder: Path) -> None:
    replies = _ask(Transformers(path=str(folder), threads=1), [request("contract " * 200)])
    assert [reply.finish for reply in replies] == [FinishReason.CONTEXT]


def test_a_reply_ends_where_the_context_does(folder: Path) -> None:
    reply = _ask(Transformers(path=str(folder), threads=1, context=80), [request(most=None)])[0]
    assert reply.usage.prompt_tokens is not None
    assert reply.usage.completion_tokens is not None
    assert reply.usage.prompt_tokens + reply.usage.completion_tokens <= 80


def test_tokens_are_counted_exactly_while_a_session_is_open(folder: Path) -> None:
    model = Transformers(path=str(folder), threads=1)
    asked = request()

    async def both() -> tuple[int, int | None]:
        async with model.session() as session:
            counted = model.estimate(asked.prompt, asked.batch)[0]
            return counted, (await session.complete([asked]))[0].usage.prompt_tokens

    counted, used = asyncio.run(both())
    assert counted == used


def test_a_model_without_a_chat_template_says_what_to_do(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        if file.name != "chat_template.jinja":
            (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(UserError, match="has no chat template"):
        _ask(Transformers(path=str(tmp_path), threads=1), [request()])


def test_filling_a_gap_needs_the_models_template(folder: Path) -> None:
    with pytest.raises(UserError, match=r"model\.infill: must be given"):
        _ask(Transformers(path=str(folder), threads=1), [request(form="infill")])
    filled = Transformers(path=str(folder), threads=1, infill="<pre>{prefix}<suf>{suffix}<mid>")
    assert _ask(filled, [request(form="infill")])[0].text


def test_a_changed_weight_is_another_model(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    task = request().task
    before = Transformers(path=str(tmp_path)).fingerprint(task)["sha256"]
    weights = tmp_path / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
    assert Transformers(path=str(tmp_path)).fingerprint(task)["sha256"] != before


def test_an_interrupted_reply_is_given_up_at_the_next_token(folder: Path) -> None:
    model = Transformers(path=str(folder), threads=1)

    async def interrupt() -> bool:
        async with model.session() as session:
            asking = asyncio.ensure_future(session.complete([request(temperature=1.0, most=80)]))
            await asyncio.sleep(0.02)
            asking.cancel()
            done, _ = await asyncio.wait({asking}, timeout=5)
            return bool(done) and asking.cancelled()

    assert asyncio.run(interrupt())
