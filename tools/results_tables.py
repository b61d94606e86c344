"""Prints the tables of docs/reference/results.md from a finished sweep over SolContractEval's released replies.

python tools/results_tables.py runs/SWEEP
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from solexp.core import Outcome, UserError, Verdict
from solexp.store.runfolder import RunFolder, sweep_runs

KS = (1, 3, 5)
PUBLISHED = {
    "claude-3-7-sonnet-20250219": (85.48, 93.54, 96.77),
    "o4-mini": (81.45, 93.54, 95.97),
    "gpt-4o": (68.54, 90.32, 94.35),
    "deepseek-reasoner": (67.74, 81.77, 86.29),
    "qwen2.5-coder-32b-instruct": (68.54, 78.62, 84.67),
    "gemini-2.0-flash-exp": (63.55, 69.66, 72.03),
}
"""Compile@k in %, k = 1, 3, 5, of SolContractEval's Table II, over 124 tasks."""


def scores(runs: Iterable[RunFolder]) -> Iterator[str]:
    """Compile@k with the paper's beside it, then Pass@k, in %."""
    titles = [f"Compile@{k} (paper)" for k in KS] + [f"Pass@{k}" for k in KS]
    titles += [f"Pass@{k}, decidable" for k in KS]
    yield _row("model", *titles)
    yield _row(*["---"] * (1 + len(titles)))
    for run in runs:
        metrics = run.summary["metrics"]
        name = str(run.manifest["name"])
        compiled = [
            f"{_percent(metrics[f'compile_at_{k}'])} ({published:.1f})"
            for k, published in zip(KS, PUBLISHED[name], strict=True)
        ]
        passed = [_percent(metrics[f"pass_at_{k}"]) for k in KS]
        decidable = [_percent(metrics[f"decidable.pass_at_{k}"]) for k in KS]
        yield _row(name, *compiled, *passed, *decidable)


def tasks(runs: Iterable[RunFolder]) -> Iterator[str]:
    """Why tasks are not decidable, with counts; then every task."""
    verdicts: dict[str, list[Verdict]] = {}
    for run in runs:
        for verdict in run.verdicts():
            if verdict.oracle == "replay":
                verdicts.setdefault(verdict.task_id, []).append(verdict)
    states = {task_id: _state(found) for task_id, found in verdicts.items()}
    yield _row("state", "tasks")
    yield _row("---", "---")
    for state, count in Counter(_kind(state) for state in states.values()).most_common():
        yield _row(state, str(count))
    yield ""
    yield _row("task", "state", "statuses as recorded")
    yield _row("---", "---", "---")
    for task_id in sorted(states, key=str.lower):
        yield _row(f"`{task_id}`", states[task_id], _statuses(verdicts[task_id]))


def _state(found: list[Verdict]) -> str:
    if any(verdict.measures.get("task_decidable") for verdict in found):
        return "decidable"
    reasons = [
        f"{'vacuous: ' if verdict.outcome is Outcome.VACUOUS else ''}{verdict.evidence['reason']}"
        for verdict in found
        if verdict.outcome in (Outcome.UNDECIDABLE, Outcome.VACUOUS)
    ]
    # Candidates that do not compile give no reason.
    return Counter(reasons).most_common(1)[0][0] if reasons else "no candidate compiles"


def _kind(state: str) -> str:
    """A state without its own numbers."""
    first, _, rest = state.partition(" ")
    return f"some {rest}" if first.isdecimal() else state


def _statuses(found: list[Verdict]) -> str:
    for verdict in found:
        measures = verdict.measures
        if measures.get("recorded_calls"):
            return f"{measures['statuses_as_recorded']} of {measures['recorded_calls']}"
    return "–"


def _percent(metric: Any) -> str:
    value = metric["value"] if isinstance(metric, dict) else metric
    return f"{100 * value:.1f}"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the tables of the sweep that the command line names."""
    runs = sweep_runs(sys.argv[1], Path("runs"))
    if not runs:
        raise UserError(f"{sys.argv[1]} is no sweep's folder")
    print("\n".join((*scores(runs), "", *tasks(runs))))


if __name__ == "__main__":
    main()
