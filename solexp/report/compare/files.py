"""A comparison as CSV and as LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

from solexp.metrics.paired import Difference
from solexp.report import tables
from solexp.report.compare.cells import short_names
from solexp.report.compare.comparison import Comparison, effect_name
from solexp.report.compare.text import cells, effects, remarks

_DIFFERENCE = ("value", "lo", "hi", "p", "holm", "test", "tasks", "better", "worse")
_SPENT = ("prompt_tokens", "completion_tokens", "cost_usd", "seconds")


def as_csv(comparisons: Sequence[Comparison]) -> str:
    """One line a cell and one an effect of each comparison; shares as fractions, unrounded.

    ``kind`` is ``cell``, ``effect`` or ``interaction``; a column a factor holds a cell's level, or an effect's step.
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


def _difference(found: Difference | None) -> dict[str, Any]:
    if found is None:
        return {}
    return {
        f"difference_{name}" if name != "test" else name: getattr(found, name)
        for name in _DIFFERENCE
    }


def as_latex(comparisons: Sequence[Comparison]) -> str:
    """The tables as LaTeX, to be ``\\input``; they want the package booktabs."""
    return "% \\usepackage{booktabs}\n" + "\n".join(map(_latex, comparisons))


def _latex(comparison: Comparison) -> str:
    grids = [cells(comparison)]
    if comparison.effects:
        grids.append(effects(comparison))
    notes = "".join(f"% {line}\n" for line in remarks(comparison))
    return notes + "\n".join(map(_tabular, grids))


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
