"""Sentence embeddings by a BERT-like encoder, run with NumPy: enough for some thousand texts, and no PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from scipy.special import erf

from solexp.core import UserError
from solexp.core.hashing import content_hash, file_hash
from solexp.llm.local.threads import allowed_cores

Array = NDArray[np.float32]

WHERE = "strategy.examples.by.folder"
CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "model.safetensors"
_LENGTH, _POOLING = "sentence_bert_config.json", "1_Pooling/config.json"
TYPES = ("bert", "roberta", "xlm-roberta", "camembert")
"""Kinds of model that are this network; but for BERT, they number positions from behind the padding token on."""
_TOKENS_AT_ONCE = 1024


class _Config(msgspec.Struct, frozen=True):
    """What config.json says of the network, by the names it has there."""

    num_hidden_layers: int
    num_attention_heads: int
    max_position_embeddings: int
    model_type: str = "bert"
    hidden_act: str = "gelu"
    layer_norm_eps: float = 1e-12
    pad_token_id: int = 0
    position_embedding_type: str = "absolute"


class _Length(msgspec.Struct, frozen=True):
    max_seq_length: int | None = None


class _Pooling(msgspec.Struct, frozen=True):
    pooling_mode_cls_token: bool = False
    pooling_mode_mean_tokens: bool = False
    pooling_mode_max_tokens: bool = False
    pooling_mode_mean_sqrt_len_tokens: bool = False
    pooling_mode_weightedmean_tokens: bool = False
    pooling_mode_lasttoken: bool = False


class _Linear(msgspec.Struct, frozen=True):
    weight: Array
    """(in, out)"""
    bias: Array

    def __call__(self, x: Array) -> Array:
        # One large product, where NumPy would make one a text.
        product = x.reshape(-1, len(self.weight)) @ self.weight
        product += self.bias
        return product.reshape(*x.shape[:-1], -1)


class _Norm(msgspec.Struct, frozen=True):
    weight: Array
    bias: Array
    epsilon: float

    def __call__(self, x: Array) -> Array:
        x = x - x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt(np.square(x).mean(axis=-1, keepdims=True) + self.epsilon)
        return np.asarray(x / deviation * self.weight + self.bias, dtype=np.float32)


class _Layer(msgspec.Struct, frozen=True):
    """One layer of the network of Devlin et al. (2019), BERT; Vaswani et al. (2017)."""

    heads: int
    query_key_value: _Linear
    attended: _Linear
    after_attention: _Norm
    wider: _Linear
    narrower: _Linear
    after: _Norm

    def __call__(self, x: Array, hidden: Array) -> Array:
        """``x`` is (texts, tokens, width); ``hidden`` (texts, 1, 1, tokens) is added to the attention to each token."""
        texts, tokens, width = x.shape
        parts = self.query_key_value(x).reshape(texts, tokens, 3, self.heads, width // self.heads)
        query, key, value = parts.transpose(2, 0, 3, 1, 4)
        scores = query @ key.swapaxes(-1, -2) / np.float32(np.sqrt(width // self.heads)) + hidden
        share = np.exp(scores - scores.max(axis=-1, keepdims=True))
        share /= share.sum(axis=-1, keepdims=True)
        seen = (share @ value).transpose(0, 2, 1, 3).reshape(texts, tokens, width)
        x = self.after_attention(x + self.attended(seen))
        return self.after(x + self.narrower(_gelu(self.wider(x))))


class Encoder:
    """An encoder from a folder as sentence-transformers and the transformers library write it.

    Where the folder holds sentence-transformers' files for the length and the pooling, they are followed; else as many
    tokens are read as there are positions, and their mean is taken (Reimers and Gurevych 2019, Sentence-BERT).
    """

    def __init__(self, folder: Path) -> None:
        """Raises UserError when the folder holds no encoder of a known kind, or a package is missing."""
        self.folder = folder
        try:
            from safetensors.numpy import load_file  # noqa: PLC0415  (extra)
            from threadpoolctl import threadpool_limits  # noqa: PLC0415
            from tokenizers import Tokenizer  # noqa: PLC0415
        except ImportError:
            raise UserError(f"{WHERE}: an encoder needs: pip install 'solexp[embedding]'") from None
        for file in (CONFIG, TOKENIZER, WEIGHTS):
            if not (folder / file).is_file():
                raise UserError(f"{WHERE}: {folder}: no encoder: no {file}")
        self._limits = threadpool_limits
        config = _read(folder / CONFIG, _Config)
        self._first = _first_position(folder, config)
        self._by_first_token = _pools_by_first_token(folder)
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            tensors = {
                name: value.astype(np.float32)
                for name, value in load_file(str(folder / WEIGHTS)).items()
            }
            self._load(config, _Named(tensors))
        except KeyError as error:
            raise UserError(f"{WHERE}: {folder / WEIGHTS}: no encoder: no tensor {error}") from None
        except Exception as error:  # the libraries raise many
            reason = (str(error).splitlines() or [""])[0] or type(error).__name__
            raise UserError(f"{WHERE}: {folder}: no encoder: {reason}") from None
        most = (
            _read(folder / _LENGTH, _Length).max_seq_length
            if (folder / _LENGTH).is_file()
            else None
        )
        places = len(self._positions)
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(min(most or places, places))

    def _load(self, config: _Config, tensors: _Named) -> None:
        self._words = tensors["embeddings.word_embeddings.weight"]
        # Every token is of the first sort: there is one sentence.
        kind = tensors["embeddings.token_type_embeddings.weight"][0]
        self._positions = tensors["embeddings.position_embeddings.weight"][self._first :] + kind
        self._norm = tensors.norm("embeddings.LayerNorm", config)
        self._layers = [
            _Layer(
                heads=config.num_attention_heads,
                query_key_value=tensors.linear(
                    *(f"{layer}.attention.self.{part}" for part in ("query", "key", "value"))
                ),
                attended=tensors.linear(f"{layer}.attention.output.dense"),
                after_attention=tensors.norm(f"{layer}.attention.output.LayerNorm", config),
                wider=tensors.linear(f"{layer}.intermediate.dense"),
                narrower=tensors.linear(f"{layer}.output.dense"),
                after=tensors.norm(f"{layer}.output.LayerNorm", config),
            )
            for layer in (f"encoder.layer.{n}" for n in range(config.num_hidden_layers))
        ]

    def encode(self, texts: Sequence[str]) -> Array:
        """(texts, width); a text is cut where the encoder's length ends."""
        rows = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        # Texts of like length together: what they are filled up with costs as much as they do.
        order = sorted(range(len(rows)), key=lambda place: len(rows[place]))
        batches: list[list[int]] = []
        while order:
            count = max(1, _TOKENS_AT_ONCE // max(1, len(rows[order[-1]])))
            batches.append(order[-count:])
            del order[-count:]
        found = np.empty((len(rows), self._words.shape[1]), dtype=np.float32)
        # BLAS's own threads would wait for each other at every one of many small products.
        with self._limits(1, user_api="blas"), ThreadPoolExecutor(allowed_cores()) as pool:
            pooled = pool.map(self._pooled, [[rows[place] for place in each] for each in batches])
            for batch, vectors in zip(batches, pooled, strict=True):
                found[batch] = vectors
        return found

    def _pooled(self, rows: Sequence[Sequence[int]]) -> Array:
        longest = max(1, *map(len, rows))
        ids = np.zeros((len(rows), longest), dtype=np.int64)
        there = np.zeros((len(rows), longest), dtype=np.float32)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = row
            there[place, : len(row)] = 1
        x = self._norm(self._words[ids] + self._positions[:longest])
        hidden = np.where(there, np.float32(0), np.float32(-1e9))[:, None, None, :]
        for layer in self._layers:
            x = layer(x, hidden)
        if self._by_first_token:
            return np.asarray(x[:, 0])
        total = (x * there[..., None]).sum(axis=1)
        return np.asarray(total / np.maximum(there.sum(axis=1, keepdims=True), 1))


def is_encoder(folder: Path) -> bool:
    """Whether a folder's config.json is that of a transformer, known or not."""
    config = folder / CONFIG
    return (
        config.is_file()
        and (folder / WEIGHTS).is_file()
        and _type(config) not in (None, "model2vec")
    )


def encoder_hash(folder: Path) -> str:
    """Hash of all files that decide an encoder's vectors; those that are not there are left out."""
    files = [folder / name for name in (CONFIG, TOKENIZER, WEIGHTS, _LENGTH, _POOLING)]
    return content_hash([(path.name, file_hash(path)) for path in files if path.is_file()])


class _Named:
    """Tensors by name, whatever the model is called within a larger one, such as ``bert.``."""

    def __init__(self, tensors: Mapping[str, Array]) -> None:
        first = "embeddings.word_embeddings.weight"
        whole = next((name for name in tensors if name.endswith(first)), first)
        self._prefix = whole.removesuffix(first)
        self._tensors = tensors

    def __getitem__(self, name: str) -> Array:
        return self._tensors[f"{self._prefix}{name}"]

    def linear(self, *names: str) -> _Linear:
        """One linear map, or several side by side."""
        return _Linear(
            np.ascontiguousarray(np.concatenate([self[f"{name}.weight"] for name in names]).T),
            np.concatenate([self[f"{name}.bias"] for name in names]),
        )

    def norm(self, name: str, config: _Config) -> _Norm:
        return _Norm(self[f"{name}.weight"], self[f"{name}.bias"], config.layer_norm_eps)


def _first_position(folder: Path, config: _Config) -> int:
    """The row of the first token's position. Raises UserError when the network is none of the known."""
    for what, value, known in (
        ("model_type", config.model_type, TYPES),
        ("hidden_act", config.hidden_act, ("gelu",)),
        ("position_embedding_type", config.position_embedding_type, ("absolute",)),
    ):
        if value not in known:
            raise UserError(
                f"{WHERE}: {folder}: {what} '{value}' is not known here, only {', '.join(known)}; "
                "let a server run the model, and set model and base_url"
            )
    return 0 if config.model_type == "bert" else config.pad_token_id + 1


def _pools_by_first_token(folder: Path) -> bool:
    path = folder / _POOLING
    if not path.is_file():
        return False
    told = {name for name, on in msgspec.structs.asdict(_read(path, _Pooling)).items() if on}
    if told <= {"pooling_mode_mean_tokens"}:
        return False
    if told == {"pooling_mode_cls_token"}:
        return True
    raise UserError(
        f"{WHERE}: {path}: pooling other than by mean or first token: {', '.join(sorted(told))}"
    )


def _read(path: Path, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (msgspec.DecodeError, OSError) as error:
        raise UserError(f"{WHERE}: {path}: no encoder: {error}") from None


def _type(config: Path) -> str | None:
    try:
        found = msgspec.json.decode(config.read_bytes(), type=dict[str, Any]).get("model_type")
    except (msgspec.DecodeError, OSError):
        return None
    return found if isinstance(found, str) else None


def _gelu(x: Array) -> Array:
    """Hendrycks and Gimpel (2016), exactly."""
    share = (erf(x * np.float32(np.sqrt(0.5))) + np.float32(1)) * np.float32(0.5)
    return np.asarray(x * share, dtype=np.float32)
