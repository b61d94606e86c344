"""Talking to an Ethereum node: web3.py's connection, with room for very large questions and bounded answers."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from solexp.core import HarnessError, TimeLimitExceeded

if TYPE_CHECKING:
    from web3.types import RPCEndpoint

_JOIN_BELOW = 8 << 20


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
        from requests.adapters import HTTPAdapter  # noqa: PLC0415

        with warnings.catch_warnings():
            # web3 imports an old interface of websockets, and says so.
            warnings.simplefilter("ignore", DeprecationWarning)
            from web3 import HTTPProvider  # noqa: PLC0415

        self.url = url
        self._timeout_s = timeout_s
        self._session = requests.Session()
        # Proxies of the environment are not meant for a node on loopback, and looking them up costs time a call.
        self._session.trust_env = "//127.0.0.1" not in url
        self._session.mount("http://", HTTPAdapter(max_retries=0))
        self._headers = {"Content-Type": "application/json"}
        self._gone = (requests.ConnectionError, requests.exceptions.ChunkedEncodingError)
        self._late = requests.Timeout
        self._refused = requests.RequestException
        self.provider = HTTPProvider(
            url,
            session=self._session,
            request_kwargs={"timeout": timeout_s, "headers": self._headers},
            exception_retry_configuration=None,
        )

    def ask(self, method: str, *params: Any) -> Any:
        """The result of one small call.

        Raises RpcError when the node refuses it, NodeGone when there is no node, TimeLimitExceeded when it is late.
        """
        try:
            answer = self.provider.make_request(cast("RPCEndpoint", method), list(params))
        except self._late as error:
            raise TimeLimitExceeded(
                f"{method}: no answer from the node in {self._timeout_s:g} s"
            ) from error
        except self._refused as error:
            raise NodeGone(f"{method}: the node at {self.url} does not answer: {error}") from error
        if "error" in answer:
            error_ = answer["error"]
            if isinstance(error_, str):
                raise RpcError(method, 0, error_)
            raise RpcError(
                method, error_.get("code", 0), str(error_.get("message")), error_.get("data")
            )
        return answer.get("result")

    def post(self, pieces: Sequence[bytes | str], *, timeout_s: float, answer_bytes: int) -> bytes:
        """The raw answer to a request body given in pieces of bytes or ASCII; large bodies are streamed, never joined.

        Raises AnswerTooLarge, NodeGone, TimeLimitExceeded.
        """
        size = sum(map(len, pieces))
        body = b"".join(_bytes(pieces)) if size < _JOIN_BELOW else _Stream(pieces, size)
        try:
            with self._session.post(
                self.url,
                data=body,
                headers=self._headers,
                timeout=timeout_s,
                stream=True,
            ) as response:
                response.raise_for_status()
                if int(response.headers.get("Content-Length", 0)) > answer_bytes:
                    raise AnswerTooLarge
                answer: bytes = response.raw.read(answer_bytes + 1, decode_content=True)
        except self._late as error:
            raise TimeLimitExceeded(f"no answer from the node in {timeout_s:g} s") from error
        except self._refused as error:
            if "timed out" in str(error).lower():
                raise TimeLimitExceeded(f"no answer from the node in {timeout_s:g} s") from error
            raise NodeGone(f"the node at {self.url} does not answer: {error}") from error
        except OSError as error:
            raise NodeGone(f"the node at {self.url} does not answer: {error}") from error
        if len(answer) > answer_bytes:
            raise AnswerTooLarge
        return answer

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
