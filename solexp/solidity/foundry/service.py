"""A compiler as a program that other tools start: a tiny client that asks this process's loaded compilers.

A tool such as forge starts its compiler afresh for every build, which costs seconds where that means loading one of
many megabytes. What it starts here passes the question on by a socket.
"""

from __future__ import annotations

import hashlib
import shlex
import socketserver
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from solexp.core import SolexpError
from solexp.solidity.compiler import Compiler
from solexp.solidity.worker import CompilerAborted

_CLIENT = """\
import socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect(sys.argv[1])
line.sendall(sys.stdin.buffer.read())
line.shutdown(socket.SHUT_WR)
while part := line.recv(1 << 20):
    sys.stdout.buffer.write(part)
"""


_TO_RUN = (
    "abi",
    "evm.bytecode.object",
    "evm.bytecode.linkReferences",
    "evm.deployedBytecode.object",
    "evm.deployedBytecode.linkReferences",
    "evm.deployedBytecode.immutableReferences",
    "evm.methodIdentifiers",
)
_KEPT = 3
_LAST: dict[bytes, bytes] = {}
"""The last few answers, by the hash of their question: a reference is built again under another seed."""


class _Message(msgspec.Struct):
    severity: str = "error"
    type: str = "Error"
    message: str = ""
    errorCode: str | None = None  # noqa: N815
    sourceLocation: dict[str, Any] | None = None  # noqa: N815


class _Answer(msgspec.Struct):
    errors: list[_Message] = []


class CompilerService:
    """While it is entered, ``program`` is a file that can be started as a compiler of one release.

    ``errors`` are the compiler's own errors in the answers so far, ``failures`` what kept it from answering.
    """

    def __init__(
        self, compiler: Compiler, version: str, folder: Path, *, only: str | None = None
    ) -> None:
        """``folder`` is an empty one of its own, whose path is short: sockets want that.

        ``only`` names the file whose contracts are wanted: of all others nothing is answered, and of them no more than
        it takes to run them.
        """
        self.errors: list[dict[str, Any]] = []
        self.failures: list[SolexpError] = []
        self.answered = 0
        """Questions that were answered so far."""
        self._compiler = compiler
        self._version = version
        self._folder = folder
        self._only = only
        self.program = folder / "solc"

    def __enter__(self) -> Self:
        full = self._compiler.version(self._version)
        client, socket = self._folder / "client.py", self._folder / "socket"
        client.write_text(_CLIENT)
        words = " ".join(shlex.quote(str(each)) for each in (sys.executable, "-IS", client, socket))
        self.program.write_text(
            "#!/bin/sh\n"
            'case " $* " in *" --version "*)\n'
            f"  echo 'solc, the solidity compiler commandline interface'; echo 'Version: {full}'; exit 0\n"
            f"esac\nexec {words}\n"
        )
        self.program.chmod(0o700)
        service = self

        class Line(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                self.wfile.write(service._answer(self.rfile.read()))

        self._server = socketserver.ThreadingUnixStreamServer(str(socket), Line)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()
        return self

    def for_others(self, python: str) -> Path:
        """The same program for another user, in whose view of the files there are this folder and ``python`` only."""
        program = self._folder / "solc-for-others"
        version = f"Version: {self._compiler.version(self._version)}"
        told = f"solc, the solidity compiler commandline interface\n{version}"
        lines = (
            f"#!{python} -IS",
            "import sys",
            f"if '--version' in sys.argv:\n    print({told!r})\n    sys.exit()",
            f"sys.argv[1:] = [{str(self._folder / 'socket')!r}]",
        )
        program.write_text("\n".join(lines) + "\n" + _CLIENT)
        for path, mode in ((program, 0o755), (self._folder / "socket", 0o777)):
            path.chmod(mode)
        return program

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, request: bytes) -> bytes:
        if self._only is not None:
            request = _trimmed(request, self._only)
        key = hashlib.sha256(self._version.encode() + request).digest()
        try:
            answer = _LAST.get(key)
            if answer is None:
                answer = self._compiler.answer(request, self._version)
                while len(_LAST) >= _KEPT:
                    _LAST.pop(next(iter(_LAST)), None)
                _LAST[key] = answer
            found = msgspec.json.decode(answer, type=_Answer)
        except CompilerAborted as error:
            self.errors.append({"type": "CompilerAbort", "message": str(error).partition("\n")[0]})
            return b"{}"
        except SolexpError as error:
            self.failures.append(error)
            return b"{}"
        self.answered += 1
        self.errors += [
            {
                "type": each.type,
                "code": each.errorCode,
                "path": (each.sourceLocation or {}).get("file"),
                "message": each.message,
            }
            for each in found.errors
            if each.severity == "error"
        ]
        return answer


def _trimmed(request: bytes, path: str) -> bytes:
    """A request for the contracts of one file, without what only debuggers and explorers want."""
    asked = msgspec.json.decode(request)
    asked["settings"]["outputSelection"] = {path: {"*": _TO_RUN}}
    return msgspec.json.encode(asked)
