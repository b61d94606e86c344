"""The life of one anvil process."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from solexp.core import ToolError

_LISTENING = re.compile(rb"Listening on (\S+:\d+)")
_START_S = 30.0
_LEAST_ADDRESS_SPACE_MB = 512


class AnvilProcess:
    """A private anvil on a free loopback port; ends with this object's `close`, or with the process that made it."""

    def __init__(self, anvil: Path, arguments: Sequence[str], *, memory_mb: int) -> None:
        """Start it and wait until it listens. ``memory_mb`` bounds its address space where the system can do that.

        Raises ToolError when it does not come up, with the last line it wrote.
        """
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  # lives as long as the process
        command = [str(anvil), "--host", "127.0.0.1", "--port", "0", *arguments]
        # A worker that is killed outright cannot clean up, so the kernel is asked to.
        guard = shutil.which("setpriv") if sys.platform == "linux" else None
        if guard:
            command = [guard, "--pdeathsig", "KILL", *command]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=self._output, stderr=subprocess.STDOUT
            )
        except OSError as error:
            self._output.close()
            raise ToolError(
                f"cannot start anvil at {anvil}: {error}; run: solexp tools install"
            ) from error
        try:
            self._bound_memory(memory_mb)
            self.url = f"http://{self._address()}"
        except BaseException:
            self.close()
            raise

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def _bound_memory(self, memory_mb: int) -> None:
        limit = max(memory_mb, _LEAST_ADDRESS_SPACE_MB) << 20
        # Set from outside, since running code between fork and exec is unsafe where there are threads.
        with contextlib.suppress(psutil.NoSuchProcess, AttributeError):
            psutil.Process(self.pid).rlimit(psutil.RLIMIT_AS, (limit, limit))

    def _address(self) -> str:
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            found = _LISTENING.search(self._written())
            if found:
                return found[1].decode()
            if self._process.poll() is not None:
                raise ToolError(f"anvil did not start: {self.last_words()}")
            time.sleep(0.004)
        raise ToolError(f"anvil did not start within {_START_S:g} s: {self.last_words()}")

    def _written(self) -> bytes:
        # Read by position: the child writes through the same file offset.
        size = min(1 << 16, self._output.seek(0, 2))
        return os.pread(self._output.fileno(), size, 0)

    def last_words(self) -> str:
        """The last line that anvil wrote."""
        size = self._output.seek(0, 2)
        tail = os.pread(self._output.fileno(), 2048, max(0, size - 2048))
        lines = [line.strip() for line in tail.decode(errors="replace").splitlines()]
        return next((line for line in reversed(lines) if line), "it wrote nothing")

    def ran_out_of_memory(self) -> bool:
        """Whether it is dead because an allocation failed."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        if self._process.poll() is None:
            return False
        size = self._output.seek(0, 2)
        tail = os.pread(self._output.fileno(), 8192, max(0, size - 8192))
        return b"memory allocation of" in tail or b"out of memory" in tail.lower()

    def close(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.wait()
        self._output.close()
