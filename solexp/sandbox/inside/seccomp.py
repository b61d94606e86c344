"""A filter of system calls: what an ordinary Python function needs passes, all else fails.

The filter is a program of the kernel's classic packet filter, which reads the call's number, the machine and the
arguments (see seccomp_data in the kernel's headers). Numbers are looked up by halving, so that every way is short.
"""

from __future__ import annotations

import errno
import struct

from solexp.sandbox.inside.syscalls import numbers

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_ALLOW, _ERRNO = 0x7FFF0000, 0x50000
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16
_RECENT = 424
"""Libraries take "not implemented" for an answer from calls with such numbers on, and do without them."""
_THREAD = 0x10000
_NAMESPACES = 0x7E020000
_UNIX = 1

Instruction = tuple[int, int, int, int]


def _fail(code: int) -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | code)


_PASS: Instruction = (_RETURN, 0, 0, _ALLOW)
_DENY = _fail(errno.EPERM)


def _argument(place: int, high: bool = False) -> Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS + place * 8 + 4 * high)


def _if_first_is(value: int) -> list[Instruction]:
    """Pass when the first argument is this."""
    return [_argument(0), (_IF_EQUAL, 1, 0, value), _DENY, _PASS]


_THREADS_ONLY: list[Instruction] = [
    _argument(0),
    (_IF_ANY, 0, 1, _THREAD),
    (_IF_ANY, 0, 1, _NAMESPACES),
    _DENY,
    _PASS,
]
_NO_NAMESPACES: list[Instruction] = [_argument(0), (_IF_ANY, 0, 1, _NAMESPACES), _DENY, _PASS]
_WITHOUT_ADDRESS: list[Instruction] = [
    _argument(4),
    (_IF_EQUAL, 0, 2, 0),
    _argument(4, high=True),
    (_IF_EQUAL, 1, 0, 0),
    _DENY,
    _PASS,
]


def program(machine: str, *, processes: bool, signals: bool) -> bytes | None:
    """The filter; None for an unknown machine.

    ``processes`` lets a program start others, ``signals`` lets it signal those that it can see. No program may trace or
    limit another process, open a socket, change what the kernel shows it, or make memory that no limit counts.
    """
    known = numbers(machine)
    if not known:
        return None
    more = [_PASS] if processes else [_DENY]
    signalling = [_PASS] if signals else [_DENY]
    special: dict[str, list[Instruction]] = {
        "clone": _NO_NAMESPACES if processes else _THREADS_ONLY,
        "fork": more,
        "vfork": more,
        "execve": more,
        "execveat": more,
        "kill": signalling,
        "tgkill": signalling,
        "prlimit64": _if_first_is(0),
        "socketpair": _if_first_is(_UNIX),
        "sendto": _WITHOUT_ADDRESS,
    }
    leaves = {number: special.get(name, [_PASS]) for name, number in known.items()}
    whole: list[Instruction] = [
        (_LOAD, 0, 0, _MACHINE),
        (_IF_EQUAL, 1, 0, _MACHINES[machine]),
        _DENY,
        (_LOAD, 0, 0, _NUMBER),
        *_tree(_regions(leaves)),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in whole)


def _regions(leaves: dict[int, list[Instruction]]) -> list[tuple[int, list[Instruction]]]:
    """Where each way to answer begins, in order of numbers."""
    regions: list[tuple[int, list[Instruction]]] = []
    for number in range(max(_RECENT, *leaves) + 2):
        other = [_DENY] if number < _RECENT else [_fail(errno.ENOSYS)]
        leaf = leaves.get(number, other)
        if not regions or regions[-1][1] != leaf:
            regions.append((number, leaf))
    return regions


def _tree(regions: list[tuple[int, list[Instruction]]]) -> list[Instruction]:
    if len(regions) == 1:
        return regions[0][1]
    middle = len(regions) // 2
    left, right = _tree(regions[:middle]), _tree(regions[middle:])
    return [(_IF_AT_LEAST, len(left), 0, regions[middle][0]), *left, *right]
