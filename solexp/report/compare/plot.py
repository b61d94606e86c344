"""The picture of a comparison: how one factor's effect depends on another."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from solexp.metrics.effects import Factor
from solexp.metrics.scores import Metric
from solexp.report import tables
from solexp.report.compare.cells import short_names
from solexp.report.compare.comparison import Comparison, Row
from solexp.report.pictures import image

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MARKERS = "osD^vPX*"
_PANELS = 4
"""Side by side at most."""
_LETTERS = 45
"""What stands below a panel without being turned."""


def draw(comparisons: Sequence[Comparison], kind: str) -> bytes:
    """An image of ``kind``, one of `solexp.report.pictures.FORMATS`: equal comparisons give equal bytes.

    Along x the levels of the factor with the most, a line a level of the next, a panel a combination of the others.
    Lines that are not parallel are an interaction. Bars are the cells' 95 % intervals. Without two factors, a line a
    metric; else a row of panels a metric.
    """
    x, line, others = _axes(comparisons[0])
    panels = _panels(comparisons, line, others)
    across = min(_PANELS, math.prod(len(factor.levels) for factor in others))
    down = math.ceil(len(panels) / across)
    short = short_names([factor.name for factor in comparisons[0].factors])

    def paint(figure: Figure) -> None:
        grid = figure.subplots(down, across, sharey="row", squeeze=False)
        for axes in grid.flat[len(panels) :]:
            axes.set_visible(False)
        for axes, panel in zip(grid.flat, panels, strict=False):
            _draw(axes, panel, x, line)
            title = ", ".join(f"{short[name]} = {level}" for name, level in panel.place.items())
            axes.set_title(title, fontsize=9)
            axes.set_xlabel(short[x.name] if x is not None else "")
            if axes in grid[:, 0]:
                axes.set_ylabel(f"{panel.metric}, %")
        handles, labels = grid[0][0].get_legend_handles_labels()
        if len(handles) > 1:
            title = short[line.name] if line is not None else ""
            figure.legend(handles, labels, title=title, loc="outside right upper", frameon=False)

    return image((1.8 + 2.6 * across, 0.6 + 2.7 * down), kind, paint)


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


class _Panel(msgspec.Struct, frozen=True, kw_only=True):
    """One coordinate system."""

    metric: str
    place: dict[str, str]
    """Its level of each factor that is neither along x nor a line."""
    rows: dict[str, list[Row]]
    """The cells of each line."""


def _panels(
    comparisons: Sequence[Comparison], line: Factor | None, others: Sequence[Factor]
) -> list[_Panel]:
    if line is None:
        headings = [tables.heading(comparison.metric) for comparison in comparisons]
        rows = {
            heading: list(comparison.rows)
            for heading, comparison in zip(headings, comparisons, strict=True)
        }
        return [_Panel(metric=headings[0] if len(rows) == 1 else "score", place={}, rows=rows)]
    found = []
    for comparison in comparisons:
        for levels in itertools.product(*(factor.levels for factor in others)):
            place = dict(zip((factor.name for factor in others), levels, strict=True))
            here = [r for r in comparison.rows if all(r.levels[n] == v for n, v in place.items())]
            rows = {
                level: [row for row in here if row.levels[line.name] == level]
                for level in line.levels
            }
            heading = tables.heading(comparison.metric)
            found.append(_Panel(metric=heading, place=place, rows=rows))
    return found


def _draw(axes: Any, panel: _Panel, x: Factor | None, line: Factor | None) -> None:
    every = next(iter(panel.rows.values()))
    names = list(x.levels) if x is not None else [row.label for row in every]
    for number, (label, rows) in enumerate(panel.rows.items()):
        shift = 0.06 * (number - (len(panel.rows) - 1) / 2)
        points = [
            (names.index(row.levels[x.name] if x is not None else row.label) + shift, row.score)
            for row in rows
            if row.score is not None
        ]
        points.sort(key=lambda point: point[0])
        marker = _MARKERS[number % len(_MARKERS)]
        joined = line is not None or (x is not None and all(map(_is_number, x.levels)))
        _points(axes, points, label, marker, joined=joined)
    axes.set_xticks(range(len(names)), names)
    if max(map(len, names)) * len(names) > _LETTERS:
        axes.tick_params(axis="x", rotation=30)
        for label in axes.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.4, len(names) - 0.6)
    axes.grid(axis="y", alpha=0.3)
    axes.spines[["top", "right"]].set_visible(False)


def _is_number(level: str) -> bool:
    try:
        float(level)
    except ValueError:
        return False
    return True


def _points(
    axes: Any, points: Sequence[tuple[float, Metric]], label: str, marker: str, *, joined: bool
) -> None:
    values = [score.value for _, score in points]
    ends = [
        (
            score.value if score.lo is None else score.lo,
            score.value if score.hi is None else score.hi,
        )
        for _, score in points
    ]
    axes.errorbar(
        [at for at, _ in points],
        [100 * value for value in values],
        yerr=[
            [100 * max(0.0, value - lo) for value, (lo, _) in zip(values, ends, strict=True)],
            [100 * max(0.0, hi - value) for value, (_, hi) in zip(values, ends, strict=True)],
        ],
        label=label,
        marker=marker,
        capsize=2,
        linewidth=1.3 if joined else 0,
        elinewidth=1,
    )
