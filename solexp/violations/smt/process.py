"""A warm process that has loaded Z3 and forks for every program, whose text is a model's: it may hang or crash."""

from __future__ import annotations

import select
import subprocess
import sys
import time
from collections.abc import Sequence

import msgspec

from solexp.core import HarnessError

_WALL = 20
"""Wall-clock seconds for each CPU second that a program may use: a backstop."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One program to solve."""

    program: str
    inputs: Sequence[str]
    """Names of the constants that make up an argument list, in order."""
    models: int
    """Distinct argument lists wanted, at most."""
    seconds: float
    """CPU seconds."""
    memory_mb: int


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """One argument list."""

    args: str | None = None
    """As a Python literal; None where it stands for no Python values."""
    reason: str = ""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a program."""

    status: str
    """``sat``, ``unsat``, ``unknown``, ``timeout``, or ``error`` for a program that Z3 refuses."""
    models: tuple[Model, ...] = ()
    reason: str = ""


class Solver:
    """The process. Not for several threads."""

    def __init__(self) -> None:
        """Start it. Raises OSError."""
        self._process = self._started()

    def ask(self, job: Job) -> Answer:
        """Solve one program. Raises HarnessError when the process itself fails, twice."""
        for _ in range(2):
            answer = self._asked(job)
            if answer is not None:
                return answer
            self.close()
            self._process = self._started()
        raise HarnessError("the process that solves programs ends without an answer")

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "solexp.violations.smt.solving"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        )

    def _asked(self, job: Job) -> Answer | None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(msgspec.json.encode(job) + b"\n")
        except OSError:
            return None
        until = time.monotonic() + 60 + _WALL * job.seconds
        line = b""
        while not line.endswith(b"\n"):
            ready, _, _ = select.select(
                [process.stdout], [], [], max(0.0, until - time.monotonic())
            )
            part = process.stdout.read(1 << 16) if ready else b""
            if not part:
                return None
            line += part
        return msgspec.json.decode(line, type=Answer)
