"""What the fuzzing of a task's original gives: found once, kept, and shared by all its candidates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import msgspec

from solexp.core import Call, CompilerSettings, ContractBuild, Program
from solexp.core.hashing import content_hash
from solexp.evm.deployed import Deployed
from solexp.evm.machine import Subject
from solexp.fuzzing import (
    Constants,
    Explorer,
    KeptReference,
    Looked,
    Reference,
    Settings,
    Unit,
    constants,
    look_through,
    pack,
    settle,
    unpack,
)
from solexp.fuzzing.engines.harness import DEPLOYMENT_GAS
from solexp.oracles.base import Case
from solexp.oracles.staging import subject
from solexp.solidity.foundry.imports import with_project
from solexp.store import Store
from solexp.toolchain.homes import cache_home

SCHEMA = 3
"""Raised with every change of what is kept."""

_LASTING = (None, "gas", "answer")
"""Ends of a search that come at the same place every time."""


class _Cut(Protocol):
    @property
    def cut(self) -> str | None:
        """The limit that ended it."""


Found = TypeVar("Found", bound=_Cut)
Kept = TypeVar("Kept")


class Twin(msgspec.Struct, frozen=True):
    """The original as the compiler makes it under other settings: the same in all but gas and code."""

    creation: str
    code_at: dict[str, str]

    def subject(self, contract: ContractBuild) -> Subject:
        """It as a node takes it; ``contract`` is the original's."""
        return Subject(self.creation, contract, self.code_at)


class _Read(msgspec.Struct, frozen=True):
    known: Constants
    twin: Twin | None


class FuzzedOriginal:
    """A task's original: what its source states, its twin, and the sequences found on it."""

    def __init__(
        self,
        case: Case,
        original: Subject,
        base: Program,
        settings: Settings,
        fingerprint: dict[str, Any],
    ) -> None:
        """``base`` is the program without calls that sequences begin from, its fork fixed."""
        self._case = case
        self._original = original
        self._base = base
        self._settings = settings
        self._question = (
            original.creation,
            sorted(original.code_at.items()),
            case.task.sources,
            case.settings,
            case.compiler.version(case.settings.version),
            base,
            fingerprint,
            self._past(),
        )
        self._read: _Read | None = None
        self._looked: Looked | None = None

    @property
    def twin(self) -> Subject | None:
        """None where it does not compile under other settings."""
        found = self._source().twin
        return found.subject(self._original.contract) if found is not None else None

    def reference(self, unit: Unit, node: Deployed, other: Deployed) -> Reference:
        """The unit's sequences. The original stands on ``node``; ``other`` is for its twin.

        Raises HarnessError when a node fails.
        """

        def find() -> Reference:
            looked = self.looked(unit, node)
            explorer = Explorer(
                node, unit, self._settings, self._base, looked, history=self._past()
            )
            found = explorer.explore()
            twin = self.twin
            if twin is not None and other.deploy(twin, DEPLOYMENT_GAS).address == node.address:
                found = settle(found, other.run(other.questions(found.programs)))
            return found

        return self.kept(
            unit, find, KeptReference, pack=pack, unpack=lambda kept: unpack(kept, self._base)
        )

    def _past(self) -> tuple[Call, ...]:
        """The task's own calls, where sequences go on from them."""
        program, settings = self._case.task.program, self._settings
        used = settings.directed and settings.corpus == "history"
        return program.calls if program is not None and used else ()

    def looked(self, unit: Unit, node: Deployed) -> Looked:
        """What the original, which stands on ``node``, says before anything happens."""
        if self._looked is None:
            # Getters are the same in all units.
            self._looked = look_through(node, self._base, unit.getters, self._source().known)
        return self._looked

    def kept(
        self,
        unit: Unit,
        find: Callable[[], Found],
        kind: type[Kept],
        *,
        pack: Callable[[Found], Kept],
        unpack: Callable[[Kept], Found],
    ) -> Found:
        """What ``find`` finds of a unit, kept as ``kind`` where it is the same every time."""
        store = Store(cache_home() / "fuzzing", SCHEMA)
        key = content_hash(self._question, unit)
        if self._case.cached:
            known = store.get(key, kind)
            if known is not None:
                try:
                    return unpack(known)
                except ValueError:
                    pass
        found = find()
        if self._case.cached and found.cut in _LASTING:
            store.put(key, pack(found))
        return found

    def _source(self) -> _Read:
        if self._read is None:
            store = Store(cache_home() / "fuzzing", SCHEMA)
            key = content_hash("source", self._question)
            known = store.get(key, _Read) if self._case.cached else None
            if known is None:
                known = self._look()
                if self._case.cached:
                    store.put(key, known)
            self._read = known
        return self._read

    def _look(self) -> _Read:
        case = self._case
        sources = with_project(case.task, case.task.sources)
        known = Constants()
        for settings in _otherwise(case.settings):
            try:
                build = case.compiler.compile(sources, settings, ast=True, keep_ast=False)
            except RecursionError:
                build = case.compiler.compile(sources, settings)
            else:
                known = constants(build)
            made = build.contract(self._original.contract.name) if build.ok else None
            if made is not None and made.creation != "0x" and not made.missing_libraries:
                found = subject(build, made, case, sources)
                return _Read(known, Twin(found.creation, found.code_at))
        return _Read(known, None)


def _otherwise(settings: CompilerSettings) -> list[CompilerSettings]:
    """Settings that change the code but not what it does, to be tried in this order."""
    other = msgspec.structs.replace(settings, optimizer=not settings.optimizer)
    runs = msgspec.structs.replace(
        settings, optimizer=True, runs=1 if settings.runs > 1 else 10_000
    )
    return [other, runs]
