"""Embeddings of an OpenAI-compatible server."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from solexp.core import HarnessError, UserError, secrets

_WHERE = "strategy.examples.by"


class Served:
    """An embedding model of a server."""

    def __init__(
        self, model: str, *, base_url: str | None, api_key_env: str, timeout_s: float
    ) -> None:
        self.model = model
        self.base_url = base_url
        self.api_key_env = api_key_env
        self.timeout_s = timeout_s

    def encode(self, texts: list[str]) -> list[NDArray[np.float32]]:
        """One vector a text, in one request.

        Raises UserError when the server refuses it, HarnessError when it does not answer, or not all of it.
        """
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
