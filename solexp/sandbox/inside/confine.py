"""What a call's process does to itself before it looks at its question: limits, another user, a filter of calls."""

from __future__ import annotations

import os
import resource
import sys
from typing import NamedTuple

THREADS = 32
"""Threads that a call may have beside its processes."""
_STACK = 64 << 20
_DESCRIPTORS = 64
_USERS = (61184, 4336)
"""First of a range of users that systems leave unused, and how many they are."""
_NOBODY = 65534


class Allowance(NamedTuple):
    """Limits, in seconds and bytes."""

    cpu_s: float
    idle_s: float
    memory: int
    output: int
    processes: int
    files: int


def limit(allowance: Allowance, *, tasks: int | None) -> None:
    """Set the limits of this process. ``tasks`` is what its user may have of processes and threads, None for no limit."""
    seconds = int(allowance.cpu_s) + 2
    _set("RLIMIT_CPU", seconds)
    _set("RLIMIT_AS", allowance.memory)
    _set("RLIMIT_FSIZE", allowance.files)
    _set("RLIMIT_NOFILE", _DESCRIPTORS)
    for name in ("CORE", "MEMLOCK", "MSGQUEUE", "SIGPENDING", "RTPRIO", "NICE"):
        _set(f"RLIMIT_{name}", 64 if name == "SIGPENDING" else 0)
    _set("RLIMIT_STACK", _STACK)
    if tasks is not None:
        _set("RLIMIT_NPROC", tasks)


def _set(name: str, value: int) -> None:
    which = getattr(resource, name, None)
    if which is None:
        return
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    try:
        resource.setrlimit(which, (value, value))
    except (ValueError, OSError):
        # Some systems have the name and not the limit.
        if sys.platform == "linux":
            raise


def unprivileged_user(number: int) -> int | None:
    """A user that owns nothing, of those that exist here; None where this process is not root."""
    if os.geteuid() != 0:
        return None
    wanted = _USERS[0] + number % _USERS[1]
    return next((user for user in (wanted, _NOBODY) if _mapped(user)), None)


def _mapped(user: int) -> bool:
    try:
        with open("/proc/self/uid_map", encoding="ascii") as table:
            rows = [[int(word) for word in row.split()] for row in table]
    except OSError:
        return True
    return any(first <= user < first + size for first, _, size in rows)


def become(user: int) -> None:
    """Change to that user and the group of the same number, for good."""
    os.setgroups([])
    if sys.platform == "linux":
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    else:
        os.setgid(user)
        os.setuid(user)


def can_become(user: int) -> bool:
    """Whether that is allowed here; tried in a child."""
    pid = os.fork()
    if pid == 0:
        try:
            become(user)
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0
