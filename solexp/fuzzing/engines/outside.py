"""Echidna and Medusa as engines, where they are on PATH.

Whatever they write down is asked of the machine of record: first the sequences that broke their property, then all that
they kept because something new was reached. So code that could keep them from seeing a difference hides little.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from solexp.core import Program, TimeLimitExceeded, ToolError
from solexp.core.hashing import content_hash
from solexp.evm.deployed import Deployed
from solexp.evm.hardforks import at_least
from solexp.evm.machine import Subject
from solexp.evm.words import created_address
from solexp.fuzzing.engines.base import Lead, Told, told
from solexp.fuzzing.engines.harness import Harness, Sent, cast, harness
from solexp.fuzzing.engines.recorded import files_below
from solexp.fuzzing.engines.tools import CORPUS, Tool, written
from solexp.fuzzing.looking import Looked
from solexp.fuzzing.reference import Reference, ending
from solexp.fuzzing.settings import Settings, Unit
from solexp.fuzzing.trying import Asked
from solexp.solidity.compiler import Compiler
from solexp.solidity.foundry.files import environment
from solexp.solidity.foundry.forge import Limits, run_forge
from solexp.solidity.foundry.invariants import RELEASE, limit_of
from solexp.solidity.foundry.service import CompilerService
from solexp.toolchain.install import ensure_forge

_MOST_UNCONFIRMED = 8
_OLDEST = "byzantium"
_CONFIG = """\
[profile.default]
src = "src"
libs = []
auto_detect_remappings = false
offline = true
solc = "{solc}"
evm_version = "{fork}"
optimizer = true
ffi = false
fs_permissions = []
[profile.default.lint]
lint_on_build = false
"""


class _Found(msgspec.Struct, frozen=True):
    failed: tuple[Program, ...] = ()
    kept: tuple[Program, ...] = ()


class Outside:
    """The engine for one task's units."""

    def __init__(
        self,
        tool: Tool,
        *,
        original: Subject,
        twin: Subject | None,
        base: Program,
        nodes: tuple[Deployed, Deployed],
        looked: Looked,
        compiler: Compiler,
        settings: Settings,
        axes: Sequence[str],
        limits: Limits,
    ) -> None:
        """On the first of ``nodes`` stands the original, on the second each candidate in turn. ``base`` is the program
        without calls that everything begins from, its fork fixed; ``twin`` the original compiled otherwise.
        """
        self._tool = tool
        self._original = original
        self._twin = twin
        self._base = base
        self._nodes = nodes
        self._compiler = compiler
        self._settings = settings
        self._axes = axes
        self._limits = limits
        self._stated = looked.stated
        self._accounts = tuple(dict.fromkeys(cast(base, settings.seed, looked)))

    def explore(self, unit: Unit) -> Told:
        """What the sequences that are kept do on the original. Raises ToolError and HarnessError."""
        try:
            found = self._run(unit, self._twin or self._original)
        except TimeLimitExceeded as error:
            return Told(cut=limit_of(error))
        return told(self._reference((*found.kept, *found.failed)))

    def know(self, unit: Unit, told: Told) -> None:
        """Nothing of it is needed."""

    def leads(self, unit: Unit, subject: Subject) -> Iterator[Lead]:
        """What broke the property, and then what differs of all that was kept."""
        try:
            found = self._run(unit, subject)
        except TimeLimitExceeded as error:
            yield Lead(None, 0, stopped=limit_of(error))
            return
        except ToolError as error:
            # It gave an answer with the original in the candidate's place.
            yield Lead(None, 0, doubt=str(error))
            return
        for program in found.failed[:_MOST_UNCONFIRMED]:
            yield Lead(program, len(program.calls))
        original, candidate = self._nodes
        reference = self._reference(found.kept)
        asked, start = Asked(reference, original, self._axes), 0
        for _ in range(_MOST_UNCONFIRMED):
            tried = asked.of(candidate, start)
            if tried.difference is None:
                calls = 0 if found.failed else self._settings.calls
                name = self._tool.name
                doubt = f"under {name} it does otherwise than on the machine of record"
                yield Lead(None, calls, tried.stopped, doubt if found.failed else None)
                return
            yield Lead(reference.programs[tried.at], 0)
            start = tried.at + 1

    def _reference(self, programs: Sequence[Program]) -> Reference:
        """The programs with what they do on the original."""
        node = self._nodes[0]
        node.renew()
        traces = node.run(node.questions(programs))
        pairs = [pair for pair in zip(programs, traces, strict=False) if not pair[1].stopped]
        return Reference(
            programs=tuple(program for program, _ in pairs),
            endings=tuple(
                tuple(
                    ending(result, call.gas or 0)
                    for call, result in zip(program.calls, trace.calls, strict=True)
                )
                for program, trace in pairs
            ),
        )

    def _run(self, unit: Unit, subject: Subject) -> _Found:
        """What the tool finds, in a folder that nothing is left of."""
        tool, base = self._tool, self._base
        made = self._harness(unit, subject)
        program = shutil.which(tool.name)
        if program is None:
            raise ToolError(f"{tool.name} is no longer on PATH")
        fork = base.hardfork or _OLDEST
        with tempfile.TemporaryDirectory(prefix="solexp-", ignore_cleanup_errors=True) as scratch:
            root, home, service_folder = (Path(scratch, name) for name in ("project", "home", "s"))
            for folder in (root / "src", home, service_folder):
                folder.mkdir(parents=True)
            (root / "src" / "Beside.sol").write_text(made.source)
            seed = int(content_hash(tool.name, self._settings.seed, unit.name), 16)
            (root / tool.config_name).write_text(
                written(tool, self._settings, self._accounts, seed)
            )
            with CompilerService(self._compiler, RELEASE, service_folder) as service:
                text = _CONFIG.format(
                    solc=service.program, fork=fork if at_least(fork, _OLDEST) else _OLDEST
                )
                (root / "foundry.toml").write_text(text)
                deadline = time.monotonic() + self._limits.seconds
                command = [program, *tool.arguments]
                status, _, words = run_forge(command, root, _shown(home), self._limits, deadline)
                if service.failures:
                    raise service.failures[0]
                if service.errors:
                    raise ToolError(f"the handler does not build: {service.errors[0]['message']}")
            if not (root / CORPUS).is_dir():
                said = words.strip().splitlines() or ["-"]
                raise ToolError(
                    f"{tool.name} ends with status {status}, no corpus: {said[-1][:300]}"
                )
            return _Found(
                failed=self._read(made, root / CORPUS, tool.failed),
                kept=self._read(made, root / CORPUS, tool.kept),
            )

    def _read(self, made: Harness, corpus: Path, parts: Sequence[str]) -> tuple[Program, ...]:
        handler = self._tool.handler
        address = self._nodes[0].address
        assert address is not None
        actors = len(self._accounts) - 1
        # The deployer is the handler itself; it creates an actor for each other account, and then the two contracts.
        places = {handler: self._accounts[0]}
        places |= {
            created_address(handler, 1 + at): account
            for at, account in enumerate(self._accounts[1:])
        }
        places |= {created_address(handler, 1 + actors + at): address for at in (0, 1)}
        found = []
        for path in files_below(corpus, parts, self._tool.endings):
            sent: list[Sent] = self._tool.read(path)
            program = made.program(self._base, sent, places, restless=False)
            if program.calls:
                found.append(program)
        return tuple(dict.fromkeys(found))

    def _harness(self, unit: Unit, subject: Subject) -> Harness:
        return harness(
            "Actors.sol",
            unit,
            self._base,
            stated=self._stated,
            accounts=self._accounts,
            axes=self._axes,
            ARGUMENTS=self._base.deployment.constructor_args[2:],
            ORIGINAL=self._original.creation[2:],
            CANDIDATE=subject.creation[2:],
        )


def _shown(home: Path) -> dict[str, str]:
    """An environment in which forge is found, which compiles, and crytic-compile, which asks it to."""
    shown = environment(home)
    folders = (str(ensure_forge().parent), shown.get("PATH", ""), str(Path(sys.executable).parent))
    return {**shown, "PATH": os.pathsep.join(filter(None, folders))}
