"""Namespaces with a file system of their own: the standard library to read, one small folder to write, nothing else.

The order is that of a container: new namespaces, a child that is their first process, a root in memory with bind mounts
of what may be read, and the old root taken away. Root does it by its rights; others in a user namespace of their own.
"""

# Paths are strings here, as the kernel takes them.
# ruff: noqa: PTH103, PTH110, PTH112, PTH114, PTH115, PTH116, PTH120, PTH123, PTH211

from __future__ import annotations

import _ctypes
import os
import select
import sys
from contextlib import suppress

from solexp.sandbox.inside import kernel

BOX = "/box"
"""The folder that a call can write to."""

_STAGE = "/tmp"
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
_ALSO_READ = ("/etc/ld.so.cache", "/usr/share/zoneinfo")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_PACKAGES = ("site-packages", "dist-packages")
_KEPT_FLAGS = ((2, 2), (4, 4), (8, 8), (1024, 1024), (2048, 2048), (4096, 1 << 21))
"""Flags of statvfs that a mount may not lose in a user namespace, and their names for mount."""
_ALL = kernel.NEWNS | kernel.NEWUTS | kernel.NEWIPC | kernel.NEWPID | kernel.NEWNET


def readable() -> list[str]:
    """Folders and files of the host that programs may read, outermost first; links are among them."""
    # Modules in C can be in a folder of their own, or built in.
    modules = (os.__file__, getattr(_ctypes, "__file__", os.__file__))
    own = [os.path.dirname(os.path.dirname(path)) for path in modules]
    own = [path if path.endswith("lib") else os.path.dirname(path) for path in own]
    found: list[str] = []
    for path in (*_LIBRARIES, *own, *_ALSO_READ):
        if os.path.lexists(path) and not _below(path, found):
            found.append(path)
    return found


def _below(path: str, others: list[str]) -> bool:
    return any(path == other or path.startswith(f"{other}/") for other in others)


def devices() -> list[str]:
    """Devices that programs may use."""
    return [path for path in _DEVICES if os.path.exists(path)]


class Walls:
    """What the first process of the namespaces holds on to."""

    def __init__(self, processes: int, size: int, inodes: int) -> None:
        self.processes = processes
        """Descriptor of a /proc that programs cannot see."""
        self._size = size
        self._inodes = inodes
        self._clean = 0
        self._fill()

    def renew(self, size: int) -> None:
        """Give the next call an empty folder of ``size`` bytes, if the last one touched its own."""
        if size != self._size or os.stat(BOX).st_ctime_ns != self._clean:
            self._size = size
            os.chdir("/")
            kernel.unmount(BOX)
            self._fill()

    def _fill(self) -> None:
        flags = kernel.NOSUID | kernel.NODEV | kernel.NOEXEC
        options = f"mode=1777,size={self._size},nr_inodes={self._inodes}"
        kernel.mount("tmpfs", BOX, "tmpfs", flags, options)
        os.chdir(BOX)
        self._clean = os.stat(BOX).st_ctime_ns


def enter(parent: int, *, channels: tuple[int, ...] = ()) -> bool:
    """Go into new namespaces; returns in their first process, whose parent waits for it, or for ``parent`` to end.

    True when root did it by right, False when it took a namespace of users, in which this user is the only one. The
    parent closes ``channels``. Raises OSError where the system does not allow it.
    """
    user, group = os.getuid(), os.getgid()
    by_right = _may_mount()
    kernel.unshare(_ALL if by_right else _ALL | kernel.NEWUSER)
    if not by_right:
        _map("setgroups", "deny")
        _map("uid_map", f"{user} {user} 1")
        _map("gid_map", f"{group} {group} 1")
    first = os.fork()
    if first:
        for fd in channels:
            os.close(fd)
        _wait(first, parent)
    kernel.die_with_parent()
    return by_right


def _may_mount() -> bool:
    if os.geteuid() != 0:
        return False
    with open("/proc/self/status", encoding="ascii") as status:
        effective = next(line for line in status if line.startswith("CapEff:"))
    return bool(int(effective.split()[1], 16) >> 21 & 1)


def _map(name: str, line: str) -> None:
    with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
        file.write(line)


def _wait(first: int, parent: int) -> None:
    """Until either ends; the end of this process is that of the first."""
    poller = select.poll()
    own = os.pidfd_open(first)
    poller.register(own, select.POLLIN)
    with suppress(OSError):
        poller.register(os.pidfd_open(parent), select.POLLIN)
    if own in dict(poller.poll()):
        os._exit(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]) & 127)
    os._exit(0)


def raise_walls(size: int, also: list[str] | None = None, *, inodes: int = 512) -> Walls:
    """Build the file system and change into it. To be called by the first process. Raises OSError.

    ``size`` (bytes) and ``inodes`` bound the folder that can be written to; ``also`` are more paths to be read, none of
    them below another.
    """
    shown = readable() + devices()
    shown += [path for path in also or () if not _below(path, shown)]
    sources = {path: os.open(path, os.O_PATH | os.O_NOFOLLOW) for path in shown}
    kernel.mount(None, "/", None, kernel.REC | kernel.PRIVATE)
    kernel.mount(
        "tmpfs", _STAGE, "tmpfs", kernel.NOSUID | kernel.NODEV, "mode=755,size=1m,nr_inodes=1k"
    )
    # Those names stay as they are for whoever was there before the mount, so sources are named by descriptors.
    for path, fd in sources.items():
        _show(path, fd)
        os.close(fd)
    for name in (BOX, "/proc", "/tmp", "/home"):
        os.makedirs(_STAGE + name, exist_ok=True)
    kernel.mount("proc", f"{_STAGE}/proc", "proc", kernel.NOSUID | kernel.NODEV | kernel.NOEXEC)
    processes = os.open(f"{_STAGE}/proc", os.O_RDONLY | os.O_DIRECTORY)
    kernel.unmount(f"{_STAGE}/proc")
    os.chdir(_STAGE)
    kernel.pivot_root()
    kernel.mount(
        None,
        "/",
        None,
        kernel.REMOUNT | kernel.BIND | kernel.RDONLY | kernel.NOSUID | kernel.NODEV,
    )
    return Walls(processes, size, inodes)


def _show(path: str, fd: int) -> None:
    """Let ``path`` be seen below the stage, to be read only."""
    target = _STAGE + path
    os.makedirs(os.path.dirname(target), exist_ok=True)
    source = f"/proc/self/fd/{fd}"
    if os.path.islink(path):
        os.symlink(os.readlink(path), target)
        return
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    kernel.mount(source, target, None, kernel.BIND | kernel.REC)
    kept = os.statvfs(target).f_flag
    flags = kernel.NOSUID
    for bit, flag in _KEPT_FLAGS:
        flags |= flag if kept & bit else 0
    kernel.mount(None, target, None, kernel.REMOUNT | kernel.BIND | kernel.RDONLY | flags)
    if os.path.isdir(target):
        _hide_packages(target)


def _hide_packages(library: str) -> None:
    """Cover the folders of installed packages: solexp itself may be in one."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    for name in (version, "python3"):
        for packages in _PACKAGES:
            folder = f"{library}/{name}/{packages}"
            if os.path.isdir(folder):
                kernel.mount("tmpfs", folder, "tmpfs", kernel.RDONLY, "size=4k,mode=755")
