"""Language models in a local folder of Hugging Face's transformers, run in this process."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from solexp.core import Completion, Prompt, RequestFailed, Task, UserError
from solexp.core.hashing import content_hash
from solexp.core.settings import at_least
from solexp.llm.local.gguf import sha256_of
from solexp.llm.local.machine import OnThisMachine
from solexp.llm.local.threads import threads_for
from solexp.llm.model import Request, Session
from solexp.toolchain.shelf import say

if TYPE_CHECKING:
    from solexp.llm.local.hf_loaded import LoadedModel

_KINDS = (".json", ".safetensors", ".bin", ".model", ".txt", ".jinja")
"""Files of a folder that an answer depends on."""


@dataclass(kw_only=True)
class Transformers(OnThisMachine):
    """Implements `solexp.llm.model.LiveModel`. Nothing is fetched: the folder holds all there is."""

    path: str
    """The folder, as ``save_pretrained`` writes it: configuration, weights and tokenizer."""
    device: str | None = None
    """Such as cpu, cuda or mps; null takes cuda where there is one."""
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    """The numbers' type; auto is the weights' own."""
    context: int | None = None
    """Tokens of prompt and reply together; null is what the model was made for."""
    system_role: Literal["system", "user"] = "system"
    """``user`` puts instructions before the first question, for models whose template has no such role."""
    infill: str | None = None
    """How a gap is asked to be filled: the model's own template with {prefix} and {suffix}."""

    def __post_init__(self) -> None:
        super().__post_init__()
        # One sample after the other: a batch would make each depend on the others.
        self.concurrency = 1
        self._loaded: LoadedModel | None = None
        if self.infill is not None and not (
            "{prefix}" in self.infill and "{suffix}" in self.infill
        ):
            raise UserError("model.infill: must be a template with {prefix} and {suffix}")
        at_least("model.context", self.context)
        at_least("model.max_output_tokens", self.max_output_tokens)

    @cached_property
    def folder(self) -> Path:
        """The model's folder. Raises UserError when it is none."""
        if not self.path or self.path == "???":
            raise UserError("model.path: must be given: the folder of a model")
        folder = Path(self.path).expanduser().absolute()
        if not (folder / "config.json").is_file():
            raise UserError(
                f"model.path: {folder} is no folder of a model: it has no config.json; "
                "for a GGUF file use model=llamacpp"
            )
        return folder

    @cached_property
    def _identity(self) -> dict[str, Any]:
        require()
        files = sorted(p for p in self.folder.iterdir() if p.suffix in _KINDS and p.is_file())
        return {
            "model": "transformers",
            "folder": self.folder.name,
            "sha256": content_hash([[file.name, sha256_of(file)] for file in files]),
            "transformers": importlib.metadata.version("transformers"),
            "torch": importlib.metadata.version("torch"),
            "device": self.device,
            "dtype": self.dtype,
            "context": self.context,
            "max_output_tokens": self.max_output_tokens,
            "system_role": self.system_role,
            "infill": self.infill,
            "chat_template": self.chat_template,
        }

    def fingerprint(self, task: Task) -> dict[str, Any]:  # noqa: ARG002
        """SHA-256 of the folder's files, versions, and the settings that change answers. Raises UserError."""
        return self._identity

    def counted(self, prompt: Prompt) -> int | None:
        return None if self._loaded is None else self._loaded.count(prompt)

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Load the model; it is let go of on leaving. Raises UserError when it, or the extra, is missing."""
        require()
        folder, threads = self.folder, threads_for(self.threads)
        say(f"{folder.name}: loading, {threads} thread{'' if threads == 1 else 's'}")
        begun = time.monotonic()
        # Importing torch takes seconds, which only who runs such a model should pay.
        from solexp.llm.local.hf_loaded import LoadedModel  # noqa: PLC0415

        self._loaded = await asyncio.to_thread(LoadedModel, self, folder, threads)
        say(f"{folder.name}: ready in {time.monotonic() - begun:.1f} s")
        try:
            yield _LoadedSession(self._loaded)
        finally:
            self._loaded = None


def require() -> None:
    """Raises UserError when torch or transformers is not installed."""
    missing = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(
            f"model: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not installed; "
            "run: pip install 'solexp[hf]'"
        )


class _LoadedSession:
    """Implements `solexp.llm.model.Session`."""

    def __init__(self, loaded: LoadedModel) -> None:
        self._loaded = loaded
        self._one = asyncio.Lock()

    async def complete(self, requests: Sequence[Request]) -> Sequence[Completion]:
        async with self._one:
            return [await self._answer(request) for request in requests]

    async def _answer(self, request: Request) -> Completion:
        halt = threading.Event()
        work = asyncio.ensure_future(asyncio.to_thread(self._loaded.answer, request, halt))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            # A thread cannot be ended from outside; this one looks after each token.
            halt.set()
            await asyncio.wait({work})
            raise
        except RuntimeError as error:
            # What torch raises for want of memory, among others.
            raise RequestFailed(str(error).splitlines()[0]) from error
