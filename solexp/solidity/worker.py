"""One compiler process that stays loaded between compilations."""

from __future__ import annotations

import os
import selectors
import subprocess
import tempfile
import time
from pathlib import Path

import psutil

from solexp.core import TimeLimitExceeded, ToolError

_SCRIPT = Path(__file__).with_name("soljson_worker.js")
_START_SECONDS = 60.0
_CHUNK = 1 << 20
_LOOK_SECONDS = 0.25
"""How often the memory of a busy compiler is looked at."""


class WorkerDied(Exception):
    """The process ended, or broke the protocol, without an answer."""


class CompilerAborted(Exception):
    """The compiler itself gave up in mid-compile, such as on a stack overflow or a failed allocation."""


class Worker:
    """A Node process with one soljson loaded. Not safe between threads: the pool lends it out.

    ``version`` is what the compiler answers when asked for it. ``spent`` says that it has given its last answer.
    """

    def __init__(self, node: Path, soljson: Path) -> None:
        self.spent = False
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
        # A session of its own would survive Ctrl-C, but the parent ends it; the group keeps signals apart.
        self._process = subprocess.Popen(
            [str(node), "--no-warnings", str(_SCRIPT), str(soljson)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,
            start_new_session=True,
            env={name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        try:
            self.version = self._exchange(None, _START_SECONDS, None).decode("utf-8", "replace")
        except (WorkerDied, TimeLimitExceeded) as error:
            self.kill()
            raise ToolError(f"compiler {soljson} does not start: {error}") from error

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def memory_bytes(self) -> int:
        """Resident memory of the process, in bytes; 0 when it is gone."""
        try:
            return int(psutil.Process(self.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def compile(self, request: bytes, *, timeout_s: float, memory_bytes: int) -> bytes:
        """The compiler's standard-JSON answer.

        Raises TimeLimitExceeded when time or memory run out, CompilerAborted and WorkerDied. After any of these the
        worker is of no further use and must be killed.
        """
        answer = self._exchange(request, timeout_s, memory_bytes)
        if answer[:1] in (b"=", b"~"):
            self.spent = answer[:1] == b"~"
            return answer[1:]
        raise CompilerAborted(answer[1:].decode("utf-8", "replace"))

    def kill(self) -> None:
        """Ends the process and frees what it held."""
        if self._process.poll() is None:
            self._process.kill()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None and not stream.closed:
                stream.close()
        self._process.wait()
        self._stderr.close()

    def _exchange(self, request: bytes | None, timeout_s: float, memory_bytes: int | None) -> bytes:
        """Writes a frame (if any) and reads one, by one loop, so that neither side can block the other."""
        unsent = memoryview(b"" if request is None else len(request).to_bytes(4, "big") + request)
        received = bytearray()
        deadline = time.monotonic() + timeout_s
        with selectors.DefaultSelector() as selector:
            selector.register(self._out, selectors.EVENT_READ)
            if unsent:
                selector.register(self._in, selectors.EVENT_WRITE)
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeLimitExceeded(f"the compiler took more than {timeout_s:g} s")
                for key, _ in selector.select(min(left, _LOOK_SECONDS)):
                    if key.fd == self._in:
                        unsent = self._write(unsent)
                        if not unsent:
                            selector.unregister(self._in)
                    elif (frame := self._read(received)) is not None:
                        return frame
                if memory_bytes is not None and self.memory_bytes() > memory_bytes:
                    raise TimeLimitExceeded(
                        f"the compiler took more than {memory_bytes >> 20} MB of memory"
                    )

    def _write(self, unsent: memoryview) -> memoryview:
        try:
            return unsent[os.write(self._in, unsent[:_CHUNK]) :]
        except BlockingIOError:
            return unsent
        except OSError as error:
            raise WorkerDied(self._last_words()) from error

    def _read(self, received: bytearray) -> bytes | None:
        try:
            data = os.read(self._out, _CHUNK)
        except BlockingIOError:
            return None
        if not data:
            raise WorkerDied(self._last_words())
        received += data
        if len(received) < 4 or len(received) < 4 + (length := int.from_bytes(received[:4], "big")):
            return None
        return bytes(received[4 : 4 + length])

    def _last_words(self) -> str:
        try:
            status = self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            status = None
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, size - 2000))
        words = self._stderr.read().decode("utf-8", "replace").strip().splitlines()
        return f"exit status {status}" + (f": {words[-1]}" if words else "")
