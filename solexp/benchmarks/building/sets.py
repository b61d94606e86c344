"""A set, from sources to files and their card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from solexp.benchmarks.building import rows as solidity_eval
from solexp.benchmarks.building import solbench_rows as solbench
from solexp.benchmarks.building.card import Card, card, write_card
from solexp.benchmarks.building.choosing import Chosen, Steps, Untold, choose
from solexp.benchmarks.building.funnel import Funnel
from solexp.benchmarks.building.sampling import stratified
from solexp.benchmarks.building.settings import Settings
from solexp.benchmarks.building.sources import Source
from solexp.benchmarks.rowfiles import write_parquet
from solexp.benchmarks.solbench.rows import Row as SolBenchRow
from solexp.benchmarks.solbench.rows import pose as pose_solbench
from solexp.benchmarks.solidity_eval.posing import pose
from solexp.benchmarks.solidity_eval.rows import Row
from solexp.core import UserError
from solexp.core.hashing import file_hash
from solexp.solidity.compiler import Compiler

Read = tuple[str, Sequence[Source], Sequence[tuple[str, str]]]
"""Where sources are from, these, and what could not be read of it, with the reason."""

_UNTOLD = Untold()


def build_solidity_eval(
    read: Sequence[Read], out: Path, settings: Settings, steps: Steps = _UNTOLD
) -> Card:
    """Writes ``full.parquet``, ``lite.parquet`` and the card into ``out``; the same sources give the same bytes.

    Raises UserError when no source survives the filters, naming the reason that most had.
    """
    sources, funnel, chosen = _chosen(read, settings, steps)
    rows = solidity_eval.make_rows(chosen, settings, sources)
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
        hashes=_hashes(out, files),
    )
    write_card(out, told)
    return told


def build_solbench(
    read: Sequence[Read], out: Path, settings: Settings, steps: Steps = _UNTOLD
) -> Card:
    """Writes ``SolBench.parquet`` and the card into ``out``, as `build_solidity_eval` does."""
    sources, funnel, chosen = _chosen(read, settings, steps)
    rows = solbench.make_rows(chosen, settings)
    for row in rows:
        pose_solbench(row, row.idx, ())
    write_parquet(out / "SolBench.parquet", rows, SolBenchRow)
    files = {"SolBench.parquet": rows}
    told = card(
        "solbench",
        [name for name, _, _ in read],
        settings,
        sources=sources,
        funnel=funnel,
        chosen=chosen,
        rows={name: len(held) for name, held in files.items()},
        hashes=_hashes(out, files),
    )
    write_card(out, told)
    return told


def _chosen(
    read: Sequence[Read], settings: Settings, steps: Steps
) -> tuple[list[Source], Funnel, list[Chosen]]:
    sources, funnel = gathered(read)
    with Compiler(max_workers=1) as compiler:
        chosen = choose(sources, settings, compiler, funnel, steps)
    if not chosen:
        raise UserError(f"data build: no row is left of {len(sources)} sources; {_worst(funnel)}")
    return sources, funnel, chosen


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


def _hashes(out: Path, files: Mapping[str, object]) -> dict[str, str]:
    return {name: file_hash(out / name) for name in files}


def _worst(funnel: Funnel) -> str:
    reasons = [(count, why) for stage in funnel.stages for why, count in stage.dropped.items()]
    count, why = max(reasons, default=(0, "there is none"))
    return f"{count} of them: {why}"
