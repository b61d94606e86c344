"""BERT-like encoders: a real small one, and tiny ones with random weights."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solexp.core import UserError
from solexp.strategies.examples import encoder as encoding
from solexp.strategies.examples.chosen import Chosen
from solexp.strategies.examples.embedding import Nearest
from solexp.strategies.examples.encoder import Array, Encoder
from solexp.strategies.examples.minilm import WHEEL, minilm_folder
from tests.strategies.examples.pool import TASKS, function_task

TEXTS = ["a b", "c", "b a c d e a b c d e", "e d"]
WIDTH, HEADS, LAYERS, PLACES = 8, 2, 2, 9


@pytest.fixture(scope="module")
def minilm() -> Path:
    """The real encoder's folder. CI fetches it; elsewhere it is looked for."""
    found = minilm_folder() if os.environ.get("CI") else WHEEL.find()
    if found is None:
        pytest.skip("all-MiniLM-L6-v2 (84 MB) is not here; strategy/examples=embedding fetches it")
    return found


@pytest.fixture(scope="module")
def tensors() -> dict[str, Array]:
    """Random weights of a tiny BERT."""
    drawn = np.random.default_rng(7)

    def of(*shape: int) -> Array:
        return drawn.normal(size=shape).astype(np.float32)

    shapes = {
        "attention.self.query": (WIDTH, WIDTH),
        "attention.self.key": (WIDTH, WIDTH),
        "attention.self.value": (WIDTH, WIDTH),
        "attention.output.dense": (WIDTH, WIDTH),
        "intermediate.dense": (16, WIDTH),
        "output.dense": (WIDTH, 16),
    }
    found = {
        "embeddings.word_embeddings.weight": of(8, WIDTH),
        "embeddings.position_embeddings.weight": of(PLACES, WIDTH),
        "embeddings.token_type_embeddings.weight": of(2, WIDTH),
    }
    norms = ["embeddings.LayerNorm"]
    for layer in (f"encoder.layer.{n}" for n in range(LAYERS)):
        for name, shape in shapes.items():
            found[f"{layer}.{name}.weight"] = of(*shape)
            found[f"{layer}.{name}.bias"] = of(shape[0])
        norms += [f"{layer}.attention.output.LayerNorm", f"{layer}.output.LayerNorm"]
    for name in norms:
        found[f"{name}.weight"], found[f"{name}.bias"] = of(WIDTH), of(WIDTH)
    return found


def _save(folder: Path, tensors: dict[str, Array], **config: Any) -> Path:
    tokenizers: Any = importlib.import_module("tokenizers")
    numpy_files: Any = importlib.import_module("safetensors.numpy")
    folder.mkdir(exist_ok=True)
    words = {word: number for number, word in enumerate(["[PAD]", "[UNK]", "[CLS]", *"abcde"])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", 2)]
    )
    # As released tokenizers do, which an encoder of whole texts must not follow.
    tokenizer.enable_padding(length=6)
    tokenizer.enable_truncation(4)
    tokenizer.save(str(folder / "tokenizer.json"))
    known = {
        "model_type": "bert",
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "max_position_embeddings": PLACES,
        "hidden_act": "gelu",
    }
    (folder / "config.json").write_text(json.dumps(known | config))
    numpy_files.save_file(tensors, str(folder / "model.safetensors"))
    return folder


@pytest.fixture
def tiny(tmp_path: Path, tensors: dict[str, Array]) -> Path:
    return _save(tmp_path / "tiny", tensors)


def _close(one: Array, other: Array) -> bool:
    return bool(np.allclose(one, other, atol=1e-4))


def _pooled(folder: Path, **told: bool) -> Path:
    (folder / "1_Pooling").mkdir(exist_ok=True)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(told))
    return folder


def test_the_real_encoder_gives_the_similarities_that_its_authors_publish(minilm: Path) -> None:
    vectors = Encoder(minilm).encode(
        ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    )
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    # Sentence Transformers' documentation, Quickstart.
    published = [[1, 0.6660, 0.1046], [0.6660, 1, 0.1411], [0.1046, 0.1411, 1]]
    assert np.allclose(vectors @ vectors.T, published, atol=6e-5)


@pytest.mark.usefixtures("minilm")
def test_without_settings_the_real_encoder_finds_what_says_the_same_in_other_words(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path))
    asked = function_task("asked", "function f() external { }", "Offers more money in the auction.")
    chosen = Chosen(Nearest())
    chosen.prepare([asked], TASKS)
    assert chosen.choose(asked, 2)[-1].id == "bid"


def test_a_text_has_the_same_vector_alone_and_beside_longer_ones(tiny: Path) -> None:
    encoder = Encoder(tiny)
    together = encoder.encode(TEXTS)
    assert together.shape == (4, WIDTH)
    for text, vector in zip(TEXTS, together, strict=True):
        assert _close(encoder.encode([text])[0], vector)
    assert not _close(together[0], together[1])


def test_many_texts_come_in_their_order(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = Encoder(tiny)
    together = encoder.encode(TEXTS * 3)
    monkeypatch.setattr(encoding, "_TOKENS_AT_ONCE", 11)
    assert _close(encoder.encode(TEXTS * 3), together)


def test_the_order_of_words_counts_and_what_lies_behind_the_length_does_not(tiny: Path) -> None:
    encoder = Encoder(tiny)
    whole, turned, longer = encoder.encode(["a b c", "c b a", "a b c" + " d" * 20])
    assert not _close(whole, turned)
    # Eight words beside the mark in front fill the positions.
    filled = encoder.encode(["a b c" + " d" * 5])[0]
    assert _close(longer, filled)
    assert not _close(longer, whole)
    (tiny / "sentence_bert_config.json").write_text('{"max_seq_length": 4}')
    assert _close(Encoder(tiny).encode(["a b c" + " d" * 20])[0], whole)


def test_pooling_is_as_the_folder_says(tiny: Path) -> None:
    mean = Encoder(tiny).encode(TEXTS)
    assert _close(Encoder(_pooled(tiny, pooling_mode_mean_tokens=True)).encode(TEXTS), mean)
    first = Encoder(_pooled(tiny, pooling_mode_cls_token=True)).encode(TEXTS)
    assert not _close(first, mean)
    with pytest.raises(UserError, match=r"by\.folder: .* pooling .*: pooling_mode_max_tokens$"):
        Encoder(_pooled(tiny, pooling_mode_max_tokens=True))


def test_layers_are_those_of_the_definition(tiny: Path, tensors: dict[str, Array]) -> None:
    """Devlin et al. (2019), written out token by token."""

    def norm(name: str, x: Array) -> Array:
        scaled = (x - x.mean()) / np.sqrt(x.var() + 1e-12)
        return np.asarray(scaled * tensors[f"{name}.weight"] + tensors[f"{name}.bias"])

    def linear(name: str, x: Array) -> Array:
        return np.asarray(tensors[f"{name}.weight"] @ x + tensors[f"{name}.bias"])

    def gelu(x: float) -> float:
        return x * 0.5 * (1 + float(erf(x / 2**0.5)))

    erf = importlib.import_module("math").erf
    ids = [2, 4, 3, 7]  # [CLS] b a e
    xs = [
        norm(
            "embeddings.LayerNorm",
            tensors["embeddings.word_embeddings.weight"][word]
            + tensors["embeddings.position_embeddings.weight"][place]
            + tensors["embeddings.token_type_embeddings.weight"][0],
        )
        for place, word in enumerate(ids)
    ]
    size = WIDTH // HEADS
    for layer in (f"encoder.layer.{n}" for n in range(LAYERS)):
        query, key, value = (
            [linear(f"{layer}.attention.self.{part}", x) for x in xs]
            for part in ("query", "key", "value")
        )
        following = []
        for place, x in enumerate(xs):
            seen = np.zeros(WIDTH, dtype=np.float32)
            for part in (slice(h * size, (h + 1) * size) for h in range(HEADS)):
                weights = np.exp([query[place][part] @ each[part] / size**0.5 for each in key])
                for weight, each in zip(weights / weights.sum(), value, strict=True):
                    seen[part] += weight * each[part]
            x = norm(  # noqa: PLW2901
                f"{layer}.attention.output.LayerNorm",
                x + linear(f"{layer}.attention.output.dense", seen),
            )
            wide = np.array(
                [gelu(float(each)) for each in linear(f"{layer}.intermediate.dense", x)]
            )
            following.append(
                norm(f"{layer}.output.LayerNorm", x + linear(f"{layer}.output.dense", wide))
            )
        xs = following
    assert _close(Encoder(tiny).encode(["b a e"])[0], np.mean(xs, axis=0))


def test_names_may_have_a_prefix_and_robertas_positions_begin_behind_padding(
    tmp_path: Path, tensors: dict[str, Array]
) -> None:
    plain = Encoder(_save(tmp_path / "plain", tensors)).encode(TEXTS)
    named = {f"bert.{name}": value for name, value in tensors.items()}
    assert _close(Encoder(_save(tmp_path / "named", named)).encode(TEXTS), plain)
    positions = tensors["embeddings.position_embeddings.weight"]
    moved = {
        f"roberta.{name}": value for name, value in tensors.items() if "position" not in name
    } | {"roberta.embeddings.position_embeddings.weight": np.vstack([positions[:2], positions])}
    folder = _save(
        tmp_path / "moved",
        moved,
        model_type="xlm-roberta",
        pad_token_id=1,
        max_position_embeddings=PLACES + 2,
    )
    assert _close(Encoder(folder).encode(TEXTS), plain)


def test_each_text_is_encoded_once_whatever_is_evaluated(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SOLEXP_CACHE", str(tmp_path / "cache"))
    sent: list[str] = []
    encode = Encoder.encode

    def counted(self: Encoder, texts: Sequence[str]) -> Array:
        sent.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(Encoder, "encode", counted)
    for tasks in (TASKS[:1], TASKS[1:3]):
        chosen = Chosen(Nearest(folder=str(tiny)))
        chosen.prepare(tasks, TASKS)
        chosen.choose(tasks[0], 2)
    assert len(sent) == len(set(sent)) == len(TASKS)


def test_the_fingerprint_is_that_of_the_weights_not_of_the_place(
    tiny: Path, tmp_path: Path, tensors: dict[str, Array]
) -> None:
    first = Nearest(folder=str(tiny)).fingerprint()
    moved = Path(shutil.copytree(tiny, tmp_path / "moved"))
    (moved / "README.md").write_text("of the model")
    assert Nearest(folder=str(moved)).fingerprint() == first
    others = {name: value * 2 for name, value in tensors.items()}
    assert Nearest(folder=str(_save(moved, others))).fingerprint() != first
    _pooled(tiny, pooling_mode_cls_token=True)
    assert Nearest(folder=str(tiny)).fingerprint() != first


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"model_type": "mpnet"}, "model_type 'mpnet' is not known"),
        ({"hidden_act": "silu"}, "hidden_act 'silu' is not known"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type 'relative_key'"),
        ({"num_hidden_layers": 3}, "no tensor 'encoder.layer.2.attention.self.query.weight'"),
        ({"num_hidden_layers": "two"}, "Expected `int`, got `str`"),
    ],
)
def test_an_encoder_of_another_kind_is_refused_in_one_line(
    tmp_path: Path, tensors: dict[str, Array], config: dict[str, Any], said: str
) -> None:
    chosen = Chosen(Nearest(folder=str(_save(tmp_path, tensors, **config))))
    chosen.prepare(TASKS[:1], TASKS)
    with pytest.raises(UserError) as caught:
        chosen.choose(TASKS[0], 1)
    assert said in str(caught.value)
    assert str(caught.value).startswith("strategy.examples.by.folder: ")
    assert "\n" not in str(caught.value)


def test_files_that_are_missing_or_broken_are_named(tiny: Path) -> None:
    whole = (tiny / "model.safetensors").read_bytes()
    (tiny / "model.safetensors").write_bytes(whole[:100])
    with pytest.raises(UserError, match=r"by\.folder: .*no encoder: "):
        Encoder(tiny)
    (tiny / "tokenizer.json").unlink()
    with pytest.raises(UserError, match=r"no encoder: no tokenizer\.json"):
        Encoder(tiny)


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(UserError, match=r"pip install 'solexp\[embedding\]'"):
        Encoder(tiny)
