"""Talking to an Ethereum node: web3.py's connection, with room for very large questions and bounded answers."""

from __future__ import annotations

import http.client
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from solexp.core import HarnessError, TimeLimitExceeded
from solexp.evm.transport import Answer, LocalSession

if TYPE_CHECKING:
    from web3.types import RPCEndpoint

_JOIN_BELOW = 8 << 20
_PIECE = 1 << 20
_SIMULATE = "eth_simulateV1"


class NodeGone(HarnessError):
    """The node does not answer any more."""


class RpcError(HarnessError):
    """The node answered with an error."""

    def __init__(self, method: str, code: int, message: str, data: object = None) -> None:
        super().__init__(f"{method} was refused by the node: {message} (code {code})")
        self.code = code
        self.message = message
        self.data = data


class AnswerTooLarge(Exception):
    """The node's answer is longer than allowed."""


class Connection:
    """One kept-alive HTTP connection to a node."""

    def __init__(self, url: str, *, timeout_s: float = 60.0) -> None:
        # web3 and requests take a second to import; only a process that talks to a node pays for them.
        import requests  # noqa: PLC0415
        import urllib3.exceptions  # noqa: PLC0415

        with warnings.catch_warnings():
            # web3 imports an old interface of websockets, and says so.
            warnings.simplefilter("ignore", DeprecationWarning)
            from web3 import HTTPProvider  # noqa: PLC0415

        self.url = url
        self._timeout_s = self._allowed_s = timeout_s
        self._deadline: float | None = None
        # The general client minds proxies and certificates, which a node on loopback has not.
        local = url.startswith("http://127.0.0.1:")
        self._session: Any = LocalSession(url) if local else requests.Session()
        self._headers = {"Content-Type": "application/json"}
        self._late = (requests.Timeout, urllib3.exceptions.TimeoutError, TimeoutError)
        self._refused = (
            requests.RequestException,
            urllib3.exceptions.HTTPError,
            OSError,
            http.client.HTTPException,
        )
        self._options = {"timeout": timeout_s, "headers": self._headers}
        self.provider = HTTPProvider(
            url,
            session=self._session,
            request_kwargs=self._options,
            exception_retry_configuration=None,
        )

    def allow(self, seconds: float) -> None:
        """Have all that is asked from now on answered within ``seconds``, all together instead of one by one."""
        self._allowed_s = seconds
        self._deadline = time.monotonic() + seconds

    def _left(self, method: str) -> float:
        if self._deadline is None:
            return self._timeout_s
        left = self._deadline - time.monotonic()
        if left <= 0:
            self._session.close()
            raise self._late_answer(method)
        return left

    def _late_answer(self, method: str) -> TimeLimitExceeded:
        return TimeLimitExceeded(f"{method}: no answer from the node in {self._allowed_s:g} s")

    def ask(self, method: str, *params: Any) -> Any:
        """The result of one small call.

        Raises RpcError when the node refuses it, NodeGone when there is no node, TimeLimitExceeded when it is late.
        """
        self._options["timeout"] = self._left(method)
        try:
            answer = self.provider.make_request(cast("RPCEndpoint", method), list(params))
        except self._refused as error:
            raise self._failure(method, error) from error
        if "error" in answer:
            error_ = answer["error"]
            if isinstance(error_, str):
                raise RpcError(method, 0, error_)
            raise RpcError(
                method, error_.get("code", 0), str(error_.get("message")), error_.get("data")
            )
        return answer.get("result")

    def post(self, pieces: Sequence[bytes | str], *, answer_bytes: int) -> bytes:
        """The raw answer to a request body given in pieces of bytes or ASCII; large bodies are streamed, never joined.

        Raises AnswerTooLarge, NodeGone, TimeLimitExceeded.
        """
        size = sum(map(len, pieces))
        body = b"".join(_bytes(pieces)) if size < _JOIN_BELOW else _Stream(pieces, size)
        headers = self._headers | {"Content-Length": str(size)}
        try:
            with self._session.post(
                self.url, data=body, headers=headers, timeout=self._left(_SIMULATE), stream=True
            ) as response:
                response.raise_for_status()
                if int(response.headers.get("Content-Length", 0)) > answer_bytes:
                    self._session.close()
                    raise AnswerTooLarge
                answer = self._read(response, answer_bytes + 1)
        except self._refused as error:
            raise self._failure(_SIMULATE, error) from error
        if len(answer) > answer_bytes:
            self._session.close()
            raise AnswerTooLarge
        return answer

    def _read(self, response: Any, limit: int) -> bytes:
        if isinstance(response, Answer):
            return response.read(limit)
        pieces = []
        while limit > 0 and (piece := response.raw.read1(min(limit, _PIECE), decode_content=True)):
            pieces.append(piece)
            limit -= len(piece)
            self._left(_SIMULATE)
        return b"".join(pieces)

    def _failure(self, method: str, error: Exception) -> NodeGone | TimeLimitExceeded:
        # Half of an answer may be left in it.
        self._session.close()
        # Reading a body late is no Timeout to requests, only a ConnectionError that says so.
        if isinstance(error, self._late) or "timed out" in str(error).lower():
            return self._late_answer(method)
        return NodeGone(f"{method}: the node at {self.url} does not answer: {error}")

    def close(self) -> None:
        """Close the connection."""
        self._session.close()


class _Stream:
    """A request body of known length that is sent piece by piece."""

    def __init__(self, pieces: Sequence[bytes | str], size: int) -> None:
        self._pieces = pieces
        self._size = size

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[bytes]:
        return _bytes(self._pieces)


def _bytes(pieces: Sequence[bytes | str]) -> Iterator[bytes]:
    return (piece.encode() if isinstance(piece, str) else piece for piece in pieces)
