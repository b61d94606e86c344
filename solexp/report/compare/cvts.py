"""Contract-violating tests of the cells of a comparison: what their generators are worth, side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from solexp.metrics.scores import Metric
from solexp.report.compare.cells import Cell
from solexp.report.tables import Grid

METRICS = (
    *("cvt.avc", "cvt.ts", "cvt.exact_set"),
    *("cvt.avc_all", "cvt.ts_all", "cvt.exact_set_all"),
    *("cvt.translated", "cvt.combinations", "cvt.assertions"),
)
"""What is shown of each cell; see `solexp.metrics.cvt`."""
_TITLES = (
    *("AVC", "TS", "exact set", "AVC, all", "TS, all", "exact, all"),
    *("translated", "combinations", "assertions"),
)


class CvtRow(msgspec.Struct, frozen=True, kw_only=True):
    """One cell."""

    label: str
    folder: str
    tests: int
    metrics: dict[str, Metric]
    """By name, those of `METRICS` that it has."""


def cvt_rows(cells: Sequence[Cell]) -> tuple[CvtRow, ...]:
    """A row for each cell that judged contract-violating tests; none where there is nothing to set side by side."""
    rows = []
    for cell in cells:
        summary: Mapping[str, Any] = cell.folder.summary
        found = summary.get("metrics") or {}
        if "cvt.translated" in found:
            rows.append(
                CvtRow(
                    label=cell.label,
                    folder=str(cell.folder.path),
                    tests=int((summary.get("cvt") or {}).get("tests", 0)),
                    metrics={
                        name: msgspec.convert(found[name], Metric)
                        for name in METRICS
                        if name in found
                    },
                )
            )
    return tuple(rows) if len(rows) > 1 else ()


def cvts(rows: Sequence[CvtRow]) -> Grid:
    """One row a cell."""
    return Grid(
        title="Contract-violating tests, in %: over tests, and over all tasks with untranslated ones as 0",
        columns=("cell", "tests", *_TITLES),
        rows=tuple(
            (row.label, str(row.tests), *(_share(row, name) for name in METRICS)) for row in rows
        ),
    )


def _share(row: CvtRow, name: str) -> str:
    metric = row.metrics.get(name)
    return "–" if metric is None else f"{100 * metric.value:.2f}"
