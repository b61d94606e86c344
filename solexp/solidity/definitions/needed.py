"""The least code outside a target with which the target builds (SolContractEval, Algorithm 1).

The paper walks Slither's call graph and keeps the code of everything that the target's functions call or inherit. Here
the compiler's AST says what is referenced, and the compiler itself has the last word twice: what was found must build
with the reference put behind it, and a definition without which that still builds goes.

*Builds* means no error, and creation code for the target where the original has some: leaving a function abstract that
the original implements is no error, but nothing could be deployed. More than that is not asked: unused variables of
bases go although the storage layout differs then, and so do constructors that nothing passes arguments to, since
candidates are judged in the original's file.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Collection
from pathlib import Path

import msgspec

from solexp.core import Build, CompilerSettings, HarnessError, Task, TimeLimitExceeded, UserError
from solexp.core.hashing import content_hash
from solexp.solidity.compiler import Compiler
from solexp.solidity.definitions.closure import Closure
from solexp.solidity.definitions.index import Declaration, Index, index_of
from solexp.solidity.definitions.named import names_in
from solexp.solidity.definitions.references import References, references
from solexp.solidity.definitions.render import DIRECTIVES, render
from solexp.store.cache import Store
from solexp.toolchain.homes import cache_home

log = logging.getLogger(__name__)

SCHEMA = 1
"""Version of what is kept: raised whenever the index, the references or the search change what they find."""

_MENDS = 3


class Needed(msgspec.Struct, frozen=True, kw_only=True):
    """What a target contract needs, by numbers in the index of its task's sources."""

    kept: tuple[int, ...]
    """The definitions outside it with which it builds, and none of which can go."""
    references: References


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """A task's definitions: those of the contract that is to be written, or written in, and those around it."""

    index: Index
    contract: int
    """The target's contract."""
    member: int | None
    """The target, where it is one function of the contract."""
    needed: Needed

    def dependencies(self) -> frozenset[int]:
        """The least definitions outside the contract with which it builds; for one function, those that it needs."""
        kept = frozenset(self.needed.kept)
        if self.member is None:
            return kept
        return self._closure.reach(self.member, kept)

    def invoked(self) -> frozenset[int]:
        """What the target itself names: outside the contract, or outside the function where it is one."""
        closure = self._closure
        inside = closure.roots if self.member is None else {self.member}
        named = {n for each in inside for n in self.needed.references.certain.get(each, ())}
        named |= {
            n
            for each in inside
            for n in self.needed.references.likely.get(each, ())
            if n in self.index.constructors(self.index.declarations[n].contract)
        }
        return frozenset(named - inside - {self.contract})

    def inherited(self) -> frozenset[int]:
        """What the contract has from its bases: all their members but private ones, constructors and directives."""
        lineage = self.needed.references.bases.get(self.contract, ())
        return frozenset(
            each.number
            for base in lineage
            for each in self.index.members(base)
            if each.kind not in ("using", "constructor")
            and each.number not in self.index.constructors(base)
            and "private" not in self.index.words(each.number)
        ) | frozenset(lineage)

    @property
    def _closure(self) -> Closure:
        return Closure(self.index, self.needed.references, self.contract)


def surroundings(
    task: Task, *, store: Store | None = None, compiler: Compiler | None = None
) -> Surroundings:
    """What the target of ``task`` needs; computed once for a contract, and kept in ``store`` (default: cache home).

    ``compiler`` is used if it has to be computed; by default one that is ended afterwards and keeps no builds.

    Raises UserError when the sources do not build or do not hold the target, HarnessError when the compiler does not
    manage or no part of the sources will do.
    """
    index = index_of(task.sources)
    target = task.target
    contract = index.container(target.path, target.contract, target.start, target.end)
    if contract is None:
        raise UserError(
            f"task {task.id}: {target.contract} is not at bytes {target.start} to {target.end} of {target.path}; "
            "mend the task's target"
        )
    whole = target.start <= contract.start
    innermost = None if whole else index.at(target.path, target.start)
    store = store or Store(cache_home() / "context", schema=SCHEMA)
    key = content_hash(
        sorted(task.sources.items()), target.path, contract.start, contract.end, task.compiler
    )
    needed = store.get(key, Needed)
    if needed is None:
        log.info("task %s: looking for what %s needs", task.id, contract.name)
        needed = _computed(task, index, contract, compiler)
        store.put(key, needed)
    return Surroundings(
        index=index,
        contract=contract.number,
        member=None if innermost is None or whole else innermost.number,
        needed=needed,
    )


def _computed(task: Task, index: Index, contract: Declaration, compiler: Compiler | None) -> Needed:
    if compiler is None:
        # The trials are of no use later.
        with (
            tempfile.TemporaryDirectory(prefix="solexp-context-") as builds,
            Compiler(cache_dir=Path(builds), max_workers=1) as own,
        ):
            return _computed(task, index, contract, own)
    try:
        return _Search(task, index, contract, compiler).needed()
    except TimeLimitExceeded as error:
        raise HarnessError(f"task {task.id}: {error}") from error


def trial_sources(
    task: Task, index: Index, contract: Declaration, kept: Collection[int]
) -> dict[str, str]:
    """One file: the pragmas, the definitions that are kept, and the reference behind them."""
    pragmas = {index.text(each): None for each in index.declarations if each.kind == "pragma"}
    parts = [*pragmas, render(index, kept), index.text(contract)]
    return {task.target.path: "\n".join(parts) + "\n"}


class _Search:
    """Finds what one contract needs, with the compiler as judge."""

    def __init__(self, task: Task, index: Index, contract: Declaration, compiler: Compiler) -> None:
        self.task = task
        self.index = index
        self.contract = contract
        self.compiler = compiler
        self.settings, self.original = self._original()
        built = self.original.contract(contract.name, contract.path)
        self.deployable = built is not None and built.creation != "0x"
        self.references = references(index, self.original)
        self.closure = Closure(index, self.references, contract.number)

    def needed(self) -> Needed:
        kept = self._least(*self._sufficient())
        if self.settings != self.task.compiler and not self._holds(kept, self.task.compiler):
            raise HarnessError(
                f"task {self.task.id}: what {self.contract.name} needs builds without optimisation only"
            )
        return Needed(kept=tuple(sorted(kept)), references=self.references)

    def _original(self) -> tuple[CompilerSettings, Build]:
        """The original's build, without optimisation if it builds so: the trials are many."""
        asked = self.task.compiler
        plain = msgspec.structs.replace(asked, optimizer=False)
        build = None
        for settings in dict.fromkeys((plain.optimizer, asked.optimizer)):
            chosen = msgspec.structs.replace(asked, optimizer=settings)
            build = self.compiler.compile(self.task.sources, chosen, ast=True)
            if build.ok:
                return chosen, build
        assert build is not None
        raise UserError(
            f"task {self.task.id}: its sources do not compile with solc {asked.version} "
            f"({build.errors[0].message.splitlines()[0]}), so what its target needs cannot be told; mend them, or "
            "choose strategy/context=given"
        )

    def _build(self, kept: Collection[int], settings: CompilerSettings) -> Build:
        sources = trial_sources(self.task, self.index, self.contract, kept)
        return self.compiler.compile(sources, settings)

    def _good(self, build: Build) -> bool:
        built = build.contract(self.contract.name)
        return build.ok and built is not None and (built.creation != "0x" or not self.deployable)

    def _holds(self, kept: Collection[int], settings: CompilerSettings | None = None) -> bool:
        return self._good(self._build(kept, settings or self.settings))

    def _sufficient(self) -> tuple[frozenset[int], frozenset[int]]:
        """Definitions with which the target builds, and those among them that had to be added to the references'."""
        seeds: frozenset[int] = frozenset()
        for _ in range(_MENDS):
            kept = self.closure.of(seeds)
            build = self._build(kept, self.settings)
            if self._good(build):
                return kept, seeds
            sources = trial_sources(self.task, self.index, self.contract, kept)
            missing = self._called(names_in(build.errors, sources)) - kept
            if not missing:
                break
            seeds |= missing
        lineage = self.references.bases.get(self.contract.number, ())
        outside = [each for each in self.index.declarations if self._outside(each)]
        for seeds in (
            frozenset(each.number for each in outside if each.contract in lineage),
            frozenset(each.number for each in outside),
        ):
            kept = self.closure.of(seeds)
            if self._holds(kept):
                return kept, seeds
        raise UserError(
            f"task {self.task.id}: {self.contract.name} does not build with all other definitions of the task's files "
            "put before it (names that imports change cannot be kept); choose strategy/context=given"
        )

    def _called(self, names: Collection[str]) -> frozenset[int]:
        return frozenset(
            each.number
            for each in self.index.declarations
            if each.name in names and self._outside(each)
        )

    def _outside(self, each: Declaration) -> bool:
        return each.kind not in DIRECTIVES and each.number not in self.closure.roots

    def _least(self, kept: frozenset[int], seeds: frozenset[int]) -> frozenset[int]:
        """``kept`` without whatever the target builds without."""
        gone: set[int] = set()
        tried: set[int] = set()
        while True:
            doubts = [each for each in self.closure.doubtful(kept) if each not in tried]
            if not doubts:
                return kept
            one = doubts[0]
            tried.add(one)
            # What only this one needs goes with it, if that will do.
            for less in (
                self.closure.of(seeds - {one}, without=gone | {one}) & kept,
                kept - {one},
            ):
                if less != kept and self._holds(less):
                    seeds = (seeds | (less - self.closure.of(seeds, without=gone | {one}))) - {one}
                    gone.add(one)
                    kept = frozenset(less)
                    break
