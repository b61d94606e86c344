"""A warm process that has loaded Z3 and forks for every job, which may hang, crash or eat all memory.

The parent's side is `Server`; a module that runs in the process calls `serve`. CPU time decides, so that what comes of
a job does not depend on the machine's load.
"""

from __future__ import annotations

import contextlib
import math
import os
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable

import msgspec

from solexp.core import HarnessError

_WALL = 30
"""Wall-clock seconds for each CPU second that a job may use: a backstop."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What to do, and what it may use."""

    task: msgspec.Raw
    seconds: float
    """CPU seconds."""
    memory_mb: int
    """MiB of address space."""


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a job."""

    lines: tuple[msgspec.Raw, ...]
    """What it said before it ended, in order."""
    ended: str = ""
    """Empty where it came to its end; else ``timeout``, or how it ended otherwise."""


class Server:
    """The process. Not for several threads."""

    def __init__(self, module: str) -> None:
        """Start ``module``, which serves. Raises HarnessError when it cannot be started."""
        self._module = module
        self._process = self._started()

    def ask(self, task: object, *, seconds: float, memory_mb: int) -> Done:
        """Have one job done. Raises HarnessError when the process itself fails, twice."""
        job = Job(task=msgspec.Raw(msgspec.json.encode(task)), seconds=seconds, memory_mb=memory_mb)
        for _ in range(2):
            done = self._asked(job)
            if done is not None:
                return done
            self.close()
            self._process = self._started()
        raise HarnessError(f"{self._module}: the process ends without an answer")

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def _started(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [sys.executable, "-m", self._module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
        except OSError as error:
            raise HarnessError(f"{self._module}: cannot be started: {error}") from None

    def _asked(self, job: Job) -> Done | None:
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
            left = max(0.0, until - time.monotonic())
            ready, _, _ = select.select([process.stdout], [], [], left)
            part = process.stdout.read(1 << 16) if ready else b""
            if not part:
                return None
            line += part
        return msgspec.json.decode(line, type=Done)


def serve(answer: Callable[[msgspec.Raw], Iterable[object]]) -> None:
    """Do the jobs that come in on standard input, each in a child; ``answer`` gives what a job has to say."""
    for line in sys.stdin.buffer:
        job = msgspec.json.decode(line, type=Job)
        sys.stdout.buffer.write(msgspec.json.encode(_in_child(job, answer)) + b"\n")
        sys.stdout.buffer.flush()


def _in_child(job: Job, answer: Callable[[msgspec.Raw], Iterable[object]]) -> Done:
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reads)
        _limit(job)
        code = 1
        with contextlib.suppress(BaseException), os.fdopen(writes, "wb", buffering=0) as pipe:
            for each in answer(job.task):
                pipe.write(msgspec.json.encode(each) + b"\n")
            code = 0
        os._exit(code)
    os.close(writes)
    with os.fdopen(reads, "rb") as pipe:
        lines = [line for line in pipe.read().splitlines(keepends=True) if line.endswith(b"\n")]
    _, status, _ = os.wait4(child, 0)
    return Done(lines=tuple(map(msgspec.Raw, lines)), ended=_ended(status))


def _limit(job: Job) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # CPU time, with a limit of the system's behind it, which knows whole seconds only.
    signal.setitimer(signal.ITIMER_PROF, job.seconds)
    seconds = math.ceil(job.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (job.memory_mb << 20, job.memory_mb << 20))


def _ended(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        slow = number in (signal.SIGPROF, signal.SIGXCPU)
        return "timeout" if slow else f"by signal {number}"
    return "" if os.WEXITSTATUS(status) == 0 else "by an error, perhaps for want of memory"
