"""Contracts of several files as one, held to compile to the same code."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from solexp.benchmarks.solcontracteval.creation import without_metadata
from solexp.core import CompilerSettings, ContractBuild
from solexp.solidity.compiler import Compiler
from solexp.solidity.flattening import CannotFlatten, flatten
from solexp.solidity.foundry.imports import imported, with_imports

_CODER = re.compile(r"\bpragma\s+(?:abicoder|experimental)\b")


def one_file(
    files: Mapping[str, bytes],
    path: str | None,
    contract: str,
    settings: CompilerSettings,
    compiler: Compiler,
) -> str:
    """``contract`` of ``path`` with all that it needs of ``files``, as one file; a file that imports nothing as it is.

    ``path`` is None where it is not known which of several files is meant.

    Raises CannotFlatten where that cannot be, or where the one file would not compile to the same code (up to the
    metadata).
    """
    if path is None:
        raise CannotFlatten("several of its files have a contract of that name")
    text = files[path].decode(errors="replace")
    if not imported(text):
        return text
    sources = with_imports({path: text}, files, settings.remappings)
    build = compiler.compile(sources, settings, ast=True)
    if not build.ok:
        raise CannotFlatten(f"does not compile: {build.errors[0].message}")
    flat = flatten(sources, build.asts or {}, path, contract)
    alone = msgspec.structs.replace(settings, remappings=())
    again = compiler.compile({f"{contract}.sol": flat}, alone)
    if not again.ok:
        raise CannotFlatten(f"does not compile as one file: {again.errors[0].message}")
    if _code(build.contract(contract, path)) != _code(again.contract(contract)):
        mixed = len({bool(_CODER.search(each)) for each in sources.values()}) > 1
        why = ": its files code arguments in two ways" if mixed else ""
        raise CannotFlatten(f"compiles to other code as one file{why}")
    return flat


def _code(built: ContractBuild | None) -> tuple[str, str] | None:
    if built is None:
        return None
    return without_metadata(built.creation), without_metadata(built.runtime)
