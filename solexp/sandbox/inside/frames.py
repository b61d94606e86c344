"""What the sandbox and its client say to each other: a byte that names the message, its length, its body."""

from __future__ import annotations

import struct
from collections.abc import Iterable

# Bound here, so that a program that rebinds them in their module still gets its answer out.
from os import read, write

HEAD = struct.Struct(">cI")
LIMITS = struct.Struct(">dddQQIQ")
"""CPU seconds, of one call and of all, idle seconds, bytes of memory, bytes of output, processes, bytes of files."""
ENDING = struct.Struct(">cidd")
"""How a process ended: why, its wait status, CPU seconds, seconds it was idle. Its record follows."""

ENDED, USED_UP, SLEPT, OUTPUT = b"e", b"c", b"s", b"o"
"""By itself; for its CPU time; for being idle; for what it wrote."""

SET, PROGRAM, ARGUMENTS, CALL = b"s", b"p", b"a", b"c"
"""Requests: limits; a program (`READY_MADE` or `AS_TEXT`, length of the entry point's name, it, the source); argument
lists to prepare, as blocks; argument lists to call with, one after the other in one process, as blocks."""
READY_MADE, AS_TEXT = b"\1", b"\2"
"""What a program or an argument list begins with: it is compiled ahead, in a process for that, or where it is used."""

READY, ANSWER = b"r", b"a"
"""Replies: the sandbox stands (and which of its protections do, by name); what was asked is done."""

LOADED = b"+"
"""Begins what a process writes as soon as the program is loaded. Then comes a block for each call: its CPU seconds, and
its record."""
SECONDS = struct.Struct(">d")
RETURNED, RAISED, UNREADABLE, UNASKED = b"R", b"E", b"U", b"A"
UNLOADED, CODE, LISTS = b"N", b"K", b"L"
"""What a record begins with. A packed value; three times an exception: a byte that tells an assertion, length of the
class's name, it, the message; the same; compiled code; prepared argument lists as blocks, each with `READY_MADE`
before its code or `UNFIT` before the reason."""
UNFIT = b"\0"

_SIZE = struct.Struct(">I")


def blocks(parts: Iterable[bytes]) -> bytes:
    """Parts in a row, each with its length before it."""
    return b"".join(_SIZE.pack(len(part)) + part for part in parts)


def whole(data: bytes | memoryview, at: int) -> tuple[int, int]:
    """How many blocks there are from ``at`` on without one that is cut off, and where they end."""
    count = 0
    while at + 4 <= len(data):
        end = at + 4 + int.from_bytes(data[at : at + 4])
        if end > len(data):
            break
        at, count = end, count + 1
    return count, at


def parts(data: bytes) -> list[bytes]:
    """The parts of `blocks`. Raises ValueError where it is cut off."""
    found, at = [], 0
    while at < len(data):
        end = at + 4 + int.from_bytes(data[at : at + 4])
        if end > len(data):
            raise ValueError("cut off")
        found.append(data[at + 4 : end])
        at = end
    return found


def read_exactly(fd: int, size: int) -> bytes:
    """So many bytes. Raises EOFError when the other side is gone."""
    data = bytearray()
    while len(data) < size:
        got = read(fd, min(size - len(data), 1 << 20))
        if not got:
            raise EOFError
        data += got
    return bytes(data)


def write_all(fd: int, data: bytes | memoryview) -> None:
    """All of it, however full the pipe is."""
    view = memoryview(data)
    while view:
        view = view[write(fd, view) :]


def receive(fd: int) -> tuple[bytes, bytes]:
    """One message: its letter and body."""
    letter, size = HEAD.unpack(read_exactly(fd, HEAD.size))
    return letter, read_exactly(fd, size)


def send(fd: int, letter: bytes, body: bytes = b"") -> None:
    """One message."""
    write_all(fd, HEAD.pack(letter, len(body)) + body)
