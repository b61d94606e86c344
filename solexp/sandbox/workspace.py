"""Running one command, such as a build, in a copy of a workspace: no network, and limits on all that it uses."""

from __future__ import annotations

import contextlib
import functools
import json
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import IO

import msgspec
import psutil

from solexp.core import ToolError


class _Running:
    """The commands that run, in all threads."""

    def __init__(self) -> None:
        self.processes: set[subprocess.Popen[bytes]] = set()
        self.ended = 0
        """How often all of them were ended."""


_RUNNING = _Running()
_BOOT = Path(__file__).resolve().parent / "inside" / "boot.py"
_LOOK_S = 0.1
_BOX = "/box"
"""Where the folder is in a file system of its own."""
_INODES = 8192
_SPARE_S = 2
"""The kernel's own limit comes second: what it ends does not say why."""
_SHORT = 200


class Walls(StrEnum):
    """What keeps a command from the rest of the machine."""

    NAMESPACES = "namespaces"
    """Files, network, processes and users of its own: it sees system libraries and what it was given."""
    BUBBLEWRAP = "bubblewrap"
    """The same by the program ``bwrap``, which some systems allow what they allow nobody else. Installed packages of
    Python can be read too, and where solexp runs as root the number of processes has no limit."""
    LIMITS = "limits"
    """Limits alone, where the system allows no namespaces: it can read this user's files and reach the network."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one command and all that it starts may use."""

    cpu_s: float = 60.0
    wall_s: float = 300.0
    """A backstop, for what sleeps."""
    memory_mb: int = 2048
    disk_mb: int = 256
    """Of all files in the workspace's copy."""
    file_mb: int = 64
    """Of each."""
    processes: int = 64
    """Threads included."""
    output_mb: int = 8


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a command."""

    status: int
    """As a shell says it."""
    output: bytes
    errors: bytes
    """What it wrote on standard error."""
    limit: str | None = None
    """The limit that it passed: ``CPU time``, ``time``, ``memory``, ``disk`` or ``output``."""
    seconds: float = 0.0
    walls: Walls = Walls.NAMESPACES


def run(
    command: Sequence[str],
    files: Mapping[str, str],
    *,
    readable: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    walls: Walls | None = None,
) -> Ran:
    """Run a command in a folder of its own that holds ``files``; nothing of the folder is left.

    The command's first word is a whole path, which with ``readable`` is all that it can read beside system libraries
    where namespaces are to be had. ``environment`` is all that it sees of one, beside HOME and TMPDIR. Raises ToolError
    when it cannot be started, ValueError for a path that leads out of the folder.
    """
    for name in files:
        check_path(name)
    limits = limits or Limits()
    chosen = walls or standing()
    with tempfile.TemporaryDirectory(prefix="solexp-", ignore_cleanup_errors=True) as scratch:
        box = Path(scratch)
        if chosen is not Walls.NAMESPACES:
            _fill(box, files)
        asked: dict[str, object] = {
            "walls": chosen is Walls.NAMESPACES,
            "box": _BOX if chosen is Walls.BUBBLEWRAP else str(box),
            "counted": chosen is not Walls.LIMITS,
            "files": dict(files) if chosen is Walls.NAMESPACES else {},
            "readable": _outermost([command[0], *readable]),
            "parent": os.getpid(),
            "command": list(command),
            "environment": dict(environment or {}),
            "cpu_s": math.ceil(limits.cpu_s) + _SPARE_S,
            "memory": limits.memory_mb << 20,
            "disk": limits.disk_mb << 20,
            "inodes": _INODES,
            "file": limits.file_mb << 20,
            "processes": limits.processes,
        }
        words = [python(), "-P", "-s", "-S", "-X", "utf8", str(_BOOT), "enclosed"]
        if chosen is Walls.BUBBLEWRAP:
            words = _wrapped(words, [command[0], *readable], box)
        return _run(words, asked, box, limits, chosen)


def end_all() -> None:
    """End every command that runs, as when a run is interrupted: `run` raises ToolError in the threads that wait."""
    _RUNNING.ended += 1
    for process in tuple(_RUNNING.processes):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def check_path(name: str) -> None:
    """Raise ValueError, saying why, for a path that does not stay in a workspace or has no place in one."""
    parts = name.split("/")
    if not name or len(name) > _SHORT or "\\" in name or not name.isprintable():
        raise ValueError("a path is a short line such as src/Vault.sol")
    if name.startswith("/"):
        raise ValueError("paths are relative to the workspace, such as src/Vault.sol")
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError("a path must not leave the workspace, nor hold empty parts or '.'")
    if any(part.startswith((".", "~")) or len(part.encode()) > _SHORT for part in parts):
        raise ValueError("hidden files have no place in the workspace")


@functools.cache
def standing() -> Walls:
    """What stands on this machine, found out by trying."""
    for walls in (Walls.NAMESPACES, Walls.BUBBLEWRAP) if sys.platform == "linux" else ():
        with contextlib.suppress(ToolError):
            if run([python(), "-I", "-S", "-c", ""], {}, walls=walls).status == 0:
                return walls
    return Walls.LIMITS


def python() -> str:
    """The interpreter that commands may start."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def _wrapped(words: list[str], readable: Sequence[str], box: Path) -> list[str]:
    """The words behind those that have bubblewrap raise the walls. Raises ToolError where there is no such program."""
    program = shutil.which("bwrap")
    if program is None:
        raise ToolError("there is no program bwrap on PATH")
    # Linux only.
    from solexp.sandbox.inside import walls  # noqa: PLC0415

    shown = _outermost([*walls.readable(), *readable, words[0], str(_BOOT.parent)])
    binds = [word for path in shown for word in ("--ro-bind", path, path)]
    return [
        program, "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--dev", "/dev", *binds,
        "--bind", str(box), _BOX, "--chdir", "/", *words,
    ]  # fmt: skip


def _outermost(paths: Sequence[str]) -> list[str]:
    """Each path once, and none that is below another."""
    found: list[str] = []
    for path in sorted(set(paths)):
        if not any(path == other or path.startswith(f"{other}/") for other in found):
            found.append(path)
    return found


def _fill(box: Path, files: Mapping[str, str]) -> None:
    for name in ("project", "home", "tmp"):
        (box / name).mkdir()
    for name, text in files.items():
        path = box / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace", newline="")


def _run(
    words: list[str], asked: dict[str, object], box: Path, limits: Limits, walls: Walls
) -> Ran:
    started, before = time.monotonic(), _RUNNING.ended
    sign, writer = os.pipe()
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        os.fdopen(sign) as reader,
    ):
        try:
            process = _start(words, out, err, writer)
        finally:
            os.close(writer)
        _RUNNING.processes.add(process)
        try:
            assert process.stdin is not None
            with contextlib.suppress(OSError), process.stdin:
                process.stdin.write(json.dumps({**asked, "sign": writer}).encode())
            limit = _watch(process, None if walls is Walls.NAMESPACES else box, limits, (out, err))
        finally:
            _end(process)
            _RUNNING.processes.discard(process)
        if _RUNNING.ended != before:
            raise ToolError("interrupted")
        began = reader.read(1) == "1"
        output, errors = _all(out), _all(err)
    if not began and limit is None:
        said = errors.decode("utf-8", "replace").strip().splitlines() or ["it said nothing"]
        raise ToolError(f"the workspace's sandbox does not start: {said[-1][:300]}")
    most = limits.output_mb << 20
    return Ran(
        status=process.returncode if limit is None else -1,
        output=output[:most],
        errors=errors[:most],
        limit=limit,
        seconds=time.monotonic() - started,
        walls=walls,
    )


def _start(words: list[str], out: IO[bytes], err: IO[bytes], sign: int) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            env={"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": ""},
            cwd="/",
            start_new_session=True,
            pass_fds=(sign,),
        )
    except OSError as error:
        raise ToolError(f"cannot start {words[0]} for the workspace's sandbox: {error}") from error


def _watch(
    process: subprocess.Popen[bytes],
    folder: Path | None,
    limits: Limits,
    written: Sequence[IO[bytes]],
) -> str | None:
    """Wait for a process; returns the limit that it passed, with all that it started. ``folder`` is to be measured."""
    deadline = time.monotonic() + limits.wall_s
    while True:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, min(_LOOK_S, deadline - time.monotonic())))
            return _passed(folder, limits, written)
        if time.monotonic() > deadline:
            return "time"
        memory, cpu_s = _used(process.pid)
        if cpu_s > limits.cpu_s:
            return "CPU time"
        if memory > limits.memory_mb << 20:
            return "memory"
        if passed := _passed(folder, limits, written):
            return passed


def _passed(folder: Path | None, limits: Limits, written: Sequence[IO[bytes]]) -> str | None:
    if sum(os.fstat(file.fileno()).st_size for file in written) > limits.output_mb << 20:
        return "output"
    if folder is not None and _size(folder) > limits.disk_mb << 20:
        return "disk"
    return None


def _size(folder: Path) -> int:
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += Path(place, name).lstat().st_blocks * 512
    return total


def _used(pid: int) -> tuple[int, float]:
    """Bytes that a process and all below it hold, and the CPU seconds of these and of those that have ended."""
    memory, cpu_s = 0, 0.0
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        for each in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                memory += each.memory_info().rss
                cpu_s += sum(each.cpu_times()[:4])
    return memory, cpu_s


def _end(process: subprocess.Popen[bytes]) -> None:
    """End it and all that it started, as far as they can be found."""
    left: list[psutil.Process] = []
    with contextlib.suppress(psutil.Error):
        left = psutil.Process(process.pid).children(recursive=True)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for each in left:
        with contextlib.suppress(psutil.Error):
            each.kill()
    process.wait()


def _all(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
