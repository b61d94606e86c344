"""Where calls stand: as many protections as the system allows, found out by trying, in the order of their strength."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING

from solexp.sandbox.inside import confine
from solexp.sandbox.inside.confine import Allowance

if TYPE_CHECKING:
    from solexp.sandbox.inside import kernel, walls

NAMESPACES, LANDLOCK, FILTER, USER, CLOCKS = "namespaces", "landlock", "filter", "user", "clocks"
"""Own processes, files and network; files alone; system calls; a user without rights; CPU time and waiting."""
_FIRST_SIZE = 16 << 20


class Ground:
    """The protections that stand, and what each call has to do for them."""

    def __init__(self) -> None:
        self.protections: list[str] = []
        self.processes: int | None = None
        """Descriptor of a /proc with the calls' processes; None where there is none."""
        self._walls: walls.Walls | None = None
        self._landlock: kernel.Landlock | None = None
        self._user: int | None = None
        self._filters: dict[bool, tuple[kernel.Filter, tuple[int, ...]]] = {}

    def can_fork(self, allowance: Allowance) -> bool:
        """Whether calls can start processes: where they are asked to, and can all be found again."""
        return NAMESPACES in self.protections and allowance.processes > 1

    def before(self, allowance: Allowance) -> None:
        """Make the ground ready for a call: its folder is empty."""
        if self._walls is not None:
            self._walls.renew(allowance.files)

    def confine(self, allowance: Allowance) -> None:
        """Bind this process, which is to run a program, for good. Raises OSError."""
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if self._walls is not None:
            os.chdir("/box")
        else:
            allowance = allowance._replace(files=0, processes=1)
            os.setsid()
        confine.limit(allowance, tasks=self._tasks(allowance))
        if self._user is not None:
            confine.become(self._user)
        if sys.platform != "linux":
            return
        from solexp.sandbox.inside import kernel  # noqa: PLC0415  (Linux only)

        if self._user is None:
            kernel.no_capabilities()
        kernel.hide_memory()
        kernel.no_new_privileges()
        if self._landlock is not None:
            self._landlock.restrict()
        if self._filters:
            program, own = self._filters[self.can_fork(allowance)]
            program.patch(own, os.getpid())
            program.install()

    def _tasks(self, allowance: Allowance) -> int | None:
        if self._user is not None or self._walls is not None:
            return allowance.processes + confine.THREADS
        # All processes of the user count here, so the limit would be anybody's guess; the filter refuses forks.
        return None if self._filters else 1

    def after(self, allowance: Allowance, pid: int) -> None:
        """End what a call left running."""
        if self._walls is not None:
            if self.can_fork(allowance) or not self._filters:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(-1, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    while True:
                        os.waitpid(-1, 0)
        elif not self._filters:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)


def settle(parent: int, without: list[str], channels: tuple[int, ...]) -> Ground:
    """Raise what can be raised, but for what is named in ``without``. May return in a child of this process."""
    ground = Ground()
    user = confine.unprivileged_user(os.getpid()) if USER not in without else None
    if user is not None and confine.can_become(user):
        ground._user = user
        ground.protections.append(USER)
    if sys.platform == "linux":
        _settle_on_linux(ground, parent, without, channels)
    folder = "/box" if ground._walls is not None else "/"
    os.environ.update(HOME=folder, TMPDIR=folder)
    return ground


def _settle_on_linux(
    ground: Ground, parent: int, without: list[str], channels: tuple[int, ...]
) -> None:
    from solexp.sandbox.inside import kernel, seccomp, walls  # noqa: PLC0415  (Linux only)

    if NAMESPACES not in without and _possible(parent):
        walls.enter(parent, channels=channels)
        # Not sooner: of a hidden process not even its own user may write the map of users.
        kernel.hide_memory()
        ground._walls = walls.raise_walls(_FIRST_SIZE)
        ground.processes = ground._walls.processes
        ground.protections.append(NAMESPACES)
    else:
        kernel.hide_memory()
        with contextlib.suppress(OSError):
            ground.processes = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        if LANDLOCK not in without:
            with contextlib.suppress(OSError):
                ground._landlock = kernel.Landlock(walls.readable(), walls.devices())
                ground.protections.append(LANDLOCK)
    if FILTER not in without:
        for processes in (False, True):
            made = seccomp.program(kernel.MACHINE, processes=processes)
            if made is not None and _installs(made):
                ground._filters[processes] = (kernel.Filter(made[0]), made[1])
        if ground._filters:
            ground.protections.append(FILTER)
    if CLOCKS not in without and hasattr(os, "pidfd_open"):
        ground.protections.append(CLOCKS)


def _possible(parent: int) -> bool:
    """Whether namespaces can be had; tried in a child, since half of them is worse than none."""
    from solexp.sandbox.inside import walls  # noqa: PLC0415  (Linux only)

    pid = os.fork()
    if pid == 0:
        try:
            walls.enter(parent)
            walls.raise_walls(_FIRST_SIZE)
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _installs(made: tuple[bytes, tuple[int, ...]]) -> bool:
    """Whether the kernel takes the filter; tried in a child."""
    from solexp.sandbox.inside import kernel  # noqa: PLC0415  (Linux only)

    pid = os.fork()
    if pid == 0:
        try:
            kernel.no_new_privileges()
            program = kernel.Filter(made[0])
            program.patch(made[1], os.getpid())
            program.install()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0
