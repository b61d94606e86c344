"""Running a project that was written for a reader, with this machine's forge and compilers, nothing downloaded."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from solexp.core import ToolError
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.files import environment
from solexp.solidity.foundry.forge import Limits, TestResult, read_results, run_forge
from solexp.solidity.foundry.service import CompilerService
from solexp.toolchain.install import ensure_forge

RELEASE = "0.8.28"
"""The compiler of the tests themselves; `starter` needs it, so that it is there."""


_LIMITS = Limits()


def run_exported(folder: Path, compiler: Compiler) -> tuple[TestResult, ...]:
    """How each test of a Foundry project ends; the folder stays as it is.

    Raises ToolError when the tests do not build or forge gives no answer, TimeLimitExceeded when it takes too long.
    """
    with tempfile.TemporaryDirectory(prefix="solexp-", ignore_cleanup_errors=True) as scratch:
        home, service_folder = Path(scratch, "home"), Path(scratch, "s")
        for made in (home, service_folder):
            made.mkdir()
        with CompilerService(compiler, RELEASE, service_folder) as service:
            command = [
                *(str(ensure_forge()), "test", "--json", "--offline", "--threads", "1"),
                *("--root", str(folder), "--use", str(service.program)),
                *("--out", str(Path(scratch, "out")), "--cache-path", str(Path(scratch, "cache"))),
            ]
            deadline = time.monotonic() + _LIMITS.seconds
            status, output, words = run_forge(command, folder, environment(home), _LIMITS, deadline)
            if service.failures:
                raise service.failures[0]
            if service.errors:
                raise ToolError(f"{folder}: does not build: {service.errors[0]['message']}")
        return read_results(output, status, words)
