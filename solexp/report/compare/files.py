"""A comparison as CSV and as LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from solexp.metrics.paired import Difference
from solexp.report import tables
from solexp.report.compare.cells import short_names
from solexp.report.compare.comparison import Comparison, effect_name
from solexp.report.compare.cvts import CvtRow, cvts
from solexp.report.compare.fees import FeeTable
from solexp.report.compare.regions import RegionRow, regions
from solexp.report.compare.text import cells, effects, fee_remarks, fees, remarks

_DIFFERENCE = ("value", "lo", "hi", "p", "holm", "test", "tasks", "better", "worse")
_SPENT = ("prompt_tokens", "completion_tokens", "cost_usd", "seconds")


def as_csv(comparisons: Sequence[Comparison]) -> str:
    """One line a cell and one an effect of each comparison; shares as fractions, unrounded.

    ``kind`` is ``cell``, ``effect`` or ``interaction``; or ``gas``, three lines a cell with ``fee`` in gas and the
    metrics beside it, where candidates' gas was measured; or ``cvt``, a line a metric of contract-violating tests; or
    ``region``, a line for the candidates and one for the tasks that just these oracles flag. A column a factor holds a
    cell's level, or an effect's step.
    """
    factors = list(comparisons[0].rows[0].levels)
    columns = [
        *("kind", "name", *factors),
        *("metric", "score", "score_lo", "score_hi", "score_tasks", "same_as"),
        *(f"difference_{name}" if name != "test" else "test" for name in _DIFFERENCE),
        *_SPENT,
    ]
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    for comparison in comparisons:
        writer.writerows(_lines(comparison))
    levels = {row.label: row.levels for row in comparisons[0].rows}
    if (found := comparisons[0].fee) is not None:
        writer.writerows(_fee_lines(found, levels))
    writer.writerows(_cvt_lines(comparisons[0].cvts, levels))
    writer.writerows(_region_lines(comparisons[0].regions, levels))
    return out.getvalue()


def _lines(comparison: Comparison) -> Iterator[dict[str, Any]]:
    short = short_names(comparison.rows[0].levels)
    for row in comparison.rows:
        score = row.score
        yield {
            "kind": "cell",
            "name": row.label,
            **row.levels,
            "metric": comparison.metric,
            "score": score and score.value,
            "score_lo": score and score.lo,
            "score_hi": score and score.hi,
            "score_tasks": score and score.n,
            "same_as": row.same_as,
            **_difference(row.difference),
            **{name: getattr(row, name) for name in _SPENT},
        }
    for effect in comparison.effects:
        yield {
            "kind": "effect" if len(effect.steps) == 1 else "interaction",
            "name": effect_name(effect, short),
            **{step.factor: f"{step.reference} → {step.level}" for step in effect.steps},
            "metric": comparison.metric,
            **_difference(effect.difference),
        }


def _fee_lines(
    found: FeeTable, levels: Mapping[str, Mapping[str, str]]
) -> Iterator[dict[str, Any]]:
    for row in found.rows:
        same = {"kind": "gas", "name": row.label, **levels[row.label]}
        yield {**same, "metric": "fee", "score": row.value, "score_tasks": found.tasks}
        for name in ("saving_median", "coverage"):
            if (metric := getattr(row, name)) is not None:
                yield {
                    **same,
                    "metric": f"gas.{name}",
                    "score": metric.value,
                    "score_lo": metric.lo,
                    "score_hi": metric.hi,
                    "score_tasks": metric.n,
                }


def _cvt_lines(
    rows: Sequence[CvtRow], levels: Mapping[str, Mapping[str, str]]
) -> Iterator[dict[str, Any]]:
    for row in rows:
        for name, metric in row.metrics.items():
            yield {
                "kind": "cvt",
                "name": row.label,
                **levels[row.label],
                "metric": name,
                "score": metric.value,
                "score_lo": metric.lo,
                "score_hi": metric.hi,
                "score_tasks": metric.n,
            }


def _region_lines(
    rows: Sequence[RegionRow], levels: Mapping[str, Mapping[str, str]]
) -> Iterator[dict[str, Any]]:
    for row in rows:
        for region in row.found.regions:
            for unit in ("candidates", "tasks"):
                count = getattr(row.found, unit)
                yield {
                    "kind": "region",
                    "name": row.label,
                    **levels[row.label],
                    "metric": f"{unit}.{'+'.join(region.oracles) or 'none'}",
                    "score": getattr(region, unit) / count if count else None,
                    "score_tasks": count,
                }


def _difference(found: Difference | None) -> dict[str, Any]:
    if found is None:
        return {}
    return {
        f"difference_{name}" if name != "test" else name: getattr(found, name)
        for name in _DIFFERENCE
    }


def as_latex(comparisons: Sequence[Comparison]) -> str:
    """The tables as LaTeX, to be ``\\input``; they want the package booktabs."""
    parts = [*map(_latex, comparisons)]
    if (found := comparisons[0].fee) is not None:
        parts.append(_noted([fees(found)], fee_remarks(found)))
    if comparisons[0].cvts:
        parts.append(_noted([cvts(comparisons[0].cvts)], ()))
    if comparisons[0].regions:
        parts.append(_noted([regions(comparisons[0].regions)], ()))
    return "% \\usepackage{booktabs}\n" + "\n".join(parts)


def _latex(comparison: Comparison) -> str:
    grids = [cells(comparison)]
    if comparison.effects:
        grids.append(effects(comparison))
    return _noted(grids, remarks(comparison))


def _noted(grids: Sequence[tables.Grid], notes: Sequence[str]) -> str:
    return "".join(f"% {line}\n" for line in notes) + "\n".join(map(_tabular, grids))


def _tabular(grid: tables.Grid) -> str:
    align = "l" * grid.words + "r" * (len(grid.columns) - grid.words)
    rows = "".join(f"{' & '.join(map(_escaped, row))} \\\\\n" for row in grid.rows)
    return (
        f"% {grid.title}\n\\begin{{tabular}}{{{align}}}\n\\toprule\n"
        f"{' & '.join(map(_escaped, grid.columns))} \\\\\n\\midrule\n{rows}\\bottomrule\n"
        "\\end{tabular}\n"
    )


_LATEX = {
    "\\": r"\textbackslash{}",
    **{char: f"\\{char}" for char in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "→": r"$\rightarrow$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "–": "--",
}


def _escaped(text: str) -> str:
    """Text as LaTeX shows it; a minus before a digit as a minus."""
    text = "".join(_LATEX.get(char, char) for char in text)
    # A cell that starts with a bracket would be taken for an option of the line break before it.
    text = re.sub(r"(?<![\w.-])([+-])(?=\d)", r"$\1$", text)
    return f"{{{text}}}" if text.startswith("[") else text
