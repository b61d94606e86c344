"""The connection to a server: one request out, its bytes or a fault back."""

from __future__ import annotations

import asyncio
import urllib.parse
from typing import Any

import httpx2
import openai
from openai import AsyncOpenAI, AsyncStream

from solexp.core import secrets
from solexp.llm.served.faults import Fault, Kind, error_body, kind_of, wait_of
from solexp.llm.served.wire import Wire

_UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.ProxyError)
"""Faults that come before the request does."""


class Connection:
    """Requests over the openai SDK, whose own retries are off: what is tried again is the session's business.

    Replies are read as bytes up to a limit, without the SDK's models: servers differ in what they leave out.
    """

    def __init__(
        self,
        base_url: str,
        key: str | None,
        *,
        concurrency: int,
        connect_timeout_s: float,
        timeout_s: float,
        max_body_bytes: int,
    ) -> None:
        self._key = key
        self._timeout_s = timeout_s
        self._max_body_bytes = max_body_bytes
        parsed = urllib.parse.urlsplit(base_url)
        self._root = f"{parsed.scheme}://{parsed.netloc}" + parsed.path.rstrip("/").removesuffix(
            "/v1"
        )
        timeout = httpx2.Timeout(timeout_s, connect=connect_timeout_s, pool=None)
        self._client = AsyncOpenAI(
            api_key=key or "none",
            base_url=base_url,
            max_retries=0,
            timeout=timeout,
            http_client=openai.DefaultAsyncHttpxClient(
                timeout=timeout,
                limits=httpx2.Limits(
                    max_connections=concurrency + 1, max_keepalive_connections=concurrency + 1
                ),
                # A proxy is never meant for a server on this very machine.
                trust_env=parsed.hostname not in ("localhost", "127.0.0.1", "::1"),
            ),
        )
        if parsed.hostname != "api.openai.com":
            # The SDK takes these from the environment; they are nobody else's business.
            self._client.organization = self._client.project = None

    async def post(self, wire: Wire) -> bytes:
        """The body of the answer to ``wire``. Raises Fault."""
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._post(wire)
        except openai.APIStatusError as error:
            raise self._of_status(error) from None
        except (TimeoutError, openai.APITimeoutError, httpx2.TimeoutException) as error:
            unsent = isinstance(error.__cause__, _UNSENT)
            what = "no connection" if unsent else "no whole reply"
            raise Fault(Kind.PASSING, f"{what} within the time limit", lost=not unsent) from None
        except (openai.APIConnectionError, httpx2.HTTPError, httpx2.StreamError) as error:
            cause = error.__cause__ or error
            said = self._without_key(str(cause)) or type(cause).__name__
            raise Fault(Kind.PASSING, said, lost=not isinstance(cause, _UNSENT)) from None

    async def _post(self, wire: Wire) -> bytes:
        path = self._root + wire.path if wire.path.startswith("/") else wire.path
        response = await self._client.post(
            path,
            cast_to=httpx2.Response,
            content=wire.body,
            options={"headers": {"Content-Type": "application/json"}},
            stream=True,
            stream_cls=AsyncStream[Any],
        )
        assert isinstance(response, httpx2.Response)
        try:
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > self._max_body_bytes:
                    raise Fault(
                        Kind.HOPELESS, f"the reply passes {self._max_body_bytes:,} bytes", lost=True
                    )
            return bytes(body)
        finally:
            await response.aclose()

    async def models(self) -> list[str]:
        """The names the server knows; none when it does not tell."""
        try:
            async with asyncio.timeout(min(self._timeout_s, 10)):
                listed = await self._client.models.list()
            return [str(model.id) for model in listed.data]
        except (TimeoutError, openai.OpenAIError, httpx2.HTTPError, TypeError, AttributeError):
            return []

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()

    def _of_status(self, error: openai.APIStatusError) -> Fault:
        said = error_body(error.body)
        stated = wait_of(error.response.headers)
        return Fault(
            kind_of(error.status_code, said),
            self._without_key(f"{said.message} (status {error.status_code})"),
            wait_s=said.wait_s if stated is None else stated,
        )

    def _without_key(self, text: str) -> str:
        """``text`` for an error: servers like to repeat what they were sent."""
        if self._key is not None:
            text = text.replace(self._key, secrets.MASK)
        return secrets.redact(text)
