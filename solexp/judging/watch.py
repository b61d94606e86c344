"""Limits that hold for a process and its children: on time, on memory, and on outliving its parent."""

from __future__ import annotations

import os
import threading
import time

import psutil

_INTERVAL = 0.5
_GRACE = 15.0
EXIT_STUCK = 86
"""Exit status of a worker whose own code ignored the limit."""


_ORPHANED = 1.0
"""Seconds between two looks for the parent."""


def end_with(parent: int) -> None:
    """Let this process end, with its children, soon after its parent has ended in whatever way.

    A parent that is killed cannot say so, and a worker would go on judging for nobody.
    """
    threading.Thread(target=_follow, args=(parent,), daemon=True, name="solexp-orphan").start()


def _follow(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_ORPHANED)
    kill(psutil.Process().children(recursive=True))
    os._exit(1)


def kill(processes: list[psutil.Process]) -> None:
    """Kill those that are still there."""
    for process in processes:
        try:
            process.kill()
        except psutil.Error:
            continue


class Watch:
    """While it is entered, kills the children of this process when a limit is passed.

    The code that waits for the children then fails, and asks `reason` why. If this process itself
    is stuck and does not leave the ``with`` block within a grace period, it ends with `EXIT_STUCK`,
    which costs its parent one task.
    """

    def __init__(self, seconds: float, memory_mb: int, grace: float = _GRACE) -> None:
        self._seconds = seconds
        self._bytes = memory_mb * 2**20
        self._grace = grace
        self._done = threading.Event()
        self.reason: str | None = None
        """Which limit was passed, or None."""

    def __enter__(self) -> Watch:
        self._deadline = time.monotonic() + self._seconds
        self._thread = threading.Thread(target=self._watch, daemon=True, name="solexp-watch")
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _watch(self) -> None:
        this = psutil.Process()
        while not self._done.wait(min(_INTERVAL, max(0.01, self._deadline - time.monotonic()))):
            children = this.children(recursive=True)
            if time.monotonic() > self._deadline:
                self.reason = f"used up its limit of {self._seconds:g} s"
            elif self._resident(this, *children) > self._bytes:
                self.reason = f"used up its limit of {self._bytes >> 20} MiB of memory"
            if self.reason is not None:
                kill(children)
                if not self._done.wait(self._grace):
                    kill(this.children(recursive=True))
                    os._exit(EXIT_STUCK)
                return

    @staticmethod
    def _resident(*processes: psutil.Process) -> int:
        total = 0
        for process in processes:
            try:
                total += process.memory_info().rss
            except psutil.Error:
                continue
        return total
