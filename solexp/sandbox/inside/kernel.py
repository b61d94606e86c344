"""System calls that the standard library does not offer, by number or through the C library. Linux only."""

# Paths are strings here, as the kernel takes them.
# ruff: noqa: PTH112

from __future__ import annotations

import ctypes
import os
import platform
import struct

MACHINE = platform.machine()
NUMBERS = {
    "x86_64": {"capset": 126, "pivot_root": 155},
    "aarch64": {"capset": 91, "pivot_root": 41},
}
"""Of system calls that the C library has no name for, on the machines that are known."""
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446

NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET = (
    0x20000,
    0x2000000,
    0x4000000,
    0x8000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
RDONLY, NOSUID, NODEV, NOEXEC, REMOUNT, BIND, REC, PRIVATE = 1, 2, 4, 8, 32, 4096, 16384, 1 << 18
_DETACH = 2
_DEATH_SIGNAL, _DUMPABLE, _SECCOMP, _NO_NEW_PRIVILEGES = 1, 4, 22, 38
_CAPABILITIES_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(result: int, what: str) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def unshare(flags: int) -> None:
    """Leave these namespaces for new ones. A new one for processes is for children only."""
    _checked(_libc.unshare(flags), "unshare")


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str = "") -> None:
    """As the system call."""
    _checked(
        _libc.mount(
            source.encode() if source is not None else None,
            target.encode(),
            kind.encode() if kind is not None else None,
            ctypes.c_ulong(flags),
            options.encode() or None,
        ),
        f"mount {target}",
    )


def unmount(target: str) -> None:
    """Take a mount out of the tree at once; it goes when nobody uses it any more."""
    _checked(_libc.umount2(target.encode(), _DETACH), f"unmount {target}")


def pivot_root() -> None:
    """Make the current folder, which is a mount's root, the root of all; the old one is gone."""
    _checked(_libc.syscall(NUMBERS[MACHINE]["pivot_root"], b".", b"."), "pivot_root")
    unmount(".")
    os.chdir("/")


def die_with_parent() -> None:
    """Be killed when the thread that forked this process ends."""
    _checked(_libc.prctl(_DEATH_SIGNAL, 9, 0, 0, 0), "prctl")


def hide_memory() -> None:
    """Let nobody of the same user read this process's memory or descriptors, nor trace it, nor dump its core."""
    _checked(_libc.prctl(_DUMPABLE, 0, 0, 0, 0), "prctl")


def no_new_privileges() -> None:
    """Never gain privileges again, whatever is executed."""
    _checked(_libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "prctl")


def no_capabilities() -> None:
    """Give up every capability."""
    head = struct.pack("Ii", _CAPABILITIES_3, 0)
    _checked(_libc.syscall(NUMBERS[MACHINE]["capset"], head, bytes(24)), "capset")


class Filter:
    """A filter of system calls, held in memory where the kernel can read it."""

    def __init__(self, program: bytes) -> None:
        self._program = ctypes.create_string_buffer(program, len(program))
        address = ctypes.addressof(self._program)
        self._head = ctypes.create_string_buffer(
            struct.pack("HxxxxxxQ", len(program) // 8, address)
        )

    def install(self) -> None:
        """Bind this process and its children to it, for good."""
        _checked(_libc.prctl(_SECCOMP, 2, self._head, 0, 0), "seccomp")


def landlock_version() -> int:
    """Which version of Landlock the kernel has; 0 for none."""
    return max(0, int(_libc.syscall(_LANDLOCK_CREATE, None, 0, 1)))


class Landlock:
    """What may be read below which folders; nothing else may be read, written, connected to or signalled."""

    def __init__(self, readable: list[str], devices: list[str]) -> None:
        """Raises OSError where the kernel has none."""
        version = landlock_version()
        if not version:
            raise OSError("no Landlock")
        files = (1 << 13) - 1
        for since, bit in ((2, 13), (3, 14), (5, 15)):
            files |= (version >= since) << bit
        attributes = struct.pack("QQQ", files, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
        size = 24 if version >= 6 else 16 if version >= 4 else 8
        self._fd = _checked(
            _libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), 0), "landlock"
        )
        for folder in readable:
            self._allow(folder, (1 << 2) | (1 << 3) if os.path.isdir(folder) else 1 << 2)
        for device in devices:
            self._allow(device, (1 << 1) | (1 << 2))

    def _allow(self, path: str, rights: int) -> None:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rule = struct.pack("=Qi", rights, fd)
            _checked(_libc.syscall(_LANDLOCK_ADD, self._fd, 1, rule, 0), f"landlock {path}")
        finally:
            os.close(fd)

    def restrict(self) -> None:
        """Bind this process and its children to it, for good. Takes no_new_privileges."""
        _checked(_libc.syscall(_LANDLOCK_RESTRICT, self._fd, 0), "landlock")
