"""The process that all calls are forked from. It runs no code of a program, and holds one question at a time."""

from __future__ import annotations

import contextlib
import gc
import os
import random
import select
import signal
import struct
import sys
import time
from collections.abc import Callable
from typing import NamedTuple, NoReturn

from solexp.sandbox.inside import call, warm
from solexp.sandbox.inside.frames import (
    ANSWER,
    CALL,
    CODE,
    ENDING,
    LIMITS,
    PROGRAM,
    READY,
    SET,
    receive,
    send,
)

_SLACK = 1 << 16
"""Bytes of a record beside its value."""


class Ended(NamedTuple):
    """What was seen of a child's end."""

    why: bytes
    status: int
    cpu_s: float
    idle_s: float
    record: bytes


def main() -> None:
    """Serve until the client is gone."""
    requests, replies = _take_channels()
    warm.up()
    sys.dont_write_bytecode = True
    sys.set_int_max_str_digits(0)
    gc.collect()
    gc.freeze()
    zygote = Zygote(requests)
    send(replies, READY)
    while True:
        try:
            letter, body = receive(requests)
        except EOFError:
            return
        if letter == SET:
            zygote.limits = LIMITS.unpack(body)
        elif letter == PROGRAM:
            send(replies, ANSWER, _packed(zygote.load(body)))
        elif letter == CALL:
            send(replies, ANSWER, _packed(zygote.call(body.decode("utf-8", "surrogatepass"))))
        del body


def _take_channels() -> tuple[int, int]:
    """Move the client's pipes off standard input and output, which no program shall reach."""
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.close(nothing)
    return requests, replies


def _packed(ended: Ended) -> bytes:
    return ENDING.pack(ended.why, ended.status, ended.cpu_s, ended.idle_s) + ended.record


class Zygote:
    """Forks a child a question and watches it."""

    def __init__(self, requests: int) -> None:
        self.limits: tuple[float, ...] = ()
        self._requests = requests
        self._code = b""
        self._entry_point = ""

    def load(self, body: bytes) -> Ended:
        """Compile a program, in a child: a compiler that can be crashed crashes there."""
        (size,) = struct.unpack_from(">H", body)
        self._entry_point = body[2 : 2 + size].decode("utf-8", "surrogatepass")
        source = body[2 + size :]
        ended = self._ask(lambda channel: call.compiled(channel, source), call.MAX_CODE)
        self._code = ended.record[1:] if ended.record[:1] == CODE else b""
        return ended._replace(record=CODE) if self._code else ended

    def call(self, arguments: str) -> Ended:
        """Ask the program one question."""
        output = int(self.limits[4])
        question = call.Question(self._code, self._entry_point, arguments, output)
        return self._ask(lambda channel: call.answer(channel, question), output)

    def _ask(self, child: Callable[[int], NoReturn], output: int) -> Ended:
        reading, writing = os.pipe()
        began = time.monotonic()
        pid = os.fork()
        if pid == 0:
            try:
                self._confine(writing)
                child(3)
            finally:
                os._exit(70)
        os.close(writing)
        try:
            return self._watch(pid, reading, began, output + _SLACK)
        finally:
            os.close(reading)

    def _confine(self, writing: int) -> None:
        if writing != 3:
            os.dup2(writing, 3)
        os.closerange(4, 256)
        random.seed(0)

    def _watch(self, pid: int, reading: int, began: float, room: int) -> Ended:
        cpu_s, idle_s, _, *_ = self.limits
        clock = (~pid << 3) | 2
        process = os.pidfd_open(pid)
        os.set_blocking(reading, False)
        poller = select.poll()
        poller.register(reading, select.POLLIN)
        poller.register(process, select.POLLIN)
        poller.register(self._requests, 0)
        record, why, wait = bytearray(), b"e", min(cpu_s, idle_s)
        while True:
            events = dict(poller.poll(max(1, wait * 1000)))
            if self._requests in events and events[self._requests] & select.POLLHUP:
                os.kill(pid, signal.SIGKILL)
                os._exit(0)
            if reading in events:
                _drain(reading, record, room)
                if events[reading] & select.POLLHUP:
                    poller.unregister(reading)
            if process in events:
                break
            used = time.clock_gettime(clock)
            idle = time.monotonic() - began - used
            wait = min(cpu_s - used, idle_s - idle)
            if used >= cpu_s:
                why = b"c"
            elif idle >= idle_s:
                why = b"s"
            elif len(record) > room:
                why = b"o"
            if why != b"e":
                os.kill(pid, signal.SIGKILL)
                break
        _, status, usage = os.wait4(pid, 0)
        os.close(process)
        with contextlib.suppress(OSError):
            _drain(reading, record, room)
        used = usage.ru_utime + usage.ru_stime
        idle = time.monotonic() - began - used
        if why == b"e" and used >= cpu_s:
            why = b"c"
        return Ended(why, status, used, idle, bytes(record))


def _drain(reading: int, record: bytearray, room: int) -> None:
    while len(record) <= room:
        try:
            got = os.read(reading, 1 << 16)
        except BlockingIOError:
            return
        if not got:
            return
        record += got
