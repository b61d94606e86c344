"""The starter benchmark: contracts written for solexp, with recorded calls and labelled mutants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
import msgspec.yaml
from eth_abi.abi import encode

from solexp.benchmarks.base import select
from solexp.benchmarks.starter.framework import context, locate
from solexp.core import (
    Call,
    CompilerSettings,
    DataError,
    Deployment,
    Program,
    Recorded,
    Target,
    Task,
    UserError,
)
from solexp.core.errors import nearest
from solexp.core.hashing import file_hash
from solexp.solidity.frameworks import framework

T = TypeVar("T")

FOLDER = Path(__file__).parent / "tasks"

VERSION = 3
"""Changes with tasks and mutants, and so with all figures: 1 had the twelve tasks of ``_FIRST``, 3 brought the mutants
that are ``since`` 3."""

_FIRST = frozenset(
    {
        "BadgeCollection",
        "CrewToken",
        "GatePass",
        "GuildHall",
        "HarborToken",
        "HouseholdWallet",
        "LagoonExchange",
        "OrchardPool",
        "RefundableSale",
        "ShareVault",
        "TideAuction",
        "TollToken",
    }
)

Fault = Literal["argument", "order", "role", "state", "time", "event", "storage", "acceptance"]
Kind = Literal["reordered", "renamed", "layout", "gas", "rewritten"]


class MutantLabel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person says about one mutant."""

    name: str
    equivalent: bool
    """Whether it behaves like the reference in every program, gas and the reasons of reverts aside."""
    axis: Literal["status", "return", "events", "storage"] | None = None
    """The axis that tells it from the reference; None for equivalent ones."""
    input: (
        Literal["argument", "order_of_calls", "caller_role", "event_only", "storage_only"] | None
    ) = None
    """The kind of input that tells: a certain argument, an order of calls, a caller's role; or any call at all, where
    only the events or only the storage differ. None for equivalent ones."""
    fault: Fault | None = None
    """What the fault is, and so what it takes to meet it; see docs/reference/benchmarks.md. None for equivalent ones,
    and where nobody has said."""
    kind: Kind | None = None
    """How an equivalent one differs from the reference: the same steps in another order, other names, another layout
    of its storage or text, less gas, or other expressions. None for the others, and where nobody has said."""
    shown: bool = False
    """Whether the task's recorded calls show the difference on ``axis``."""
    since: int = 1
    """The version of the benchmark that brought it."""
    why: str
    """What was changed, and what follows from it."""


class _Edit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    old: str
    """Occurs exactly once in the target."""
    new: str


class _Mutant(MutantLabel, frozen=True, kw_only=True, forbid_unknown_fields=True):
    edits: list[_Edit]


class _Constructor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    types: list[str] = []
    values: list[Any] = []


class _Deployment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    contract: str
    constructor: _Constructor = _Constructor()
    sender: str
    nonce: int
    value: int = 0
    block_number: int
    timestamp: int


class _Compiler(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    version: str
    optimizer: bool = False
    runs: int = 200
    evm_version: str | None = None


class _Recipe(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task.yaml."""

    target: str
    category: Literal["ERC20", "ERC721", "DeFi", "Others"]
    requirement: str
    compiler: _Compiler
    deployment: _Deployment
    roles: dict[str, str] = {}


class _Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A line of calls.jsonl."""

    sender: str
    input: str
    value: int = 0
    gas: int
    block: int
    time: int
    status: bool
    gas_used: int


class Starter:
    """The benchmark ``starter``: the tasks in this package, those chosen by limit, ids and filter."""

    name = "starter"

    def __init__(
        self,
        limit: int | None = None,
        ids: Sequence[str] | None = None,
        filter: Mapping[str, object] | None = None,  # noqa: A002  (the key's name in every benchmark's YAML)
        seed: int = 0,
        version: int = VERSION,
    ) -> None:
        """``limit`` tasks are drawn by ``seed`` from those that ``ids`` and ``filter`` leave; see ``select``.

        ``version`` leaves those that the benchmark had in that version. Raises UserError when there was no such one.
        """
        if version not in range(1, VERSION + 1):
            raise UserError(f"benchmark.version must be 1 to {VERSION}, got {version}")
        self.version = version
        self._select = partial(select, limit=limit, ids=ids, filter=filter, seed=seed)

    def tasks(self) -> Sequence[Task]:
        """The chosen tasks, in order of their ids."""
        return self._select(self.every())

    def every(self) -> Sequence[Task]:
        """All tasks, chosen or not: the pool that examples may come from."""
        return [read_task(name, self.version) for name in task_ids(self.version)]

    def data_hashes(self) -> dict[str, str]:
        """The ``version``, and the SHA-256 of every file of data by its path within the benchmark."""
        files = {
            path.relative_to(FOLDER).as_posix(): file_hash(path)
            for name in task_ids(self.version)
            for path in sorted((FOLDER / name).rglob("*"))
            if path.is_file()
        }
        return {"version": str(self.version), **files}


def task_ids(version: int = VERSION) -> tuple[str, ...]:
    """The ids of all tasks of a version, sorted."""
    ids = {path.parent.name for path in FOLDER.glob("*/task.yaml")}
    return tuple(sorted(ids & _FIRST if version == 1 else ids))


@cache
def read_task(task_id: str, version: int = VERSION) -> Task:
    """One task, with the mutants it had in that version.

    Raises DataError, naming the file, when its data are damaged or there is no such task.
    """
    folder = _folder(task_id)
    recipe = _yaml(folder / "task.yaml", _Recipe)
    sources, settings = read_sources(task_id)
    (path, source), *_ = sources.items()
    try:
        found = locate(source, recipe.target)
    except ValueError as error:
        raise DataError(f"benchmark 'starter': {folder / 'source.sol'}: {error}") from error
    target = Target(path=path, contract=recipe.target, start=found.start, end=found.end)
    reference = source.encode()[found.start : found.end].decode()
    mutants = [mutant for mutant in _mutants(folder) if mutant.since <= version]
    return Task(
        id=task_id,
        benchmark="starter",
        compiler=settings,
        sources=sources,
        target=target,
        framework=framework(source, recipe.target),
        context=context(source, recipe.target),
        requirement=recipe.requirement.strip(),
        program=_program(folder, recipe.deployment),
        category=recipe.category,
        facts={
            "functions": len([f for f in found.functions if f.kind == "function"]),
            "lines": reference.count("\n") + 1,
            "deployed": recipe.deployment.contract,
        },
        mutants={mutant.name: _apply(mutant, reference, folder) for mutant in mutants},
        mutant_labels={
            mutant.name: "equivalent"
            if mutant.equivalent
            else "shown"
            if mutant.shown
            else "hidden"
            for mutant in mutants
        },
        graph=_graph(folder),
        mutant_faults={
            mutant.name: said
            for mutant in mutants
            if (said := mutant.fault or mutant.kind or mutant.input) is not None
        },
    )


def mutant_labels(task_id: str) -> dict[str, MutantLabel]:
    """The hand-made labels of a task's mutants, by the mutant's name. Raises DataError as ``read_task`` does."""
    return {mutant.name: mutant for mutant in _mutants(_folder(task_id))}


def roles(task_id: str) -> dict[str, str]:
    """What each actor is called, by address."""
    return _yaml(_folder(task_id) / "task.yaml", _Recipe).roles


def encode_call(call: Call) -> bytes:
    """A line of calls.jsonl, without its line break."""
    assert call.recorded is not None and call.gas is not None
    return msgspec.json.encode(
        _Line(
            sender=call.sender,
            input=call.input,
            value=call.value,
            gas=call.gas,
            block=call.block_number,
            time=call.timestamp,
            status=call.recorded.status,
            gas_used=call.recorded.gas_used,
        )
    )


def read_deployment(task_id: str) -> Deployment:
    """How a task's contract is deployed. Raises DataError as ``read_task`` does."""
    return _deployment(_yaml(_folder(task_id) / "task.yaml", _Recipe).deployment)


def read_sources(task_id: str) -> tuple[dict[str, str], CompilerSettings]:
    """A task's sources by path and how they are compiled. Raises DataError as ``read_task`` does."""
    folder = _folder(task_id)
    recipe = _yaml(folder / "task.yaml", _Recipe)
    compiler = recipe.compiler
    return {f"{recipe.target}.sol": (folder / "source.sol").read_text("utf-8")}, CompilerSettings(
        version=compiler.version,
        optimizer=compiler.optimizer,
        runs=compiler.runs,
        evm_version=compiler.evm_version,
    )


def _graph(folder: Path) -> str | msgspec.UnsetType:
    path = folder / "graph.json"
    return path.read_text("utf-8") if path.is_file() else msgspec.UNSET


def _folder(task_id: str) -> Path:
    folder = FOLDER / task_id
    if not (folder / "task.yaml").is_file():
        raise DataError(f"benchmark 'starter': no task '{task_id}'; {nearest(task_id, task_ids())}")
    return folder


def _deployment(recipe: _Deployment) -> Deployment:
    arguments = encode(recipe.constructor.types, recipe.constructor.values)
    return Deployment(
        contract=recipe.contract,
        constructor_args="0x" + arguments.hex(),
        sender=recipe.sender,
        nonce=recipe.nonce,
        value=recipe.value,
        block_number=recipe.block_number,
        timestamp=recipe.timestamp,
    )


def _program(folder: Path, recipe: _Deployment) -> Program:
    calls = []
    decoder = msgspec.json.Decoder(_Line)
    path = folder / "calls.jsonl"
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        try:
            row = decoder.decode(line)
        except msgspec.MsgspecError as error:
            raise DataError(f"benchmark 'starter': {path} line {number}: {error}") from error
        calls.append(
            Call(
                sender=row.sender,
                input=row.input,
                value=row.value,
                gas=row.gas,
                block_number=row.block,
                timestamp=row.time,
                recorded=Recorded(row.status, row.gas_used),
            )
        )
    return Program(deployment=_deployment(recipe), calls=tuple(calls))


@cache
def _mutants(folder: Path) -> tuple[_Mutant, ...]:
    return tuple(_yaml(folder / "mutants.yaml", list[_Mutant]))


def _apply(mutant: _Mutant, reference: str, folder: Path) -> str:
    code = reference
    for edit in mutant.edits:
        times = code.count(edit.old)
        if times != 1:
            raise DataError(
                f"benchmark 'starter': {folder / 'mutants.yaml'}: '{mutant.name}': the text to replace occurs "
                f"{times} times, not once: {edit.old.strip()!r}"
            )
        code = code.replace(edit.old, edit.new)
    return code


def _yaml(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.yaml.decode(path.read_bytes(), type=kind)
    except msgspec.MsgspecError as error:
        raise DataError(f"benchmark 'starter': {path}: {error}") from error
