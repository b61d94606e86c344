"""What `solexp show` prints of contract-violating tests."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from solexp.report.tables import Grid

SCORES = {"avc": "AVC", "ts": "TS", "exact_set": "exact set"}
_OVER = {"": "tests", "_by_task": "tasks with tests", "_all": "all tasks, untranslated as 0"}
_SHOWN = 5
"""How many assertions a row names."""


def scores(metrics: Mapping[str, Mapping[str, Any]]) -> Grid | None:
    """AVC, TS and exact sets over tests, over tasks, and over all tasks; None where no tests were judged."""
    if "cvt.translated" not in metrics:
        return None
    return Grid(
        title="Contract-violating tests, in %, with 95 % intervals",
        columns=("mean over", *SCORES.values()),
        rows=(
            *(
                (over, *(_figure(metrics.get(f"cvt.{name}{end}")) for name in SCORES))
                for end, over in _OVER.items()
            ),
            (
                "tests, by the release's rule",
                *(_figure(metrics.get(f"cvt.release.{name}")) for name in SCORES),
            ),
            (
                "... with its lists of targets",
                "–",
                _figure(metrics.get("cvt.release.ts_merged")),
                "–",
            ),
        ),
    )


def untranslated(counts: Mapping[str, Any] | None) -> Grid:
    """Assertions that a generator cannot translate, by construct."""
    constructs: Mapping[str, Any] = (counts or {}).get("constructs") or {}
    return Grid(
        title="Assertions that are not translated",
        columns=("construct", "assertions", "count"),
        rows=tuple(
            (construct, _some(names), str(len(names))) for construct, names in constructs.items()
        ),
        words=2,
    )


def lines(metrics: Mapping[str, Mapping[str, Any]], counts: Mapping[str, Any] | None) -> list[str]:
    """What was covered, and what CPython does not bear out; nothing where no tests were judged."""
    if not counts or "cvt.translated" not in metrics:
        return []
    covered = ", ".join(
        f"{_figure(metrics[name])} % of the {what}"
        for name, what in (
            ("cvt.combinations", "combinations that have an input"),
            ("cvt.assertions", "assertions"),
        )
        if name in metrics
    )
    tests = counts.get("tests", 0)
    return [
        f"contract-violating tests: {tests}, of which {counts.get('refused', 0)} do not what they claim and "
        f"{counts.get('unreadable', 0)} cannot be read; they cover {covered}",
        f"translated wholly: {_figure(metrics['cvt.translated'])} % of the tasks, all but "
        f"{counts.get('untranslated_tasks', 0)}",
    ]


def _some(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _figure(metric: Mapping[str, Any] | None) -> str:
    """A share as per cent with its interval, such as ``99.91 [99.80, 99.97]``: what differs here differs by little."""
    if metric is None:
        return "–"
    text = f"{100 * metric['value']:.2f}"
    if metric.get("lo") is not None and metric.get("hi") is not None:
        text += f" [{100 * metric['lo']:.2f}, {100 * metric['hi']:.2f}]"
    return text
