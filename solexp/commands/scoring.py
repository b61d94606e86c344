"""`solexp score-workspace`: what a workspace is worth that anybody has worked in."""

from __future__ import annotations

import argparse
import json
import os
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from solexp.config import build
from solexp.config.compose import compose, plain
from solexp.core import Candidate, Completion, Generation, Task, UserError, Verdict
from solexp.core.errors import nearest
from solexp.judging import Job, judge_all
from solexp.strategies.agent.strategy import left
from solexp.tracking.content import verdict_line

_USUAL = ("benchmark=solidity_eval", "strategy=agent", "model=reference", "oracle=[workspace]")
_MOST_FILES = 20_000
_MOST_BYTES = 256 << 20


@dataclass(frozen=True)
class _Left:
    """Reads the workspace that is there, whatever the reply."""

    files: dict[str, str]

    def fingerprint(self) -> dict[str, Any]:
        return {"workspace": self.files}

    def candidate(self, task: Task, generation: Generation) -> Candidate:
        return left(task, generation, self.files)


def score_workspace(command: argparse.Namespace) -> int:
    """Judge a folder as a task's workspace and print each oracle's verdict; returns 0."""
    spec = build(plain(compose([*_USUAL, *command.override])))
    tasks = {task.id: task for task in spec.strategy.expand(spec.benchmark.tasks())}
    if command.task not in tasks:
        raise UserError(f"--task: no task '{command.task}'; {nearest(command.task, tasks)}")
    task = tasks[command.task]
    files = _read(Path(command.folder))
    if task.target.path not in files:
        raise UserError(
            f"{command.folder}: has no {task.target.path}: it is no workspace of {task.id}"
        )
    job = Job(
        task=task,
        generations=(_nobody(task),),
        reader=_Left(files),
        oracles=tuple(spec.oracles.values()),
        seconds=spec.execution.task_seconds,
        memory_mb=spec.execution.memory_mb,
        cached=spec.execution.cache,
    )
    with closing(judge_all([job], 1, spec.execution.backend)) as results:
        verdicts = [said for judged in results for said in judged.verdicts]
    if command.json:
        print(json.dumps(msgspec.to_builtins(verdicts), indent=2))
        return 0
    for said in verdicts:
        print(_line(said))
    return 0


def _nobody(task: Task) -> Generation:
    """Stands for the replies that nobody has kept."""
    return Generation(
        key="",
        task_id=task.id,
        batch="workspace",
        repeat=0,
        index=0,
        completion=Completion(text=""),
    )


def _read(folder: Path) -> dict[str, str]:
    """Every file below a folder as text, hidden ones and what tools made included. Links are not followed."""
    if not folder.is_dir():
        raise UserError(f"{folder}: is no folder")
    files: dict[str, str] = {}
    size = 0
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            path = Path(place, name)
            if path.is_symlink() or not path.is_file():
                continue
            size += path.stat().st_size
            if len(files) >= _MOST_FILES or size > _MOST_BYTES:
                raise UserError(
                    f"{folder}: holds more than {_MOST_FILES} files or {_MOST_BYTES >> 20} MB"
                )
            data = path.read_bytes()
            try:
                text = data.decode()
            except UnicodeDecodeError:
                text = data.decode("latin-1")  # whatever is ASCII in it can be found
            files[path.relative_to(folder).as_posix()] = text
    return files


def _line(said: Verdict) -> str:
    route, reward = (said.measures.get(f"workspace.{name}") for name in ("route", "reward"))
    words = [f"{said.oracle}: {said.outcome.value}"]
    if route is not None:
        told = "none" if reward is None else f"{reward}"
        words.append(f"route {route}, reward {told}")
    if said.measures.get("workspace.best_effort") is True:
        words.append("no text is known by which a leak of the original would show")
    why = (verdict_line(said) or "").removeprefix(f"{said.oracle}: ")
    if why and why != said.outcome.value:
        words.append(why)
    return "; ".join(words)
