"""One sandbox: the client's end."""

from __future__ import annotations

import contextlib
import os
import select
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

from solexp.core import ToolError
from solexp.sandbox import records
from solexp.sandbox.asking import FIRST, Asking
from solexp.sandbox.inside import frames
from solexp.sandbox.limits import CallResult, Ended, Limits

_BOOT = Path(__file__).resolve().parent / "inside" / "boot.py"
_START_S = 30.0
_END_S = 2.0
_GRACE_S = 60.0


_KNOWN_CHARS = 16 << 20
"""Characters of argument lists to keep in mind: many programs are called with the same ones."""
_FEW = 2
_PORTION_CHARS = 1 << 20
_UNREAD = CallResult(ended=Ended.UNASKED, message="reading it ended the process that did")


class Gone(Exception):
    """The sandbox's process ended."""


class Sandbox:
    """A warm interpreter that forks a process for each call. Not for use by two threads at one time."""

    def __init__(self, *, without: Sequence[str] = (), python: str | None = None) -> None:
        """Start it, but for the protections named in ``without``. Raises ToolError when it does not come up."""
        self.owner = os.getpid()
        self._known: dict[str, bytes | CallResult] = {}
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  (lives as long as the process)
        python = python or getattr(sys, "_base_executable", None) or sys.executable
        try:
            self._process = subprocess.Popen(
                [python, "-P", "-s", "-S", "-X", "utf8", _BOOT, str(os.getpid()), *without],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": ""},
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise ToolError(f"cannot start {python} for the sandbox: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin.fileno(), self._process.stdout.fileno()
        try:
            _, body = self._receive(time.monotonic() + _START_S)
            self.protections = tuple(body.decode().split())
        except Gone as error:
            words = self._last_words()
            self.close()
            raise ToolError(f"the sandbox did not start: {words}") from error

    def ask(
        self,
        program: str,
        entry_point: str,
        arguments: Sequence[str],
        limits: Limits,
        *,
        together: int = 1,
    ) -> list[CallResult]:
        """Load a program and call its function once for each argument list, as `solexp.sandbox.call_python` says.

        Raises Gone when the sandbox ended; nothing tells which call did that.
        """
        self._set(limits)
        # To compile things ahead takes processes too, which pays where there are many calls.
        form = (
            frames.READY_MADE
            if len(arguments) > max(_FEW, min(together, FIRST))
            else frames.AS_TEXT
        )
        broken = self._program(form, program, entry_point, limits)
        prepared = self._prepared(form, arguments, limits)
        if broken is not None:
            return [one if isinstance(one, CallResult) else broken for one in prepared]
        return Asking(self._report, prepared, limits).results(together)

    def _report(self, codes: Sequence[bytes], limits: Limits) -> records.Report:
        self._send(frames.CALL, frames.blocks(codes))
        return records.report(self._reply(limits), len(codes), limits)

    def _set(self, limits: Limits) -> None:
        self._send(
            frames.SET,
            frames.LIMITS.pack(
                limits.cpu_s,
                limits.batch_cpu_s,
                limits.wall_s,
                limits.memory_mb << 20,
                int(limits.output_mb * (1 << 20)),
                limits.processes,
                limits.file_mb << 20,
            ),
        )
        self._reply(limits)

    def _program(
        self, form: bytes, program: str, entry_point: str, limits: Limits
    ) -> CallResult | None:
        name, source = _encoded(entry_point), _encoded(program)
        self._send(frames.PROGRAM, form + struct.pack(">H", len(name)) + name + source)
        body = self._reply(limits)
        if body[frames.ENDING.size :] == frames.CODE:
            return None
        return records.report(body, 1, limits).rest

    def _prepared(
        self, form: bytes, arguments: Sequence[str], limits: Limits
    ) -> list[bytes | CallResult]:
        """For each argument list what makes it inside, or the result that says why nothing does."""
        if form == frames.AS_TEXT:
            return [self._known.get(text) or form + _encoded(text) for text in arguments]
        fresh = [text for text in dict.fromkeys(arguments) if text not in self._known]
        if sum(map(len, self._known)) + sum(map(len, fresh)) > _KNOWN_CHARS:
            self._known.clear()
            fresh = list(dict.fromkeys(arguments))
        for some in _portions(fresh):
            found = self._prepare(some, limits)
            # One that ends its process must not take the others with it.
            if found is None:
                found = [(self._prepare([text], limits) or [_UNREAD])[0] for text in some]
            self._known.update(zip(some, found, strict=True))
        return [self._known[text] for text in arguments]

    def _prepare(self, texts: list[str], limits: Limits) -> list[bytes | CallResult] | None:
        self._send(frames.ARGUMENTS, frames.blocks(map(_encoded, texts)))
        record = self._reply(limits)[frames.ENDING.size :]
        if record[:1] != frames.LISTS:
            return None
        found = [
            part
            if part[:1] == frames.READY_MADE
            else CallResult(ended=Ended.UNASKED, message=part[1:].decode("utf-8", "replace"))
            for part in frames.parts(record[1:])
        ]
        return found if len(found) == len(texts) else None

    def _send(self, letter: bytes, body: bytes) -> None:
        try:
            frames.send(self._to, letter, body)
        except OSError as error:
            raise Gone from error

    def _reply(self, limits: Limits) -> bytes:
        _, body = self._receive(
            time.monotonic() + 20 * limits.wall_s + 100 * limits.batch_cpu_s + _GRACE_S
        )
        return body

    def _receive(self, deadline: float) -> tuple[bytes, bytes]:
        # The zygote answers whatever a call does; this is for one that is stuck itself.
        ready, _, _ = select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise Gone
        try:
            return frames.receive(self._from)
        except (EOFError, OSError) as error:
            raise Gone from error

    def _last_words(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(2)
        size = self._errors.seek(0, 2)
        lines = os.pread(self._errors.fileno(), 2048, max(0, size - 2048)).splitlines()
        return lines[-1].decode(errors="replace") if lines else "it said nothing"

    def close(self) -> None:
        """End it, and a call that it may be at."""
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        try:
            # It notices, and counts towards what children of this process have used only if it ends by itself.
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.close()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _portions(texts: list[str]) -> Iterator[list[str]]:
    """The texts in order, some at a time."""
    some: list[str] = []
    size = 0
    for text in texts:
        if some and size + len(text) > _PORTION_CHARS:
            yield some
            some, size = [], 0
        some.append(text)
        size += len(text)
    if some:
        yield some
