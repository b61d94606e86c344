"""How many threads a local model may have."""

from __future__ import annotations

import math
import os
from pathlib import Path

import psutil

from solexp.core import UserError

_QUOTA = Path("/sys/fs/cgroup/cpu.max")


def free_cores() -> int:
    """Cores that this process may use and that nothing else is using, at least 1.

    The allowed cores (affinity, the container's quota) are bounded by the machine's cores less its load of the last
    minute. A core too many costs far more than one too few: llama.cpp's threads wait for each other after every
    operation, so that a single one without a core of its own holds all of them up.
    """
    idle: int = math.floor((os.cpu_count() or 1) - psutil.getloadavg()[0])
    return max(1, min(allowed_cores(), idle))


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


def threads_for(wanted: int | None) -> int:
    """Threads for a model: the free cores, and no more than ``wanted``. Raises UserError for a number below 1."""
    if wanted is not None and wanted < 1:
        raise UserError(
            f"model.threads: must be 1 or more, or null for all free cores, got {wanted}"
        )
    free = free_cores()
    return free if wanted is None else min(wanted, free)
