"""A server on loopback that speaks OpenAI's protocol, and misbehaves on demand.

It stands in for a language model's server in tests and trials: what it answers is a function of what it was
asked, and a script of faults is worked off one request after the other. Run as a program it prints its address
and serves until it is ended: ``python -m tests.llm.served.server``.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(frozen=True)
class Asked:
    """One request, as it came in."""

    number: int
    """0-based, in order of arrival."""
    path: str
    headers: dict[str, str]
    """Names in small letters."""
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """Everything the model was told, one message after the other."""
        if "messages" in self.body:
            return "\n".join(str(message["content"]) for message in self.body["messages"])
        if "input_prefix" in self.body:
            return str(self.body["input_prefix"]) + str(self.body.get("input_suffix", ""))
        return str(self.body.get("prompt", "")) + str(self.body.get("suffix") or "")


@dataclass(frozen=True)
class Answer:
    """One choice."""

    text: str | None
    finish: str | None = "stop"
    more: dict[str, Any] = field(default_factory=dict)
    """Further fields of the message, such as ``reasoning_content`` or ``refusal``."""


Reply = Callable[[Asked, int], str | Answer]
"""What is answered to a request, and as which of its n choices (0-based)."""


def echo(asked: Asked, index: int) -> str:
    """The last line that was said, and which choice it is."""
    return f"{asked.text.splitlines()[-1] if asked.text else ''} #{index}"


@dataclass(frozen=True, kw_only=True)
class Fault:
    """How one request is answered otherwise than it should be."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    """Sent in place of the answer: bytes as they are, anything else as JSON."""
    change: Callable[[dict[str, Any]], Any] | None = None
    """Changes the right answer before it is sent."""
    stall_s: float = 0.0
    """Waits before anything is sent."""
    share: float = 1.0
    """How much of the body is sent before the connection is closed."""
    trickle_s: float = 0.0
    """Waits after each byte of the body."""
    reset: bool = False
    """Drops the connection without a word."""
    ignore_n: bool = False


def status(number: int, message: str = "no", **error: Any) -> Fault:
    """An error in OpenAI's layout; further fields (``type``, ``code``) by name."""
    return Fault(status=number, body={"error": {"message": message, **error}})


def too_many(retry_after: str | None = None) -> Fault:
    """429, with a Retry-After where one is given."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    body = {"error": {"message": "Rate limit reached", "code": "rate_limit_exceeded"}}
    return Fault(status=429, headers=headers, body=body)


def _without(name: str) -> Callable[[dict[str, Any]], Any]:
    return lambda answer: {key: value for key, value in answer.items() if key != name}


def wrong_model(name: str) -> Fault:
    """The answer comes from another model than was asked."""
    return Fault(change=lambda answer: {**answer, "model": name})


NO_USAGE = Fault(change=_without("usage"))
NO_CHOICES = Fault(change=_without("choices"))
HALF_A_BODY = Fault(share=0.5)
NOT_JSON = Fault(body=b"<html><body>Bad gateway</body></html>")
TORN_JSON = Fault(body=b'{"choices": [{"message": {"content": "contr')
OTHER_JSON = Fault(body=["what", "is", 1, "this"])
RESET = Fault(reset=True)
N_IGNORED = Fault(ignore_n=True)

_WORDS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
}


class LoopbackServer:
    """The server, in a thread of its own, for as long as the ``with`` block lasts."""

    def __init__(
        self,
        reply: Reply = echo,
        *,
        script: tuple[Fault | None, ...] = (),
        models: tuple[str, ...] = ("loopback",),
        key: str | None = None,
        delay_s: float = 0.0,
        context: int | None = None,
        keep: bool = True,
        port: int = 0,
    ) -> None:
        """``script`` is worked off a request at a time (None: answered rightly), then all is well.

        ``key`` is what must be presented, ``context`` the tokens (of four characters) a prompt may have;
        ``keep`` says whether requests are remembered.
        """
        self.reply = reply
        self.script: deque[Fault | None] = deque(script)
        self.always: Fault | None = None
        """Answers every request once the script is worked off."""
        self.models = models
        self.key = key
        self.delay_s = delay_s
        self.context = context
        self.asked: list[Asked] = []
        """The requests so far, but for those for the list of models."""
        self.count = 0
        """How many those were."""
        self.at_once = 0
        """The most that were in hand at the same time."""
        self._keep = keep
        self._busy = 0
        self.port = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name="loopback", daemon=True)
        self._ready = threading.Event()
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def address(self) -> str:
        """The server's root."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        """What a client is told."""
        return f"{self.address}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        self._loop.close()

    def _serve(self) -> None:
        self._loop.run_until_complete(self._main())

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", self.port, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        headers = {}
        for line in head[1:]:
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        raw = await reader.readexactly(int(headers.get("content-length", "0")))
        self._busy += 1
        self.at_once = max(self.at_once, self._busy)
        try:
            fault = Fault()
            if method == "GET":
                answer: Any = {"object": "list", "data": [{"id": name} for name in self.models]}
            else:
                asked = Asked(self.count, path, headers, json.loads(raw))
                self.count += 1
                if self._keep:
                    self.asked.append(asked)
                fault = (self.script.popleft() if self.script else self.always) or Fault()
                refused = self._refused(asked) if fault == Fault() else None
                fault = refused or fault
                await asyncio.sleep(self.delay_s + fault.stall_s)
                answer = self._answer(asked, fault)
            if fault.reset:
                writer.transport.abort()
                return False
            return await _send(writer, fault, answer)
        finally:
            self._busy -= 1

    def _refused(self, asked: Asked) -> Fault | None:
        if self.key is not None and asked.headers.get("authorization") != f"Bearer {self.key}":
            return status(401, "Incorrect API key provided", code="invalid_api_key")
        name = asked.body.get("model")
        if "input_prefix" not in asked.body and name not in self.models:
            return status(404, f"The model `{name}` does not exist", code="model_not_found")
        tokens = len(asked.text) // 4
        if self.context is not None and tokens > self.context:
            return status(
                400,
                f"This model's maximum context length is {self.context} tokens. However, your messages "
                f"resulted in {tokens} tokens.",
                code="context_length_exceeded",
            )
        return None

    def _answer(self, asked: Asked, fault: Fault) -> Any:
        if fault.body is not None:
            return fault.body
        n = 1 if fault.ignore_n else int(asked.body.get("n") or 1)
        answers = [
            answer if isinstance(answer, Answer) else Answer(answer)
            for answer in (self.reply(asked, index) for index in range(n))
        ]
        if asked.path.endswith("/infill"):
            return {"content": answers[0].text, "stop_type": "eos", "tokens_predicted": 7}
        chat = asked.path.endswith("/chat/completions")
        made = sum(len(answer.text or "") // 4 + 1 for answer in answers)
        answer = {
            "id": f"r{asked.number}",
            "object": "chat.completion" if chat else "text_completion",
            "created": 1,
            "model": asked.body.get("model"),
            "choices": [
                {
                    "index": index,
                    "finish_reason": answer.finish,
                    **(
                        {"message": {"role": "assistant", "content": answer.text, **answer.more}}
                        if chat
                        else {"text": answer.text}
                    ),
                }
                for index, answer in enumerate(answers)
            ],
            "usage": {
                "prompt_tokens": len(asked.text) // 4 + 1,
                "completion_tokens": made,
                "total_tokens": len(asked.text) // 4 + 1 + made,
            },
        }
        return fault.change(answer) if fault.change else answer


async def _send(writer: asyncio.StreamWriter, fault: Fault, answer: Any) -> bool:
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    lines = [
        f"HTTP/1.1 {fault.status} {_WORDS.get(fault.status, 'Status')}",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        *(f"{name}: {value}" for name, value in fault.headers.items()),
    ]
    writer.write("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n")
    if fault.trickle_s:
        for byte in body:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(fault.trickle_s)
    else:
        writer.write(body[: int(len(body) * fault.share)])
    await writer.drain()
    return fault.share == 1.0


def main() -> None:
    """Serve until the standard input ends, so that no server outlives whoever started it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--delay-s", type=float, default=0.0)
    parser.add_argument("--reply-chars", type=int, default=0, help="length of each reply")
    given = parser.parse_args()
    text = "x" * given.reply_chars
    reply: Reply = (lambda *_: text) if text else echo
    with LoopbackServer(reply, delay_s=given.delay_s, keep=False, port=given.port) as server:
        print(server.base_url, flush=True)
        with contextlib.suppress(EOFError, KeyboardInterrupt):
            input()


if __name__ == "__main__":
    main()
