"""MLflow's own UI on a store."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import IO

from solexp.core import ToolError, UserError
from solexp.tracking.client import ENVIRONMENT, database
from solexp.tracking.store import artifact_root, client_uri, prepare

HOST = "127.0.0.1"
START_SECONDS = 90.0
STOP_SECONDS = 10.0

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def serve(uri: str, *, port: int = 5000, open_browser: bool = True) -> None:
    """Serve MLflow's UI on loopback until interrupted or terminated, and print its address once it answers.

    A store that is a server already is only opened. Raises UserError when the port is taken and ToolError when the
    server does not start.
    """
    if uri.startswith(("http://", "https://")):
        print(f"MLflow: {uri}", flush=True)
        if open_browser:
            webbrowser.open(uri)
        return
    try:
        with _ended_like_ctrl_c():
            print("starting MLflow …", file=sys.stderr, flush=True)
            with server(uri, port=port) as (address, process):
                print(f"MLflow: {address} (Ctrl-C ends it)", flush=True)
                if open_browser:
                    webbrowser.open(address)
                status = process.wait()
    except KeyboardInterrupt:
        return
    raise ToolError(f"tracking: the MLflow server ended by itself with status {status}")


@contextmanager
def _ended_like_ctrl_c() -> Iterator[None]:
    """While entered, SIGTERM and the end of the terminal do what Ctrl-C does: else the server would live on alone."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = {
        number: signal.signal(number, signal.default_int_handler)
        for number in _ENDING
        if signal.getsignal(number) is not signal.SIG_IGN  # nohup
    }
    try:
        yield
    finally:
        for number, before in earlier.items():
            signal.signal(number, before)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Until left, what would interrupt waits: a server that is half started is nobody's to end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    seen: list[int] = []
    earlier = {
        number: signal.signal(number, lambda number, _: seen.append(number))
        for number in _ENDING
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, before in earlier.items():
            signal.signal(number, before)
    for came in seen:
        signal.raise_signal(came)


@contextmanager
def server(uri: str, *, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """An MLflow server on ``uri``, one worker on loopback; yields (address, process) once it answers, then ends it.

    Port 0 takes a free one. Raises UserError when ``port`` is taken, ToolError when the server does not start.
    """
    port = _free_port(port)
    prepare(uri)
    command = [sys.executable, "-m", "mlflow", "server", "--host", HOST, "--port", str(port)]
    command += ["--workers", "1", "--backend-store-uri", client_uri(uri)]
    root = artifact_root(uri)
    if root is not None:
        # Artifacts go through the server, so that clients need no path of its machine.
        command += ["--artifacts-destination", root]
    address = f"http://{HOST}:{port}"
    with tempfile.TemporaryFile() as log, ExitStack() as ending:
        with _uninterrupted():
            process = subprocess.Popen(
                command,
                env={**os.environ, **ENVIRONMENT},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            ending.callback(_stop, process)
        if not _answers(address, process):
            where = database(uri) or uri
            raise ToolError(f"tracking: no MLflow server on {where}: {_last_line(log)}")
        yield address, process


def _last_line(log: IO[bytes]) -> str:
    log.seek(0)
    lines = log.read().decode(errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it said nothing")


def _free_port(port: int) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            raise UserError(
                f"port {port} is taken; choose another: solexp ui --port {port + 1}"
            ) from None
        return int(probe.getsockname()[1])


def _answers(address: str, process: subprocess.Popen[bytes]) -> bool:
    """Whether the server answers before it ends or the time is up."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/health", timeout=5) as answer:
                if answer.status == 200:
                    return True
        except OSError:
            time.sleep(0.1)
    return False


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End the server with its workers: all are in a process group of their own, which may outlive its first."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(STOP_SECONDS)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
