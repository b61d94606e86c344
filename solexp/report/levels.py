"""What `solexp show` prints of functions as tasks, and of rounds of refinement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from solexp.report.tables import Grid, figure

_LEVEL = re.compile(r"(fpr|cfpr)_([cp])(?:\.(each_alone|together))?_at_(\d+)")
_ROWS = {
    ("fpr", None): "functions",
    ("cfpr", "each_alone"): "contracts, each function alone",
    ("cfpr", "together"): "contracts, all functions together",
}
_ROUND = re.compile(r"round(\d+)\.(compile|pass)_rate")

Metrics = Mapping[str, Mapping[str, Any]]


def functions(metrics: Metrics) -> Grid | None:
    """SolContractEval's Table III: what compiles and what passes, by function and by contract; None elsewhere."""
    found: dict[tuple[str, str | None], dict[tuple[str, int], Mapping[str, Any]]] = {}
    for name, metric in metrics.items():
        match = _LEVEL.fullmatch(name)
        if match:
            found.setdefault((match[1], match[3]), {})[match[2], int(match[4])] = metric
    columns = sorted({key for row in found.values() for key in row}, key=lambda c: (c[1], c[0]))
    if not columns:
        return None
    words = {"c": "compile", "p": "pass"}
    return Grid(
        title="Function level, in % (FPR and CFPR)",
        columns=("share of", "n", *(f"{words[which]} @{k}" for which, k in columns)),
        rows=tuple(
            (
                title,
                str(next(iter(row.values()))["n"]),
                *(figure(row.get(column)) for column in columns),
            )
            for key, title in _ROWS.items()
            if (row := found.get(key))
        ),
    )


def rounds(metrics: Metrics) -> Grid | None:
    """The shares of samples that compile and pass after each round, and what the rounds gained; None without any."""
    numbers = sorted({int(match[1]) for name in metrics if (match := _ROUND.fullmatch(name))})
    if not numbers:
        return None
    kinds = [kind for kind in ("compile", "pass") if f"{kind}_rate" in metrics]
    rows = [
        (
            "first answers" if number == 0 else f"after round {number}",
            *(figure(metrics.get(f"round{number}.{kind}_rate")) for kind in kinds),
        )
        for number in numbers
    ]
    rows.append(("gained", *(figure(metrics.get(f"gain.{kind}_rate")) for kind in kinds)))
    return Grid(
        title="Refinement: samples that compile and pass, in %",
        columns=("round", *(f"{kind} rate" for kind in kinds)),
        rows=tuple(rows),
    )
