"""Memory that forgets: what one program said, or was asked, must not be found in the memory that the next one is given.

A child has a copy of all that was in its parent's memory, freed or not. So what comes in and goes out stays in these
buffers, is never copied to other memory by the process that all are forked from, and is overwritten after use.
"""

from __future__ import annotations

import os

_STEP = 1 << 16


class Buffer:
    """Bytes in one place."""

    def __init__(self) -> None:
        self._data = bytearray()
        self.used = 0
        """Bytes that are in it, from the first on."""

    def reserve(self, size: int) -> None:
        """Be able to hold so many bytes, and be empty."""
        self.wipe()
        if len(self._data) < size:
            self._data = bytearray(size)

    def view(self, start: int = 0) -> memoryview:
        """What is in it, without a copy."""
        return memoryview(self._data)[start : self.used]

    def wipe(self) -> None:
        """Overwrite what is in it."""
        self._data[: self.used] = bytes(self.used)
        self.used = 0

    def put(self, *parts: bytes | memoryview) -> None:
        """Hold these and nothing else."""
        self.reserve(sum(map(len, parts)))
        for part in parts:
            self._data[self.used : self.used + len(part)] = part
            self.used += len(part)

    def fill(self, fd: int, size: int) -> None:
        """Hold the next so many bytes of ``fd``. Raises EOFError when the other side is gone."""
        self.reserve(size)
        while self.used < size:
            got = os.readv(fd, [memoryview(self._data)[self.used : size]])
            if not got:
                raise EOFError
            self.used += got

    def drain(self, fd: int, room: int) -> None:
        """Take what ``fd`` has by now, up to ``room`` bytes and some in all."""
        while self.used <= room:
            try:
                got = os.readv(fd, [memoryview(self._data)[self.used : self.used + _STEP]])
            except BlockingIOError:
                return
            if not got:
                return
            self.used += got

    @staticmethod
    def capacity(room: int) -> int:
        """What to reserve for `drain`."""
        return room + _STEP + 1
