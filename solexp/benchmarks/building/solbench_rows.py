"""Chosen functions as rows of SolBench."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from solexp.benchmarks.building.choosing import Chosen
from solexp.benchmarks.building.rows import last_lines
from solexp.benchmarks.building.settings import Settings
from solexp.benchmarks.solbench.rows import Known, Row


def make_rows(chosen: Sequence[Chosen], settings: Settings) -> list[Row]:
    """A row for each chosen function, numbered from 0."""
    return [_row(str(number), one, settings) for number, one in enumerate(chosen)]


def _row(idx: str, one: Chosen, settings: Settings) -> Row:
    before, unit, after = _parts(one)
    deployed = one.source.deployment
    if deployed is not None:
        deployed = msgspec.structs.replace(deployed, recorded=None, gas=None)
    known = Known(
        compiler=one.compiler,
        deployment=deployed,
        documentation="" if one.member.natspec else one.documentation,
    )
    return Row(
        idx=idx,
        sol=f"{one.source.id}/{one.contract}.sol",
        funit=unit,
        sc_ba=msgspec.json.encode([before, after]).decode(),
        retrieve_sc=last_lines(before, settings.context_tokens) if before else "",
        solexp=msgspec.json.encode(known).decode(),
    )


def _parts(one: Chosen) -> tuple[str, str, str]:
    """The file before the function and the comments above it, these, and the rest; cut between lines if that can be."""
    data = one.source.text.encode()
    before = data[: one.member.doc_start].decode()
    unit = data[one.member.doc_start : one.member.end].decode()
    after = data[one.member.end :].decode()
    indent = before[len(before.rstrip(" \t")) :]
    before = before[: len(before) - len(indent)]
    if before.endswith("\n"):
        before, unit = before.removesuffix("\n").removesuffix("\r"), indent + unit
    rest = after.lstrip(" \t")
    if rest.startswith(("\n", "\r\n")):
        after = rest.removeprefix("\r").removeprefix("\n")
    return before, unit, after
