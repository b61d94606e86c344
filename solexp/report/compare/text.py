"""A comparison as tables for a person."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import IO

from solexp.metrics.paired import FEW, Difference
from solexp.metrics.scores import Metric
from solexp.report import tables
from solexp.report.compare.cells import short_names
from solexp.report.compare.comparison import Comparison, Row, effect_name
from solexp.report.compare.cvts import cvts
from solexp.report.compare.fees import FeeTable
from solexp.report.compare.regions import regions

_TESTS = {
    "mcnemar": "McNemar's exact test",
    "sign_flip_exact": "sign flips by task, all of them",
    "sign_flip": "sign flips by task, drawn",
}


def print_comparisons(comparisons: Sequence[Comparison], file: IO[str]) -> None:
    """Write each comparison: the cells, the effects of the factors, and what a reader has to know.

    Then, once for all, the Fee, the contract-violating tests and the regions between oracles.
    """
    for number, comparison in enumerate(comparisons):
        if number:
            print(file=file)
        _print(comparison, file)
    if comparisons and (found := comparisons[0].fee) is not None:
        print(file=file)
        tables.draw(fees(found), file)
        print(file=file)
        for line in fee_remarks(found):
            print(line, file=file)
    if comparisons and comparisons[0].cvts:
        print(file=file)
        tables.draw(cvts(comparisons[0].cvts), file)
    if comparisons and comparisons[0].regions:
        print(file=file)
        tables.draw(regions(comparisons[0].regions), file)


def _print(comparison: Comparison, file: IO[str]) -> None:
    tables.draw(cells(comparison), file)
    if comparison.effects:
        print(file=file)
        tables.draw(effects(comparison), file)
    print(file=file)
    for line in remarks(comparison):
        print(line, file=file)


def cells(comparison: Comparison) -> tables.Grid:
    """One row a cell; a cell that is the same as an earlier one shares its row."""
    rows = [row for row in comparison.rows if row.same_as is None]
    known = {
        name: any(getattr(row, name) is not None for row in rows)
        for name in ("prompt_tokens", "completion_tokens", "cost_usd", "seconds")
    }
    titles = {
        "prompt_tokens": "tokens in",
        "completion_tokens": "out",
        "cost_usd": "USD",
        "seconds": "s",
    }
    extras = [name for name, any_known in known.items() if any_known]
    return tables.Grid(
        title=f"{tables.heading(comparison.metric)} in %, with 95 % intervals",
        columns=("cell", "tasks", "score", "difference", "p", "Holm", *(titles[n] for n in extras)),
        rows=tuple(
            (
                _name(comparison, row),
                "–" if row.score is None else str(row.score.n),
                tables.figure(_metric(row)),
                "baseline" if row.label == comparison.baseline else difference(row.difference),
                probability(row.difference.p if row.difference else None),
                probability(row.difference.holm if row.difference else None),
                *(amount(name, getattr(row, name)) for name in extras),
            )
            for row in rows
        ),
    )


def _name(comparison: Comparison, row: Row) -> str:
    """The cell's label; for several that are one, with all their levels, such as ``examples=random|bm25``."""
    alike = [row, *(other for other in comparison.rows if other.same_as == row.label)]
    if len(alike) == 1:
        return row.label
    levels = {name: list(dict.fromkeys(each.levels[name] for each in alike)) for name in row.levels}
    if math.prod(map(len, levels.values())) != len(alike):
        return " = ".join(each.label for each in alike)
    short = short_names(levels)
    return " ".join(f"{short[name]}={'|'.join(known)}" for name, known in levels.items())


def _metric(row: Row) -> dict[str, float | None] | None:
    return _metric_of(row.score)


def _metric_of(score: Metric | None) -> dict[str, float | None] | None:
    return (
        None
        if score is None
        else {"value": score.value, "lo": score.lo, "hi": score.hi, "spread": score.spread}
    )


def effects(comparison: Comparison) -> tables.Grid:
    """One row an effect."""
    short = short_names(comparison.rows[0].levels)
    return tables.Grid(
        title="Effects in percentage points, averaged over the other factors",
        columns=("effect", "tasks", "points", "p", "Holm"),
        rows=tuple(
            (
                effect_name(effect, short),
                str(effect.difference.tasks),
                difference(effect.difference),
                probability(effect.difference.p),
                probability(effect.difference.holm),
            )
            for effect in comparison.effects
        ),
    )


def fees(found: FeeTable) -> tables.Grid:
    """One row a cell: what its passing candidates save in gas."""
    return tables.Grid(
        title=f"Fee: gas saved over the {_count(range(found.tasks), 'task')} that every cell solves",
        columns=("cell", "solved", "fee", "median saving, %", "measured, %"),
        rows=tuple(
            (
                row.label,
                str(row.solved),
                f"{row.value:+,.0f}" if found.tasks else "–",
                saving(row.saving_median),
                tables.figure(_metric_of(row.coverage)),
            )
            for row in found.rows
        ),
    )


def saving(metric: Metric | None) -> str:
    """Such as ``+2.5 [+0.1, +4.0]``, in per cent of the reference's gas."""
    if metric is None:
        return "–"
    text = f"{100 * metric.value:+.2f}"
    if metric.lo is not None and metric.hi is not None:
        text += f" [{100 * metric.lo:+.2f}, {100 * metric.hi:+.2f}]"
    return text


def fee_remarks(found: FeeTable) -> list[str]:
    """How the figures of the Fee were made."""
    lines = [
        "fee: sum of f - f' in gas, reference less candidate: above 0 the candidates are cheaper; "
        "f' is the mean over a task's passing samples",
    ]
    if unmeasured := found.solved_by_all - found.tasks:
        lines.append(
            f"not in the fee: {unmeasured} more that every cell solves; no unit test reaches them"
        )
    return [*lines, f"fee of these runs together: {found.set}"]


def difference(found: Difference | None) -> str:
    """Such as ``+12.5 [+3.1, +21.9]``, in percentage points."""
    if found is None:
        return "–"
    return f"{100 * found.value:+.1f} [{100 * found.lo:+.1f}, {100 * found.hi:+.1f}]"


def probability(p: float | None) -> str:
    """Three decimals, or ``<0.001``."""
    if p is None:
        return "–"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def amount(name: str, value: float | None) -> str:
    """A number of tokens, dollars or seconds."""
    if value is None:
        return "–"
    if name == "cost_usd":
        return f"{value:.4f}"
    return f"{value:.1f}" if name == "seconds" else f"{value:,.0f}"


def remarks(comparison: Comparison) -> list[str]:
    """How the figures were made, and what is missing."""
    tests = {
        found.test
        for found in [
            *(row.difference for row in comparison.rows),
            *(effect.difference for effect in comparison.effects),
        ]
        if found is not None
    }
    lines = [
        f"difference: to {comparison.baseline}, on the same tasks; interval by a bootstrap over tasks"
    ]
    if tests:
        lines.append("p: " + "; ".join(said for test, said in _TESTS.items() if test in tests))
    tasks = max((row.score.n for row in comparison.rows if row.score), default=0)
    if 0 < tasks < FEW:
        lines.append(
            f"{tasks} tasks allow no p below {2.0 ** (1 - tasks):.3f}; intervals are Student's"
        )
    if comparison.family:
        lines.append(
            f"Holm: p corrected over the family of {_count(comparison.family, 'contrast')}"
        )
    return lines + list(comparison.notes)


def _count(things: Sequence[object], name: str) -> str:
    return f"{len(things)} {name}" + ("" if len(things) == 1 else "s")
