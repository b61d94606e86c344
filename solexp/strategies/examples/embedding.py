"""Nearness of meaning, by embeddings of a local model or of an OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from solexp.core import HarnessError, UserError
from solexp.core.hashing import content_hash, file_hash
from solexp.core.settings import above
from solexp.store import Store
from solexp.strategies.examples.encoder import Encoder, encoder_hash, is_encoder
from solexp.strategies.examples.extracting import Entry
from solexp.strategies.examples.minilm import MINILM, minilm_folder
from solexp.strategies.examples.ranking import Scores
from solexp.strategies.examples.served import Served
from solexp.toolchain.homes import cache_home

Vectors = NDArray[np.float32]

_WHERE = "strategy.examples.by"


class _Vector(msgspec.Struct, frozen=True):
    """An embedding as it is kept: little-endian 32-bit floats."""

    data: bytes


class Nearest:
    """By the cosine of the embeddings of requirement and signature (SolEval: the nearest requirement)."""

    def __init__(
        self,
        *,
        folder: str | None = None,
        model: str | None = None,
        base_url: str | None = None,
        api_key_env: str = "OPENAI_API_KEY",
        batch: int = 64,
        max_chars: int = 20_000,
        timeout_s: float = 60.0,
    ) -> None:
        """``folder`` holds a BERT-like encoder, or a static model in model2vec's layout; or ``model`` is asked for at
        ``base_url``; without either the encoder is all-MiniLM-L6-v2, fetched when it is first needed.

        The key is read from the environment variable ``api_key_env``; servers that want none need none. A text is cut
        after ``max_chars`` characters, and by an encoder where its own length ends.
        """
        if folder is not None and model is not None:
            raise UserError(
                f"{_WHERE}: give either folder (a local model) or model (a server's), not both"
            )
        if base_url is not None and model is None:
            raise UserError(f"{_WHERE}: base_url wants the server's model too; set {_WHERE}.model")
        above(f"{_WHERE}.batch", batch)
        above(f"{_WHERE}.max_chars", max_chars)
        above(f"{_WHERE}.timeout_s", timeout_s)
        self.folder = None if folder is None else Path(folder).expanduser()
        self.model = model
        self.base_url = base_url
        self.api_key_env = api_key_env
        self.batch = batch
        self.max_chars = max_chars
        self.timeout_s = timeout_s
        self._pool: Vectors = np.empty((0, 0), dtype=np.float32)
        self._wanted: dict[str, Vectors] = {}
        self._loaded: Any = None

    def fingerprint(self) -> dict[str, Any]:
        return {"by": "embedding", "model": self._identity(), "max_chars": self.max_chars}

    def _identity(self) -> str:
        """What the vectors hang on: the server's name for its model, or the local one's content."""
        if self.model is not None:
            return self.model
        if self.folder is None:
            return MINILM
        if is_encoder(self.folder):
            return encoder_hash(self.folder)
        files = sorted(path for path in self.folder.glob("*") if path.is_file())
        return content_hash([(path.name, file_hash(path)) for path in files])

    def index(self, entries: Sequence[Entry], wanted: Sequence[str]) -> None:
        """Embed the pool and all that will be looked for. Raises UserError or HarnessError when that fails."""
        texts = [entry.text for entry in entries]
        self._wanted = dict(zip(wanted, self._embedded(wanted), strict=True)) if texts else {}
        self._pool = self._embedded(texts)

    def scores(self, task_id: str, wanted: str) -> Scores:  # noqa: ARG002
        if not len(self._pool):
            return np.empty(0)
        if wanted not in self._wanted:
            self._wanted[wanted] = self._embedded([wanted])[0]
        return np.asarray(self._pool @ self._wanted[wanted], dtype=np.float64)

    def _embedded(self, texts: Sequence[str]) -> Vectors:
        """One vector of length 1 a text."""
        if not texts:
            return np.empty((0, 0), dtype=np.float32)
        cut = [text[: self.max_chars] or " " for text in texts]
        vectors = self._encoded(cut)
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(length > 0, length, 1)).astype(np.float32)

    def _encoded(self, texts: list[str]) -> Vectors:
        if self.model is not None:
            served = Served(
                self.model,
                base_url=self.base_url,
                api_key_env=self.api_key_env,
                timeout_s=self.timeout_s,
            )
            return self._kept(texts, served.encode)
        if self.folder is None or is_encoder(self.folder):
            return self._kept(texts, lambda part: list(self._encoder().encode(part)))
        if self._loaded is None:
            self._loaded = _static_model(self.folder)
        return np.asarray(self._loaded.encode(texts), dtype=np.float32)

    def _encoder(self) -> Encoder:
        if self._loaded is None:
            self._loaded = Encoder(self.folder or minilm_folder())
        encoder: Encoder = self._loaded
        return encoder

    def _kept(self, texts: list[str], encode: Callable[[list[str]], Sequence[Vectors]]) -> Vectors:
        """The vectors of ``texts``; each text is encoded once, ever."""
        store = Store(cache_home() / "embeddings")
        model = self._identity()
        keys = {text: content_hash("embedding", model, text) for text in texts}
        found: dict[str, Vectors] = {}
        for text, key in keys.items():
            kept = store.get(key, _Vector)
            if kept is not None:
                found[text] = np.frombuffer(kept.data, dtype="<f4")
        missing = [text for text in keys if text not in found]
        # Texts of like length together: in a batch the shorter ones are filled up.
        missing.sort(key=len)
        for start in range(0, len(missing), self.batch):
            part = missing[start : start + self.batch]
            for text, vector in zip(part, encode(part), strict=True):
                store.put(keys[text], _Vector(vector.astype("<f4").tobytes()))
                found[text] = vector
        sizes = {len(vector) for vector in found.values()}
        if len(sizes) > 1:
            raise HarnessError(
                f"embeddings of '{model}' have {sorted(sizes)} numbers: the server's model has changed; "
                f"empty {store.folder} or name another model"
            )
        return np.stack([found[text] for text in texts])


def _static_model(folder: Path) -> Any:
    """A static model, read from its folder and from nowhere else."""
    if not folder.is_dir():
        raise UserError(f"{_WHERE}.folder: {folder}: no such folder")
    if not (folder / "model.safetensors").is_file():
        # The library would look for the model elsewhere.
        raise UserError(f"{_WHERE}.folder: {folder}: no model: no model.safetensors")
    try:
        from model2vec import StaticModel  # noqa: PLC0415  (extra)
    except ImportError:
        raise UserError(
            f"{_WHERE}.folder: a local model needs: pip install 'solexp[embedding]'"
        ) from None
    try:
        return StaticModel.from_pretrained(str(folder.absolute()), force_download=False)
    except Exception as error:  # the library raises many
        reason = (str(error).splitlines() or [""])[0] or type(error).__name__
        raise UserError(f"{_WHERE}.folder: {folder}: no model2vec model: {reason}") from None
