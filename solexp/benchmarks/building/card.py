"""A card for a built set: what is in it, what was left out and why, and how to tell that it is the same one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from solexp.benchmarks.building.funnel import Dropped, Funnel, Stage
from solexp.benchmarks.building.settings import Filters
from solexp.benchmarks.building.sources import Source, licence
from solexp.core.hashing import content_hash, file_hash
from solexp.store.records import write_atomically

SCHEMA = 1
CARD = "card.json"


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of a set. Nothing of it depends on when or where it was built."""

    schema: int = SCHEMA
    benchmark: str
    """What the rows are for: ``solidity_eval``, ``solbench`` or ``contracts``."""
    built_from: tuple[str, ...]
    """Names of the folders and benchmarks."""
    settings: Filters
    sources: int
    sources_sha256: str
    """Over the ids and texts of all sources that were read."""
    stages: tuple[Stage, ...]
    """The filters in their order."""
    rows: dict[str, int]
    """By file."""
    counts: dict[str, dict[str, int]]
    """Rows by property and value."""
    licences: dict[str, int]
    """Sources of the rows by SPDX identifier."""
    hashes: dict[str, str]
    """SHA-256 of each file of rows."""
    dropped: tuple[Dropped, ...]
    """Every source that is in no row."""
    reproduced: dict[str, float | None] = {}
    """Share of its recorded calls that a fresh deployment ends as the chain did, by task, where that was tried."""


def card(
    benchmark: str,
    built_from: Sequence[str],
    settings: Filters,
    *,
    sources: Sequence[Source],
    funnel: Funnel,
    used: Iterable[Source],
    rows: Mapping[str, int],
    counts: Mapping[str, Iterable[str]],
    hashes: Mapping[str, str],
    reproduced: Mapping[str, float | None] | None = None,
) -> Card:
    """The card; ``used`` are the rows' sources, and ``counts`` each row's value by property."""
    return Card(
        benchmark=benchmark,
        built_from=tuple(built_from),
        settings=settings,
        sources=len(sources),
        sources_sha256=content_hash([[each.id, each.text] for each in sources]),
        stages=funnel.stages,
        rows=dict(rows),
        counts={name: _count(values) for name, values in counts.items()},
        licences=_count(licence(source) for source in {each.id: each for each in used}.values()),
        hashes=dict(hashes),
        dropped=funnel.dropped,
        reproduced=dict(reproduced or {}),
    )


def write_card(folder: Path, told: Card) -> None:
    """Writes ``card.json`` and ``card.md``."""
    data = msgspec.json.format(msgspec.json.encode(told), indent=2) + b"\n"
    write_atomically(folder / CARD, data)
    write_atomically(folder / "card.md", in_words(told).encode())


class _Hashes(msgspec.Struct):
    hashes: dict[str, str]


def changed(folder: Path) -> Iterator[str]:
    """A line for each file that is not as the folder's card says; none where there is no card."""
    path = folder / CARD
    if not path.is_file():
        return
    try:
        told = msgspec.json.decode(path.read_bytes(), type=_Hashes)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        yield f"{path}: is no card: {error}"
        return
    for name, digest in told.hashes.items():
        file = folder / name
        if not file.resolve().is_relative_to(folder.resolve()) or not file.is_file():
            yield f"{file}: is not there, though {CARD} names it; build the set again"
        elif file_hash(file) != digest:
            yield f"{file}: its hash is not the one in {CARD}; build the set again"


def in_words(told: Card) -> str:
    """The card in Markdown; of what was dropped the reasons only, since ``card.json`` lists every source."""
    rows = ", ".join(f"{name} {count}" for name, count in told.rows.items())
    lines = [
        f"# Rows for {told.benchmark}",
        "",
        f"Built by `solexp data build {told.benchmark}` from {', '.join(told.built_from)}: {told.sources} sources "
        f"(SHA-256 over ids and texts `{told.sources_sha256}`). Rows: {rows}.",
        "",
        "## Filters",
        "",
        *_table(
            ("filter", "sources left", "left out"),
            [(stage.name, stage.left, _reasons(stage.dropped)) for stage in told.stages],
        ),
        "",
        "Every source that was left out is in `card.json`, with the reason.",
        "",
        "## Rows",
        "",
        *_table(
            ("property", "rows"),
            [(name, _reasons(values)) for name, values in told.counts.items()],
        ),
        "",
        *_reproduction(told.reproduced),
        "## Licences",
        "",
        "As the files state them (SPDX). Sources belong to their authors, whatever is said here.",
        "",
        *_table(("licence", "sources"), sorted(told.licences.items())),
        "",
        "## Settings",
        "",
        *_table(
            ("setting", "value"),
            [(f"`{name}`", _word(value)) for name, value in _told(told.settings).items()],
        ),
        "",
        "## Files",
        "",
        *_table(
            ("file", "SHA-256"), [(name, f"`{digest}`") for name, digest in told.hashes.items()]
        ),
    ]
    return "\n".join(lines) + "\n"


def _reproduction(shares: Mapping[str, float | None]) -> list[str]:
    if not shares:
        return []
    rows = [
        (f"`{name}`", "none" if share is None else f"{share:.1%}") for name, share in shares.items()
    ]
    return [
        "## Reproducibility",
        "",
        "Share of the first recorded calls that end on a fresh deployment as they did on the chain.",
        "",
        *_table(("task", "alike"), rows),
        "",
    ]


def _told(settings: Filters) -> dict[str, Any]:
    return msgspec.structs.asdict(settings)


def _count(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))


def _reasons(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items()) or "none"


def _word(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return "none" if value is None else str(value)


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(
            f"| {' | '.join(str(cell).replace('|', chr(92) + '|') for cell in row)} |"
            for row in rows
        ),
    ]
