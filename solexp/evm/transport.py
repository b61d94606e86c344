"""HTTP to a node on this machine, without what a general client does for other people's servers.

web3.py takes any session that can ``post``; against a private anvil this one costs a fraction of what requests does,
which is most of what a small call costs at all.
"""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Iterable, Mapping
from typing import Any, Self
from urllib.parse import urlsplit


class Answer:
    """One response, read on demand."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers = response.headers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def raise_for_status(self) -> None:
        """Raises ConnectionError for an answer that is no success."""
        if self.status >= 400:
            raise ConnectionError(f"the node answered with HTTP status {self.status}")

    def read(self, limit: int) -> bytes:
        """At most ``limit`` bytes of the body."""
        return self._response.read(limit)

    @property
    def content(self) -> bytes:
        """The whole body."""
        return self._response.read()


class _Socket(socket.socket):
    """A socket that is bound by one ``deadline`` (monotonic), however often it is read from.

    A socket's own timeout begins anew with every byte, so that a node which trickles would never be late.
    """

    deadline = 0.0

    def _hurry(self) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.settimeout(left)

    def recv_into(self, *args: Any, **options: Any) -> int:
        self._hurry()
        return super().recv_into(*args, **options)

    def sendall(self, *args: Any) -> None:
        self._hurry()
        super().sendall(*args)


class _Connection(http.client.HTTPConnection):
    sock: Any

    def due(self, deadline: float) -> None:
        """Have whatever comes next done by ``deadline``."""
        if self.sock is None:
            self.connect()
        self.sock.deadline = deadline

    def connect(self) -> None:
        plain = socket.create_connection((self.host, self.port), self.timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = _Socket(plain.family, plain.type, plain.proto, plain.detach())


class LocalSession:
    """One kept-alive connection to a node on loopback. Raises OSError and TimeoutError as sockets do.

    A ``timeout`` holds for a whole exchange, up to the last byte of the answer.
    """

    def __init__(self, url: str) -> None:
        place = urlsplit(url)
        assert place.hostname is not None
        self._connection = _Connection(place.hostname, place.port)

    def post(
        self,
        url: str,
        *,
        data: bytes | Iterable[bytes],
        headers: Mapping[str, str],
        timeout: float,
        stream: bool = False,
        **others: Any,
    ) -> Answer:
        """Send a body; ``stream`` is how the answer is always read."""
        del url, stream, others
        connection = self._connection
        connection.timeout = timeout
        deadline = time.monotonic() + timeout
        try:
            connection.due(deadline)
            connection.request("POST", "/", data, headers)
            return Answer(connection.getresponse())
        except http.client.HTTPException as error:
            connection.close()
            raise ConnectionError(f"{type(error).__name__} {error}") from error
        except OSError:
            connection.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()
