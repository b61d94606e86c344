"""Rows of SolBench, as its public code uses them, and the tasks they make."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PureWindowsPath
from typing import Any

import msgspec

from solexp.benchmarks.categories import categorise
from solexp.benchmarks.functions import Found, all_functions, framework
from solexp.benchmarks.solidity_eval.construction import stand
from solexp.core import CompilerSettings, DataError, Deployment, Target, Task, UserError
from solexp.solidity.foundry.settings import newest
from solexp.solidity.lexing import mask
from solexp.solidity.parsing import outline

BREAK = "\r\n"
"""What stands between the parts of a file in the release."""

_FUNCTION = re.compile(r"(?<![\w$.])function(?![\w$])")


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What rows that solexp built say beyond the release's columns."""

    compiler: CompilerSettings | None = None
    deployment: Deployment | None = None
    documentation: str = ""
    """Where the source has none."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One function to complete."""

    idx: str
    sol: str
    """Path of the file; its name without the ending is the contract's."""
    funit: str
    """The function with the comments above it, in whole lines."""
    sc_ba: str
    """The file's text before and after it: a JSON list of two. ``sc`` in the release's newest code."""
    retrieve_sc: str = ""
    """What is shown of the file; a JSON list of pieces in the release's sets for repair."""
    solexp: str = ""
    """`Known` as JSON; no column of the release."""


def read_row(values: Mapping[str, Any], place: str) -> Row:
    """The row with these values by column. Raises DataError that names row and column for what is malformed."""
    filled = {
        "idx": values.get("idx"),
        "sol": values.get("sol"),
        "funit": values.get("funit"),
        "sc_ba": values.get("sc_ba", values.get("sc")),
        "retrieve_sc": values.get("retrieve_sc") or "",
        "solexp": values.get("solexp") or "",
    }
    if isinstance(filled["idx"], int) and not isinstance(filled["idx"], bool):
        filled["idx"] = str(filled["idx"])
    if isinstance(filled["sc_ba"], list):
        filled["sc_ba"] = msgspec.json.encode(filled["sc_ba"]).decode()
    for key, value in filled.items():
        if not isinstance(value, str):
            said = "is missing" if value is None else f"must be a text, got {str(value)[:60]!r}"
            raise DataError(f"{place}: {key} {said}")
    return Row(**filled)


def pose(row: Row, place: str, installed: Sequence[str]) -> Task:
    """The task of a row; the compiler is the highest of ``installed`` that the file's pragmas allow.

    Raises DataError that names row and column for what does not hold together.
    """
    before, after = _around(row, place)
    source = f"{before}{BREAK}{row.funit}{BREAK}{after}"
    start = len(f"{before}{BREAK}".encode())
    member, name, around = _function(row, source, start, place)
    known = _known(row, place)
    path = f"{_stem(row)}.sol"
    standing = stand(source, _deployable(source, member.contract, _stem(row)), known.deployment)
    said = member.natspec or known.documentation
    return Task(
        id=f"{row.idx}/{member.contract}.{name}",
        benchmark="solbench",
        compiler=known.compiler or _compiler(path, source, installed, place),
        sources={path: source},
        target=Target(
            path=path, contract=member.contract, start=member.start, end=member.end, member=name
        ),
        framework=framework(source, member, around),
        context=_shown(row),
        requirement=said or f"Complete {member.signature} of {member.contract}.",
        program=standing.program,
        category=categorise(source, member.contract),
        facts={
            "idx": row.idx,
            "deployed_contract": standing.contract,
            "signature": member.signature,
            "member": member.kind,
            "visibility": member.visibility,
            "documented": bool(said),
        },
        undecidable=standing.why_not,
    )


def _stem(row: Row) -> str:
    # Windows paths have slashes of both kinds.
    return PureWindowsPath(row.sol).stem or "Contract"


def _around(row: Row, place: str) -> tuple[str, str]:
    try:
        before, after = msgspec.json.decode(row.sc_ba, type=tuple[str, str])
    except (msgspec.DecodeError, msgspec.ValidationError) as error:
        raise DataError(
            f"{place}: sc_ba is no list of the texts before and after: {error}"
        ) from None
    return before, after


def _function(row: Row, source: str, start: int, place: str) -> Found:
    """The function that ``funit`` holds: the one that begins in it and is the last to do so."""
    end = start + len(row.funit.encode())
    found = [each for each in all_functions(source) if start <= each[0].start < end]
    if len(found) != 1 or found[0][0].end > end or not _FUNCTION.search(mask(row.funit)):
        raise DataError(f"{place}: funit is not one whole function of the file")
    return found[0]


def _deployable(source: str, contract: str, stem: str) -> str:
    """The contract whose behaviour shows the function's: the file's own, if it inherits or is the function's."""
    known = {each.name: each for each in outline(source)}
    queue, seen = [stem], set()
    while queue:
        name = queue.pop()
        if name == contract:
            return stem
        if name in known and name not in seen:
            seen.add(name)
            queue += [base.rpartition(".")[2] for base in known[name].inherits]
    return contract


def _known(row: Row, place: str) -> Known:
    try:
        return msgspec.json.decode(row.solexp, type=Known) if row.solexp else Known()
    except msgspec.DecodeError as error:
        raise DataError(f"{place}: solexp: {error}") from None


def _compiler(path: str, source: str, installed: Sequence[str], place: str) -> CompilerSettings:
    try:
        return CompilerSettings(version=newest({path: source}, installed))
    except UserError as error:
        raise DataError(f"{place}: {error}") from None


def _shown(row: Row) -> str:
    try:
        pieces = msgspec.json.decode(row.retrieve_sc, type=list[str])
    except msgspec.DecodeError:
        return row.retrieve_sc
    return "\n\n".join(piece.strip() for piece in pieces)
