"""What a run folder says in MLflow's terms: params, metrics, tags, tables. Pure functions."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from solexp.core import Generation, Outcome, Prompt, Verdict
from solexp.metrics.decidable import open_reason
from solexp.metrics.rounds import at_round
from solexp.metrics.scores import Judged, combined, judged
from solexp.metrics.spent import paid_replies, totals
from solexp.store.runfolder import TaskRow

PARAM_LENGTH = 6_000
TAG_LENGTH = 8_000
KEY_LENGTH = 250
NAME_LENGTH = 120
TABLE_BYTES = 10_000_000
"""Above this, a table of replies shows each prompt once a task: browsers load such a table whole."""
FEE_DIGITS = 12
"""Of a compared set's hash, in the names of its metric and tag."""

LEFT_OUT = ("hydra", "name", "runs_root", "tracking", "experiments", "compare")
"""Parts of the configuration that say where, under what name and what for, not what was measured."""

Table = dict[str, list[Any]]
"""Columns by name, all of one length. MLflow's page shows the first few at once and the others on demand."""


def params(config: Mapping[str, Any], choices: Mapping[str, Any]) -> dict[str, str]:
    """Group choices, and plain settings by dotted key; values are cut at MLflow's length."""
    found = {
        group: _text(option)
        for group, option in choices.items()
        if not group.startswith("hydra") and group not in LEFT_OUT
    }
    for key, value in _flat({k: v for k, v in config.items() if k not in LEFT_OUT}):
        found.setdefault(key, _text(value))
    return {_key(key): value[:PARAM_LENGTH] for key, value in sorted(found.items())}


def _flat(node: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(node, Mapping) and node:
        for key, value in node.items():
            if key != "_target_":
                yield from _flat(value, f"{prefix}.{key}" if prefix else str(key))
    else:
        yield prefix, node


def _text(value: Any) -> str:
    return value if isinstance(value, str) and value else msgspec.json.encode(value).decode()


def _key(name: str) -> str:
    """``name`` with what MLflow refuses in keys replaced."""
    return re.sub(r"[^\w./: -]", "_", name)[:KEY_LENGTH]


def run_name(manifest: Mapping[str, Any], default: str) -> str:
    """The run's name; in a sweep with its overrides, which tell it from the others."""
    name = str(manifest.get("name") or default)
    if manifest.get("sweep_id") and manifest.get("overrides"):
        name += " " + " ".join(map(str, manifest["overrides"]))
    return name if len(name) <= NAME_LENGTH else name[: NAME_LENGTH - 1] + "…"


def folder_name(name: str) -> str:
    """``name`` as the name of a folder below the artifact root."""
    return re.sub(r"[^\w.-]", "_", name) or "_"


def metrics(summary: Mapping[str, Any]) -> dict[str, float]:
    """Every metric's value, ``.lo``, ``.hi`` and ``.spread``, the counts of outcomes, totals that are known, and what
    oracles of behaviour flag and catch.
    """
    found: dict[str, Any] = {}
    for name, metric in summary.get("metrics", {}).items():
        found[name] = metric.get("value")
        for part in ("lo", "hi", "spread"):
            found[f"{name}.{part}"] = metric.get(part)
    for outcome, count in summary.get("outcomes", {}).items():
        found[f"outcomes.{outcome}"] = count
    for part in ("gas", "cvt", "usage", "seconds"):
        for name, value in (summary.get(part) or {}).items():
            found[f"{part}.{name}"] = value
    for name in ("tasks", "decidable_tasks", "candidates", "unjudged"):
        found[name] = summary.get(name)
    found |= _flagged(summary.get("behaviour") or {}) | _caught(summary.get("calibration") or {})
    return {
        _key(name): float(value)
        for name, value in found.items()
        if isinstance(value, int | float) and math.isfinite(value)
    }


def _flagged(behaviour: Mapping[str, Any]) -> dict[str, Any]:
    """What each oracle of behaviour flags, and what only some of them do."""
    found = {
        f"behaviour.{oracle}.{name}": count
        for oracle, counts in behaviour.get("oracles", {}).items()
        for name, count in counts.items()
    }
    for region in (behaviour.get("every") or {}).get("regions", ()):
        found[f"behaviour.only.{'.'.join(region['oracles']) or 'none'}"] = region["candidates"]
    return found


def _caught(calibration: Mapping[str, Any]) -> dict[str, Any]:
    """Recall and false alarms of each oracle, and of all that decide together."""
    found: dict[str, Any] = {}
    rows = {**calibration.get("oracles", {}), "together": calibration.get("together")}
    for oracle, row in rows.items():
        if row is None:
            continue
        wrong, right = row["wrong"], (row["equivalent"], row["references"])
        found |= {
            f"calibration.{oracle}.recall": wrong["caught"] / wrong["n"] if wrong["n"] else None,
            f"calibration.{oracle}.recall.lo": wrong.get("lo"),
            f"calibration.{oracle}.recall.hi": wrong.get("hi"),
            f"calibration.{oracle}.false_alarms": sum(each["caught"] for each in right),
        }
    return found


def fees(summary: Mapping[str, Any]) -> tuple[list[tuple[str, float, int]], dict[str, str]]:
    """What comparisons have added to a summary, as metrics (name, value, milliseconds since 1970) and tags.

    ``fee`` and ``fee.tasks`` have a point for each set of compared runs, the last of which the tag ``solexp.fee_set``
    names; ``fee.<hash>`` and the tag ``solexp.fee.<hash>`` are of one set, by the start of its hash.
    """
    points: list[tuple[str, float, int]] = []
    tags: dict[str, str] = {}
    known: dict[str, Mapping[str, Any]] = summary.get("fee") or {}
    for compared, fee in sorted(known.items(), key=lambda item: str(item[1]["written"])):
        at = int(datetime.fromisoformat(fee["written"]).timestamp() * 1_000)
        short = compared[:FEE_DIGITS]
        for name, value in (("fee", fee["value"]), ("fee.tasks", fee["tasks"])):
            points += [
                (name, float(value), at),
                (name.replace("fee", f"fee.{short}", 1), float(value), at),
            ]
        tags[f"solexp.fee.{short}"] = _text(list(fee.get("runs", ())))[:TAG_LENGTH]
        tags["solexp.fee_set"] = compared
    return points, tags


def tags(manifest: Mapping[str, Any], extra: Mapping[str, str]) -> dict[str, str]:
    """Commit, hashes, sweep, toolchain and host as ``solexp.<name>``, then the user's own tags."""
    found: dict[str, Any] = {"mlflow.source.name": "solexp run", "mlflow.source.type": "LOCAL"}
    git = manifest.get("git") or {}
    if git.get("commit"):
        found["mlflow.source.git.commit"] = git["commit"]
        found["solexp.commit"] = git["commit"]
        found["solexp.dirty"] = git.get("dirty")
    for name in ("sweep_id", "config_hash", "rescored_from", "error", "command"):
        if manifest.get(name):
            found[f"solexp.{name}"] = manifest[name]
    host = manifest.get("host") or {}
    found["solexp.host"] = host.get("system")
    versions = {"solexp": manifest.get("solexp"), **(manifest.get("versions") or {})}
    found |= {f"solexp.version.{name}": value for name, value in versions.items()}
    found |= extra
    return {
        _key(name): _text(value)[:TAG_LENGTH] for name, value in found.items() if value is not None
    }


class Judgements:
    """What became of each candidate over the oracles that decide (over all, when none is said to)."""

    def __init__(self, verdicts: Sequence[Verdict], deciding: Sequence[str] = ()) -> None:
        self._deciding = tuple(deciding)
        self._by_key = {
            (c.task_id, c.batch, c.repeat, c.index, c.round): c for c in judged(verdicts)
        }
        self.by_task: dict[str, list[Judged]] = defaultdict(list)
        for candidate in judged(at_round(verdicts)):
            self.by_task[candidate.task_id].append(candidate)

    def of(self, row: Generation) -> Judged | None:
        """The candidate made from a generation, once it has a verdict."""
        return self._by_key.get((row.task_id, row.batch, row.repeat, row.index, row.round))

    def outcome(self, candidate: Judged | None) -> Outcome | None:
        """The combined outcome; None for what is not fully judged."""
        if candidate is None:
            return None
        return combined(candidate, self._deciding or tuple(candidate.verdicts))

    def reason(self, candidate: Judged | None) -> str | None:
        """The first reason why a candidate does not pass, in one line."""
        rows = candidate.verdicts.values() if candidate else ()
        lines = (verdict_line(row) for row in sorted(rows, key=lambda row: row.oracle))
        return next((line for line in lines if line), None)

    def open_reason(self, task: TaskRow) -> str | None:
        """Why a task could not be decided, whatever became of its candidates; None for one that could be."""
        for candidate in self.by_task.get(task.id, []):
            for name in self._deciding or tuple(candidate.verdicts):
                found = (
                    open_reason(candidate.verdicts[name]) if name in candidate.verdicts else None
                )
                if found is not None:
                    return f"{found[0]}: {found[1]}"
        return f"{Outcome.UNDECIDABLE}: {task.undecidable}" if task.undecidable else None


def task_table(
    tasks: Sequence[TaskRow], judgements: Judgements, generations: Iterable[Generation] = ()
) -> Table:
    """One row a task: its facts, samples, how many compile and pass, outcomes, the first reason of a failure, and
    the tokens and US dollars of all its replies."""
    replies: dict[str, list[Generation]] = defaultdict(list)
    for generation in generations:
        replies[generation.task_id].append(generation)
    rows = []
    for task in sorted(tasks, key=lambda row: row.id):
        candidates = judgements.by_task.get(task.id, [])
        outcomes = [judgements.outcome(candidate) for candidate in candidates]
        reasons = map(judgements.reason, candidates)
        compiles = [c.verdicts["compile"].outcome for c in candidates if "compile" in c.verdicts]
        rows.append(
            {
                "task": task.id,
                "pass": outcomes.count(Outcome.PASS),
                "samples": len(candidates),
                "first_reason": next((line for line in reasons if line), task.undecidable),
                "compile": compiles.count(Outcome.PASS) if compiles else None,
                "outcomes": " ".join(str(outcome) for outcome in outcomes),
                "category": task.category,
                "series": task.series,
                "compiler": task.compiler,
                "calls": task.calls,
                "not_decidable": judgements.open_reason(task),
                **totals(paid_replies(replies[task.id])),
            }
        )
    return _columns(rows)


def reply_table(
    generations: Sequence[Generation], prompts: Sequence[Prompt], judgements: Judgements
) -> Table:
    """One row a generation: the last prompt of its round, the reply, and what became of it."""
    order = sorted(generations, key=lambda g: (g.task_id, g.batch, g.repeat, g.index, g.round))
    texts = {prompt.key: _conversation(prompt) for prompt in prompts}
    of_task = {prompt.task_id: prompt.key for prompt in reversed(prompts)}
    asked = [g.prompts[-1] if g.prompts else of_task.get(g.task_id, "") for g in order]
    size = sum(
        len(g.completion.text) + len(texts.get(key, ""))
        for g, key in zip(order, asked, strict=True)
    )
    rows = []
    shown: set[str] = set()
    for generation, key in zip(order, asked, strict=True):
        completion = generation.completion
        spent = totals(generation.completions)
        candidate = judgements.of(generation)
        again = key in shown and size > TABLE_BYTES
        shown.add(key)
        rows.append(
            {
                "task": generation.task_id,
                "outcome": judgements.outcome(candidate),
                "prompt": "(as in an earlier row)" if again else texts.get(key),
                "reply": completion.text,
                "reasoning": completion.reasoning or None,
                "reason": judgements.reason(candidate),
                "batch": generation.batch,
                "repeat": generation.repeat,
                "index": generation.index,
                "round": generation.round,
                "finish": completion.finish,
                # Of all the round's requests, what samples share included.
                "prompt_tokens": spent["prompt_tokens"],
                "completion_tokens": spent["completion_tokens"],
                "seconds": round(math.fsum(each.seconds for each in generation.completions), 3),
            }
        )
    return _columns(rows)


def verdict_line(row: Verdict) -> str | None:
    """Why a verdict is no pass, in one line; None for a pass."""
    if row.outcome is Outcome.PASS:
        return None
    if row.divergence is not None:
        d = row.divergence
        place = d.function or ("deployment" if d.index is None else f"call {d.index}")
        return f"{row.oracle}: {d.axis} differs at {place}: expected {d.expected}, got {d.got}"
    errors = row.evidence.get("errors")
    if isinstance(errors, list) and errors and isinstance(errors[0], dict):
        first = errors[0]
        return f"{row.oracle}: {first.get('type')}: {first.get('message')}"
    reason = row.evidence.get("reason")
    return f"{row.oracle}: {reason or row.outcome}"


def _conversation(prompt: Prompt) -> str:
    if len(prompt.messages) == 1:
        return prompt.messages[0].content
    return "\n\n".join(f"[{m.role}]\n{m.content}" for m in prompt.messages)


def _columns(rows: Sequence[Mapping[str, Any]]) -> Table:
    names = list(rows[0]) if rows else []
    return {name: [row[name] for row in rows] for name in names}
