"""Nearness of meaning, by embeddings of a local model or of an OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from solexp.core import HarnessError, UserError, secrets
from solexp.core.hashing import content_hash, file_hash
from solexp.store import Store
from solexp.strategies.examples.extracting import Entry
from solexp.strategies.examples.ranking import Scores
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
        """``folder`` holds a static model in model2vec's layout; or ``model`` is asked for at ``base_url``.

        The key is read from the environment variable ``api_key_env``; servers that want none need none. A text is cut
        after ``max_chars`` characters.
        """
        if (folder is None) == (model is None):
            raise UserError(
                f"{_WHERE}: give either folder (a local model2vec model) or model (a server's)"
            )
        if batch < 1 or max_chars < 1 or timeout_s <= 0:
            raise UserError(f"{_WHERE}: batch, max_chars and timeout_s must be above 0")
        self.folder = None if folder is None else Path(folder).expanduser()
        self.model = model
        self.base_url = base_url
        self.api_key_env = api_key_env
        self.batch = batch
        self.max_chars = max_chars
        self.timeout_s = timeout_s
        self._pool: Vectors = np.empty((0, 0), dtype=np.float32)
        self._wanted: dict[str, Vectors] = {}
        self._static: Any = None

    def fingerprint(self) -> dict[str, Any]:
        model: Any = self.model
        if self.folder is not None:
            files = sorted(path for path in self.folder.glob("*") if path.is_file())
            model = content_hash([(path.name, file_hash(path)) for path in files])
        return {"by": "embedding", "model": model, "max_chars": self.max_chars}

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
        vectors = self._locally(cut) if self.folder is not None else self._kept(cut)
        length = np.linalg.norm(vectors, axis=1, keepdims=True)
        return (vectors / np.where(length > 0, length, 1)).astype(np.float32)

    def _locally(self, texts: list[str]) -> Vectors:
        if self._static is None:
            self._static = _static_model(self.folder or Path())
        return np.asarray(self._static.encode(texts), dtype=np.float32)

    def _kept(self, texts: list[str]) -> Vectors:
        """The server's vectors; each text is sent once, ever."""
        store = Store(cache_home() / "embeddings")
        keys = {text: content_hash("embedding", self.model, text) for text in texts}
        found: dict[str, Vectors] = {}
        for text, key in keys.items():
            kept = store.get(key, _Vector)
            if kept is not None:
                found[text] = np.frombuffer(kept.data, dtype="<f4")
        missing = [text for text in keys if text not in found]
        for start in range(0, len(missing), self.batch):
            part = missing[start : start + self.batch]
            for text, vector in zip(part, self._asked(part), strict=True):
                store.put(keys[text], _Vector(vector.astype("<f4").tobytes()))
                found[text] = vector
        sizes = {len(vector) for vector in found.values()}
        if len(sizes) > 1:
            raise HarnessError(
                f"embeddings of '{self.model}' have {sorted(sizes)} numbers: the server's model has changed; "
                f"empty {store.folder} or name another model"
            )
        return np.stack([found[text] for text in texts])

    def _asked(self, texts: list[str]) -> list[Vectors]:
        openai = _openai()
        try:
            with openai.OpenAI(
                base_url=self.base_url,
                api_key=secrets.from_environment(self.api_key_env) or "none",
                timeout=self.timeout_s,
                max_retries=5,
            ) as client:
                answer = client.embeddings.create(
                    model=self.model, input=texts, encoding_format="float"
                )
        except (
            openai.AuthenticationError,
            openai.PermissionDeniedError,
            openai.NotFoundError,
            openai.BadRequestError,
        ) as error:
            raise UserError(
                f"{_WHERE}: the server refuses embeddings of '{self.model}' ({error.status_code}); "
                f"look at model, base_url and the key in {self.api_key_env}"
            ) from None
        except openai.OpenAIError as error:
            raise HarnessError(
                f"embeddings of '{self.model}': no answer ({type(error).__name__})"
            ) from error
        rows = sorted(answer.data, key=lambda row: row.index)
        if [row.index for row in rows] != list(range(len(texts))):
            raise HarnessError(
                f"embeddings of '{self.model}': {len(texts)} texts sent, {len(rows)} answered"
            )
        return [np.asarray(row.embedding, dtype=np.float32) for row in rows]


def _openai() -> Any:
    try:
        import openai  # noqa: PLC0415  (costs start-up)
    except ImportError:
        raise UserError(f"{_WHERE}: a server's embeddings need: pip install openai") from None
    return openai


def _static_model(folder: Path) -> Any:
    """A static model, read from its folder and from nowhere else."""
    if not folder.is_dir():
        raise UserError(f"{_WHERE}.folder: {folder}: no such folder")
    if not (folder / "model.safetensors").is_file():
        # The library would look for the model elsewhere.
        raise UserError(f"{_WHERE}.folder: {folder}: no model2vec model: no model.safetensors")
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
