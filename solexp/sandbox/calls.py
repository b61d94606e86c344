"""Calls of untrusted functions, over warm sandboxes that this process keeps."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import msgspec

from solexp.sandbox.box import Gone, Sandbox
from solexp.sandbox.limits import CallResult, Ended, Limits

_idle: list[Sandbox] = []
_lock = threading.Lock()


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """A program, its function, and the argument lists to call it with."""

    program: str
    entry_point: str
    arguments: tuple[str, ...]


def call_python(
    program: str,
    entry_point: str,
    arguments: Sequence[str],
    limits: Limits | None = None,
    *,
    together: int = 1,
) -> list[CallResult]:
    """What each call of ``entry_point`` came to, in order.

    ``program`` is source text, ``arguments`` are literals of lists, such as ``"[1, 'a']"``. Each call has a process of
    its own, in which the program is loaded afresh.

    With ``together`` above 1 a process makes up to so many calls, which is many times as fast. Every portion is then
    called twice, in opposite orders and in two processes. When the answers of any call differ, the function keeps
    something between calls, and all are made alone; so are those of a portion that does not come to a good end.

    Raises ToolError when no sandbox can be started.
    """
    check = Check(program=program, entry_point=entry_point, arguments=tuple(arguments))
    return _checked(check, limits or Limits(), together)


def run_checks(
    checks: Iterable[Check], limits: Limits | None = None, *, together: int = 1
) -> Iterator[list[CallResult]]:
    """`call_python` of many programs, one after the other, over one warm sandbox."""
    limits = limits or Limits()
    for check in checks:
        yield _checked(check, limits, together)


def _checked(check: Check, limits: Limits, together: int) -> list[CallResult]:
    program, entry_point = check.program, check.entry_point
    try:
        with _sandbox() as sandbox:
            return sandbox.ask(program, entry_point, check.arguments, limits, together=together)
    except Gone:
        pass
    results = []
    for text in check.arguments:
        try:
            with _sandbox() as sandbox:
                results += sandbox.ask(program, entry_point, [text], limits)
        except Gone:
            results.append(CallResult(ended=Ended.DIED, message="ended its sandbox"))
    return results


@contextmanager
def _sandbox() -> Iterator[Sandbox]:
    with _lock:
        here = [each for each in _idle if each.owner == os.getpid()]
        sandbox = here[-1] if here else None
        if sandbox is not None:
            _idle.remove(sandbox)
    sandbox = sandbox or Sandbox()
    try:
        yield sandbox
    except BaseException:
        sandbox.close()
        raise
    with _lock:
        _idle.append(sandbox)


@atexit.register
def _close() -> None:
    with _lock:
        for sandbox in _idle:
            if sandbox.owner == os.getpid():
                sandbox.close()
        _idle.clear()
