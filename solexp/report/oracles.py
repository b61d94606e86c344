"""What `solexp show` prints of the oracles themselves: what each catches, and what only some of them flag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from solexp.metrics.calibration import REFERENCE
from solexp.metrics.regions import PAPER
from solexp.report.tables import Grid, figure

_TOGETHER = "together"
_MOST = 8
"""Names in a line at most."""


def recall(
    calibration: Mapping[str, Any] | None, behaviour: Mapping[str, Any] | None, seconds: Any
) -> Grid | None:
    """A row an oracle: what it catches of wrong mutants, and its false alarms.

    None with fewer than two oracles of behaviour: then the line `Calibration.told` says it all.
    """
    if not calibration or not behaviour:
        return None
    spent = (seconds or {}).get("per_candidate") or {}
    return Grid(
        title="Flagged, of labelled mutants and references, each once; with 95 % intervals",
        columns=(
            *("oracle", "wrong", "caught, %", "shown", "hidden"),
            *("equivalent", "alarms, %", "references", "undecided", "s each"),
        ),
        rows=tuple(
            _row(name, row, spent.get(name))
            for name, row in _columns(calibration, include_compile=True)
        ),
    )


def _row(name: str, row: Mapping[str, Any], seconds: float | None) -> tuple[str, ...]:
    wrong, equivalent, references = row["wrong"], row["equivalent"], row["references"]
    return (
        name,
        *(_of(wrong), _percent(wrong), _of(row["shown"]), _of(row["hidden"])),
        *(_of(equivalent), _percent(equivalent), _of(references)),
        str(sum(each["open"] for each in (wrong, equivalent, references))),
        "" if seconds is None else f"{seconds:.1f}",
    )


def faults(
    calibration: Mapping[str, Any] | None, behaviour: Mapping[str, Any] | None
) -> Grid | None:
    """A row a fault of wrong mutants, or a way in which right ones differ: how many each oracle flags."""
    if not calibration or not behaviour:
        return None
    columns = _columns(calibration)
    together = calibration["together"]
    rows = [
        (part, name, counts)
        for part, found in (("faults", together["faults"]), ("kinds", together["kinds"]))
        for name, counts in found.items()
    ]
    return Grid(
        title="Flagged, by fault of wrong mutants and by how right ones differ",
        words=2,
        columns=("", "by", "mutants", *(name for name, _ in columns)),
        rows=(
            *(
                (
                    "wrong" if part == "faults" else "right",
                    name,
                    str(counts["n"] + (counts["open"] if part == "kinds" else 0)),
                    *(str(row[part][name]["caught"]) for _, row in columns),
                )
                for part, name, counts in rows
            ),
            (
                "right",
                REFERENCE,
                str(together["references"]["n"] + together["references"]["open"]),
                *(str(row["references"]["caught"]) for _, row in columns),
            ),
        ),
    )


def _columns(
    calibration: Mapping[str, Any], *, include_compile: bool = False
) -> list[tuple[str, Mapping[str, Any]]]:
    """The oracles and all together; ``compile`` only where it flags something, or is asked for."""
    found = [
        (name, row)
        for name, row in calibration["oracles"].items()
        if name != "compile" or (include_compile and _says_something(row))
    ]
    return [*found, (_TOGETHER, calibration["together"])]


def _says_something(row: Mapping[str, Any]) -> bool:
    return any(row[part]["caught"] for part in ("wrong", "equivalent", "references"))


def _percent(counts: Mapping[str, Any]) -> str:
    n = counts["n"]
    return figure({**counts, "value": counts["caught"] / n} if n else None)


def _of(counts: Mapping[str, Any]) -> str:
    return f"{counts['caught']}/{counts['n']}" if counts["n"] else "–"


def explained(calibration: Mapping[str, Any] | None) -> list[str]:
    """What is to be explained: wrong mutants that all oracles miss, false alarms, and what was not judged."""
    lines = []
    for title, key in (("missed by all oracles", "missed"), ("false alarms", "false_alarms")):
        cases = (calibration or {}).get(key) or []
        if cases:
            names = [_case(each, key == "false_alarms") for each in cases[:_MOST]]
            rest = len(cases) - len(names)
            more = f" and {rest} more: solexp show --json" if rest else ""
            lines.append(f"{title}: {', '.join(names)}{more}")
    return lines


def _case(case: Mapping[str, Any], alarm: bool) -> str:
    said = case["said"]
    if alarm:
        told = [f"{name} {outcome}" for name, outcome in said.items() if outcome != "pass"]
    else:
        told = [case["about"], *(f"{name} {o}" for name, o in said.items() if o != "pass")]
    return f"{case['name']} ({', '.join(told)})"


def paper_regions(behaviour: Mapping[str, Any] | None) -> Grid | None:
    """SolBehave's seven columns: what fuzz (O1), replay (O2) and dcr (O3) flag."""
    found = (behaviour or {}).get("paper")
    if not found:
        return None
    return Grid(
        title="Flagged by O1 fuzz, O2 replay, O3 dcr, of what all three evaluated",
        columns=("", "evaluated", *region_names(r["oracles"] for r in found["regions"])),
        rows=tuple(
            (unit, str(found[unit]), *(str(region[unit]) for region in found["regions"]))
            for unit in ("candidates", "tasks")
        ),
    )


def region_names(regions: Iterable[Sequence[str]]) -> Iterator[str]:
    """What the paper calls regions between its three oracles, such as ``O1 only`` and ``O1+O3``."""
    names = dict(zip(PAPER, ("O1", "O2", "O3"), strict=True))
    for oracles in regions:
        yield _joined([names[each] for each in oracles])


def _joined(names: Sequence[str]) -> str:
    return "none" if not names else f"{names[0]} only" if len(names) == 1 else "+".join(names)


def regions(behaviour: Mapping[str, Any] | None) -> Grid | None:
    """The combinations of all the oracles that flag something, the commonest first."""
    found = (behaviour or {}).get("every")
    if not found or len(found["oracles"]) == len(PAPER) == len(set(PAPER) & {*found["oracles"]}):
        return None
    some = [region for region in found["regions"] if region["candidates"] or region["tasks"]]
    some.sort(key=lambda region: (not region["oracles"], -region["candidates"]))
    return Grid(
        title=f"Flagged by these oracles and no others, of {found['candidates']} candidates "
        f"of {found['tasks']} tasks that all evaluated",
        columns=("oracles", "candidates", "tasks"),
        rows=tuple(
            (" + ".join(r["oracles"]) or "none", str(r["candidates"]), str(r["tasks"]))
            for r in some
        ),
    )


def beside(behaviour: Mapping[str, Any] | None) -> list[str]:
    """O2 and O3 beside each other in one line."""
    pair = (behaviour or {}).get("replay_dcr")
    if not behaviour or not pair:
        return []
    own = " and ".join(
        f"{name} {row['divergent']} of {row['tasks']}"
        for name, row in behaviour["oracles"].items()
        if name in (pair["first"], pair["second"])
    )
    rho = "" if pair["rho"] is None else f"; match rates: Spearman's ρ = {pair['rho']:.2f}"
    return [
        f"divergent tasks: {own}; of {pair['tasks']} that both evaluated {pair['first_only_tasks']} under "
        f"{pair['first']} only, {pair['second_only_tasks']} under {pair['second']} only{rho}"
    ]
