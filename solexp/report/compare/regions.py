"""What only some of SolBehave's oracles flag, in each cell of a comparison."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from solexp.metrics.regions import Regions
from solexp.report.compare.cells import Cell
from solexp.report.oracles import region_names
from solexp.report.tables import Grid


class RegionRow(msgspec.Struct, frozen=True, kw_only=True):
    """One cell."""

    label: str
    folder: str
    found: Regions
    """Between fuzz (O1), replay (O2) and dcr (O3), over what all three evaluated."""


def region_rows(cells: Sequence[Cell]) -> tuple[RegionRow, ...]:
    """A row for each cell in which all three oracles evaluated something; none for fewer than two cells."""
    rows = []
    for cell in cells:
        found = (cell.folder.summary.get("behaviour") or {}).get("paper")
        if found:
            regions = msgspec.convert(found, Regions)
            rows.append(RegionRow(label=cell.label, folder=str(cell.folder.path), found=regions))
    return tuple(rows) if len(rows) > 1 else ()


def regions(rows: Sequence[RegionRow]) -> Grid:
    """One row a cell, the paper's seven columns and what none flags, each as ``candidates (tasks)``."""
    return Grid(
        title="Flagged by O1 fuzz, O2 replay, O3 dcr, of what all three evaluated: candidates (tasks)",
        columns=("cell", "evaluated", *region_names(r.oracles for r in rows[0].found.regions)),
        rows=tuple(
            (
                row.label,
                f"{row.found.candidates} ({row.found.tasks})",
                *(f"{each.candidates} ({each.tasks})" for each in row.found.regions),
            )
            for row in rows
        ),
    )
