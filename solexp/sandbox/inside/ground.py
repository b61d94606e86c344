"""Where calls stand: as many protections as the system allows, found out by trying, in the order of their strength."""

# Paths are strings here, as the kernel takes them.
# ruff: noqa: PTH120, PTH208

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable
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
        self.walls: walls.Walls | None = None
        self.landlock: kernel.Landlock | None = None
        self.user: int | None = None
        self.filters: dict[bool, kernel.Filter] = {}
        self._bounds: dict[bool, list[confine.Bound]] = {}
        self._filter: kernel.Filter | None = None
        self.give_up: Callable[[], None] | None = None
        """Gives up all capabilities; None where there is no such thing."""

    def prepare(self, allowance: Allowance) -> None:
        """Get ready for calls with these limits, so that each has as little to do as can be."""
        if self.walls is None:
            allowance = allowance._replace(files=0)
        # Where calls are watched, the kernel's limit of CPU time comes second.
        spare = CLOCKS in self.protections
        self._bounds = {
            series: confine.bounds(allowance, cpu_s + spare, tasks=self._tasks(allowance))
            for series, cpu_s in ((False, allowance.cpu_s), (True, allowance.batch_s))
        }
        self._filter = self.filters.get(self.can_fork(allowance))

    def can_fork(self, allowance: Allowance) -> bool:
        """Whether calls can start processes: where they may, and can all be found again."""
        return self.walls is not None and allowance.processes > 1

    def _tasks(self, allowance: Allowance) -> int | None:
        if self.user is not None or self.walls is not None:
            processes = allowance.processes if self.can_fork(allowance) else 1
            return processes + confine.THREADS
        # All processes of the user count here, so the limit would be anybody's guess; the filter refuses forks.
        return None if self.filters else 1

    def before(self, allowance: Allowance) -> None:
        """Make the ground ready for a call: its folder is empty."""
        if self.walls is not None:
            self.walls.renew(allowance.files)

    def confine(self, *, series: bool) -> None:
        """Bind this process, which is to run a program, for good. Raises OSError."""
        if self.walls is None:
            os.setsid()
        for bound in self._bounds[series]:
            confine.set_bound(bound)
        if self.user is not None:
            os.setuid(self.user)
        elif self.give_up is not None:
            self.give_up()
        if self.landlock is not None:
            self.landlock.restrict()
        if self._filter is not None:
            self._filter.install()

    def after(self, allowance: Allowance, pid: int) -> None:
        """End what a call left running."""
        if self.walls is not None:
            if self.can_fork(allowance) or not self.filters:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(-1, signal.SIGKILL)
                with contextlib.suppress(ChildProcessError):
                    while True:
                        os.waitpid(-1, 0)
        elif not self.filters:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)


def settle(parent: int, without: list[str], channels: tuple[int, ...]) -> Ground:
    """Raise what can be raised, but for what is named in ``without``. May return in a child of this process."""
    ground = Ground()
    # With this, the first process of a namespace is deaf to the signals of all others in it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if USER not in without:
        ground.user = confine.unprivileged_user(os.getpid())
    if sys.platform == "linux":
        _settle_on_linux(ground, parent, without, channels)
    if ground.walls is None and ground.landlock is not None and not _reads_library(ground.user):
        # Of the two, the one with which programs can import what is not loaded yet.
        ground.user = None
    if ground.user is not None:
        confine.forget_groups(ground.user)
        ground.protections.append(USER)
    confine.limit_for_all()
    folder = "/box" if ground.walls is not None else "/"
    os.environ.update(HOME=folder, TMPDIR=folder)
    return ground


def _reads_library(user: int | None) -> bool:
    """Whether that user may read the standard library, which can be in another's home."""

    def read() -> None:
        if user is not None:
            confine.forget_groups(user)
            os.setuid(user)
        os.listdir(os.path.dirname(os.__file__))

    return _possible(read)


def _settle_on_linux(
    ground: Ground, parent: int, without: list[str], channels: tuple[int, ...]
) -> None:
    try:
        # Linux only. All now: behind the walls these files cannot be seen.
        from solexp.sandbox.inside import kernel, seccomp, walls  # noqa: F401, PLC0415
    except ImportError:
        # An interpreter that was built without ctypes.
        return
    if kernel.MACHINE in kernel.NUMBERS:
        ground.give_up = kernel.no_capabilities
    if NAMESPACES not in without and _possible(lambda: _raise_walls(parent)):
        if not walls.enter(parent, channels=channels):
            ground.user = None
        # Not sooner: of a hidden process not even its own user may write the map of users.
        kernel.hide_memory()
        ground.walls = walls.raise_walls(_FIRST_SIZE)
        ground.processes = ground.walls.processes
        ground.protections.append(NAMESPACES)
    else:
        kernel.hide_memory()
        with contextlib.suppress(OSError):
            ground.processes = os.open("/proc", os.O_RDONLY | os.O_DIRECTORY)
        if LANDLOCK not in without:
            with contextlib.suppress(OSError):
                ground.landlock = kernel.Landlock(walls.readable(), walls.devices())
                ground.protections.append(LANDLOCK)
    kernel.no_new_privileges()
    if FILTER not in without and _add_filters(ground):
        ground.protections.append(FILTER)
    if CLOCKS not in without and hasattr(os, "pidfd_open"):
        ground.protections.append(CLOCKS)


def _raise_walls(parent: int) -> None:
    from solexp.sandbox.inside import walls  # noqa: PLC0415  (Linux only)

    walls.enter(parent)
    walls.raise_walls(_FIRST_SIZE)


def _add_filters(ground: Ground) -> bool:
    from solexp.sandbox.inside import kernel, seccomp  # noqa: PLC0415  (Linux only)

    for processes in (False, True):
        made = seccomp.program(
            kernel.MACHINE, processes=processes, signals=ground.walls is not None
        )
        if made is not None and _possible(kernel.Filter(made).install):
            ground.filters[processes] = kernel.Filter(made)
    return bool(ground.filters)


def _possible(step: Callable[[], object]) -> bool:
    """Whether the step can be taken; tried in a child, since half of a protection can be worse than none."""
    pid = os.fork()
    if pid == 0:
        try:
            step()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0
