"""What `solexp show` prints beside the scores: sizes, replies without code, overlap with the
references, findings of Slither, gas, what Python functions refuse."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from solexp.report.tables import Grid, figure

_SIZE = re.compile(r"functions\.(\d+)-(\d+)\.(compile_rate|pass_at_\d+)")
_REPLIES = {
    "refused": "refused_share",
    "empty": "empty_share",
    "cut off": "truncated_share",
    "to too long a prompt": "prompt_too_long_share",
}


def sizes(metrics: Mapping[str, Mapping[str, Any]], seconds: Mapping[str, Any]) -> Grid | None:
    """Compile rate, Pass@k and seconds for a compiling sample by the contract's number of functions.

    None where all contracts are of one class.
    """
    rows: dict[tuple[int, int], dict[str, Mapping[str, Any]]] = {}
    for name, metric in metrics.items():
        match = _SIZE.fullmatch(name)
        if match:
            rows.setdefault((int(match[1]), int(match[2])), {})[match[3]] = metric
    if len(rows) < 2:
        return None
    names = sorted({n for row in rows.values() for n in row}, key=lambda n: (n[0], len(n), n))
    spent = seconds.get("per_compiling") or {}
    headings = [
        "compile rate" if n == "compile_rate" else f"Pass@{n.rpartition('_')[2]}" for n in names
    ]
    last = ("s per compiling sample",) if spent else ()
    return Grid(
        title="By functions of the contract, in %",
        columns=("functions", "tasks", *headings, *last),
        rows=tuple(
            (
                f"{first}-{end}",
                str(next(iter(row.values()))["n"]),
                *(_cell(name, row.get(name)) for name in names),
                *(
                    (f"{spent[f'{first}-{end}']:.1f}" if f"{first}-{end}" in spent else "–",)
                    * len(last)
                ),
            )
            for (first, end), row in sorted(rows.items())
        ),
    )


def _cell(name: str, metric: Mapping[str, Any] | None) -> str:
    """The paper's figure with its interval; Pass@k without, to be short."""
    return (
        figure(metric)
        if metric is None or name == "compile_rate"
        else f"{100 * metric['value']:.1f}"
    )


def lines(metrics: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A line each on replies without code, overlap, findings and gas; none where there is nothing to say."""
    found = []
    without = _value(metrics, "no_code_share")
    if without:
        kinds = [
            f"{100 * share:.1f} % {kind}"
            for kind, name in _REPLIES.items()
            if (share := _value(metrics, name))
        ]
        told = f": {', '.join(kinds)}" if kinds else ""
        found.append(f"replies: {100 * without:.1f} % hold no code{told}")
    run, ngrams = (_value(metrics, f"overlap.{n}_share") for n in ("longest_run", "ngram"))
    if run is not None and ngrams is not None:
        long = _value(metrics, "overlap.long_run_share") or 0.0
        found.append(
            f"overlap: on average {100 * ngrams:.1f} % of a candidate's 8-grams are the reference's, and the "
            f"longest common run is {100 * run:.1f} % of the reference; {100 * long:.1f} % repeat 50 tokens or more"
        )
    vul, everything = metrics.get("vul"), metrics.get("vul_all")
    if vul is not None and everything is not None:
        new = _value(metrics, "vul_new")
        told = f" ({100 * new:.1f} % one that the original has not)" if new is not None else ""
        found.append(
            f"Slither: {figure(vul)} % of the samples that compile have a finding{told}, "
            f"{figure(everything)} % of all samples"
        )
    saving, covered = metrics.get("gas.saving_median"), metrics.get("gas.coverage")
    if covered is not None:
        told = (
            f"the median task saves {figure(saving)} % of the reference's, and " if saving else ""
        )
        found.append(f"gas: {told}{figure(covered)} % of the samples that pass are measured")
    return [*found, *_contracts(metrics)]


def _contracts(metrics: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What Python functions give and refuse."""
    found = []
    share, base = _value(metrics, "plus_share"), metrics.get("base.pass_at_1")
    if share is not None:
        told = f"; on base inputs alone Pass@1 is {figure(base)} %" if base is not None else ""
        found.append(f"inputs: {100 * share:.1f} % of a task's plus inputs match on average{told}")
    anyhow, over = _value(metrics, "rejection"), _value(metrics, "over_rejection")
    if "csr" in metrics and anyhow is not None:
        by_task = _value(metrics, "csr_by_task") or 0.0
        found.append(
            f"contract: {figure(metrics['csr'])} % of violating calls are refused with AssertionError "
            f"({100 * by_task:.1f} % of a task's on average), {100 * anyhow:.1f} % with any exception"
        )
    if over is not None:
        found.append(f"valid inputs: {100 * over:.1f} % are refused")
    if (kappa := metrics.get("judge.kappa")) is not None:
        agreed = _value(metrics, "judge.agreement") or 0.0
        found.append(
            f"judge: sees {100 * agreed:.1f} % of the assertions as tests show them, kappa {kappa['value']:.2f}"
        )
    return found


def detectors(counts: Mapping[str, Mapping[str, Any]]) -> Grid:
    """Samples by the detector of Slither's that finds something in them."""
    return Grid(
        title="Samples with findings of Slither",
        columns=("detector", "samples", "not in the original"),
        rows=tuple((name, str(row["samples"]), str(row["new"])) for name, row in counts.items()),
    )


def _value(metrics: Mapping[str, Mapping[str, Any]], name: str) -> float | None:
    metric = metrics.get(name)
    return None if metric is None else float(metric["value"])


def workspaces(found: Mapping[str, Any] | None) -> list[str]:
    """By which routes agents came to their rewards, and whether too much of it was never tested."""
    if found is None:
        return []
    routes = ", ".join(f"{count} {route}" for route, count in found["routes"].items())
    lines = [f"workspaces: {routes}"]
    if found["best_effort"]:
        lines.append(
            f"{found['best_effort']} workspaces have no text by which a leak of the original would show"
        )
    if found["flagged"]:
        lines.append(
            f"flagged: of {found['vacuous_share']:.0%} of what shows no difference nothing was tested; "
            "scores that count it (rule=release) mean little"
        )
    return lines
