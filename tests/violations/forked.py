"""Jobs for the tests of forking processes; not a test itself."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

import msgspec

from solexp.violations.forking import serve


def answer(task: Any) -> Iterator[object]:
    """Say one thing, then do what is asked for."""
    job = msgspec.json.decode(task)
    yield {"began": job}
    if job == "hang":
        while True:
            pass
    if job == "sleep":
        time.sleep(0.3)
    if job == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if job == "eat":
        yield len([bytearray(1 << 24) for _ in range(1000)])
    if job == "end the server":
        os.kill(os.getppid(), signal.SIGKILL)
    yield "done"


if __name__ == "__main__":
    serve(answer)
