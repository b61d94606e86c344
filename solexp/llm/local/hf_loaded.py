"""A model of transformers in memory. Importing this imports torch."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

# Set before the import, which reads it: nothing may be looked up in a hub.
os.environ["HF_HUB_OFFLINE"] = "1"

import msgspec
import torch
import transformers

from solexp.core import Batch, Completion, FinishReason, Prompt, UserError
from solexp.llm.model import Request
from solexp.llm.served.reading import reply_of
from solexp.llm.served.wire import Dialect, wire

if TYPE_CHECKING:
    from solexp.llm.local.hf import Transformers

_MAX_CHARS = 1_000_000
_NO_LIMIT = 10**9


class LoadedModel:
    """Weights and tokenizer. It answers one request at a time, from whatever thread."""

    def __init__(self, settings: Transformers, folder: Path, threads: int) -> None:
        """Raises UserError when the folder cannot be loaded."""
        self._name = folder.name
        self._dialect = Dialect(
            max_output_tokens=settings.max_output_tokens,
            system_role=settings.system_role,
            infill=settings.infill or "suffix",
            stops=_NO_LIMIT,
        )
        self._device = settings.device or ("cuda" if torch.cuda.is_available() else "cpu")
        torch.set_num_threads(threads)
        # Code that lies in the folder is not run.
        given: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        dtype = settings.dtype if settings.dtype == "auto" else getattr(torch, settings.dtype)
        try:
            with _quiet():
                self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, **given)
                model: Any = transformers.AutoModelForCausalLM.from_pretrained(
                    folder, dtype=dtype, **given
                )
                self._model: Any = model.to(self._device).eval()
        except (OSError, ValueError, KeyError, ImportError, RuntimeError) as error:
            reason = " ".join(str(error).split())[:300]
            raise UserError(f"model.path: {folder} cannot be loaded: {reason}") from None
        if settings.chat_template is not None:
            self._tokenizer.chat_template = settings.chat_template
        own = getattr(self._model.config, "max_position_embeddings", None) or _NO_LIMIT
        self._context = min(own, settings.context or own)
        self._stops_at = self._ends()
        # The folder may prescribe a sampling of its own, which would be mixed into the batch's.
        self._model.generation_config = transformers.GenerationConfig()

    def _ends(self) -> list[int]:
        """Tokens at which a reply is over."""
        ends = self._model.generation_config.eos_token_id
        found = set(ends if isinstance(ends, list) else [ends]) | {self._tokenizer.eos_token_id}
        return sorted(token for token in found if token is not None)

    def count(self, prompt: Prompt) -> int:
        """Tokens of ``prompt`` with its template. Raises UserError when it has no fitting one."""
        any_batch = Batch(name="count", n=1)
        asked = self._asked(prompt, any_batch, 0, 0)
        return int(self._encoded(asked)["input_ids"].shape[1])

    def answer(self, request: Request, halt: threading.Event) -> Completion:
        """The reply to ``request``; given up, and cut off, once ``halt`` is set.

        Sampling goes: temperature first, then top-p. Raises UserError when the model has no template for what is
        asked, RuntimeError when torch fails.
        """
        begun = time.perf_counter()
        asked = self._asked(request.prompt, request.batch, request.repeat, request.index)
        inputs = self._encoded(asked)
        prompt_tokens = int(inputs["input_ids"].shape[1])
        room = self._context - prompt_tokens
        if room <= 0:
            return Completion(text="", finish=FinishReason.CONTEXT)
        most = min(int(asked["max_tokens"]), room)
        produced = self._generate(inputs, asked, most, halt)[0, prompt_tokens:].tolist()
        ended = bool(produced) and produced[-1] in self._stops_at
        text = self._tokenizer.decode(produced, skip_special_tokens=True)
        told = {
            "choices": [
                {
                    "text": text,
                    "message": {"content": text},
                    "finish_reason": "stop" if ended or len(produced) < most else "length",
                }
            ],
            "model": self._name,
            "usage": {"prompt_tokens": prompt_tokens, "completion_tokens": len(produced)},
        }
        # As of a server: thoughts apart, stop sequences cut.
        reply = reply_of(
            told,
            request.prompt.form,
            request.prompt.stop,
            seconds=time.perf_counter() - begun,
            max_chars=_MAX_CHARS,
        )
        return msgspec.structs.replace(reply.completions[0], usage=reply.usage)

    def _asked(self, prompt: Prompt, batch: Batch, repeat: int, index: int) -> dict[str, Any]:
        """The request that a server would be sent."""
        if prompt.form == "infill" and self._dialect.infill == "suffix":
            raise UserError(
                "model.infill: must be given to fill gaps: the model's template with {prefix} and {suffix}"
            )
        sent = wire(self._dialect, self._name, prompt, batch, n=1, repeat=repeat, index=index)
        return dict(json.loads(sent.body))

    def _encoded(self, asked: Mapping[str, Any]) -> Any:
        if "messages" not in asked:
            return self._tokenizer(asked["prompt"], return_tensors="pt").to(self._device)
        if not self._tokenizer.chat_template:
            raise UserError(
                f"model: {self._name} has no chat template; use strategy.form=completion, or give one with "
                "model.chat_template"
            )
        try:
            return self._tokenizer.apply_chat_template(
                asked["messages"], add_generation_prompt=True, return_dict=True, return_tensors="pt"
            ).to(self._device)
        except Exception as error:  # jinja2 and templates raise what they like
            raise UserError(
                f"model: the chat template of {self._name} fails: {error}; "
                "try model.system_role=user, or give another with model.chat_template"
            ) from None

    def _generate(
        self, inputs: Any, asked: Mapping[str, Any], most: int, halt: threading.Event
    ) -> Any:
        warm = asked["temperature"] > 0
        drawing = (
            {"temperature": asked["temperature"], "top_p": asked.get("top_p", 1.0), "top_k": 0}
            if warm
            else {}
        )
        config = transformers.GenerationConfig(
            max_new_tokens=most,
            do_sample=warm,
            eos_token_id=self._stops_at or None,
            pad_token_id=self._stops_at[0] if self._stops_at else 0,
            stop_strings=asked.get("stop"),
            **drawing,
        )
        if "seed" in asked:
            torch.manual_seed(asked["seed"])
        else:
            torch.seed()
        with torch.inference_mode(), _quiet():
            return self._model.generate(
                **inputs,
                generation_config=config,
                tokenizer=self._tokenizer,
                stopping_criteria=transformers.StoppingCriteriaList([_Halting(halt)]),
            )


class _Halting(transformers.StoppingCriteria):  # type: ignore[misc,unused-ignore]
    """Ends the generation when an event is set."""

    def __init__(self, halt: threading.Event) -> None:
        self._halt = halt

    def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:  # noqa: ARG002
        return torch.full((input_ids.shape[0],), self._halt.is_set(), device=input_ids.device)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """transformers warns of settings that were meant, and draws bars of its own."""
    before = transformers.logging.get_verbosity()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    try:
        yield
    finally:
        transformers.logging.set_verbosity(before)
