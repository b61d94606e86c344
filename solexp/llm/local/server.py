"""The life of one llama.cpp server."""

from __future__ import annotations

import asyncio
import contextlib
import importlib.metadata
import importlib.util
import json
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from solexp.core import ToolError, UserError
from solexp.llm.local.threads import marked
from solexp.toolchain.shelf import say

_SERVE = Path(__file__).with_name("serve.py")
_STEP_S = 0.02
_QUIET_S = 10.0
"""Lines of progress come no closer together than this."""
_LAST_WORDS_S = 5.0
_PATIENCE_S = 30.0
"""How long a server that runs may take to count tokens."""
_NOT_IMPLEMENTED = 501
_LOG_BYTES = 1 << 16


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """Where llama.cpp comes from."""

    version: str
    """Such as ``xllamacpp 2026.10.11549`` or ``llama-server 6123 (abcdef)``."""
    binary: str | None = None
    """Path of llama-server; None for the server within xllamacpp."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How a model is served."""

    gguf: str
    alias: str
    """The name under which it is asked."""
    threads: int
    slots: int = 1
    """Requests answered at the same time."""
    context: int = 4096
    """Tokens of prompt and reply together, a slot."""
    gpu_layers: int | None = None
    flash_attention: bool = False
    chat_template: str | None = None
    """A Jinja template in place of the one in the file."""


def provider() -> Provider:
    """llama-server on PATH, else xllamacpp. Raises UserError when neither is there."""
    binary = shutil.which("llama-server")
    if binary:
        return Provider(
            version=f"llama-server {_binary_version(binary, Path(binary).stat().st_mtime)}",
            binary=binary,
        )
    if importlib.util.find_spec("xllamacpp") is None:
        raise UserError(
            "model: no llama.cpp to run it: neither llama-server on PATH nor the package xllamacpp; "
            "run: pip install 'solexp[local]'"
        )
    return Provider(version=f"xllamacpp {importlib.metadata.version('xllamacpp')}")


@lru_cache
def _binary_version(binary: str, mtime: float) -> str:  # noqa: ARG001 (part of the cache's key)
    try:
        done = subprocess.run(
            [binary, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    found = re.search(r"version: (.+)", done.stdout + done.stderr)
    return found[1].strip() if found else "unknown"


class _Unsupported(ToolError):
    """The server has no such answer for this model."""


class LlamaServer:
    """A private llama.cpp server on a free loopback port.

    It ends with `close`, or with the process that made it, however that ends. On Linux it also ends with the thread
    that made it, so that `__init__` must be called from one that outlives it.
    """

    def __init__(self, settings: Settings, source: Provider) -> None:
        """Start it; `ready` waits for it."""
        self._settings = settings
        self._begun = time.monotonic()
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the process)
        self._replaced = source.binary is not None and sys.platform == "linux"
        url = f"http://127.0.0.1:{_free_port()}" if source.binary else ""
        asked = {
            **msgspec.to_builtins(settings),
            "parent": os.getpid(),
            "binary": source.binary,
            "url": url,
            "arguments": _arguments(settings, url.rpartition(":")[2]),
        }
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_SERVE)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=marked(settings.threads),
            )
        except OSError as error:
            self._log.close()
            raise ToolError(f"llama.cpp: cannot start a process: {error}") from error
        self._url: str | None = None
        assert self._process.stdin is not None
        # A process that ended at once reads nothing, which `ready` tells.
        with contextlib.suppress(OSError):
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
            self._process.stdin.flush()

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def url(self) -> str:
        """Its address, such as ``http://127.0.0.1:40123``, once it is ready."""
        assert self._url is not None
        return self._url

    @property
    def ended(self) -> bool:
        """Whether the process is gone."""
        return self._process.poll() is not None

    async def until_ended(self) -> None:
        """Wait until the process is gone."""
        while not self.ended:
            await asyncio.sleep(0.1)

    async def ready(self, limit_s: float) -> None:
        """Wait until the model is loaded. Raises ToolError when it ends or takes longer than ``limit_s`` seconds."""
        name, threads = Path(self._settings.gguf).name, self._settings.threads
        size = Path(self._settings.gguf).stat().st_size / 1e6
        say(f"{name}: loading {size:,.0f} MB, {threads} thread{'' if threads == 1 else 's'}")
        told = await self._until(self._told, limit_s)
        if "error" in told:
            # What it wrote comes through once it is gone.
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.until_ended(), _LAST_WORDS_S)
            raise ToolError(f"llama.cpp could not load {name}: {self.first_error()}")
        self._url = told["url"]
        # An installed binary takes its port before the model is loaded.
        await self._until(self._healthy, limit_s)
        say(f"{name}: ready in {time.monotonic() - self._begun:.1f} s")

    async def _until(self, look: Callable[[], Any], limit_s: float) -> Any:
        said = time.monotonic()
        while True:
            found = look()
            if found:
                return found
            if self.ended:
                raise ToolError(f"llama.cpp ended while it was loading: {self.first_error()}")
            now = time.monotonic()
            if now - self._begun > limit_s:
                raise ToolError(
                    f"llama.cpp was not ready within {limit_s:g} s; raise model.start_s"
                )
            if now - said > _QUIET_S:
                say(f"{Path(self._settings.gguf).name}: still loading")
                said = now
            await asyncio.sleep(_STEP_S)

    def _told(self) -> dict[str, str] | None:
        """What the process wrote, if it did."""
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], 0)[0]:
            return None
        line = self._process.stdout.readline()
        return dict(json.loads(line)) if line.strip() else None

    def _healthy(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=_PATIENCE_S) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def tokens(self, text: str) -> list[str]:
        """``text`` cut by the model's tokenizer; the pieces together are the text. Raises ToolError.

        A character that takes several tokens stands with the last of them; the others are empty.
        """
        answer = self._ask("/tokenize", {"content": text, "with_pieces": True})
        return _pieces([token["piece"] for token in answer["tokens"]], text)

    def count(self, messages: list[dict[str, str]]) -> int:
        """Tokens of a conversation, the chat template's included. Raises ToolError."""
        prompt = self._ask("/apply-template", {"messages": messages})["prompt"]
        content = {"content": prompt, "add_special": True, "parse_special": True}
        return len(self._ask("/tokenize", content)["tokens"])

    def count_text(self, text: str) -> int:
        """Tokens of a text that is to be continued. Raises ToolError."""
        content = {"content": text, "add_special": True}
        return len(self._ask("/tokenize", content)["tokens"])

    def fills_gaps(self) -> bool:
        """Whether the model has the tokens for filling a gap. Raises ToolError."""
        try:
            self._ask("/infill", {"input_prefix": "a", "input_suffix": "b", "n_predict": 0})
        except _Unsupported:
            return False
        return True

    def _ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(
            self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:
                return dict(json.load(answer))
        except urllib.error.HTTPError as error:
            with error:
                if error.code == _NOT_IMPLEMENTED:
                    raise _Unsupported(f"llama.cpp: this model has no {path}") from None
                raise ToolError(f"llama.cpp refused {path}: status {error.code}") from None
        except (OSError, ValueError) as error:
            raise ToolError(f"llama.cpp did not answer {path}: {error}") from error

    def obituary(self) -> str:
        """How it ended, and its last words."""
        status = self._process.poll()
        how = f"signal {-status}" if status is not None and status < 0 else f"status {status}"
        return f"{how}; last words: {self.last_words()}"

    def first_error(self) -> str:
        """The first error in its log, which the others follow from; else its last line."""
        error = next((line for line in self._lines() if re.search(r" E |error|failed", line)), None)
        return _plain(error) if error else self.last_words()

    def last_words(self) -> str:
        """The last line of its log."""
        return _plain((self._lines() or ["it wrote nothing"])[-1])

    def _lines(self) -> list[str]:
        if self._log.closed:
            return []
        size = self._log.seek(0, 2)
        tail = os.pread(self._log.fileno(), _LOG_BYTES, max(0, size - _LOG_BYTES))
        return [line for line in tail.decode(errors="replace").splitlines() if line.strip()]

    def close(self) -> None:
        """End it at once."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                # What was still to be written has no reader.
                with contextlib.suppress(OSError):
                    pipe.close()
        if not self._replaced:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(2)
        self._process.kill()
        self._process.wait()
        self._log.close()


def _plain(line: str) -> str:
    """A line of llama.cpp's log without its time and level."""
    return re.sub(r"^[\d.]+ [EWI] ", "", line).strip()


def _pieces(told: Sequence[str | list[int]], text: str) -> list[str]:
    """Tokens as texts. What is no whole character comes as a list of bytes; some tokenizers put a space first."""
    pieces = []
    pending = b""
    for piece in told:
        pending += piece.encode() if isinstance(piece, str) else bytes(piece)
        try:
            pieces.append(pending.decode())
        except UnicodeDecodeError:
            pieces.append("")
        else:
            pending = b""
    if pieces and pieces[0].startswith(" ") and "".join(pieces) == " " + text:
        pieces[0] = pieces[0][1:]
    return pieces


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _arguments(settings: Settings, port: str) -> list[str]:
    """The command line of llama-server."""
    command = ["--model", settings.gguf, "--alias", settings.alias]
    command += ["--host", "127.0.0.1", "--port", port]
    command += ["--ctx-size", str(settings.context * settings.slots)]
    command += ["--parallel", str(settings.slots)]
    command += ["--threads", str(settings.threads), "--threads-batch", str(settings.threads)]
    command += ["--threads-http", str(settings.slots + 2), "--top-p", "1.0"]
    if settings.gpu_layers is not None:
        command += ["--n-gpu-layers", str(settings.gpu_layers)]
    if settings.chat_template is not None:
        command += ["--chat-template", settings.chat_template]
    return command
