"""What the fuzzing of a task's original gives: found once, kept, and shared by all its candidates."""

from __future__ import annotations

from typing import Any

import msgspec

from solexp.core import CompilerSettings, ContractBuild, Program
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
from solexp.oracles.base import Case
from solexp.oracles.staging import subject
from solexp.solidity.foundry.imports import with_project
from solexp.store import Store
from solexp.toolchain.homes import cache_home

SCHEMA = 1
"""Raised with every change of what is kept."""

DEPLOYMENT_GAS = 120_000_000
"""Limit of every deployment, the original's and candidates' alike."""

_LASTING = (None, "gas", "answer")
"""Ends of a search that come at the same place every time."""


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
        store = Store(cache_home() / "fuzzing", SCHEMA)
        key = content_hash(self._question, unit)
        if self._case.cached:
            known = store.get(key, KeptReference)
            if known is not None:
                try:
                    return unpack(known, self._base)
                except ValueError:
                    pass
        if self._looked is None:
            # Getters are the same in all units.
            stated = self._source().known
            self._looked = look_through(node, self._base, unit.getters, stated)
        explorer = Explorer(node, unit, self._settings, self._base, self._looked)
        found = explorer.explore()
        twin = self.twin
        if twin is not None and other.deploy(twin, DEPLOYMENT_GAS).address == node.address:
            found = settle(found, other.run(other.questions(found.programs)))
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
