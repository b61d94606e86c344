"""`solexp data build solidity_eval`, `solbench` and `contracts`: sets of rows or tasks from sources."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from solexp.benchmarks.building import sources
from solexp.benchmarks.building.card import Card
from solexp.benchmarks.building.contract_sets import build_contracts
from solexp.benchmarks.building.natspec import read_written
from solexp.benchmarks.building.reading import from_place
from solexp.benchmarks.building.sets import Read, build_solbench, build_solidity_eval
from solexp.benchmarks.building.settings import (
    ContractSettings,
    Filters,
    Settings,
    read_settings,
)
from solexp.benchmarks.data import BENCHMARKS, open_benchmark
from solexp.core import UserError
from solexp.core.errors import nearest
from solexp.progress import Progress
from solexp.report.tables import Grid, draw
from solexp.store.alone import alone
from solexp.store.records import check_writable

BUILDERS: dict[str, tuple[Callable[..., Card], type[Filters]]] = {
    "solidity_eval": (build_solidity_eval, Settings),
    "solbench": (build_solbench, Settings),
    "contracts": (build_contracts, ContractSettings),
}


def build(command: argparse.Namespace) -> int:
    """Build a set; returns the exit status."""
    name = command.benchmark
    for option in ("judge", "labels"):
        if getattr(command, option) is not None:
            raise UserError(f"data build {name}: --{option} is for contracteval")
    if not command.source or command.out is None:
        raise UserError(f"data build {name}: give --from FOLDER|BENCHMARK and --out DIR")
    check_writable(Path(command.out), folder=True)
    make, kind = BUILDERS[name]
    settings = read_settings(command.override, kind)
    read = [_read(each) for each in command.source]
    written = {} if command.natspec is None else read_written(Path(command.natspec))
    with alone(Path(command.out), "build"), Progress("compiling") as progress:
        told = make(read, Path(command.out), settings, progress, written)
    _tell(told, Path(command.out))
    return 0


def _read(given: str) -> Read:
    place = Path(given)
    if place.is_dir():
        return place.resolve().name, *from_place(place)
    if given in BENCHMARKS:
        return given, *sources.from_tasks(open_benchmark(given).tasks())
    raise UserError(
        f"data build: --from {given} is no folder and no benchmark; {nearest(given, BENCHMARKS)}"
    )


def _tell(told: Card, out: Path) -> None:
    rows: Sequence[tuple[str, ...]] = [
        (stage.name, str(stage.left), _words(stage.dropped)) for stage in told.stages
    ]
    draw(Grid(title="", columns=("filter", "left", "left out"), rows=tuple(rows)), sys.stdout)
    counted = ", ".join(f"{count} in {out / name}" for name, count in told.rows.items())
    print(f"{counted}; their card is {out / 'card.md'}")


def _words(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {why}" for why, count in counts.items())
