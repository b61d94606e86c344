"""A set, from sources to files and their card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from solexp.benchmarks.building.card import Card, card, write_card
from solexp.benchmarks.building.choosing import Tell, choose
from solexp.benchmarks.building.funnel import Funnel
from solexp.benchmarks.building.rows import make_rows
from solexp.benchmarks.building.sampling import stratified
from solexp.benchmarks.building.settings import Settings
from solexp.benchmarks.building.sources import Source
from solexp.benchmarks.rowfiles import write_parquet
from solexp.benchmarks.solidity_eval.posing import pose
from solexp.benchmarks.solidity_eval.rows import Row
from solexp.core import UserError
from solexp.core.hashing import file_hash
from solexp.solidity.compiler import Compiler

Read = tuple[str, Sequence[Source], Sequence[tuple[str, str]]]
"""Where sources are from, these, and what could not be read of it, with the reason."""


def build_solidity_eval(
    read: Sequence[Read], out: Path, settings: Settings, tell: Tell = lambda: None
) -> Card:
    """Writes ``full.parquet``, ``lite.parquet`` and the card into ``out``; the same sources give the same bytes.

    Raises UserError when no source survives the filters, naming the one that dropped most.
    """
    sources, funnel = gathered(read)
    with Compiler(max_workers=1) as compiler:
        chosen = choose(sources, settings, compiler, funnel, tell)
    if not chosen:
        raise UserError(f"data build: no row is left of {len(sources)} sources; {_worst(funnel)}")
    rows = make_rows(chosen, settings, sources)
    for row in rows:
        pose(row, row.task_id)
    lite = stratified(
        rows,
        settings.lite,
        stratum=lambda row: row.pragma_major_minor,
        name=lambda row: row.task_id,
        seed=settings.seed,
    )
    files = {"full.parquet": rows, "lite.parquet": lite}
    for name, held in files.items():
        write_parquet(out / name, held, Row)
    told = card(
        "solidity_eval",
        [name for name, _, _ in read],
        settings,
        sources=sources,
        funnel=funnel,
        chosen=chosen,
        rows={name: len(held) for name, held in files.items()},
        canaries={row.task_id: len(row.canary_substrings) for row in rows},
        hashes={name: file_hash(out / name) for name in files},
    )
    write_card(out, told)
    return told


def gathered(read: Sequence[Read]) -> tuple[list[Source], Funnel]:
    """All sources, each with an id of its own, and the funnel that has noted what could not be read."""
    funnel = Funnel()
    seen: Counter[str] = Counter()
    sources = []
    for _, own, _ in read:
        for source in own:
            seen[source.id] += 1
            times = seen[source.id]
            sources.append(
                source if times == 1 else msgspec.structs.replace(source, id=f"{source.id}#{times}")
            )
    funnel.stage("readable", len(sources), [each for _, _, unread in read for each in unread])
    return sources, funnel


def _worst(funnel: Funnel) -> str:
    reasons = [(count, why) for stage in funnel.stages for why, count in stage.dropped.items()]
    count, why = max(reasons, default=(0, "there is none"))
    return f"{count} of them: {why}"
