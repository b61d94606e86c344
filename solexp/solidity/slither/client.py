"""Asking the analysing process."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Self

import msgspec

from solexp.core import ToolError
from solexp.solidity.slither.findings import Analysis, Limits, Subject
from solexp.solidity.slither.server import Question

_START_S = 120.0
_GRACE_S = 30.0
"""How much longer than an analysis may take its answer is waited for."""


class SlitherProcess:
    """A process with Slither loaded, which starts with the first question and stays until it is closed.

    A context manager. Not safe between threads.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def analyse(self, subject: Subject, limits: Limits) -> Analysis:
        """What Slither finds, or why it came to no end.

        Raises ToolError when the process does not start, or dies twice.
        """
        question = msgspec.json.encode(Question(subject=subject, limits=limits))
        try:
            return self._asked(question, limits)
        except ToolError:
            return self._asked(question, limits)

    def close(self) -> None:
        """End the process and leave nothing."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout):
                assert stream is not None
                stream.close()
            process.wait()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _asked(self, question: bytes, limits: Limits) -> Analysis:
        process = self._started()
        assert self._folder is not None
        assert process.stdin is not None
        asked = Path(self._folder.name, "question")
        answer = asked.with_suffix(".answer")
        asked.write_bytes(question)
        try:
            process.stdin.write(f"{asked}\n".encode())
            self._wait(process, limits.seconds + _GRACE_S)
            return msgspec.json.decode(answer.read_bytes(), type=Analysis)
        except (OSError, msgspec.DecodeError) as error:
            self.close()
            raise ToolError(f"Slither's process gives no answer: {error}") from error
        finally:
            asked.unlink(missing_ok=True)
            answer.unlink(missing_ok=True)

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is not None:
            return self._process
        self._folder = tempfile.TemporaryDirectory(prefix="solexp-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "solexp.solidity.slither.server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            # An empty folder: Slither reads settings and earlier results from where it runs.
            cwd=self._folder.name,
            # The order in sets must not change what is found.
            env={**os.environ, "PYTHONHASHSEED": "0"},
        )
        self._wait(self._process, _START_S)
        return self._process

    def _wait(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        """Until the process writes its line."""
        assert process.stdout is not None
        ready, _, _ = select.select([process.stdout], [], [], seconds)
        if not ready or process.stdout.read(1) != b"\n":
            self.close()
            raise ToolError(
                "Slither's process ended without an answer"
                if ready
                else f"Slither's process gave no answer within {seconds:g} s"
            )
