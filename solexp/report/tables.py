"""Tables of runs: built as plain data, drawn by rich on a terminal and as aligned text elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any

import msgspec

_NAME = re.compile(r"(?P<prefix>.*?)(?P<score>analysis_compile|compile|pass)_at_(?P<k>\d+)")
_TITLES = {"compile": "Compile", "analysis_compile": "Compile, stack depth aside", "pass": "Pass"}
_PREFIXES = {
    "": "all tasks",
    "decidable.": "decidable tasks",
    "exercised.": "exercised tasks",
    "before_cutoff.": "deployed before the cut-off",
    "after_cutoff.": "deployed after the cut-off",
}


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """A table: headings and rows of text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    """How many of the first columns are words, set to the left; the rest are figures."""


def draw(grid: Grid, file: IO[str]) -> None:
    """Write ``grid`` to ``file``."""
    if file.isatty():
        _draw_rich(grid, file)
    else:
        file.write(plain(grid))


def plain(grid: Grid) -> str:
    """The grid as aligned text without borders, one line a row."""
    lines = [grid.columns, *grid.rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(grid.columns))]
    out = [f"{grid.title}\n"] if grid.title else []
    for number, line in enumerate(lines):
        cells = [
            cell.ljust(width) if place < grid.words else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        out.append("  ".join(cells).rstrip() + "\n")
        if number == 0:
            out.append("  ".join("-" * width for width in widths) + "\n")
    return "".join(out)


def _draw_rich(grid: Grid, file: IO[str]) -> None:
    from rich.console import Console  # noqa: PLC0415  (0.1 s, and only terminals need it)
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(title=grid.title or None, title_justify="left", title_style="bold")
    for number, column in enumerate(grid.columns):
        table.add_column(
            column, justify="left" if number < grid.words else "right", overflow="fold"
        )
    for row in grid.rows:
        table.add_row(*(Text(cell) for cell in row))
    Console(file=file).print(table)


def figure(metric: Mapping[str, Any] | None) -> str:
    """A share as per cent with its interval, such as ``75.0 [46.8, 91.1]``; ``±`` is the spread over repeats."""
    if metric is None or metric.get("value") is None:
        return "–"
    text = f"{100 * metric['value']:.1f}"
    if metric.get("spread") is not None:
        text += f" ±{100 * metric['spread']:.1f}"
    if metric.get("lo") is not None and metric.get("hi") is not None:
        text += f" [{100 * metric['lo']:.1f}, {100 * metric['hi']:.1f}]"
    return text


def scores(metrics: Mapping[str, Mapping[str, Any]]) -> Grid:
    """One row a score over all, decidable and exercised tasks, one column a k, in per cent with intervals."""
    rows: dict[tuple[str, str], dict[int, Mapping[str, Any]]] = {}
    for score, prefix, k, metric in _parsed(metrics):
        if prefix in _PREFIXES:
            rows.setdefault((score, prefix), {})[k] = metric
    if _same(rows.get(("analysis_compile", "")), rows.get(("compile", ""))):
        del rows["analysis_compile", ""]
    ks = sorted({k for row in rows.values() for k in row})
    return Grid(
        title="Scores in %, with 95 % intervals",
        words=2,
        columns=("score", "over", "tasks", *(f"@{k}" for k in ks)),
        rows=tuple(
            (
                _TITLES[score],
                _PREFIXES[prefix],
                _tasks(row.values()),
                *(figure(row.get(k)) for k in ks),
            )
            for (score, prefix), row in sorted(rows.items(), key=lambda item: _rank(*item[0]))
        ),
    )


def parts(metrics: Mapping[str, Mapping[str, Any]]) -> Grid:
    """Pass by category and by compiler series, one row each and one column a k, in per cent.

    Where all tasks are of one category, or of one series, that says nothing new and is left out.
    """
    rows: dict[str, dict[int, Mapping[str, Any]]] = {}
    for score, prefix, k, metric in _parsed(metrics):
        if score == "pass" and prefix.startswith(("category.", "series.")):
            rows.setdefault(prefix, {})[k] = metric
    kinds = Counter(prefix.partition(".")[0] for prefix in rows)
    rows = {prefix: row for prefix, row in rows.items() if kinds[prefix.partition(".")[0]] > 1}
    ks = sorted({k for row in rows.values() for k in row})
    return Grid(
        title="Pass by category and compiler series, in %",
        columns=("part", "tasks", *(f"@{k}" for k in ks)),
        rows=tuple(
            (
                prefix.removesuffix(".").replace(".", " ", 1),
                _tasks(row.values()),
                *(_share(row.get(k)) for k in ks),
            )
            for prefix, row in sorted(rows.items())
        ),
    )


def _parsed(
    metrics: Mapping[str, Mapping[str, Any]],
) -> Iterator[tuple[str, str, int, Mapping[str, Any]]]:
    """(score, prefix, k, metric) of every metric that is a score at some k."""
    for name, metric in metrics.items():
        match = _NAME.fullmatch(name)
        if match:
            yield match["score"], match["prefix"], int(match["k"]), metric


def _rank(score: str, prefix: str) -> tuple[int, int]:
    return list(_TITLES).index(score), list(_PREFIXES).index(prefix)


def _tasks(metrics: Iterable[Mapping[str, Any]]) -> str:
    return " / ".join(dict.fromkeys(str(metric["n"]) for metric in metrics))


def _share(metric: Mapping[str, Any] | None) -> str:
    return "–" if metric is None else f"{100 * metric['value']:.1f}"


def axes(metrics: Mapping[str, Mapping[str, Any]]) -> Grid | None:
    """Pass@k for the choices of axes whose scores are not the run's own, over all and over decidable tasks.

    A grid without rows where all choices agree; None where no replay was made.
    """
    choices: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name, metric in metrics.items():
        match = re.fullmatch(r"axes\.(\w+)\.((?:decidable\.)?pass_at_\d+)", name)
        if match:
            choices.setdefault(match[1], {})[match[2]] = metric
    if not choices:
        return None
    own = {
        name: m for name, m in metrics.items() if re.fullmatch(r"(decidable\.)?pass_at_\d+", name)
    }
    differing = {name: row for name, row in choices.items() if not _same(row, own)}
    names = [
        name
        for name in own
        if not name.startswith("decidable.")
        or any(
            row.get(name, {}).get("n") != own[name.removeprefix("decidable.")]["n"]
            for row in differing.values()
        )
    ]
    names.sort(key=lambda name: (name.startswith("decidable."), int(name.rpartition("_")[2])))
    return Grid(
        title="Pass if other axes decided, in % (any other choice agrees with the run's own)",
        columns=("axes", *(heading(name).removeprefix("Pass") for name in names)),
        rows=tuple(
            (choice.replace("_", " + "), *(figure(row.get(name)) for name in names))
            for choice, row in differing.items()
        ),
    )


def _same(
    one: Mapping[Any, Mapping[str, Any]] | None, other: Mapping[Any, Mapping[str, Any]] | None
) -> bool:
    """Whether two rows hold the same figures."""
    if one is None or other is None:
        return False
    return one.keys() == other.keys() and all(
        (one[key]["value"], one[key]["n"]) == (other[key]["value"], other[key]["n"]) for key in one
    )


def reasons(found: Mapping[str, Mapping[str, int]], *, most: int = 3) -> Grid | None:
    """The commonest reasons of the outcomes that no comparison explains, the rarer ones summed up."""
    return _reasons("Why there is no pass or fail", "candidates", found, most)


def open_tasks(found: Mapping[str, Mapping[str, int]], *, most: int = 3) -> Grid | None:
    """Why tasks could not be decided, those included of which no candidate could be run."""
    return _reasons("Why tasks are not decidable", "tasks", found, most)


def _reasons(
    title: str, counted: str, found: Mapping[str, Mapping[str, int]], most: int
) -> Grid | None:
    rows: list[tuple[str, str, str]] = []
    for outcome, counts in found.items():
        pairs = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        # One that is left over takes no more room than its sum.
        shown = pairs if len(pairs) == most + 1 else pairs[:most]
        rows += [(outcome, reason, str(count)) for reason, count in shown]
        rest = pairs[len(shown) :]
        if rest:
            other = f"{len(rest)} rarer reasons: solexp show --json"
            rows.append((outcome, other, str(sum(count for _, count in rest))))
    if not rows:
        return None
    return Grid(title=title, columns=("outcome", "reason", counted), rows=tuple(rows), words=2)


def failing_axes(shares: Mapping[str, Mapping[str, Any]]) -> Grid | None:
    """Where failing candidates diverge."""
    if not shares:
        return None
    return Grid(
        title="Where candidates that fail diverge",
        columns=("axis", "candidates", "of failing, %", "calls or values"),
        rows=tuple(
            (
                axis,
                str(share["candidates"]),
                f"{100 * share['share']:.1f}",
                str(share["calls"]),
            )
            for axis, share in sorted(shares.items(), key=lambda item: -item[1]["candidates"])
        ),
    )


def compile_errors(errors: Mapping[str, Any], *, most: int = 8) -> Grid | None:
    """The most frequent kinds of compile errors."""
    kinds = errors.get("kinds") or {}
    if not kinds:
        return None
    rows = [
        (kind.replace("_", " "), str(share["errors"]), f"{100 * share['share']:.1f}")
        for kind, share in kinds.items()
    ]
    rest = rows[most:]
    title = f"Compile errors: {errors['errors']} in {errors['candidates']} candidates"
    if rest:
        title += f" ({len(rest)} rarer kinds: solexp show --json)"
    return Grid(title=title, columns=("kind", "errors", "%"), rows=tuple(rows[:most]))


def comparison(runs: Sequence[tuple[str, Mapping[str, Any]]], names: Iterable[str] = ()) -> Grid:
    """One row a run, one column a metric, in per cent with intervals.

    ``runs`` are (label, summary). Without ``names`` the columns are Compile@k, Pass@k and Pass@k over decidable
    tasks, for every k that a run has.
    """
    wanted = list(names) or _main_metrics(summary for _, summary in runs)
    return Grid(
        title="",
        columns=("run", *map(heading, wanted)),
        rows=tuple(
            (label, *(figure(summary.get("metrics", {}).get(name)) for name in wanted))
            for label, summary in runs
        ),
    )


def _main_metrics(summaries: Iterable[Mapping[str, Any]]) -> list[str]:
    found: dict[tuple[int, int, int], str] = {}
    for summary in summaries:
        for name in summary.get("metrics", {}):
            match = _NAME.fullmatch(name)
            if match and match["score"] != "analysis_compile" and match["prefix"] in _PREFIXES:
                if match["prefix"] not in ("", "decidable."):
                    continue
                place = list(_PREFIXES).index(match["prefix"])
                found[list(_TITLES).index(match["score"]), place, int(match["k"])] = name
    return [found[key] for key in sorted(found)]


def heading(name: str) -> str:
    """``decidable.pass_at_1`` as a column's heading: ``Pass@1 decidable``."""
    match = _NAME.fullmatch(name)
    if match is None:
        return name
    beside = match["prefix"].removesuffix(".").replace(".", " ")
    return f"{_TITLES[match['score']]}@{match['k']}" + (f" {beside}" if beside else "")
