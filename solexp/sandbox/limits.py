"""How much a call may use, and how a call ended."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one call of untrusted code may use. CPU time decides, so a verdict does not depend on the machine's load."""

    cpu_s: float = 5.0
    """Seconds of CPU time of one call, loading its program included, over all its threads."""
    wall_s: float = 10.0
    """Seconds for which a call may be idle: neither running nor waiting for a processor. A backstop, for code that
    sleeps. Where the system does not tell waiting from sleeping, ten times as many seconds in all."""
    batch_cpu_s: float = 120.0
    """Seconds of CPU time of all calls of one program. The calls that are left then are not asked."""
    memory_mb: int = 1024
    """MiB of address space, which the interpreter itself needs some 40 of."""
    output_mb: float = 1.0
    """MiB that what one call returns may take. What it prints is thrown away."""
    processes: int = 1
    """Processes that a call may have at one time. With 1 it can start none; threads are not counted, up to 32."""
    file_mb: int = 16
    """MiB of all files in the call's folder, which is empty when the call begins and is thrown away after it."""


class Ended(StrEnum):
    """How a call ended."""

    RETURNED = "returned"
    """It returned a value that can be written as a literal."""
    RAISED = "raised"
    """It raised an exception, SystemExit and KeyboardInterrupt among them."""
    TIMEOUT = "timeout"
    """It used up its CPU time, or slept too long."""
    DIED = "died"
    """Its process ended without an answer: by a signal, by `os._exit`, for want of memory."""
    UNREADABLE = "unreadable"
    """It returned something that is no plain value, is too large, too deep, or contains itself."""
    UNLOADED = "unloaded"
    """The program raised while it was loaded, does not parse, or has no such function: it was not called."""
    UNASKED = "unasked"
    """The arguments are no literal of a list: it was not called."""


class CallResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one call."""

    ended: Ended
    value: str | None = None
    """What was returned, as a literal that `solexp.python.literals` reads, of exact builtin types only."""
    exception: str | None = None
    """Name of the class of what was raised, in the call or while loading."""
    assertion: bool = False
    """Whether the call raised the interpreter's own AssertionError, or a true subclass of it."""
    foreign: bool = False
    """Whether it is unreadable because it is, or holds, a value of another type than Python's plain ones."""
    message: str | None = None
    """What the exception says, where that is plain text; else why there is no value."""
    cpu_s: float = 0.0
    """CPU seconds of the call's process, which include starting it."""
