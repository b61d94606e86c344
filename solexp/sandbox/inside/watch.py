"""Watching a call's process from outside: how much CPU time it has used, and how long it has been idle."""

# Paths are strings here, as the kernel takes them.
# ruff: noqa: PTH208

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from typing import Any, NamedTuple

from solexp.sandbox.inside import ground
from solexp.sandbox.inside.buffer import Buffer
from solexp.sandbox.inside.confine import Allowance
from solexp.sandbox.inside.frames import ENDED, LOADED, OUTPUT, SLEPT, USED_UP, whole

_LOOK_S = 0.02
"""Seconds between two looks where the system cannot say when a process ends."""
_LOOKS_S = 0.001
_PATIENCE = 10
"""How many times longer a process may take in all, where waiting for a processor cannot be told from sleeping."""


class Ended(NamedTuple):
    """What was seen of a process's end."""

    why: bytes
    status: int
    cpu_s: float
    idle_s: float


class Watch:
    """Waits for processes, and kills those that pass a limit."""

    def __init__(self, requests: int, ready: ground.Ground) -> None:
        self._requests = requests
        self._clocks = ground.CLOCKS in ready.protections
        self._processes = ready.processes
        self._alone = ground.NAMESPACES in ready.protections

    def until_end(
        self,
        pid: int,
        reading: int,
        record: Buffer,
        allowance: Allowance,
        room: int,
        *,
        series: bool,
    ) -> Ended:
        """Read what the process writes into ``record``, up to ``room`` bytes, until it ends or is ended.

        In a ``series`` the CPU time of one call counts from when the record before it was seen, which is not too soon.
        """
        began = time.monotonic()
        os.set_blocking(reading, False)
        record.reserve(record.capacity(room))
        process = os.pidfd_open(pid) if self._clocks else None
        poller = select.poll()
        for fd, events in ((reading, select.POLLIN), (self._requests, 0)):
            poller.register(fd, events)
        if process is not None:
            poller.register(process, select.POLLIN)
        ended: tuple[int, int, Any] = (0, 0, None)
        why, wait, seen, before = ENDED, min(allowance.cpu_s, allowance.idle_s), len(LOADED), 0.0
        while why == ENDED:
            ready = dict(poller.poll(max(1.0, wait * 1000)))
            if ready.get(self._requests, 0) & (select.POLLHUP | select.POLLERR):
                # The client is gone, and with this process go all others of its namespace.
                os.kill(pid, signal.SIGKILL)
                os._exit(0)
            if reading in ready:
                record.drain(reading, room)
                if ready[reading] & select.POLLHUP:
                    poller.unregister(reading)
            ended = os.wait4(pid, os.WNOHANG) if process is None else ended
            if process in ready or ended[0]:
                break
            if series and self._clocks:
                count, seen = whole(record.view(), seen)
                before = self._used(pid, allowance) if count else before
            why, wait = self._judge(pid, time.monotonic() - began, allowance, before)
            if record.used > room:
                why = OUTPUT
        if why != ENDED:
            os.kill(pid, signal.SIGKILL)
        if process is not None:
            os.close(process)
        _, status, usage = ended if ended[0] else os.wait4(pid, 0)
        record.drain(reading, room)
        used = usage.ru_utime + usage.ru_stime
        idle = max(0.0, time.monotonic() - began - used)
        if why == ENDED and used >= (allowance.batch_s if series else allowance.cpu_s):
            why = USED_UP
        return Ended(why, status, used, idle)

    def _judge(
        self, pid: int, wall: float, allowance: Allowance, before: float
    ) -> tuple[bytes, float]:
        """Which limit is passed, and how long none can be."""
        if not self._clocks:
            # The kernel's own limit of CPU time, in whole seconds, is the one that holds.
            left = allowance.idle_s * _PATIENCE - wall
            return (SLEPT if left <= 0 else ENDED), min(
                left, _LOOKS_S if wall < _LOOK_S else _LOOK_S
            )
        try:
            used = self._used(pid, allowance)
        except OSError:
            # It has ended just now, which the next look will see.
            return ENDED, _LOOKS_S
        left = min(allowance.cpu_s + before, max(allowance.batch_s, allowance.cpu_s)) - used
        if left <= 0:
            return USED_UP, 0.0
        idle, idle_s = wall - used, allowance.idle_s
        if idle >= idle_s:
            queued = self._queued(pid)
            if queued is None:
                idle_s *= _PATIENCE
            else:
                idle -= queued.seconds
                if idle_s <= idle < idle_s * _PATIENCE and queued.now:
                    # How long it has been waiting for this time is told when it gets its processor.
                    return ENDED, _LOOK_S
        if idle >= idle_s:
            return SLEPT, 0.0
        wait = min(left, idle_s - idle)
        return ENDED, wait if allowance.processes == 1 else min(wait, _LOOK_S)

    def _used(self, pid: int, allowance: Allowance) -> float:
        """Seconds of CPU time of the process, and of the others that live in its namespace."""
        used = _cpu_time(pid)
        if allowance.processes > 1 and self._processes is not None and self._alone:
            others = {int(name) for name in os.listdir(self._processes) if name.isdecimal()}
            for other in others - {pid, 1}:
                # One may have ended by now.
                with contextlib.suppress(OSError):
                    used += _cpu_time(other)
        return used

    def _queued(self, pid: int) -> _Queued | None:
        """How long the threads of a process were ready to run and no processor was free; None where nothing tells."""
        if self._processes is None:
            return None
        try:
            folder = os.open(f"{pid}/task", os.O_RDONLY, dir_fd=self._processes)
        except OSError:
            return None
        total, now = 0, False
        try:
            for thread in os.listdir(folder):
                total += int(_words(f"{thread}/schedstat", folder).split()[1])
                # The state stands behind the program's name, which is in brackets and may hold any.
                now |= _words(f"{thread}/stat", folder).rpartition(b")")[2].split()[0] == b"R"
        except (OSError, IndexError, ValueError):
            return None
        finally:
            os.close(folder)
        return _Queued(total / 1e9, now)


class _Queued(NamedTuple):
    """What is known of a process's waiting for a processor."""

    seconds: float
    """Of all its threads, each time that is over."""
    now: bool
    """Whether one of them runs or waits to run at this moment."""


def _words(path: str, folder: int) -> bytes:
    file = os.open(path, os.O_RDONLY, dir_fd=folder)
    try:
        return os.read(file, 1000)
    finally:
        os.close(file)


def _cpu_time(pid: int) -> float:
    return time.clock_gettime((~pid << 3) | 2)
