"""The picture of a comparison: how one factor's effect depends on another."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Sequence
from typing import Any

from solexp.metrics.effects import Factor
from solexp.report import tables
from solexp.report.compare.cells import short_names
from solexp.report.compare.comparison import Comparison, Row

FORMATS = ("svg", "png", "pdf")

_MARKERS = "osD^vPX*"
_PANELS = 4
"""Side by side at most."""


def draw(comparison: Comparison, kind: str) -> bytes:
    """An image of ``kind``, one of `FORMATS`: equal comparisons give equal bytes.

    Along x the levels of the first factor, a line a level of the second, a panel a combination of the others. Lines
    that are not parallel are an interaction. Bars are the cells' 95 % intervals. Without two factors, a point a cell.
    """
    import matplotlib as mpl  # noqa: PLC0415  (half a second)
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    factors = comparison.factors
    x, line, others = _axes(comparison)
    panels = list(itertools.product(*(factor.levels for factor in others)))
    across = min(len(panels), _PANELS)
    down = math.ceil(len(panels) / across)
    with mpl.rc_context({"svg.hashsalt": "solexp", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(1.2 + 2.6 * across, 0.6 + 2.7 * down), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(down, across, sharey=True, squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        short = short_names([factor.name for factor in factors])
        for axes, levels in zip(grid.flat, panels, strict=False):
            place = dict(zip((factor.name for factor in others), levels, strict=True))
            _panel(axes, comparison, x, line, place)
            axes.set_title(", ".join(f"{short[n]} = {v}" for n, v in place.items()), fontsize=9)
            axes.set_xlabel(short[x.name] if x is not None else "")
        for row in grid:
            row[0].set_ylabel(f"{tables.heading(comparison.metric)}, %")
        if line is not None:
            handles, labels = grid[0][0].get_legend_handles_labels()
            figure.legend(
                handles, labels, title=short[line.name], loc="outside right upper", frameon=False
            )
        out = io.BytesIO()
        figure.savefig(out, format=kind, dpi=150, metadata=_NO_DATE[kind])
    return out.getvalue()


_NO_DATE: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {"Software": None},
}


def _axes(comparison: Comparison) -> tuple[Factor | None, Factor | None, Sequence[Factor]]:
    """The factor along x, the one of the lines, and those of the panels."""
    factors = comparison.factors
    if not factors:
        return None, None, ()
    # The most levels go along x, where a curve can show.
    ordered = sorted(factors, key=lambda factor: -len(factor.levels))
    if len(ordered) == 1:
        return ordered[0], None, ()
    return ordered[0], ordered[1], ordered[2:]


def _panel(
    axes: Any, comparison: Comparison, x: Factor | None, line: Factor | None, place: dict[str, str]
) -> None:
    rows = [
        row
        for row in comparison.rows
        if all(row.levels[name] == level for name, level in place.items())
    ]
    names = x.levels if x is not None else tuple(row.label for row in rows)
    lines = line.levels if line is not None else (None,)
    for number, level in enumerate(lines):
        shift = 0.06 * (number - (len(lines) - 1) / 2)
        points = []
        for at, name in enumerate(names):
            for row in rows:
                fits = row.levels[x.name] == name if x is not None else row.label == name
                if line is not None:
                    fits = fits and row.levels[line.name] == level
                if fits and row.score is not None:
                    points.append((at + shift, row))
        _points(axes, points, str(level), _MARKERS[number % len(_MARKERS)], joined=x is not None)
    axes.set_xticks(range(len(names)), names, rotation=30 if max(map(len, names)) > 12 else 0)
    axes.set_xlim(-0.4, len(names) - 0.6)
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _points(
    axes: Any, points: Sequence[tuple[float, Row]], label: str, marker: str, *, joined: bool
) -> None:
    scores = [(at, row.score) for at, row in points if row.score is not None]
    values = [100 * score.value for _, score in scores]
    below = [
        100 * (score.value - (score.value if score.lo is None else score.lo)) for _, score in scores
    ]
    above = [
        100 * ((score.value if score.hi is None else score.hi) - score.value) for _, score in scores
    ]
    axes.errorbar(
        [at for at, _ in scores],
        values,
        yerr=[[max(0.0, v) for v in below], [max(0.0, v) for v in above]],
        label=label,
        marker=marker,
        capsize=2,
        linewidth=1.3 if joined else 0,
        elinewidth=1,
    )
