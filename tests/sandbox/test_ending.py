"""A sandbox ends with whoever started it, and takes its calls with it."""

from __future__ import annotations

import subprocess
import sys
import time

import psutil

from solexp.sandbox import Limits
from solexp.sandbox.box import Sandbox

CLIENT = """
import sys
from solexp.sandbox import Limits
from solexp.sandbox.box import Sandbox
with Sandbox() as sandbox:
    print("up", flush=True)
    sandbox.ask("def f():\\n  while True: pass", "f", ["[]"], Limits(cpu_s=1000))
"""


def of_client(pid: int) -> list[psutil.Process]:
    """Processes of the sandboxes that this process started."""
    found = []
    for process in psutil.process_iter(["cmdline"]):
        words = process.info["cmdline"] or []
        if any(word.endswith("inside/boot.py") for word in words) and str(pid) in words:
            found.append(process)
    return found


def until(count: int, pid: int) -> int:
    """How many there are as soon as there are ``count``, or after a while."""
    deadline = time.monotonic() + 20
    while len(of_client(pid)) != count and time.monotonic() < deadline:
        time.sleep(0.02)
    return len(of_client(pid))


def test_a_client_that_is_killed_leaves_no_process_behind(protections: tuple[str, ...]) -> None:
    client = subprocess.Popen([sys.executable, "-c", CLIENT], stdout=subprocess.PIPE)
    assert client.stdout is not None
    try:
        assert client.stdout.readline() == b"up\n"
        running = 3 if "namespaces" in protections else 2
        assert until(running, client.pid) == running
    finally:
        client.kill()
        client.wait()
        client.stdout.close()
    assert until(0, client.pid) == 0


def test_closing_leaves_no_process_behind() -> None:
    with Sandbox() as sandbox:
        own = sandbox._process.pid
        sandbox.ask("def f(): pass", "f", ["[]"], Limits())
    assert not psutil.pid_exists(own)
