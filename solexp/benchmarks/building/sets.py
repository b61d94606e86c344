"""A set, from sources to files and their card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from solexp.benchmarks.building import rows as solidity_eval
from solexp.benchmarks.building import solbench_rows as solbench
from solexp.benchmarks.building.card import Card, card, write_card
from solexp.benchmarks.building.choosing import Chosen, choose
from solexp.benchmarks.building.funnel import Funnel
from solexp.benchmarks.building.natspec import NOTHING, Written, rewritten
from solexp.benchmarks.building.sampling import stratified
from solexp.benchmarks.building.screening import Steps, Untold
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


class _Found(NamedTuple):
    """What rows are made of."""

    names: list[str]
    """Where sources are from."""
    sources: list[Source]
    funnel: Funnel
    chosen: list[Chosen]


def build_solidity_eval(
    read: Sequence[Read],
    out: Path,
    settings: Settings,
    steps: Steps = _UNTOLD,
    written: Written = NOTHING,
) -> Card:
    """Writes ``full.parquet``, ``lite.parquet`` and the card into ``out``; the same sources give the same bytes.

    What is ``written`` of a function is its documentation. Raises UserError when no source survives the filters, naming
    the reason that most had.
    """
    found = _find(read, settings, steps)
    names = [one.id for one in found.chosen]
    found = found._replace(chosen=rewritten(found.chosen, names, written))
    rows = solidity_eval.make_rows(found.chosen, settings, found.sources)
    for row in rows:
        pose(row, row.task_id)
    lite = stratified(
        rows,
        settings.lite,
        stratum=lambda row: row.pragma_major_minor,
        name=lambda row: row.task_id,
        seed=settings.seed,
    )
    return _written(
        "solidity_eval",
        found,
        settings,
        out=out,
        kind=Row,
        files={"full.parquet": rows, "lite.parquet": lite},
        canaries=["some" if row.canary_substrings else "none" for row in rows],
    )


def build_solbench(
    read: Sequence[Read],
    out: Path,
    settings: Settings,
    steps: Steps = _UNTOLD,
    written: Written = NOTHING,
) -> Card:
    """Writes ``SolBench.parquet`` and the card into ``out``, as `build_solidity_eval` does."""
    found = _find(read, settings, steps)
    names = [f"{place}/{one.contract}.{one.name}" for place, one in enumerate(found.chosen)]
    found = found._replace(chosen=rewritten(found.chosen, names, written))
    rows = solbench.make_rows(found.chosen, settings)
    for row in rows:
        pose_solbench(row, row.idx, ())
    return _written(
        "solbench",
        found,
        settings,
        out=out,
        kind=SolBenchRow,
        files={"SolBench.parquet": rows},
        canaries=None,
    )


def _written(
    benchmark: str,
    found: _Found,
    settings: Settings,
    *,
    out: Path,
    kind: type[msgspec.Struct],
    files: Mapping[str, Sequence[msgspec.Struct]],
    canaries: Sequence[str] | None,
) -> Card:
    """The card, which is written beside the files of rows."""
    for name, held in files.items():
        write_parquet(out / name, held, kind)
    told = card(
        benchmark,
        found.names,
        settings,
        sources=found.sources,
        funnel=found.funnel,
        used=[one.source for one in found.chosen],
        rows={name: len(held) for name, held in files.items()},
        counts=_counts(found.chosen) | ({} if canaries is None else {"canaries": canaries}),
        hashes={name: file_hash(out / name) for name in files},
    )
    write_card(out, told)
    return told


def _counts(chosen: Sequence[Chosen]) -> dict[str, list[str]]:
    return {
        "series": [one.series for one in chosen],
        "compiler": [one.compiler.version for one in chosen],
        "visibility": [one.member.visibility or "none" for one in chosen],
        "documented": ["yes" if one.documentation else "no" for one in chosen],
        "deployment": ["known" if one.source.deployment else "made up" for one in chosen],
    }


def _find(read: Sequence[Read], settings: Settings, steps: Steps) -> _Found:
    sources, funnel = gathered(read)
    with Compiler(max_workers=1) as compiler:
        chosen = choose(sources, settings, compiler, funnel, steps)
    if not chosen:
        raise nothing_left(sources, funnel)
    return _Found([name for name, _, _ in read], sources, funnel, chosen)


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


def nothing_left(sources: Sequence[Source], funnel: Funnel) -> UserError:
    """What to say where no source survives: the reason that most had."""
    reasons = [(count, why) for stage in funnel.stages for why, count in stage.dropped.items()]
    if not reasons:
        return UserError("data build: none of the files has a contract that can be deployed")
    count, why = max(reasons)
    one = next(each for each in funnel.dropped if each.why.partition(":")[0] == why)
    unread = sum(funnel.stages[0].dropped.values())
    return UserError(
        f"data build: nothing is left of {len(sources) + unread} sources; {count} of them: {why} "
        f"({one.source}{one.why.removeprefix(why)[:200]})"
    )
