"""Builds: what a compiler made of sources."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class Severity(StrEnum):
    """How grave a compiler's message is."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class CompileError(msgspec.Struct, frozen=True, kw_only=True):
    """One message of the compiler."""

    type: str
    """The compiler's class: ``ParserError``, ``TypeError``, ``DeclarationError``, ``DocstringParsingError``, …"""
    message: str
    severity: Severity = Severity.ERROR
    code: str | None = None
    """The compiler's error code (from solc 0.6.9 on)."""
    path: str | None = None
    start: int | None = None
    """Byte span in the source, end exclusive; None where the compiler gives none."""
    end: int | None = None
    line: int | None = None
    """1-based line of ``start``."""
    kind: str | None = None
    """solexp's taxonomy of SolContractEval's kinds (paper, Table IV); None for warnings."""
    formatted: str | None = None


class ContractBuild(msgspec.Struct, frozen=True, kw_only=True):
    """One compiled contract."""

    path: str
    name: str
    abi: list[dict[str, Any]]
    creation: str
    """Creation code as hex with ``0x``, linked; ``0x`` for abstract contracts and interfaces."""
    runtime: str
    """Runtime code as hex with ``0x``; immutables are zero."""
    storage_layout: dict[str, Any] | None = None
    """The compiler's storageLayout, or None where the version has none (before 0.5.13)."""
    methods: dict[str, str] = {}
    """Selectors (8 hex digits, no ``0x``) by canonical signature."""
    missing_libraries: tuple[str, ...] = ()
    """Libraries that the code still has to be linked with."""


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """What the compiler made of one set of sources."""

    compiler: str
    """The full version that the compiler itself reports."""
    contracts: tuple[ContractBuild, ...] = ()
    errors: tuple[CompileError, ...] = ()
    """Everything of severity error; a build with any of these failed."""
    warnings: tuple[CompileError, ...] = ()
    asts: dict[str, Any] | None = None
    """The compiler's AST by path, when it was asked for."""

    @property
    def ok(self) -> bool:
        return not self.errors

    @property
    def analysis_ok(self) -> bool:
        """The weaker reading of "compiles": only code generation (stack too deep) failed."""
        return all(error.kind == "stack_depth" for error in self.errors)

    def contract(self, name: str, path: str | None = None) -> ContractBuild | None:
        """The contract with this name (in ``path`` if given), or None."""
        for contract in self.contracts:
            if contract.name == name and path in (None, contract.path):
                return contract
        return None
