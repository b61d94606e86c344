"""A bounded set of loaded compilers."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from solexp.core import ToolError
from solexp.solidity.worker import CompilerAborted, Worker, WorkerDied


class Pool:
    """Lends out workers by name and keeps at most ``max_workers`` of them alive, the least recently used going first.

    A worker whose resident memory has grown past ``worker_memory_bytes`` is ended after its compilation; one that
    takes four times as much within a compilation is killed there. Safe between threads; a forked child starts anew.
    """

    def __init__(self, max_workers: int, worker_memory_bytes: int, timeout_s: float) -> None:
        self.max_workers = max_workers
        self.worker_memory_bytes = worker_memory_bytes
        self.timeout_s = timeout_s
        self._changed = threading.Condition()
        self._idle: list[tuple[str, Worker]] = []
        """Least recently used first."""
        self._alive = 0
        self._pid = os.getpid()

    def compile(self, name: str, start: Callable[[], Worker], request: bytes) -> bytes:
        """The answer of the worker called ``name``, which is started when there is none.

        A worker that dies or aborts gets one successor. Raises ToolError when that dies as well, CompilerAborted when
        that aborts as well, TimeLimitExceeded when time or memory run out.
        """
        try:
            return self._compile_once(name, start, request, fresh=False)
        except (WorkerDied, CompilerAborted):
            pass
        try:
            return self._compile_once(name, start, request, fresh=True)
        except WorkerDied as error:
            raise ToolError(f"compiler {name} died twice on one input: {error}") from error

    def version(self, name: str, start: Callable[[], Worker]) -> str:
        """What the worker called ``name`` answers when asked for its version."""
        with self._lend(name, start, fresh=False) as worker:
            return worker.version

    def workers(self) -> list[tuple[str, int, int]]:
        """Name, process id and resident bytes of the workers that wait for work."""
        with self._changed:
            return [(name, worker.pid, worker.memory_bytes()) for name, worker in self._idle]

    def close(self) -> None:
        """Ends all idle workers."""
        with self._changed:
            self._forget_if_forked()
            while self._idle:
                self._end(self._idle.pop(0)[1])

    def _compile_once(
        self, name: str, start: Callable[[], Worker], request: bytes, *, fresh: bool
    ) -> bytes:
        with self._lend(name, start, fresh=fresh) as worker:
            return worker.compile(
                request, timeout_s=self.timeout_s, memory_bytes=4 * self.worker_memory_bytes
            )

    @contextmanager
    def _lend(self, name: str, start: Callable[[], Worker], *, fresh: bool) -> Iterator[Worker]:
        worker = self._take(name, fresh=fresh)
        try:
            if worker is None:
                worker = start()
            yield worker
        except BaseException:
            with self._changed:
                if worker is None:
                    self._alive -= 1
                    self._changed.notify()
                else:
                    self._end(worker)
            raise
        self._give_back(name, worker)

    def _take(self, name: str, *, fresh: bool) -> Worker | None:
        """An idle worker, or None when the caller may start one."""
        with self._changed:
            self._forget_if_forked()
            while True:
                for entry in reversed(self._idle):
                    if entry[0] == name:
                        self._idle.remove(entry)
                        if not fresh:
                            return entry[1]
                        self._end(entry[1])
                        break
                if self._alive < self.max_workers:
                    self._alive += 1
                    return None
                if self._idle:
                    self._end(self._idle.pop(0)[1])
                else:
                    self._changed.wait()

    def _give_back(self, name: str, worker: Worker) -> None:
        with self._changed:
            if worker.spent or worker.memory_bytes() > self.worker_memory_bytes:
                self._end(worker)
            else:
                self._idle.append((name, worker))
                self._changed.notify()

    def _end(self, worker: Worker) -> None:
        worker.kill()
        self._alive -= 1
        self._changed.notify()

    def _forget_if_forked(self) -> None:
        # The parent's workers are the parent's: two processes on one pipe would read each other's answers.
        if self._pid != os.getpid():
            self._pid, self._idle, self._alive = os.getpid(), [], 0
