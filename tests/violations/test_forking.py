"""Jobs in children of a warm process: whatever one does, the next is done."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator

import msgspec
import pytest

from solexp.core import HarnessError
from solexp.violations.forking import Done, Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server("tests.violations.forked")
    yield server
    server.close()


def said(done: Done) -> list[object]:
    return [msgspec.json.decode(line) for line in done.lines]


@pytest.mark.parametrize(
    ("job", "lines", "ended"),
    [
        ("sleep", [{"began": "sleep"}, "done"], ""),
        ("hang", [{"began": "hang"}], "timeout"),
        ("crash", [{"began": "crash"}], f"by signal {int(signal.SIGSEGV)}"),
        ("eat", [{"began": "eat"}], "by an error, perhaps for want of memory"),
    ],
)
def test_what_was_said_before_the_end_counts(
    server: Server, job: str, lines: list[object], ended: str
) -> None:
    done = server.ask(job, seconds=0.2 if job == "hang" else 5, memory_mb=256)
    assert said(done) == lines
    assert done.ended == ended
    assert said(server.ask("next", seconds=1, memory_mb=512))[-1] == "done"


def test_cpu_time_is_meant_and_not_the_clock(server: Server) -> None:
    started = time.monotonic()
    assert server.ask("sleep", seconds=0.1, memory_mb=512).ended == ""
    assert time.monotonic() - started >= 0.3


def test_a_server_that_was_killed_is_started_anew(server: Server) -> None:
    before = server.pid
    os.kill(before, signal.SIGKILL)
    assert said(server.ask("next", seconds=1, memory_mb=512))[-1] == "done"
    assert server.pid != before


def test_a_job_that_ends_the_server_twice_is_a_fault_of_the_harness(server: Server) -> None:
    with pytest.raises(HarnessError, match="ends without an answer"):
        server.ask("end the server", seconds=1, memory_mb=512)
    assert said(server.ask("next", seconds=1, memory_mb=512))[-1] == "done"
