"""How many threads a local model may have."""

from __future__ import annotations

import contextlib
import math
import os
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from solexp.core import UserError
from solexp.toolchain.homes import cache_home

MARK = "SOLEXP_MODEL_THREADS"
"""The variable that says, in the environment of a model's process, how many threads it has."""

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def free_cores() -> int:
    """Cores that this process may use and that nothing else is using, at least 1.

    The allowed cores (affinity, the container's quota) are bounded by the machine's cores less its load of the last
    minute, models that were just started included. A core too many costs far more than one too few: llama.cpp's
    threads wait for each other after every operation, so that a single one without a core of its own holds all of
    them up.
    """
    idle: int = math.floor((os.cpu_count() or 1) - psutil.getloadavg()[0] - _unseen())
    return max(1, min(allowed_cores(), idle))


def _unseen() -> float:
    """Threads of models that were started a moment ago, as far as the load does not show them yet.

    The load is an average that n new threads approach as n (1 - exp(-age / 60 s)).
    """
    now, threads = time.time(), 0.0
    for process in psutil.process_iter(["environ", "create_time"]):
        marked = (process.info["environ"] or {}).get(MARK, "")
        if marked.isdigit():
            age = max(0.0, now - process.info["create_time"])
            threads += int(marked) * math.exp(-age / 60)
    return threads


def marked(threads: int) -> dict[str, str]:
    """The environment of a process that runs a model with so many threads."""
    return {**os.environ, "OMP_NUM_THREADS": str(threads), MARK: str(threads)}


def allowed_cores() -> int:
    """Cores that this process may use, whatever else runs there; at least 1."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(cores or 1, math.floor(_quota())))


def _quota() -> float:
    """Cores that the container grants; infinite without a limit."""
    try:
        granted, period = _QUOTA.read_text().split()
        return max(1.0, int(granted) / int(period))
    except (OSError, ValueError):
        return 1e9


def checked_threads(wanted: int | None) -> int | None:
    """``wanted``. Raises UserError for a number below 1."""
    if wanted is not None and wanted < 1:
        raise UserError(
            f"model.threads: must be 1 or more, or null for all free cores, got {wanted}"
        )
    return wanted


def threads_for(wanted: int | None) -> int:
    """Threads for a model: the free cores, and no more than ``wanted``."""
    free = free_cores()
    return free if wanted is None else min(wanted, free)


@contextlib.contextmanager
def threads_being_taken() -> Iterator[None]:
    """One process at a time looks at the free cores and starts a model on them."""
    try:
        folder = cache_home() / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / "model-threads.lock")
        lock.acquire(timeout=10)
    except (OSError, Timeout):
        # Better a thread too many than no run.
        yield
        return
    try:
        yield
    finally:
        lock.release()
