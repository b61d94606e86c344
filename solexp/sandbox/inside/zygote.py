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
from solexp.sandbox.inside.buffer import Buffer
from solexp.sandbox.inside.confine import Allowance
from solexp.sandbox.inside.frames import (
    ANSWER,
    ARGUMENTS,
    AS_TEXT,
    CALL,
    CODE,
    ENDED,
    ENDING,
    HEAD,
    LIMITS,
    PROGRAM,
    READY,
    READY_MADE,
    SET,
    parts,
    read_exactly,
    send,
    whole,
    write_all,
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
            zygote.serve(replies)


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
        self._program, self._entry_point = Buffer(), ""
        self._inbox, self._record = Buffer(), Buffer()

    def serve(self, replies: int) -> None:
        """Do one thing that is asked, say what came of it, and forget it. Raises EOFError when the client is gone."""
        letter, size = HEAD.unpack(read_exactly(self._requests, HEAD.size))
        self._inbox.fill(self._requests, size)
        if letter == SET:
            self._allowance = Allowance(*LIMITS.unpack(self._inbox.view()))
            self._ground.prepare(self._allowance)
            send(replies, ANSWER)
        else:
            ended = self._answer(letter)
            record = self._record.view()
            head = ENDING.pack(ended.why, ended.status, ended.cpu_s, ended.idle_s)
            write_all(replies, HEAD.pack(ANSWER, len(head) + len(record)) + head)
            write_all(replies, record)
        self._inbox.wipe()
        self._record.wipe()

    def _answer(self, letter: bytes) -> watch.Ended:
        inbox, room = self._inbox, self._allowance.output
        if letter == PROGRAM:
            return self._load()
        if letter == ARGUMENTS:
            return self._ask(
                lambda: call.prepared(_CHANNEL, parts(bytes(inbox.view()))), call.MAX_CODE
            )
        if letter == CALL:
            series = whole(inbox.view(), 0)[0] > 1
            return self._ask(lambda: call.answer(_CHANNEL, self._question()), room, series=series)
        raise EOFError

    def _question(self) -> call.Question:
        """For a child only, since it copies."""
        program, given = bytes(self._program.view()), parts(bytes(self._inbox.view()))
        return call.Question(program, self._entry_point, given, self._allowance.output)

    def _load(self) -> watch.Ended:
        """Keep a program; one that is wanted ready made is compiled in a child, so that no compiler crashes here."""
        inbox = self._inbox
        form, size = struct.unpack_from(">cH", inbox.view())
        self._entry_point = bytes(inbox.view(3)[:size]).decode("utf-8", "surrogatepass")
        source = inbox.view(3 + size)
        self._program.wipe()
        if form == AS_TEXT:
            self._program.put(AS_TEXT, source)
            self._record.put(CODE)
            return watch.Ended(ENDED, 0, 0.0, 0.0)
        ended = self._ask(lambda: call.compiled(_CHANNEL, bytes(source)), call.MAX_CODE)
        if bytes(self._record.view()[:1]) == CODE and ended.why == ENDED and not ended.status:
            self._program.put(READY_MADE, self._record.view(1))
            self._record.put(CODE)
        return ended

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
            ended = self._watch.until_end(
                pid, reading, self._record, self._allowance, room, series=series
            )
        finally:
            os.close(reading)
        self._ground.after(self._allowance, pid)
        return ended
