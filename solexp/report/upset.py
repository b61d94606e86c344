"""The picture of which oracles flag what: an UpSet plot (Lex et al. 2014, "UpSet", IEEE TVCG 20)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from solexp.core import UserError
from solexp.report.pictures import image

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DARK, _LIGHT = "#1f2937", "#d1d5db"


def draw(behaviour: Mapping[str, Any] | None, kind: str) -> bytes:
    """An image of ``kind``, one of `solexp.report.pictures.FORMATS`, of a summary's ``behaviour``.

    A column for every combination of oracles that flags a candidate and for what none flags, the commonest first, its
    height the candidates; below it dots show which oracles. Bars to the left are what each oracle flags in all. Raises
    UserError where the run has fewer than two oracles of behaviour, or nothing that all of them evaluated.
    """
    if not behaviour:
        raise UserError(
            "--plot: the run has fewer than two oracles of behaviour to set beside each other; "
            "solexp rescore RUN oracle=[compile,replay,dcr] adds one"
        )
    found = behaviour["every"]
    names: list[str] = list(found["oracles"])
    columns = [region for region in found["regions"] if region["candidates"]]
    columns.sort(key=lambda region: (not region["oracles"], -region["candidates"]))
    if not columns:
        raise UserError(f"--plot: there is no candidate that all of {', '.join(names)} evaluated")

    def paint(figure: Figure) -> None:
        grid = figure.subplots(
            2,
            2,
            sharex="col",
            sharey="row",
            width_ratios=(1.2, 0.35 * len(columns) + 0.6),
            height_ratios=(2.2, 0.28 * len(names) + 0.2),
        )
        (empty, above), (left, dots) = grid
        empty.axis("off")
        places = range(len(columns))
        heights = [region["candidates"] for region in columns]
        colours = [_DARK if region["oracles"] else _LIGHT for region in columns]
        bars = above.bar(places, heights, color=colours)
        above.bar_label(bars, fontsize=8)
        above.set_ylabel("candidates")
        above.yaxis.get_major_locator().set_params(integer=True)
        above.set_title(
            f"{found['candidates']} candidates of {found['tasks']} tasks", fontsize=9, loc="left"
        )
        above.margins(y=0.15)
        above.tick_params(axis="y", labelleft=True)
        flagged = [
            sum(region["candidates"] for region in columns if name in region["oracles"])
            for name in names
        ]
        rows = range(len(names))
        sizes = left.barh(rows, flagged, color=_DARK)
        left.set_xlim(1.4 * max(1, *flagged), 0)
        left.bar_label(sizes, fontsize=8, padding=2)
        left.set_xlabel("flagged")
        for at, region in enumerate(columns):
            inside = [row for row, name in enumerate(names) if name in region["oracles"]]
            outside = [row for row in rows if row not in inside]
            dots.scatter([at] * len(outside), outside, color=_LIGHT, s=28)
            dots.scatter([at] * len(inside), inside, color=_DARK, s=28, zorder=3)
            if inside:
                dots.plot([at, at], [inside[0], inside[-1]], color=_DARK, linewidth=1.5)
        dots.set_yticks(rows, names)
        dots.tick_params(axis="y", labelleft=True, length=0)
        left.tick_params(axis="y", labelleft=False, length=0)
        dots.set_xticks([])
        dots.invert_yaxis()
        for axes in (above, left, dots):
            axes.spines[["top", "right", "left" if axes is left else "top"]].set_visible(False)
        dots.spines[["bottom", "left"]].set_visible(False)

    size = (2.8 + 0.35 * len(columns), 2.6 + 0.3 * len(names))
    return image(size, kind, paint)
