"""Limits of a call's process, and the user that it becomes."""

from __future__ import annotations

import math
import os
import resource
import sys
from typing import NamedTuple

THREADS = 32
"""Threads that a call may have beside its processes."""
_STACK = 64 << 20
_DESCRIPTORS = 64
_SIGNALS = 64
_USERS = (61184, 4336)
"""First of a range of users that systems leave unused, and how many they are."""
_NOBODY = 65534

Bound = tuple[int, tuple[int, int]]
"""A resource, its soft and its hard limit."""


class Allowance(NamedTuple):
    """Limits, in seconds and bytes."""

    cpu_s: float
    batch_s: float
    idle_s: float
    memory: int
    output: int
    processes: int
    files: int


def limit_for_all() -> None:
    """Limits that are the same for each call, which this process can live with too."""
    bounds = {"CORE": 0, "MEMLOCK": 0, "MSGQUEUE": 0, "RTPRIO": 0, "NICE": 0}
    bounds |= {"SIGPENDING": _SIGNALS, "NOFILE": _DESCRIPTORS, "STACK": _STACK}
    for bound in limits(bounds):
        set_bound(bound)


def limits(values: dict[str, int]) -> list[Bound]:
    """Limits by the resource's name, such as ``CORE``; without those that the system does not know."""
    return [bound for name, value in values.items() for bound in _bound(name, value)]


def bounds(allowance: Allowance, cpu_s: float, *, tasks: int | None) -> list[Bound]:
    """Limits that a process has for itself. ``tasks`` is what its user may have of processes and threads; None: any.

    The one of CPU time is in whole seconds.
    """
    found = [
        *_bound("CPU", math.ceil(cpu_s)),
        *_bound("AS", allowance.memory),
        *_bound("FSIZE", allowance.files),
    ]
    return found if tasks is None else [*found, *_bound("NPROC", tasks)]


def _bound(name: str, value: int) -> list[Bound]:
    which = getattr(resource, f"RLIMIT_{name}", None)
    if which is None:
        return []
    _, hard = resource.getrlimit(which)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    return [(which, (value, value))]


def set_bound(bound: Bound) -> None:
    """Set a limit of this process. Raises OSError or ValueError on Linux, where each can be set."""
    try:
        resource.setrlimit(*bound)
    except (ValueError, OSError):
        # Some systems have the name and not the limit.
        if sys.platform == "linux":
            raise


def unprivileged_user(number: int) -> int | None:
    """A user that owns nothing, of those that exist here; None where this process cannot become any."""
    if os.geteuid() != 0:
        return None
    for user in (_USERS[0] + number % _USERS[1], _NOBODY):
        if _can_become(user):
            return user
    return None


def _can_become(user: int) -> bool:
    """Tried in a child."""
    pid = os.fork()
    if pid == 0:
        try:
            forget_groups(user)
            os.setuid(user)
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def forget_groups(group: int) -> None:
    """Belong to this group alone."""
    os.setgroups([])
    os.setgid(group)
