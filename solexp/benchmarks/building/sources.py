"""What sets are built from: verified sources in a folder, or the tasks of a benchmark."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from solexp.benchmarks.solidity_eval.construction import standing
from solexp.core import CompilerSettings, Deployment, Program, Task, UserError
from solexp.solidity.functions import documented
from solexp.solidity.lexing import mask
from solexp.store.records import read_json

_LICENCE = re.compile(
    r"SPDX-License-Identifier:[ \t]*([\w.+() -]+?)[ \t\r]*(?:\*/|$)", re.MULTILINE
)
_IMPORT = re.compile(r"(?<![\w$.])import\b[^;]*;")
_RELEASE = re.compile(r"v?(\d+\.\d+\.\d+)")
_HEX = re.compile(r"(?:0x)?(?:[0-9a-fA-F]{2})*")
UNSTATED = "none stated"


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """One file with a contract, and what is known of it."""

    id: str
    text: str
    contract: str | None = None
    """The contract to take a function of; None leaves the choice to the builder."""
    address: str = ""
    licence: str = ""
    """As an explorer states it; empty where only the file can say."""
    optimizer: bool | None = None
    runs: int = 200
    compiler: CompilerSettings | None = None
    """How the verified build was made; None where nobody has said."""
    deployment: Deployment | None = None
    program: Program | None = None
    """The recorded history, its deployment included; None where there is none."""
    documentation: dict[str, str] = {}
    """By signature: of functions that the file does not document."""
    verified: bool | None = None
    proxy: bool | None = None
    transactions: int | None = None
    libraries: bool = False
    """Whether it has to be linked."""


class Beside(msgspec.Struct, kw_only=True):
    """What ``NAME.json`` beside ``NAME.sol`` may say."""

    contract: str | None = None
    address: str = ""
    licence: str = ""
    constructor_arguments: str = ""
    """Hex, with ``0x`` or without."""
    compiler: str | None = None
    """The release, such as ``0.8.17``; an explorer's ``v0.8.17+commit.8df45f5f`` will do."""
    evm_version: str | None = None
    optimizer: bool | None = None
    runs: int = 200
    verified: bool | None = None
    proxy: bool | None = None
    transactions: int | None = None
    libraries: bool = False


def licence(source: Source) -> str:
    """The SPDX identifier that the file states, or else the explorer's word."""
    found = _LICENCE.search(source.text)
    return found[1].strip() if found else source.licence or UNSTATED


def imports(text: str) -> bool:
    """Whether a file needs others."""
    return _IMPORT.search(mask(text)) is not None


def from_folder(folder: Path) -> tuple[list[Source], list[tuple[str, str]]]:
    """The Solidity files in a folder and below, by path; and those that cannot be read, with the reason.

    Raises UserError for a folder that holds none, and for a malformed ``NAME.json``.
    """
    paths = sorted(path for path in folder.rglob("*.sol") if path.is_file())
    if not paths:
        raise UserError(f"data build: {folder} holds no .sol file")
    sources, unread = [], []
    for path in paths:
        name = written(path.relative_to(folder).with_suffix("").as_posix())
        try:
            text = path.read_bytes().decode()
        except (UnicodeDecodeError, OSError) as error:
            unread.append((name, f"cannot be read as UTF-8: {error}"))
            continue
        place = path.with_suffix(".json")
        told = _beside(place) if place.is_file() else Beside()
        sources.append(_told(name, text, told))
    return sources, unread


def from_tasks(tasks: Iterable[Task]) -> tuple[list[Source], list[tuple[str, str]]]:
    """The files of a benchmark's tasks; and the tasks that are no single Solidity file, with the reason."""
    sources, unfit = [], []
    for task in tasks:
        if task.language != "solidity" or not isinstance(task.project, msgspec.UnsetType):
            unfit.append((task.id, "is no Solidity file by itself"))
        elif len(task.sources) != 1 or task.target.member:
            unfit.append((task.id, "is not one whole contract"))
        else:
            sources.append(_of_task(task))
    return sources, unfit


def _beside(place: Path) -> Beside:
    """What a file says. Others of an explorer's words may stand there, but none that is a known one misspelt."""
    told = read_json(place, Beside)
    known = Beside.__struct_fields__
    for key in read_json(place, dict[str, Any]):
        meant = [] if key in known else difflib.get_close_matches(key, known, n=1, cutoff=0.8)
        if meant:
            raise UserError(f"{place}: has no use for '{key}'; did you mean '{meant[0]}'?")
    if not _HEX.fullmatch(told.constructor_arguments):
        raise UserError(f"{place}: constructor_arguments must be hex, two digits a byte")
    return told


def written(name: str) -> str:
    """A file's name as text: what of it is no UTF-8 becomes a question mark."""
    return name.encode(errors="replace").decode()


def _told(name: str, text: str, told: Beside) -> Source:
    values: dict[str, Any] = msgspec.structs.asdict(told)
    arguments = values.pop("constructor_arguments").removeprefix("0x").lower()
    deployment = None
    if arguments and told.contract:
        deployment = standing(told.contract, f"0x{arguments}")
    release, evm_version = values.pop("compiler"), values.pop("evm_version")
    compiler = None
    if release is not None:
        found = _RELEASE.match(release)
        if found is None:
            raise UserError(f"data build: {name}.json: compiler '{release}' names no release")
        compiler = CompilerSettings(
            version=found[1],
            optimizer=bool(told.optimizer),
            runs=told.runs,
            evm_version=evm_version,
        )
    return Source(id=name, text=text, deployment=deployment, compiler=compiler, **values)


def _of_task(task: Task) -> Source:
    (text,) = task.sources.values()
    address = str(task.facts.get("address") or "")
    recorded = task.facts.get("recorded_transactions")
    calls = 0 if task.program is None else len(task.program.calls)
    return Source(
        id=task.id,
        text=text,
        contract=task.target.contract,
        address=address,
        optimizer=task.compiler.optimizer,
        runs=task.compiler.runs,
        compiler=task.compiler,
        deployment=None if task.program is None else task.program.deployment,
        program=task.program,
        documentation=documented(task.framework, task.target.contract),
        verified=bool(address) or None,
        transactions=recorded if isinstance(recorded, int) else calls,
        libraries=bool(task.compiler.libraries),
    )
