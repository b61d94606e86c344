"""What the sandbox and its client say to each other: a byte that names the message, its length, its body."""

from __future__ import annotations

import os
import struct

HEAD = struct.Struct(">cI")
LIMITS = struct.Struct(">ddQQIQ")
"""CPU seconds, idle seconds, bytes of memory, bytes of output, processes, bytes of files."""
ENDING = struct.Struct(">cidd")
"""How a process ended: why, its wait status, CPU seconds, seconds it was idle. Its record follows."""

ENDED, USED_UP, SLEPT, OUTPUT = b"e", b"c", b"s", b"o"
"""By itself; for its CPU time; for being idle; for what it wrote."""

SET, PROGRAM, CALL = b"s", b"p", b"c"
"""Requests: limits; a program (length of the entry point's name, it, the source); an argument list."""
READY, ANSWER = b"r", b"a"
"""Replies: the sandbox stands (and which of its protections do, by name); what was asked is done."""

LOADED = b"+"
"""Begins a call's record as soon as the program is loaded."""
RETURNED, RAISED, UNREADABLE, UNLOADED, UNASKED, CODE = b"R", b"E", b"U", b"N", b"A", b"K"
"""What else a record begins with. A packed value; a byte that tells an assertion, length of the class's name, it, the
message; a reason; as for RAISED; a reason; compiled code."""


def read_exactly(fd: int, size: int) -> bytes:
    """So many bytes. Raises EOFError when the other side is gone."""
    data = bytearray()
    while len(data) < size:
        got = os.read(fd, min(size - len(data), 1 << 20))
        if not got:
            raise EOFError
        data += got
    return bytes(data)


def write_all(fd: int, data: bytes) -> None:
    """All of it, however full the pipe is."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def receive(fd: int) -> tuple[bytes, bytes]:
    """One message: its letter and body."""
    letter, size = HEAD.unpack(read_exactly(fd, HEAD.size))
    return letter, read_exactly(fd, size)


def send(fd: int, letter: bytes, body: bytes = b"") -> None:
    """One message."""
    write_all(fd, HEAD.pack(letter, len(body)) + body)
