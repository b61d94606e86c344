"""Running one invariant test by forge: random sequences of calls of a handler, from a fresh folder each time."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from solexp.core import TimeLimitExceeded, ToolError
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.files import environment
from solexp.solidity.foundry.forge import Limits, from_the_last, run_forge
from solexp.solidity.foundry.service import CompilerService
from solexp.toolchain.install import ensure_forge

RELEASE = "0.8.28"
"""The compiler of handlers; `starter` needs it, so that it is there."""

_CONFIG = """\
[profile.default]
src = "src"
test = "test"
libs = []
auto_detect_remappings = false
offline = true
no_storage_caching = true
evm_version = "{evm_version}"
optimizer = true
gas_limit = {gas}
ffi = false
fs_permissions = []
[profile.default.lint]
lint_on_build = false
[profile.default.fuzz]
seed = "{seed:#x}"
failure_persist_dir = "failures"
[profile.default.invariant]
runs = {runs}
depth = {depth}
fail_on_revert = false
shrink_run_limit = 0
failure_persist_dir = "failures"
show_metrics = true
"""
_BRACE = ord("{")


class Campaign(msgspec.Struct, frozen=True, kw_only=True):
    """How a test's calls are drawn."""

    runs: int
    depth: int
    seed: int
    evm_version: str
    gas: int
    """What one call of the handler may use."""


class Sent(msgspec.Struct, frozen=True):
    """A call of the sequence that breaks the invariant."""

    sender: str
    calldata: str


class Metric(msgspec.Struct, frozen=True):
    """What came of the calls of one function of the handler."""

    calls: int = 0
    reverts: int = 0


class Invariant(msgspec.Struct, frozen=True, kw_only=True):
    """How the test ended."""

    passed: bool
    reason: str | None = None
    sequence: tuple[Sent, ...] | None = None
    """The calls that broke it, those that failed left out; None where there are none."""
    metrics: dict[str, Metric] = {}
    """By the name of the handler's function."""


def run_invariant(
    source: str,
    compiler: Compiler,
    campaign: Campaign,
    *,
    rpc_url: str,
    shown: Mapping[str, str],
    limits: Limits,
) -> Invariant:
    """Builds ``source``, which holds one test with one invariant, and runs it on a fork of the node at ``rpc_url``.

    ``shown`` is added to the environment. Nothing is left behind, so that no failure is remembered.

    Raises TimeLimitExceeded when it passes a limit, ToolError when it does not build or forge gives no answer.
    """
    with tempfile.TemporaryDirectory(prefix="solexp-", ignore_cleanup_errors=True) as scratch:
        root, home, service_folder = (Path(scratch, name) for name in ("project", "home", "s"))
        for folder in (root / "test", home, service_folder):
            folder.mkdir(parents=True)
        (root / "test" / "Beside.t.sol").write_text(source)
        (root / "foundry.toml").write_text(_CONFIG.format(**msgspec.structs.asdict(campaign)))
        with CompilerService(compiler, RELEASE, service_folder) as service:
            command = [
                *(str(ensure_forge()), "test", "--json", "--threads", "1", "--root", str(root)),
                *("--use", str(service.program), "--fork-url", rpc_url),
            ]
            deadline = time.monotonic() + limits.seconds
            # forge looks for failures that it remembers below the folder in which it is started.
            status, output, words = run_forge(
                command, root, {**environment(home), **shown}, limits, deadline
            )
            if service.failures:
                raise service.failures[0]
            if service.errors:
                raise ToolError(f"the handler does not build: {json.dumps(service.errors[0])}")
    return _read(output, status, words)


def limit_of(error: TimeLimitExceeded) -> str:
    """Which limit of `Limits` it was: ``memory`` or ``time``."""
    return "memory" if "MB of memory" in str(error) else "time"


class _Counterexample(msgspec.Struct):
    sequence: tuple[int, list[Sent]] | None = msgspec.field(default=None, name="Sequence")


class _Counted(msgspec.Struct):
    metrics: dict[str, Metric] = {}


class _Kind(msgspec.Struct):
    invariant: _Counted | None = msgspec.field(default=None, name="Invariant")


class _Result(msgspec.Struct):
    status: str
    reason: str | None = None
    counterexample: _Counterexample | None = None
    kind: _Kind = msgspec.field(default_factory=_Kind)


class _Suite(msgspec.Struct):
    test_results: dict[str, _Result]


def _read(output: bytes, status: int, words: str) -> Invariant:
    for line in from_the_last(output):
        if not line or line[0] != _BRACE:
            continue
        try:
            suites = msgspec.json.decode(line, type=dict[str, _Suite])
        except msgspec.DecodeError:
            continue
        for suite in suites.values():
            for result in suite.test_results.values():
                found = result.counterexample.sequence if result.counterexample else None
                counted = result.kind.invariant
                return Invariant(
                    passed=result.status == "Success",
                    reason=result.reason,
                    sequence=tuple(found[1]) if found else None,
                    metrics={
                        name.rpartition(".")[2]: each
                        for name, each in (counted.metrics if counted else {}).items()
                    },
                )
    said = words.strip().splitlines() or [output.decode("utf-8", "replace").strip()[-200:] or "-"]
    raise ToolError(f"forge ends with status {status} and no results: {said[-1][:300]}")
