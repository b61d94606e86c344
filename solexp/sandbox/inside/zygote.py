"""The process that all calls are forked from. It runs no code of a program, and holds one question at a time."""

from __future__ import annotations

import contextlib
import gc
import os
import struct
import sys
from collections.abc import Callable
from typing import NoReturn

from solexp.sandbox.inside import call, ground, warm, watch
from solexp.sandbox.inside.confine import Allowance
from solexp.sandbox.inside.frames import (
    ANSWER,
    ARGUMENTS,
    AS_TEXT,
    CALL,
    CODE,
    ENDED,
    ENDING,
    LIMITS,
    PROGRAM,
    READY,
    READY_MADE,
    SET,
    parts,
    receive,
    send,
)

_SLACK = 1 << 16
"""Bytes of a record beside its value."""
_SERIES_SLACK = 1 << 22
"""Bytes that the records of a series may take beyond what one may."""
_FRAMES = 2
"""Up to `main`."""
_CHANNEL = 3
"""Where a call's process finds the pipe for its record."""


def main() -> None:
    """Serve until the client is gone. Arguments: the client's process, then the protections to do without."""
    requests, replies = _take_channels()
    warm.up()
    ready = ground.settle(int(sys.argv[1]), sys.argv[2:], (requests, replies))
    sys.dont_write_bytecode = True
    sys.set_int_max_str_digits(0)
    sys.argv = [""]
    call.expect(_FRAMES)
    sys.path = [path for path in sys.path if not path.endswith("/inside")]
    gc.collect()
    gc.freeze()
    os.dup2(0, 2)
    zygote = Zygote(requests, ready)
    send(replies, READY, " ".join(ready.protections).encode())
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            send(replies, ANSWER, zygote.answer(*receive(requests)))


def _take_channels() -> tuple[int, int]:
    """Move the client's pipes off standard input and output, which no program shall reach."""
    requests, replies = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1):
        os.dup2(nothing, fd)
    os.close(nothing)
    return requests, replies


class Zygote:
    """Forks a child a question and watches it."""

    def __init__(self, requests: int, ready: ground.Ground) -> None:
        self._requests = requests
        self._ground = ready
        self._watch = watch.Watch(requests, ready)
        self._allowance = Allowance(0, 0, 0, 0, 0, 1, 0)
        self._program = b""
        self._entry_point = ""

    def answer(self, letter: bytes, body: bytes) -> bytes:
        """Do what is asked."""
        if letter == SET:
            self._allowance = Allowance(*LIMITS.unpack(body))
            self._ground.prepare(self._allowance)
            return b""
        if letter == PROGRAM:
            ended = self._load(body)
        elif letter == ARGUMENTS:
            texts = parts(body)
            ended = self._ask(lambda: call.prepared(_CHANNEL, texts), call.MAX_CODE)
        elif letter == CALL:
            output, given = self._allowance.output, parts(body)
            question = call.Question(self._program, self._entry_point, given, output)
            series = len(given) > 1
            ended = self._ask(lambda: call.answer(_CHANNEL, question), output, series=series)
        else:
            raise EOFError
        return ENDING.pack(ended.why, ended.status, ended.cpu_s, ended.idle_s) + ended.record

    def _load(self, body: bytes) -> watch.Ended:
        """Keep a program; one that is wanted ready made is compiled in a child, so that no compiler crashes here."""
        (size,) = struct.unpack_from(">H", body, 1)
        self._entry_point = body[3 : 3 + size].decode("utf-8", "surrogatepass")
        source = body[3 + size :]
        if body[:1] == AS_TEXT:
            self._program = AS_TEXT + source
            return watch.Ended(ENDED, 0, 0.0, 0.0, CODE)
        ended = self._ask(lambda: call.compiled(_CHANNEL, source), call.MAX_CODE)
        if ended.record[:1] != CODE:
            return ended
        self._program = READY_MADE + ended.record[1:]
        return ended._replace(record=CODE)

    def _ask(
        self, child: Callable[[], NoReturn], output: int, *, series: bool = False
    ) -> watch.Ended:
        self._ground.before(self._allowance)
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.dup2(writing, _CHANNEL)
                self._ground.confine(series=series)
                os.closerange(_CHANNEL + 1, 64)
                child()
            finally:
                os._exit(70)
        os.close(writing)
        try:
            room = output + (_SERIES_SLACK if series else _SLACK)
            ended = self._watch.until_end(pid, reading, self._allowance, room, series=series)
        finally:
            os.close(reading)
        self._ground.after(self._allowance, pid)
        return ended
