"""Running tests by forge in a private copy of a project: within limits, and answered in JSON."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import msgspec
import psutil

from solexp.core import CompilerSettings, Project, TimeLimitExceeded, ToolError
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.ending import CHEAT_CODES, MARK_PREFIX
from solexp.solidity.foundry.files import Files, environment, write
from solexp.solidity.foundry.service import CompilerService
from solexp.toolchain.install import ensure_forge

_LOOK_SECONDS = 0.1
_OUTPUT_MB = 256
"""What forge may write at most: with each result stands all that its test emits and calls."""
_TOLD = 2000
"""Bytes at the end of standard error that are looked at."""
_BRACE = ord("{")
_PRAGMA = re.compile(
    r"Encountered invalid solc version in (\S+): "
    r"No solc version (?:installed|exists) that matches (?:the )?(version requirement: .+)"
)
_MEDDLED = {
    # It cannot write which calls are left out.
    "key must be a string": "it calls cheat codes that keep calls from being traced",
    "Inline config error": "it holds settings for forge",
}
_CONFIG = """\
[profile.default]
src = {src}
test = {test}
libs = {libs}
out = "out"
cache_path = "cache"
solc = {solc}
offline = true
auto_detect_remappings = false
remappings = {remappings}
optimizer = {optimizer}
optimizer_runs = {runs}
{evm}
{via_ir}
{gas}
ffi = false
fs_permissions = {permissions}
allow_internal_expect_revert = true
[profile.default.lint]
lint_on_build = false
[profile.default.fuzz]
seed = "{seed}"
runs = {fuzz_runs}
max_test_rejects = {rejects}
[profile.default.invariant]
runs = {invariant_runs}
depth = 15
"""


class Meddled(ToolError):
    """forge gives no answer because of what it was given to run; says what."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one run of forge may use."""

    seconds: float = 120.0
    memory_mb: int = 4096
    cpu_s: float | None = None


class Fuzzing(msgspec.Struct, frozen=True, kw_only=True):
    """How tests with parameters are tried."""

    seed: int = 666
    runs: int = 256


class TestResult(msgspec.Struct, frozen=True, kw_only=True):
    """How one test ended."""

    __test__ = False

    suite: str
    """File and contract, such as ``test/A.t.sol:ATest``."""
    test: str
    """Its signature."""
    passed: bool
    reason: str | None = None
    cheats: dict[str, int] = {}
    """How many calls of cheat codes are in the call tree that is kept, by ``test`` or ``other`` (who called) and the
    selector. Of a fuzzed test that is the tree of one try."""
    ends: dict[str, int] = {}
    """How many calls the test and its set-up make to the addresses that mark their ends."""
    input: str | None = None
    """What the test was called with in the tree that is kept."""
    gas: int | None = None
    """What a unit test that passes uses, without its set-up. None of tests with parameters and of invariants: what
    those use hangs on the inputs drawn."""
    frames: dict[str, int] = {}
    """By selector, the gas of that unit test's calls from contract to contract, as ``0x`` and eight digits. A call
    below one of the same selector, as behind a proxy, is counted with it."""


class TestRun(msgspec.Struct, frozen=True, kw_only=True):
    """What came of building a project and running tests of it."""

    __test__ = False

    errors: tuple[dict[str, Any], ...] = ()
    """The compiler's; there are no results then."""
    results: tuple[TestResult, ...] = ()


def run_tests(
    files: Files,
    project: Project,
    settings: CompilerSettings,
    compiler: Compiler,
    *,
    path: str,
    names: Sequence[str],
    fuzzings: Sequence[Fuzzing],
    limits: Limits,
    only: bool = False,
) -> list[TestRun]:
    """Builds ``files`` in a folder of their own, runs tests once for each of ``fuzzings``, and leaves nothing.

    Those are the tests of ``path`` called ``names``, or all there are where no names are given. With ``only`` nothing
    but the contracts of ``path`` is built, and what they create.

    Raises TimeLimitExceeded when all runs together pass a limit, ToolError when forge gives no answer that can be read.
    """
    forge = ensure_forge()
    with tempfile.TemporaryDirectory(prefix="solexp-", ignore_cleanup_errors=True) as scratch:
        root, service_folder, home = (Path(scratch, name) for name in ("project", "s", "home"))
        for folder in (root, service_folder, home):
            folder.mkdir()
        write(files, root)
        with CompilerService(
            compiler, settings.version, service_folder, only=path if only else None
        ) as service:
            command = [str(forge), "test", "--json", "-vvvv", "--threads", "1", "--root", str(root)]
            if names:
                # With a filter forge builds twice: first it asks for the interfaces, to see which tests there are.
                chosen = rf"^({'|'.join(sorted(names))})(\(|$)"
                command += ["--match-path", path, "--match-test", chosen]
            runs: list[TestRun] = []
            deadline = time.monotonic() + limits.seconds
            for fuzzing in fuzzings:
                # Another seed changes nothing of what is built: from the second run on nothing is.
                config = config_text(project, settings, fuzzing, service.program)
                (root / "foundry.toml").write_text(config)
                status, output, words = run_forge(
                    command, root, environment(home), limits, deadline
                )
                if service.failures:
                    raise service.failures[0]
                if service.errors:
                    return [TestRun(errors=tuple(service.errors))] * len(fuzzings)
                if (refused := _PRAGMA.search(words)) is not None:
                    # forge reads pragmas itself, before any compiler does.
                    return [_refused(refused[1], refused[2], settings)] * len(fuzzings)
                runs.append(TestRun(results=read_results(output, status, words)))
    return runs


def _refused(path: str, wanted: str, settings: CompilerSettings) -> TestRun:
    message = f"{wanted.strip()}; it is built by {settings.version}"
    return TestRun(
        errors=({"type": "ParserError", "code": None, "path": path, "message": message},)
    )


def config_text(project: Project, settings: CompilerSettings, fuzzing: Fuzzing, solc: Path) -> str:
    """foundry.toml for a run of forge."""
    # JSON's strings, numbers and lists of strings are TOML's.
    permissions = ", ".join(
        f'{{ access = "read", path = {json.dumps("./" + folder)} }}' for folder in project.readable
    )
    return _CONFIG.format(
        src=json.dumps(project.source_folder),
        test=json.dumps(project.test_folder),
        libs=json.dumps(list(project.library_folders)),
        solc=json.dumps(str(solc)),
        remappings=json.dumps(list(settings.remappings)),
        optimizer=json.dumps(settings.optimizer),
        runs=settings.runs,
        evm=f"evm_version = {json.dumps(settings.evm_version)}" if settings.evm_version else "",
        via_ir="via_ir = true" if settings.via_ir else "",
        gas=f"gas_limit = {project.gas_limit}" if project.gas_limit else "",
        permissions=f"[{permissions}]",
        seed=hex(fuzzing.seed),
        fuzz_runs=fuzzing.runs,
        rejects=max(65536, 30 * fuzzing.runs),
        invariant_runs=max(1, min(10, fuzzing.runs)),
    )


def run_forge(
    command: Sequence[str], folder: Path, shown: dict[str, str], limits: Limits, deadline: float
) -> tuple[int, bytes, str]:
    """Exit status, standard output, and the end of standard error. Raises TimeLimitExceeded."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=shown,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        try:
            while True:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(max(0.0, min(_LOOK_SECONDS, deadline - time.monotonic())))
                    break
                memory, cpu_s = _used(process.pid)
                if time.monotonic() > deadline:
                    raise TimeLimitExceeded(f"the tests took more than {limits.seconds:g} s")
                if limits.cpu_s is not None and cpu_s > limits.cpu_s:
                    raise TimeLimitExceeded(f"the tests took more than {limits.cpu_s:g} CPU s")
                if memory > limits.memory_mb << 20:
                    raise TimeLimitExceeded(
                        f"the tests took more than {limits.memory_mb} MB of memory"
                    )
                _bounded(out, err)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        _bounded(out, err)
        out.seek(0)
        err.seek(max(0, os.fstat(err.fileno()).st_size - _TOLD))
        return process.returncode, out.read(), err.read().decode("utf-8", "replace")


def _bounded(*files: IO[bytes]) -> None:
    if sum(os.fstat(file.fileno()).st_size for file in files) > _OUTPUT_MB << 20:
        raise TimeLimitExceeded(
            f"the tests emit and call so much that forge writes more than {_OUTPUT_MB} MB of it"
        )


def _used(pid: int) -> tuple[int, float]:
    """Bytes of memory that a process and its children hold, and their CPU seconds."""
    total, cpu_s = 0, 0.0
    with contextlib.suppress(psutil.Error):
        process = psutil.Process(pid)
        for each in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                total += each.memory_info().rss
                cpu_s += sum(each.cpu_times()[:2])
    return total, cpu_s


def read_results(output: bytes, status: int, words: str) -> tuple[TestResult, ...]:
    """The results in forge's answer, its last line that is a JSON object of suites. Raises ToolError without one."""
    for line in from_the_last(output):
        if line and line[0] == _BRACE:
            with contextlib.suppress(msgspec.DecodeError):
                suites = msgspec.json.decode(line, type=dict[str, _Suite])
                return tuple(
                    TestResult(
                        suite=name,
                        test=test,
                        passed=result.status == "Success",
                        reason=result.reason,
                        cheats=_cheats(result.traces),
                        ends=_ends(result.traces),
                        input=_input(result.traces),
                        gas=result.gas,
                        frames=_frames(result.traces) if result.gas is not None else {},
                    )
                    for name, suite in sorted(suites.items())
                    for test, result in sorted(suite.test_results.items())
                )
    said = words.strip().splitlines() or [output.decode("utf-8", "replace").strip()[-200:]]
    if why := next((why for sign, why in _MEDDLED.items() if sign in words), None):
        raise Meddled(why)
    raise ToolError(f"forge ends with status {status} and no results: {said[-1][:300]}")


def from_the_last(output: bytes) -> Iterator[memoryview]:
    """The lines in reverse order, none of them copied."""
    view, end = memoryview(output), len(output)
    while end >= 0:
        start = output.rfind(b"\n", 0, end) + 1
        yield view[start:end]
        end = start - 1


class _Call(msgspec.Struct):
    address: str = ""
    caller: str = ""
    data: str = ""
    kind: str = ""
    gas_used: int = 0


class _Node(msgspec.Struct):
    trace: _Call = msgspec.field(default_factory=_Call)
    parent: int | None = None


class _Arena(msgspec.Struct):
    arena: list[_Node] = []


class _Unit(msgspec.Struct):
    gas: int


class _Kind(msgspec.Struct, rename={"unit": "Unit"}):
    unit: _Unit | None = None


class _Result(msgspec.Struct):
    status: str
    reason: str | None = None
    traces: list[tuple[str, _Arena]] = []
    kind: _Kind = msgspec.field(default_factory=_Kind)

    @property
    def gas(self) -> int | None:
        return self.kind.unit.gas if self.kind.unit and self.status == "Success" else None


class _Suite(msgspec.Struct):
    test_results: dict[str, _Result]


def _cheats(traces: list[tuple[str, _Arena]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for _, tree in traces:
        test = tree.arena[0].trace.address.lower() if tree.arena else ""
        found.update(
            f"{'test' if node.trace.caller.lower() == test else 'other'} {node.trace.data[:10]}"
            for node in tree.arena
            if node.trace.address.lower() == CHEAT_CODES
        )
    return dict(sorted(found.items()))


def _ends(traces: list[tuple[str, _Arena]]) -> dict[str, int]:
    found = Counter(
        node.trace.address.lower()
        for _, tree in traces
        for node in tree.arena
        if node.parent == 0 and node.trace.address.lower().startswith(MARK_PREFIX)
    )
    return dict(sorted(found.items()))


def _input(traces: list[tuple[str, _Arena]]) -> str | None:
    trees = (tree for what, tree in traces if what == "Execution" and tree.arena)
    return next((tree.arena[0].trace.data for tree in trees), None)


def _frames(traces: list[tuple[str, _Arena]]) -> dict[str, int]:
    """The gas of the outermost calls of each selector while the test itself runs."""
    found: dict[str, int] = {}
    for what, tree in traces:
        if what != "Execution":
            continue
        # A call stands behind the one that made it.
        above: list[frozenset[str]] = []
        for node in tree.arena:
            call = node.trace
            around = above[node.parent] if node.parent is not None else frozenset()
            selector = call.data[:10]
            counts = (
                node.parent is not None
                and len(selector) == len("0x") + 8
                and not call.kind.startswith("CREATE")
                and call.address.lower() != CHEAT_CODES
            )
            if counts and selector not in around:
                found[selector] = found.get(selector, 0) + call.gas_used
            above.append(around | {selector} if counts else around)
    return dict(sorted(found.items()))
