"""From scripts to recorded calls."""

from __future__ import annotations

import random
from collections.abc import Sequence

from solexp.benchmarks.starter.history.scenes import SCENES
from solexp.benchmarks.starter.history.stage import Stage, deploy
from solexp.benchmarks.starter.loader import (
    FOLDER,
    encode_call,
    read_deployment,
    read_sources,
    task_ids,
)
from solexp.solidity.compiler import Compiler


def play(task_id: str, compiler: Compiler) -> Stage:
    """Returns the stage of a task after its script has been played; the same one every time."""
    deployment = read_deployment(task_id)
    build = compiler.compile(*read_sources(task_id))
    contract = build.contract(deployment.contract)
    assert contract is not None, build.errors
    chain, where = deploy(deployment, contract.creation)
    stage = Stage(chain, where, contract, random.Random(f"solexp starter {task_id}"))
    SCENES[task_id](stage)
    return stage


def history_of(stage: Stage) -> bytes:
    """The contents of calls.jsonl for what was played on ``stage``."""
    return b"".join(encode_call(call) + b"\n" for call in stage.calls)


def write_all(names: Sequence[str]) -> None:
    """Writes calls.jsonl of the named tasks, or of all."""
    with Compiler() as compiler:
        for task_id in names or task_ids():
            (FOLDER / task_id / "calls.jsonl").write_bytes(history_of(play(task_id, compiler)))
