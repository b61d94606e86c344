"""A filter of system calls: what an ordinary Python function needs passes, all else fails.

The filter is a program of the kernel's classic packet filter, which reads the call's number, the machine and the
arguments (see seccomp_data in the kernel's headers). Numbers are looked up by halving, so that it is short on every way.
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
_OWN = -1
"""Stands for the process's own number until that is known."""

Instruction = tuple[int, int, int, int]


def _fail(code: int) -> Instruction:
    return (_RETURN, 0, 0, _ERRNO | code)


_PASS: Instruction = (_RETURN, 0, 0, _ALLOW)
_DENY = _fail(errno.EPERM)


def _argument(place: int, high: bool = False) -> Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS + place * 8 + 4 * high)


def _if_first_is(*values: int) -> list[Instruction]:
    """Pass when the first argument is one of these."""
    tests = [(_IF_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
    return [_argument(0), *tests, _DENY, _PASS]


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


def program(machine: str, *, processes: bool) -> tuple[bytes, tuple[int, ...]] | None:
    """The filter, and the places whose constant must become the number of the process; None for an unknown machine.

    ``processes`` lets a program start others. No program may signal, trace or limit another process, open a socket,
    change what the kernel shows it, or make memory that no limit counts.
    """
    known = numbers(machine)
    if not known:
        return None
    more = [_PASS] if processes else [_DENY]
    special: dict[str, list[Instruction]] = {
        "clone": _NO_NAMESPACES if processes else _THREADS_ONLY,
        "fork": more,
        "vfork": more,
        "execve": more,
        "execveat": more,
        "kill": _if_first_is(_OWN),
        "tgkill": _if_first_is(_OWN),
        "prlimit64": _if_first_is(0, _OWN),
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
    own = tuple(at for at, instruction in enumerate(whole) if instruction[3] == _OWN)
    packed = b"".join(struct.pack("HBBI", *one[:3], max(0, one[3])) for one in whole)
    return packed, own


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
