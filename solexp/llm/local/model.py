"""Language models that run on this machine, behind a llama.cpp server that is started for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from solexp.core import (
    Completion,
    ModelGone,
    Prompt,
    RequestFailed,
    Task,
    ToolError,
    UserError,
)
from solexp.core.settings import above
from solexp.llm import tokens
from solexp.llm.local.gguf import model_file, sha256_of
from solexp.llm.local.machine import OnThisMachine
from solexp.llm.local.server import LlamaServer, Settings, provider
from solexp.llm.local.threads import threads_being_taken, threads_for
from solexp.llm.model import Request, Session
from solexp.llm.served import OpenAICompatible
from solexp.toolchain.shelf import say

T = TypeVar("T")

# llama.cpp's usual chain also cuts by top-k and min-p and applies temperature last. A batch says temperature and top-p,
# and means what the papers' servers and transformers do: the temperature first.
_SAMPLERS = ["temperature", "top_p"]
# A kept prompt is evaluated in other pieces than a fresh one, which changes the last digits, and so some replies.
_BODY = {"samplers": _SAMPLERS, "cache_prompt": False}


@dataclass(kw_only=True)
class LlamaCpp(OnThisMachine):
    """Implements `solexp.llm.model.LiveModel`."""

    gguf: str
    """Path of the model's GGUF file."""
    concurrency: int = 1
    """Requests answered at the same time. With more than one the last digits depend on what else is answered."""
    context: int = 4096
    """Tokens of prompt and reply together."""
    gpu_layers: int | None = None
    """Layers on the GPU, where llama.cpp was built for one; null leaves it to llama.cpp."""
    flash_attention: bool = False
    """Faster on GPUs and long prompts, but on the CPU a reply then depends on the number of threads."""
    start_s: float = 600.0
    """How long the model may take to load, in seconds."""
    timeout_s: float = 3600.0
    """How long one reply may take, in seconds."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("concurrency", "context", "max_output_tokens", "start_s", "timeout_s"):
            above(f"model.{name}", getattr(self, name))
        self.server: LlamaServer | None = None
        """The server of the open session."""
        self._counted: dict[str, int] = {}

    @cached_property
    def file(self) -> Path:
        """The model's file. Raises UserError when it is not there."""
        return model_file(self.gguf)

    @cached_property
    def _identity(self) -> dict[str, Any]:
        """What makes the model's answers: its file, the program that runs it, how it draws."""
        return {
            "model": "llamacpp",
            "file": self.file.name,
            "sha256": sha256_of(self.file),
            "llama.cpp": provider().version,
            "context": self.context,
            "max_output_tokens": self.max_output_tokens,
            "samplers": _SAMPLERS,
            "flash_attention": self.flash_attention,
            "chat_template": self.chat_template,
        }

    def fingerprint(self, task: Task) -> dict[str, Any]:  # noqa: ARG002
        """The file's SHA-256, llama.cpp's version and the settings that change answers."""
        return self._identity

    def counted(self, prompt: Prompt) -> int | None:
        known = self._counted.get(prompt.key)
        server = self.server
        if known is not None or server is None or server.ended:
            return known
        texts = [*(message.content for message in prompt.messages), prompt.suffix]
        try:
            if prompt.form == "chat":
                known = server.count([msgspec.to_builtins(each) for each in prompt.messages])
            else:
                known = sum(server.count_text(text) for text in texts if text)
        except ToolError:
            return None
        self._counted[prompt.key] = known
        return known

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        """Start the server; it is ended on leaving.

        Raises UserError when the file, or llama.cpp, is missing, and ModelGone when it cannot be started.
        """
        session = _LocalSession(self)
        try:
            await session.start()
            yield session
        finally:
            await session.close()

    @asynccontextmanager
    async def counting(self) -> AsyncIterator[tokens.Tokenizer]:
        """The model's own tokenizer, from a server that runs while this is entered."""
        server = await self.serve()
        try:
            yield server.tokens
        finally:
            server.close()

    async def serve(self) -> LlamaServer:
        """A server of this model, ready. Raises UserError, ToolError."""
        source, file = provider(), self.file
        # Jobs of a sweep start together, and the second has to see what the first takes.
        with threads_being_taken():
            settings = Settings(
                gguf=str(file),
                alias=file.stem,
                threads=threads_for(self.threads),
                slots=self.concurrency,
                context=self.context,
                gpu_layers=self.gpu_layers,
                flash_attention=self.flash_attention,
                chat_template=self.chat_template,
            )
            server = LlamaServer(settings, source)
        try:
            await server.ready(self.start_s)
        except BaseException:
            server.close()
            raise
        return server

    def client(self, server: LlamaServer) -> OpenAICompatible:
        """Who asks the server."""
        client = OpenAICompatible(
            name=self.file.stem,
            base_url=f"{server.url}/v1",
            provider="llamacpp",
            infill="/infill",
            stops=64,
            max_output_tokens=self.max_output_tokens,
            concurrency=self.concurrency,
            timeout_s=self.timeout_s,
            extra_body=_BODY,
        )
        # Replies that are lost on the way are this run's as well.
        client.budget = self.budget
        return client


class _Ended(Exception):
    """The server ended under a request."""


class _LocalSession:
    """Asks a server, and starts it again the first time that it ends by itself."""

    def __init__(self, model: LlamaCpp) -> None:
        self._model = model
        self._server: LlamaServer | None = None
        self._asking: Any = None
        self._session: Session | None = None
        self._changing = asyncio.Lock()
        self._restarts = 1
        self._infills: bool | None = None

    async def start(self) -> None:
        try:
            self._server = await self._model.serve()
        except ToolError as error:
            raise ModelGone(str(error)) from error
        self._model.server = self._server
        self._asking = self._model.client(self._server).session()
        self._session = await self._asking.__aenter__()

    async def close(self) -> None:
        self._model.server = None
        asking, self._asking, self._session = self._asking, None, None
        server, self._server = self._server, None
        try:
            if asking is not None:
                await asking.__aexit__(None, None, None)
        finally:
            if server is not None:
                server.close()

    async def complete(self, requests: Sequence[Request]) -> Sequence[Completion]:
        """See `solexp.llm.model.Session`."""
        while True:
            async with self._changing:
                server, session = self._server, self._session
            if server is None or session is None:
                raise ModelGone("llama.cpp is not running any more")
            if requests[0].prompt.form == "infill":
                await self._check_infill(server)
            try:
                return await _while_alive(server, session.complete(requests))
            except _Ended:
                await self._restart(server)

    async def _check_infill(self, server: LlamaServer) -> None:
        if self._infills is None:
            try:
                self._infills = await asyncio.to_thread(server.fills_gaps)
            except ToolError:
                return  # the request itself will tell what is the matter
        if not self._infills:
            raise UserError(
                f"model: {self._model.file.name} has no tokens for filling a gap; ask it with strategy.form=chat "
                "or completion, or take a model trained to fill in the middle"
            )

    async def _restart(self, ended: LlamaServer) -> None:
        async with self._changing:
            if self._server is not ended:
                return  # another request has seen it before
            obituary = ended.obituary()
            await self.close()
            if not self._restarts:
                raise ModelGone(f"llama.cpp ended twice by itself ({obituary})")
            self._restarts -= 1
            say(f"{self._model.file.name}: llama.cpp ended ({obituary}); starting it again")
            await self.start()


async def _while_alive(server: LlamaServer, ask: Awaitable[T]) -> T:
    """What ``ask`` gives. Raises _Ended when the server ends before that."""
    asking = asyncio.ensure_future(ask)
    ending = asyncio.ensure_future(server.until_ended())
    try:
        await asyncio.wait({asking, ending}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done():
            raise _Ended
        try:
            return asking.result()
        except (RequestFailed, ModelGone) as error:
            if server.ended:
                raise _Ended from error
            raise
    finally:
        for task in (asking, ending):
            task.cancel()
        await asyncio.gather(asking, ending, return_exceptions=True)
