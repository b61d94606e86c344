"""Whole repositories in which forge tests candidates, for comparison: patched, built again where needed, put back."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path

from solexp.core import Outcome, Project, Suite, Task, ToolError
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.files import Files, environment, kept, write
from solexp.solidity.foundry.imports import imported, resolved
from solexp.solidity.providers import find
from solexp.solidity.splice import splice
from solexp.toolchain.install import ensure_forge, ensure_node, ensure_soljson

TIMEOUT_S = 600.0

# npm's own wrapper copies the question to the compiler's stack, which whole repositories overflow.
_SOLJSON = """\
const fs = require("fs");
const soljson = require(process.argv[2]);
const question = fs.readFileSync(0);
const at = soljson._solidity_alloc(question.length + 1);
soljson.HEAPU8.set(question, at);
soljson.HEAPU8[at + question.length] = 0;
const start = soljson._solidity_compile(at, 0, 0);
let rest = Buffer.from(soljson.HEAPU8.subarray(start, soljson.HEAPU8.indexOf(0, start)));
while (rest.length) {
  try {
    rest = rest.subarray(fs.writeSync(1, rest));
  } catch (error) {
    if (error.code !== "EAGAIN") throw error;
  }
}
process.exit(0);
"""


def started_afresh(version: str, compiler: Compiler, folder: Path) -> tuple[Path, str]:
    """A program that forge can start as a compiler, loaded anew for each build; and which compiler that is.

    The native one where there is one, else soljson by a Node process for each build, as solcjs has it.
    """
    full = compiler.version(version)
    try:
        return find(version, ("native", "solcx")).path, f"native {full}"
    except ToolError:
        pass
    script, program = folder / "soljson.js", folder / f"solc-{version}"
    script.write_text(_SOLJSON)
    words = [str(ensure_node()), str(script), str(ensure_soljson(version))]
    program.write_text(
        "#!/bin/sh\n"
        'case " $* " in *" --version "*)\n'
        f"  echo 'solc, the solidity compiler commandline interface'; echo 'Version: {full}'; exit 0\n"
        f"esac\nexec {shlex.join(words)}\n"
    )
    program.chmod(0o700)
    return program, f"soljson {full}, a Node process for each build"


def incomplete(files: Files, remappings: Collection[str]) -> set[str]:
    """The Solidity files that import, even through others, what is not there: nothing builds beside them."""
    needs = {
        path: {resolved(each, path, tuple(remappings)) for each in imported(data.decode())}
        for path, data in files.items()
        if path.endswith(".sol")
    }
    bad: set[str] = set()
    while more := {
        path
        for path, wanted in needs.items()
        if path not in bad and (wanted - needs.keys() | wanted & bad)
    }:
        bad |= more
    return bad


class Whole:
    """A whole repository with its own foundry.toml, built by `warm` before it tests anything."""

    def __init__(
        self,
        project: Project,
        remappings: Collection[str],
        folder: Path,
        fuzzing: Mapping[str, int],
    ) -> None:
        """``folder`` is an empty one of its own; ``fuzzing`` has ``seed`` and ``runs``.

        Files that cannot build (`incomplete`) are left out.
        """
        files = kept(project.hash)
        left_out = incomplete(files, remappings)
        self.root, home = folder / "project", folder / "home"
        home.mkdir(parents=True)
        write({path: data for path, data in files.items() if path not in left_out}, self.root)
        self._environment = environment(home) | {
            "FOUNDRY_OFFLINE": "true",
            "FOUNDRY_ALLOW_INTERNAL_EXPECT_REVERT": "true",
            "FOUNDRY_LINT_LINT_ON_BUILD": "false",
            "FOUNDRY_FUZZ_SEED": hex(fuzzing["seed"]),
            "FOUNDRY_FUZZ_RUNS": str(fuzzing["runs"]),
            "FOUNDRY_INVARIANT_RUNS": str(max(1, min(10, fuzzing["runs"]))),
            "FOUNDRY_INVARIANT_DEPTH": "15",
        }

    def warm(self, solc: Path) -> None:
        """Builds everything. Raises ToolError when that fails."""
        status, output = self._forge("build", "--use", str(solc))
        if status:
            raise ToolError(f"{self.root} does not build: {output[-2000:]}")

    def test(self, task: Task, code: str, solc: Path, *, mapped: bool) -> Outcome:
        """Runs the task's test file, or only its mapped tests, with ``code`` in the target's place."""
        assert isinstance(task.suite, Suite)
        path = self.root / task.target.path
        before = path.read_bytes()
        words = ["--json", "--threads", "1", "--use", str(solc), "--match-path", task.suite.path]
        if mapped:
            names = sorted({test.partition("(")[0] for test in task.suite.tests})
            words += ["--match-test", rf"^({'|'.join(map(re.escape, names))})\("]
        path.write_text(splice(task, code)[task.target.path])
        try:
            status, output = self._forge("test", *words)
        except subprocess.TimeoutExpired:
            return Outcome.TIMEOUT
        finally:
            path.write_bytes(before)
        if "Compiler run failed" in output or "Compilation failed" in output:
            return Outcome.COMPILE_ERROR
        answers = [line for line in output.splitlines() if line.startswith("{")]
        if not answers or not json.loads(answers[-1]):
            raise ToolError(f"forge ran no test of {task.id}: {output[-2000:]}")
        return Outcome.FAIL if status else Outcome.PASS

    def _forge(self, *words: str) -> tuple[int, str]:
        process = subprocess.Popen(
            [str(ensure_forge()), *words],
            cwd=self.root,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            output, _ = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise
        return process.returncode, output.decode("utf-8", "replace")
