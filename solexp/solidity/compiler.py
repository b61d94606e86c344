"""Compiling Solidity with any release from 0.4.11 on."""

from __future__ import annotations

import logging
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import msgspec

from solexp.core import (
    Build,
    CompileError,
    CompilerSettings,
    TimeLimitExceeded,
    ToolError,
    UserError,
)
from solexp.core.hashing import content_hash
from solexp.solidity import standard_json
from solexp.solidity.pool import Pool
from solexp.solidity.providers import PROVIDERS, Found, Provider, ask_native, find, release_of
from solexp.solidity.versions import parse_range, pragmas, release
from solexp.solidity.worker import CompilerAborted, Worker
from solexp.store.cache import Store
from solexp.toolchain.homes import cache_home

log = logging.getLogger(__name__)

SCHEMA = 1
"""Version of what the cache of builds holds. A change of Build or of what is asked raises it."""


ABORT = "CompilerAbort"
"""Class of the error of a compiler that gave up without an answer, twice."""


class Compiler:
    """Compiles by whichever provider has the exact version, and keeps every build.

    A context manager: leaving it ends the compiler processes.
    """

    def __init__(
        self,
        *,
        providers: Sequence[Provider] = PROVIDERS,
        cache_dir: Path | None = None,
        max_workers: int = 2,
        worker_memory_mb: int = 1024,
        timeout_s: float = 120.0,
    ) -> None:
        """``cache_dir`` is the folder of kept builds, by default below the cache home.

        At most ``max_workers`` compilers stay loaded; one that has grown past ``worker_memory_mb`` of resident memory
        is ended after its work, and killed at four times that. ``timeout_s`` is the wall clock of one compilation.
        """
        self.providers = tuple(providers)
        self.timeout_s = timeout_s
        self._store = Store(
            cache_dir if cache_dir is not None else cache_home() / "builds", schema=SCHEMA
        )
        self._pool = Pool(max_workers, worker_memory_mb << 20, timeout_s)
        self._found: dict[str, Found] = {}
        self._versions: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the compiler processes."""
        self._pool.close()

    def processes(self) -> list[int]:
        """Process ids of the loaded compilers that wait for work, the least recently used first."""
        return [pid for _, pid, _ in self._pool.workers()]

    def version(self, version: str) -> str:
        """The full version that the compiler of this release reports, such as ``0.8.17+commit.8df45f5f.Linux.g++``.

        Raises ToolError when there is no such compiler, or when it says that it is another release.
        """
        if version not in self._versions:
            found = self._find(version)
            key = content_hash("version", found.stamp)
            full = self._store.get(key, str)
            if full is None:
                full = self._ask(found, version)
                self._store.put(key, full)
            if release_of(full) != found.release:
                raise ToolError(
                    f"{found.path} was to be solc {found.release} but says that it is {full}; "
                    "remove it, or choose another version"
                )
            self._versions[version] = full
        return self._versions[version]

    def compile(
        self,
        sources: dict[str, str],
        settings: CompilerSettings,
        *,
        ast: bool = False,
        keep_ast: bool = True,
    ) -> Build:
        """The build of ``sources``, from the cache if there.

        ``ast`` asks for the ASTs, too; one that fails may come without. Without ``keep_ast`` the build is kept, and its
        ASTs, which can be a hundred times as large, are not.

        What the sources do wrong is in ``Build.errors``; so is a compiler that aborts on them every time. Raises
        TimeLimitExceeded when they take more time or memory than allowed, ToolError when the compiler is missing or
        its process dies twice, UserError for settings that no compiler takes.
        """
        full = self.version(settings.version)
        self._refuse_exact_pragmas(sources, settings.version)
        request = standard_json.request(sources, settings, ast=ast)
        kept = standard_json.request(sources, settings, ast=ast and keep_ast)
        key = content_hash(full, kept)
        build = self._store.get(key, Build)
        if build is None or (build.ok and ast and build.asts is None):
            build = self._compile(full, request, sources, settings, ast=ast)
            # An abort may be the machine's doing, such as a lack of memory: it is not kept.
            if not any(error.type == ABORT for error in build.errors):
                self._store.put(
                    key, build if keep_ast else msgspec.structs.replace(build, asts=None)
                )
        return standard_json.with_kinds(build, sources)

    def answer(self, request: bytes, version: str) -> bytes:
        """The compiler's own standard-JSON answer to any request, for other tools that want a compiler.

        Nothing is kept. Raises as `compile` does, and CompilerAborted.
        """
        found = self._find(version)
        if found.provider == "soljson":
            return self._pool.compile(version, lambda: self._start(found), request)
        return self._run_native(found, request)

    def _compile(
        self,
        full: str,
        request: bytes,
        sources: dict[str, str],
        settings: CompilerSettings,
        *,
        ast: bool,
    ) -> Build:
        try:
            answer = self.answer(request, settings.version)
        except CompilerAborted as error:
            reason = str(error).splitlines()[0] if str(error) else "no reason given"
            return Build(
                compiler=full,
                errors=(
                    CompileError(
                        type=ABORT,
                        message=f"The compiler aborted: {reason}",
                    ),
                ),
            )
        return standard_json.read(answer, full, sources, settings, ast=ast)

    def _refuse_exact_pragmas(self, sources: dict[str, str], version: str) -> None:
        """A stand-in would call a pragma wrong that is right; that must not look like the author's mistake."""
        stands_in = self._find(version).release
        if stands_in == version:
            return
        for path, source in sources.items():
            for text in pragmas(source):
                try:
                    asked = parse_range(text)
                except UserError:
                    continue
                if asked.allows(release(version)) and not asked.allows(release(stands_in)):
                    raise ToolError(
                        f"{path} asks for solc {text}, and {version} itself cannot be had here; "
                        f"put solc {version} on PATH"
                    )

    def _find(self, version: str) -> Found:
        if version not in self._found:
            self._found[version] = find(version, self.providers)
        return self._found[version]

    def _ask(self, found: Found, version: str) -> str:
        if found.provider == "soljson":
            return self._pool.version(version, lambda: self._start(found))
        return ask_native(found.path)

    def _start(self, found: Found) -> Worker:
        assert found.node is not None
        return Worker(found.node, found.path)

    def _run_native(self, found: Found, request: bytes) -> bytes:
        # Whatever the sources import must be among them: a native compiler would look in its folder, which is empty.
        with tempfile.TemporaryDirectory(prefix="solexp-") as nowhere:
            try:
                done = subprocess.run(
                    [str(found.path), "--standard-json"],
                    input=request,
                    capture_output=True,
                    timeout=self.timeout_s,
                    check=False,
                    cwd=nowhere,
                )
            except subprocess.TimeoutExpired as error:
                raise TimeLimitExceeded(
                    f"the compiler took more than {self.timeout_s:g} s"
                ) from error
        if not done.stdout:
            words = done.stderr.decode("utf-8", "replace").strip()[-300:]
            reason = f"exit status {done.returncode}: {words}"
            if done.returncode == -signal.SIGKILL:
                raise ToolError(f"solc {found.release} was killed: {reason}")
            raise CompilerAborted(reason)
        return done.stdout
