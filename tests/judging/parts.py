"""Oracles and a strategy for the tests of the judging."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import Any

import msgspec

from solexp.core import (
    Candidate,
    Completion,
    Generation,
    Message,
    Outcome,
    Prompt,
    Task,
    ToolError,
    Verdict,
)
from solexp.judging import Job
from solexp.oracles.base import Case, Oracle, verdict
from tests.made_tasks import whole_source

SOURCE = "contract A {}"


def task(name: str) -> Task:
    return whole_source(name, SOURCE)


def generations(name: str, *texts: str) -> tuple[Generation, ...]:
    return tuple(
        Generation(
            key=f"{name}/{index}",
            task_id=name,
            batch="greedy",
            repeat=0,
            index=index,
            completion=Completion(text=text),
        )
        for index, text in enumerate(texts)
    )


class AsIs:
    """The reply is the code."""

    def fingerprint(self) -> dict[str, object]:
        return {"strategy": "as is"}

    def prompt(self, task: Task) -> Prompt:
        return Prompt(task_id=task.id, messages=(Message("user", "?"),))

    def candidate(self, task: Task, generation: Generation) -> Candidate:
        if any(reply.text == "breaks the extraction" for reply in generation.completions):
            raise ValueError("cannot extract")
        return Candidate(
            task_id=task.id,
            batch=generation.batch,
            repeat=generation.repeat,
            index=generation.index,
            code=generation.completion.text,
        )


class Acting:
    """Does what the candidate says: the harness's own worst day."""

    name = "acting"
    decides = True

    def fingerprint(self) -> dict[str, Any]:
        return {"oracle": "acting"}

    def judge(self, case: Case) -> list[Verdict]:
        return [self._judge(candidate) for candidate in case.candidates]

    def _judge(self, candidate: Candidate) -> Verdict:
        match candidate.code:
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "raise" | "raise too":
                raise ZeroDivisionError("odd")
            case "no compiler":
                raise ToolError("no compiler 0.8.17")
            case "child sleeps":
                subprocess.run([sys.executable, "-c", "import time; time.sleep(60)"], check=True)
            case "child grows":
                grow = "x = []\nwhile True: x.append(b'x' * 10_000_000)"
                subprocess.run([sys.executable, "-c", grow], check=True)
            case "sleep":
                time.sleep(60)
        passed = candidate.code == SOURCE
        return verdict(self.name, candidate, Outcome.PASS if passed else Outcome.FAIL)


class Broken(Acting):
    """Fails on whatever it is given, in the way it is told."""

    def __init__(self, way: str) -> None:
        self._way = way

    def _judge(self, candidate: Candidate) -> Verdict:
        return super()._judge(msgspec.structs.replace(candidate, code=self._way))


class Miscounting(Acting):
    def judge(self, case: Case) -> list[Verdict]:
        return super().judge(case)[1:]


def job(
    name: str, *texts: str, seconds: float = 30, memory_mb: int = 2000, oracle: Oracle | None = None
) -> Job:
    return Job(
        task=task(name),
        generations=generations(name, *texts),
        reader=AsIs(),
        oracles=(oracle or Acting(),),
        seconds=seconds,
        memory_mb=memory_mb,
    )
