"""What an explorer says of a verified contract."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

import msgspec

from solexp.core import CompilerSettings, DataError
from solexp.core.nesting import refuse_depth
from solexp.solidity.parsing import outline

_RELEASE = re.compile(r"v?(\d+\.\d+\.\d+)")
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{0,127}")
"""Of a contract. Files are named by it, so that nothing else may pass."""
_HEX = re.compile(r"(?:[0-9a-f]{2})*")
_LIBRARY = re.compile(r"([^:;\s]+):(?:0x)?([0-9a-fA-F]{40})")
_LICENCES = {"": "", "none": "", "no license (none)": "", "unlicense": "Unlicense"}
"""What stands for an SPDX identifier, or for none."""


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """A contract's source and how it was compiled, as handed in for verification."""

    address: str
    contract: str
    path: str | None = None
    """The file that holds it; None where only a name is known and several files hold one."""
    sources: dict[str, str]
    """Texts by path, with ``\\n`` for line ends as the compiler was given them."""
    settings: CompilerSettings
    compiler: str
    """The compiler's full version."""
    abi: list[dict[str, Any]] = []
    constructor_arguments: str = ""
    """Hex without ``0x``."""
    licence: str = ""
    proxy: bool = False
    implementation: str = ""
    """Where a proxy passes calls on to, at the moment."""

    @property
    def id(self) -> str:
        return f"{self.contract}_{self.address}"

    @property
    def optimiser(self) -> str:
        """In SolContractEval's words: ``Yes with 200 runs``."""
        on = self.settings.optimizer
        return f"{'Yes' if on else 'No'} with {self.settings.runs} runs"


class _Optimizer(msgspec.Struct):
    enabled: bool = False
    runs: int = 200


class _Settings(msgspec.Struct):
    optimizer: _Optimizer = msgspec.field(default_factory=_Optimizer)
    evmVersion: str | None = None  # noqa: N815
    viaIR: bool = False  # noqa: N815
    remappings: list[str] = []
    libraries: dict[str, dict[str, str]] = {}
    compilationTarget: dict[str, str] = {}  # noqa: N815


class _Content(msgspec.Struct):
    content: str


class _Input(msgspec.Struct):
    """Standard JSON, as the compiler takes it."""

    sources: dict[str, _Content]
    language: str = "Solidity"
    settings: _Settings = msgspec.field(default_factory=_Settings)


def read(address: str, told: Mapping[str, Any]) -> Verified:
    """A contract as the row of ``getsourcecode`` has it. Raises DataError for what is not Solidity, or malformed."""
    row = {key: _text(value) for key, value in told.items()}
    compiler = row.get("CompilerVersion", "").strip()
    kind = row.get("CompilerType", "").strip().lower()
    if "vyper" in compiler.lower() or "vyper" in kind:
        raise DataError(f"{address} is written in Vyper")
    release = _RELEASE.match(compiler)
    if release is None:
        raise DataError(f"{address}: its compiler is {compiler[:80]!r}")
    try:
        handed = _handed_in(row)
    except (msgspec.DecodeError, ValueError) as error:
        raise DataError(f"{address}: its source cannot be read: {error}") from None
    if handed.language != "Solidity":
        raise DataError(f"{address} is written in {handed.language}")
    sources = {path: _newlines(each.content) for path, each in handed.sources.items()}
    name = row.get("ContractName", "").strip()
    place, _, contract = name.rpartition(":")
    if not _NAME.fullmatch(contract):
        raise DataError(f"{address}: {name[:80]!r} names no contract")
    arguments = row.get("ConstructorArguments", "").removeprefix("0x").lower()
    if not _HEX.fullmatch(arguments):
        raise DataError(f"{address}: the arguments of its constructor are no hex")
    path = place if place in sources else _file_of(row, contract, sources)
    settings = handed.settings
    libraries = {
        library: _hex(there).lower()
        for held in settings.libraries.values()
        for library, there in held.items()
    }
    return Verified(
        address=address,
        contract=contract,
        path=path,
        sources=sources,
        compiler=compiler,
        settings=CompilerSettings(
            version=release[1],
            optimizer=settings.optimizer.enabled,
            runs=settings.optimizer.runs,
            evm_version=settings.evmVersion,
            remappings=tuple(settings.remappings),
            libraries=libraries,
            via_ir=settings.viaIR or msgspec.UNSET,
        ),
        abi=_abi(row),
        constructor_arguments=arguments,
        licence=_licence(row.get("LicenseType", "")),
        proxy=row.get("Proxy", "0") == "1",
        implementation=row.get("Implementation", "").lower(),
    )


def _handed_in(row: dict[str, str]) -> _Input:
    """Sources and settings, whichever of the three forms they have: one file's text, a map of files, standard JSON."""
    text = row["SourceCode"].strip()
    if text.startswith("{"):
        refuse_depth(text)
    if text.startswith("{{") and text.endswith("}}"):
        return msgspec.json.decode(text[1:-1], type=_Input)
    if text.startswith("{"):
        found = msgspec.json.decode(text, type=dict[str, Any])
        if "sources" in found:
            return msgspec.convert(found, _Input)
        sources = msgspec.convert(found, dict[str, _Content])
    else:
        sources = {f"{row.get('ContractName') or 'source'}.sol": _Content(row["SourceCode"])}
    return _Input(sources=sources, settings=_row_settings(row))


def _row_settings(row: dict[str, str]) -> _Settings:
    """Settings as the row itself states them; standard JSON goes before it."""
    on = row.get("OptimizationUsed", "0") == "1"
    runs = row.get("Runs", "").strip()
    evm = row.get("EVMVersion", "").strip()
    libraries = dict(_LIBRARY.findall(row.get("Library", "")))
    # Without the optimiser explorers print 0 runs, but the compiler's own number entered the metadata's hash.
    return _Settings(
        optimizer=_Optimizer(on, int(runs) if on and runs.isdecimal() else 200),
        evmVersion=evm.lower() if evm and evm.lower() != "default" else None,
        libraries={"": libraries} if libraries else {},
    )


def _file_of(row: dict[str, str], contract: str, sources: dict[str, str]) -> str | None:
    """The file that the explorer names, or the only one, or the only one with such a contract."""
    named = row.get("ContractFileName", "").strip()
    for path in sources:
        if named and (path == named or posixpath.basename(path) == named):
            return path
    holding = [
        path
        for path, text in sources.items()
        if any(each.name == contract for each in outline(text))
    ]
    return (
        holding[0]
        if len(holding) == 1
        else next(iter(sources), None)
        if len(sources) == 1
        else None
    )


def _abi(row: dict[str, str]) -> list[dict[str, Any]]:
    abi = row.get("ABI", "")
    try:
        refuse_depth(abi)
        return msgspec.json.decode(abi, type=list[dict[str, Any]])
    except (msgspec.DecodeError, ValueError):
        return []


def _text(value: Any) -> str:
    """A field of the row, of which some explorers have other things than texts."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


def _licence(text: str) -> str:
    return _LICENCES.get(text.strip().lower(), text.strip())


def _newlines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _hex(address: str) -> str:
    return "0x" + address.removeprefix("0x")
