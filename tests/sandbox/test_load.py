"""How busy the machine is changes no verdict."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from solexp.sandbox import Ended, Limits, call_python

BURN = "import time\nend = time.monotonic() + 20\nwhile time.monotonic() < end: pass"
WORK = """
import time
def f(seconds):
    began = time.process_time()
    while time.process_time() - began < seconds: pass
    return time.monotonic()
"""


@pytest.fixture
def burners() -> Iterator[None]:
    """Two busy processes more than there are processors."""
    count = (os.cpu_count() or 1) + 2
    running = [subprocess.Popen([sys.executable, "-S", "-c", BURN]) for _ in range(count)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.mark.usefixtures("burners")
def test_a_call_that_waits_for_a_processor_is_not_taken_for_idle(
    protections: tuple[str, ...],
) -> None:
    if "clocks" not in protections:
        pytest.skip("waiting cannot be told from sleeping here")
    began = time.monotonic()
    # Long enough that the scheduler lets the others have their turn.
    (done,) = call_python(WORK, "f", ["[0.5]"], Limits(cpu_s=2.0, wall_s=0.03))
    took = time.monotonic() - began
    assert done.ended == Ended.RETURNED, done
    assert done.cpu_s < 2.0
    # It did wait for longer than it may be idle, or this shows nothing.
    assert took - done.cpu_s > 0.03


@pytest.mark.usefixtures("burners")
def test_cpu_time_and_nothing_else_is_used_up() -> None:
    (over,) = call_python(WORK, "f", ["[5]"], Limits(cpu_s=0.1, wall_s=0.03))
    assert over.ended == Ended.TIMEOUT
    assert over.message == "used up its 0.1 s of CPU time"
    assert 0.1 <= over.cpu_s < 2
