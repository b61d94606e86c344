"""The analysing process: it loads Slither once, and forks for every analysis, which limits hold for.

Standard input has a line for each analysis: the path of a file with a `Question`. The answer is in a file of the same
name with ``.answer`` behind it by the time that a line comes back.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from solexp.solidity.slither.findings import Analysis, Limits, Subject

_Analyse = Callable[[Subject], Analysis]
_SHOWN = 300
_NESTING = 10_000


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One analysis that is wanted."""

    subject: Subject
    limits: Limits


def main() -> None:
    """Answer until standard input ends."""
    # Slither and what it calls print: that must not be taken for an answer.
    answers = os.dup(1)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    from solexp.solidity.slither.analysis import analyse  # noqa: PLC0415  (it may print already)

    os.write(answers, b"\n")
    for line in sys.stdin:
        path = Path(line.rstrip("\n"))
        limits = msgspec.json.decode(path.read_bytes(), type=_Limited).limits
        failure = _forked(analyse, path, limits)
        if failure is not None:
            _answer(path, Analysis(failure=failure))
        os.write(answers, b"\n")


class _Limited(msgspec.Struct):
    limits: Limits


def _answer(path: Path, analysis: Analysis) -> None:
    path.with_suffix(".answer").write_bytes(msgspec.json.encode(analysis))


def _forked(analyse: _Analyse, path: Path, limits: Limits) -> str | None:
    """Analyse in a process of its own; returns why there is no answer, or None."""
    deadline = time.monotonic() + limits.seconds
    alive, held = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(alive)
            status = _child(analyse, path, limits)
        finally:
            os._exit(status)
    os.close(held)
    try:
        ended, _, _ = select.select([alive], [], [], max(0.0, deadline - time.monotonic()))
    finally:
        os.close(alive)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    if not ended:
        return f"Slither took more than {limits.seconds:g} s"
    if os.WIFSIGNALED(status):
        if os.WTERMSIG(status) == signal.SIGXCPU:
            return f"Slither took more than {limits.seconds:g} s"
        return f"Slither was ended by signal {os.WTERMSIG(status)}"
    return None if os.WEXITSTATUS(status) == 0 else "Slither left no answer"


def _child(analyse: _Analyse, path: Path, limits: Limits) -> int:
    # Should the parent be killed, nobody else ends this one.
    seconds = int(limits.seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    memory = limits.memory_mb << 20
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    sys.setrecursionlimit(_NESTING)
    try:
        question = msgspec.json.decode(path.read_bytes(), type=Question)
        found = analyse(question.subject)
    except MemoryError:
        found = Analysis(failure=f"Slither took more than {limits.memory_mb} MB of memory")
    except Exception as error:
        words = " ".join(str(error).split())[:_SHOWN]
        found = Analysis(failure=f"Slither failed: {type(error).__name__}: {words}")
    _answer(path, found)
    return 0


if __name__ == "__main__":
    main()
