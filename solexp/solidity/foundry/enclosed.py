"""forge in a workspace that somebody else has written: building it, and running its tests, behind walls.

Nothing of the workspace decides how forge runs. It is given the Solidity files alone, beside a configuration of its
own: what the workspace's ``foundry.toml``, ``remappings.txt`` and hidden files say is not seen. Programs cannot be
called (``ffi``), files cannot be read or written by tests, there is no network, and the compiler is the task's.
Comments that hold settings for forge are refused: forge 1.7 takes ``fs_permissions`` from them.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from solexp.core import CompilerSettings, Project
from solexp.sandbox import workspace
from solexp.sandbox.workspace import Limits, Ran
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.forge import Fuzzing, config_text, from_the_last
from solexp.solidity.foundry.imports import imported
from solexp.solidity.foundry.service import CompilerService
from solexp.toolchain.install import ensure_forge

_PROJECT = Project(name="workspace", hash="")
_INLINE = re.compile(r"forge-config\s*:\s*([^\n=]*)")
_HARMLESS = re.compile(r"(?:default\.)?(?:fuzz|invariant)\.(?:runs|depth|fail.on.revert)\s*")
_PASSING = re.compile(
    r"^(?:Compiling \d+ files? with|Solc \S+ finished in|Compiler run ).*$\n?", re.MULTILINE
)
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
_BRACE = ord("{")


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What forge said, without times and places that differ from run to run."""

    ok: bool
    text: str
    seconds: float = 0.0


class _Result(msgspec.Struct):
    status: str
    reason: str | None = None
    decoded_logs: list[str] = []
    counterexample: Any = None


class _Suite(msgspec.Struct):
    test_results: dict[str, _Result]


def forge_build(
    files: Mapping[str, str], settings: CompilerSettings, compiler: Compiler, limits: Limits
) -> Report:
    """Build all Solidity files of a workspace. Raises ToolError when forge or the compiler cannot be run."""
    ran, errors, refused = _forge(("build",), files, settings, compiler, limits)
    if refused is not None:
        return refused
    if ran.limit is not None:
        return _limited(ran, "the build")
    if ran.status == 0:
        return Report(ok=True, text="it compiles", seconds=ran.seconds)
    return _broken(ran, errors)


def forge_test(
    files: Mapping[str, str], settings: CompilerSettings, compiler: Compiler, limits: Limits
) -> Report:
    """Build a workspace and run its tests. Raises ToolError when forge or the compiler cannot be run."""
    words = ("test", "--json", "--threads", "1")
    ran, errors, refused = _forge(words, files, settings, compiler, limits)
    if refused is not None:
        return refused
    if ran.limit is not None:
        return _limited(ran, "the tests")
    for line in from_the_last(ran.output):
        if line and line[0] == _BRACE:
            try:
                suites = msgspec.json.decode(line, type=dict[str, _Suite])
            except msgspec.DecodeError:
                continue
            return _results(suites, ran.seconds)
    return _broken(ran, errors)


def _forge(
    words: tuple[str, ...],
    files: Mapping[str, str],
    settings: CompilerSettings,
    compiler: Compiler,
    limits: Limits,
) -> tuple[Ran, list[dict[str, Any]], Report | None]:
    sources = {name: text for name, text in files.items() if name.endswith(".sol")}
    none = Ran(status=1, output=b"", errors=b"")
    for name, text in sources.items():
        if (why := _unwanted(name, text)) is not None:
            return none, [], Report(ok=False, text=f"{name}: {why}")
    forge, python = str(ensure_forge().resolve()), workspace.python()
    with tempfile.TemporaryDirectory(prefix="solexp-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch, "s")
        folder.mkdir()
        with CompilerService(compiler, settings.version, folder) as service:
            solc = service.for_others(python)
            config = config_text(_PROJECT, settings, Fuzzing(), solc)
            ran = workspace.run(
                [forge, *words, "--root", "."],
                {**sources, "foundry.toml": config},
                readable=[str(folder), python],
                environment={"NO_COLOR": "1", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
                limits=limits,
            )
            if service.failures:
                raise service.failures[0]
            return ran, service.errors, None


def _unwanted(name: str, text: str) -> str | None:
    """Why forge is not given a file."""
    for setting in _INLINE.findall(text):
        if not _HARMLESS.fullmatch(setting):
            return f"settings for forge in comments are not followed: forge-config: {setting.strip()[:60]}"
    for path in imported(text):
        if path.startswith("/") or name.count("/") < path.split("/").count(".."):
            return f"it imports {path[:80]}, which is outside of the workspace"
    return None


def _limited(ran: Ran, what: str) -> Report:
    text = f"ended: {what} went beyond the limit of {ran.limit}"
    return Report(ok=False, text=text, seconds=ran.seconds)


def _broken(ran: Ran, errors: list[dict[str, Any]]) -> Report:
    """What forge says of what it did not do; the compiler's own words where it says nothing."""
    said = "\n".join(_words(part) for part in (ran.errors, ran.output)).strip()
    if not said and errors:
        said = "\n".join(f"{each.get('path')}: {each['message']}" for each in errors)
    said = said or f"forge ended without a word, with status {ran.status}"
    return Report(ok=False, text=said, seconds=ran.seconds)


def _words(data: bytes) -> str:
    text = _ESCAPES.sub("", data.decode("utf-8", "replace"))
    # The compiler has said it already, and in an order that stays.
    text = text.partition("Unable to resolve imports:")[0]
    return _PASSING.sub("", text).strip()


def _inputs(counterexample: Any) -> str:
    """What a test with parameters fails on."""
    single = counterexample.get("Single") if isinstance(counterexample, dict) else None
    if isinstance(single, dict) and single.get("args"):
        return f"arguments {single['args']}"
    return msgspec.json.encode(counterexample, order="deterministic").decode()


def _results(suites: dict[str, _Suite], seconds: float) -> Report:
    lines: list[str] = []
    passed = failed = 0
    for name, suite in sorted(suites.items()):
        lines.append(name)
        for test, result in sorted(suite.test_results.items()):
            good = result.status == "Success"
            passed, failed = passed + good, failed + (not good)
            why = f": {result.reason}" if result.reason and not good else ""
            lines.append(f"  {'pass' if good else 'FAIL'} {test}{why}")
            if not good:
                if result.counterexample is not None:
                    lines.append(f"    with {_inputs(result.counterexample)[:500]}")
                lines += [f"    {line}" for line in result.decoded_logs]
    if not passed + failed:
        return Report(
            ok=False, text="there are no tests: put them into test/NAME.t.sol", seconds=seconds
        )
    lines.append(f"{passed} passed, {failed} failed")
    return Report(ok=not failed, text="\n".join(lines), seconds=seconds)
