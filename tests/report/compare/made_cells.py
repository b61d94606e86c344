"""Cells of a made-up ablation: run folders with given passes of each task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from omegaconf import OmegaConf

from solexp.core import Batch, Completion, Generation, Outcome, Usage, Verdict
from solexp.metrics.summary import summarise
from solexp.store.records import write_atomically, write_lines
from solexp.store.runfolder import RunFolder, TaskRow


def make_cell(
    path: Path,
    passes: Mapping[str, Sequence[Outcome | bool]],
    levels: Mapping[str, str],
    *,
    compare: dict[str, Any] | None = None,
    changed: Sequence[str] = (),
    asked: str | None = None,
    cost: float | None = 0.5,
) -> RunFolder:
    """A finished run of a sweep: for each task the outcomes of its samples, at the ``levels`` of the factors.

    A task ``C/f`` is a function of the task C. ``changed`` tasks have another content; ``asked`` stands for what was
    asked, by default the levels.
    """
    folder = RunFolder(path)
    samples = max(map(len, passes.values()))
    name = "greedy" if samples == 1 else "mean_of_n"
    batch = Batch(name=name, n=samples, temperature=0.0 if samples == 1 else 0.7, ks=(1,))
    tasks = [
        TaskRow(
            id=task,
            hash=("f" if task in changed else "b" if "/" in task else "a") * 64,
            compiler="0.8.17",
            parent=task.partition("/")[0] if "/" in task else None,
            parent_hash="a" * 64 if "/" in task else None,
        )
        for task in passes
    ]
    config: dict[str, Any] = {"seed": 42, "compare": compare, "oracle": {"compile": {}}}
    write_atomically(path / "config.yaml", OmegaConf.to_yaml(OmegaConf.create(config)).encode())
    folder.write_manifest(
        {
            "status": "finished",
            "name": "made",
            "started": "2026-11-29T22:27:00+0000",
            "seeds": {"run": 42},
            "choices": {key: value for key, value in levels.items() if "." not in key},
            "overrides": [f"{key}={value}" for key, value in levels.items()],
            "sweep_id": path.parent.name,
        }
    )
    write_lines(path / "tasks.jsonl", tasks)
    rows = [
        (task, index, outcome if isinstance(outcome, Outcome) else _OUTCOMES[outcome])
        for task, outcomes in passes.items()
        for index, outcome in enumerate(outcomes)
    ]
    verdicts = [
        Verdict(task_id=task, batch=name, repeat=0, index=index, oracle="compile", outcome=outcome)
        for task, index, outcome in rows
    ]
    usage = Usage(
        prompt_tokens=100,
        completion_tokens=50,
        cost_usd=None if cost is None else cost / len(rows),
    )
    generations = [
        Generation(
            key=f"{asked or sorted(levels.items())}/{task}/{index}",
            task_id=task,
            batch=name,
            repeat=0,
            index=index,
            completion=Completion(text="", usage=usage, seconds=0.25),
        )
        for task, index, _ in rows
    ]
    folder.write_generations(generations)
    folder.write_verdicts(verdicts)
    summary = summarise(
        tasks, verdicts, [batch], seed=42, oracles={"compile": True}, generations=generations
    )
    folder.write_summary(msgspec.to_builtins(summary))
    return folder


_OUTCOMES = {True: Outcome.PASS, False: Outcome.COMPILE_ERROR}
