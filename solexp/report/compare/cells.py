"""The cells of a comparison: run folders, read as far as a comparison needs them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from solexp.core import Batch, UserError
from solexp.core.hashing import content_hash
from solexp.metrics.bytask import ByTask, by_task
from solexp.metrics.gas import RunGas, run_gas
from solexp.metrics.rounds import at_round
from solexp.metrics.scores import judged
from solexp.store.records import read_lines
from solexp.store.runfolder import RunFolder, TaskRow

_NO_FACTORS = (
    *("hydra", "name", "tracking", "execution", "runs_root", "experiments", "objective", "compare"),
)
"""Parts of the configuration that change nothing in what is measured."""

_NAMED = 5
"""How many tasks an error lists."""


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a comparison."""

    folder: RunFolder
    label: str
    """What tells it from the others."""
    levels: dict[str, str]
    """Its level of each factor."""
    scores: ByTask
    units: dict[str, str]
    """By task id, what is compared: the task itself, or the contract of which it is a function."""
    asked: str
    """Hash of everything that was asked and of the oracles that judged it."""
    usage: dict[str, Any]
    seconds: float | None
    """Generating, summed over samples."""
    status: str
    gas: RunGas | None
    """What its passing candidates use; None where the oracle ``gas`` was not asked."""


class _Asked(msgspec.Struct, frozen=True):
    """As much of a generation as tells what was asked."""

    key: str
    batch: str


def read_cells(folders: Sequence[RunFolder], metric: str | None) -> tuple[str, list[Cell]]:
    """The metric's name, by default pass@k for the smallest k, and a cell for each run that has a result.

    Raises UserError when fewer than two runs have one, when one lacks the metric, and when their tasks differ.
    """
    done = [folder for folder in folders if (folder.path / "summary.json").is_file()]
    if len(done) < 2:
        lacking = "; ".join(f"{f.path} has no result" for f in folders if f not in done)
        raise UserError(
            "a comparison needs two runs with results" + (f"; {lacking}" if lacking else "")
        )
    by_contract = _other_tasks(done)
    factors = find_factors(done)
    levels = [{name: level_of(folder, name) for name in factors} for folder in done]
    chosen = metric or smallest_k(done[0].summary)
    labels = _labels(done, levels)
    cells = [
        _cell(folder, label, level, chosen, by_contract)
        for folder, label, level in zip(done, labels, levels, strict=True)
    ]
    return chosen, cells


def _unit(task: TaskRow, by_contract: bool) -> tuple[str, str]:
    """Id and content hash of what is compared."""
    if by_contract and task.parent is not None:
        return task.parent, task.parent_hash or ""
    return task.id, task.hash


def smallest_k(summary: Mapping[str, Any]) -> str:
    """``pass_at_k`` for the smallest k that is sampled."""
    ks = sorted(k for batch in summary.get("batches", ()) for k in batch["ks"])
    return f"pass_at_{ks[0] if ks else 1}"


def _cell(
    folder: RunFolder, label: str, levels: dict[str, str], metric: str, by_contract: bool
) -> Cell:
    summary = folder.summary
    tasks, verdicts = folder.tasks(), folder.verdicts()
    oracles = {name: row["decides"] for name, row in summary.get("oracles", {}).items()}
    try:
        scores = by_task(
            metric,
            tasks,
            verdicts,
            msgspec.convert(summary.get("batches", []), list[Batch]),
            oracles,
        )
    except UserError as error:
        raise UserError(f"{folder.path}: {error}") from None
    keys = ((row.batch, row.key) for row in read_lines(folder.path / "generations.jsonl", _Asked))
    return Cell(
        folder=folder,
        label=label,
        levels=levels,
        scores=scores,
        units={task.id: _unit(task, by_contract)[0] for task in tasks},
        asked=content_hash(sorted(keys), folder.config.get("oracle")),
        usage=summary.get("usage") or {},
        seconds=(summary.get("seconds") or {}).get("generating"),
        status=str(folder.manifest.get("status", "unknown")),
        gas=run_gas(
            judged(at_round(verdicts)), [name for name, decides in oracles.items() if decides]
        ),
    )


def _other_tasks(folders: Sequence[RunFolder]) -> bool:
    """Whether the runs are to be compared by contract, since some pose its functions and others the whole.

    Raises UserError unless all have the same tasks, with the same content, or functions of the same contracts.
    """
    rows = [folder.tasks() for folder in folders]
    said = _differing(folders, [dict(_unit(task, False) for task in tasks) for tasks in rows])
    if said is None:
        return False
    if any(task.parent is not None for tasks in rows for task in tasks):
        said = _differing(folders, [dict(_unit(task, True) for task in tasks) for tasks in rows])
        if said is None:
            return True
    raise UserError(
        f"cells with unlike tasks cannot be compared: {said}; run them on the same tasks"
    )


def _differing(folders: Sequence[RunFolder], hashes: Sequence[dict[str, str]]) -> str | None:
    """How the first run that has other tasks than the first of all differs from it."""
    wanted = hashes[0]
    for folder, found in zip(folders, hashes, strict=True):
        said = []
        if lacking := sorted(wanted.keys() - found.keys()):
            said.append(f"lacks {_some(lacking)}")
        if more := sorted(found.keys() - wanted.keys()):
            said.append(f"has {_some(more)} besides")
        changed = sorted(t for t in wanted.keys() & found.keys() if wanted[t] != found[t])
        if changed:
            said.append(f"has other content in {_some(changed)}")
        if said:
            return f"{folder.path} {', '.join(said)}, against {folders[0].path}"
    return None


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {rest} more" if rest > 0 else "")


def find_factors(folders: Sequence[RunFolder]) -> list[str]:
    """The settings that were given to some of the runs and that are not the same in all of them, in order."""
    names: dict[str, None] = {}
    for folder in folders:
        for override in folder.manifest.get("overrides") or ():
            name = re.split("=", str(override).lstrip("+~"), maxsplit=1)[0]
            if re.split(r"[./@]", name)[0] not in _NO_FACTORS:
                names[name] = None
    return [name for name in names if len({level_of(folder, name) for folder in folders}) > 1]


def level_of(folder: RunFolder, name: str) -> str:
    """What a run's setting ``name`` is: a group's option, or a value by its dotted key; ``–`` where it has none."""
    manifest = folder.manifest
    choices = manifest.get("choices") or {}
    if name in choices:
        return _text(choices[name])
    node: Any = folder.config
    for part in name.split("."):
        if not isinstance(node, Mapping) or part not in node:
            break
        node = node[part]
    else:
        return _text(node)
    for override in manifest.get("overrides") or ():
        key, _, value = str(override).lstrip("+~").partition("=")
        if key == name:
            return value
    return "–"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ",".join(map(_text, value))
    return msgspec.json.encode(value).decode()


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Each setting's last word, where that tells it from the others."""
    known = list(names)
    last = {name: re.split(r"[./]", name)[-1] for name in known}
    count = Counter(last.values())
    return {name: last[name] if count[last[name]] == 1 else name for name in known}


def _labels(folders: Sequence[RunFolder], levels: Sequence[Mapping[str, str]]) -> list[str]:
    short = short_names(levels[0])
    labels = [
        " ".join(f"{short[name]}={level}" for name, level in row.items())
        or str(folder.manifest.get("name") or folder.name)
        for folder, row in zip(folders, levels, strict=True)
    ]
    count = Counter(labels)
    return [
        label if count[label] == 1 else f"{label} ({folder.path.parent.name}/{folder.name})"
        for folder, label in zip(folders, labels, strict=True)
    ]
