"""The connection to a node that is slow on purpose."""

from __future__ import annotations

import contextlib
import io
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from solexp.core import TimeLimitExceeded
from solexp.evm.rpc import Connection

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 40\r\n\r\n"
GOOD = b'{"jsonrpc":"2.0","id":1,"result":"0x2a"}'


def _asked(request: io.BufferedIOBase) -> bool:
    """Whether a whole request came."""
    size = 0
    while line := request.readline():
        name, _, value = line.decode().partition(":")
        if name.lower() == "content-length":
            size = int(value)
        if line == b"\r\n":
            return len(request.read(size)) == size
    return False


class _Trickle:
    """Answers with its text's end byte by byte, each well within any timeout of a single read."""

    def __init__(self, at_once: bytes, slowly: bytes, pause_s: float) -> None:
        self._parts = at_once, slowly, pause_s
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        at_once, slowly, pause = self._parts
        with contextlib.suppress(OSError):
            while True:
                peer, _ = self._server.accept()
                threading.Thread(
                    target=self._answer, args=(peer, at_once, slowly, pause), daemon=True
                ).start()

    @staticmethod
    def _answer(peer: socket.socket, at_once: bytes, slowly: bytes, pause: float) -> None:
        with contextlib.suppress(OSError), peer:
            while _asked(peer.makefile("rb")):
                peer.sendall(at_once)
                for byte in slowly:
                    time.sleep(pause)
                    peer.sendall(bytes([byte]))

    def close(self) -> None:
        self._server.close()


@pytest.fixture
def trickle() -> Iterator[_Trickle]:
    server = _Trickle(HEAD, GOOD, 0.2)
    yield server
    server.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_node_that_trickles_is_late_all_the_same(trickle: _Trickle, host: str) -> None:
    connection = Connection(f"http://{host}:{trickle.port}", timeout_s=5)
    connection.allow(0.5)
    started = time.perf_counter()
    with pytest.raises(TimeLimitExceeded, match=r"eth_simulateV1: no answer .* in 0\.5 s"):
        connection.post([b"{}"], answer_bytes=1 << 20)
    assert time.perf_counter() - started < 2
    with pytest.raises(TimeLimitExceeded):
        connection.ask("eth_chainId")
    connection.close()


def test_the_head_of_an_answer_counts_as_well() -> None:
    server = _Trickle(b"", HEAD + GOOD, 0.05)
    connection = Connection(f"http://127.0.0.1:{server.port}", timeout_s=0.5)
    started = time.perf_counter()
    with pytest.raises(TimeLimitExceeded):
        connection.ask("eth_chainId")
    assert time.perf_counter() - started < 2
    connection.close()
    server.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_late_answer_does_not_spoil_the_next(host: str) -> None:
    server = _Trickle(HEAD + GOOD[:30], GOOD[30:], 0.05)
    connection = Connection(f"http://{host}:{server.port}", timeout_s=5)
    connection.allow(0.2)
    with pytest.raises(TimeLimitExceeded):
        connection.post([b"{}"], answer_bytes=1 << 20)
    connection.allow(5)
    assert connection.ask("eth_chainId") == "0x2a"
    assert connection.post([b"{}"], answer_bytes=1 << 20) == GOOD
    connection.close()
    server.close()
