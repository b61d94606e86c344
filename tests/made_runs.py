"""Run folders made by hand: two tasks, two samples each, as a run would leave them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from solexp.core import (
    Batch,
    Completion,
    Divergence,
    Generation,
    Message,
    Outcome,
    Prompt,
    Usage,
    Verdict,
)
from solexp.metrics.summary import summarise
from solexp.store.records import write_atomically, write_lines
from solexp.store.runfolder import RunFolder, TaskRow

BATCHES = (Batch(name="greedy", n=1, ks=(1,)), Batch(name="nucleus", n=2, temperature=0.2, ks=(2,)))
ORACLES = {"compile": True, "replay": True}
TASKS = (
    TaskRow(id="token", hash="a" * 64, category="ERC20", compiler="0.8.17", calls=300),
    TaskRow(id="vault", hash="b" * 64, category="DeFi", compiler="0.4.24", calls=300),
)


def verdict(
    task: str, batch: str, index: int, oracle: str, outcome: Outcome, **fields: Any
) -> Verdict:
    """A verdict of repeat 0."""
    return Verdict(
        task_id=task, batch=batch, repeat=0, index=index, oracle=oracle, outcome=outcome, **fields
    )


def verdicts(passing: bool) -> list[Verdict]:
    """``token`` passes when ``passing``, else differs in storage; ``vault`` never compiles."""
    rows = []
    differs = Divergence(
        axis="storage", index=None, expected="0x01", got="0x02", function="balances[0x01]"
    )
    error = {"type": "ParserError", "kind": "syntax_structure", "message": "Expected ';'"}
    for batch in BATCHES:
        for index in range(batch.n):
            fails = {} if passing else {"divergence": differs}
            measures = {"diverges.storage": 0 if passing else 3, "functions_exercised_share": 0.8}
            outcome = Outcome.PASS if passing else Outcome.FAIL
            rows += [
                verdict("token", batch.name, index, "compile", Outcome.PASS),
                verdict("token", batch.name, index, "replay", outcome, measures=measures, **fails),
                verdict(
                    "vault",
                    batch.name,
                    index,
                    "compile",
                    Outcome.COMPILE_ERROR,
                    evidence={"errors": [error]},
                ),
                verdict("vault", batch.name, index, "replay", Outcome.COMPILE_ERROR),
            ]
    return rows


def make_run(
    path: Path,
    *,
    passing: bool = True,
    settings: dict[str, Any] | None = None,
    choices: dict[str, Any] | None = None,
    overrides: tuple[str, ...] = (),
    sweep_id: str | None = None,
    status: str = "finished",
) -> RunFolder:
    """A run folder at ``path``. ``settings`` and ``choices`` add to its configuration."""
    from omegaconf import OmegaConf  # noqa: PLC0415

    folder = RunFolder(path)
    config = {
        "name": "starter-mutants",
        "seed": 42,
        "benchmark": {"_target_": "solexp.benchmarks.starter.Starter", "limit": None},
        "model": {"_target_": "solexp.llm.offline.Mutants", "reference_share": 0.5},
        "runs_root": str(path.parent),
        **(settings or {}),
    }
    write_atomically(path / "config.yaml", OmegaConf.to_yaml(OmegaConf.create(config)).encode())
    folder.write_manifest(
        {
            "solexp": "0.1.0",
            "status": status,
            "name": "starter-mutants",
            "started": "2026-11-29T22:27:00+0000",
            "ended": "2026-11-29T22:27:09+0000",
            "git": {"commit": "0" * 40, "dirty": False},
            "seeds": {"run": 42},
            "versions": {
                "solexp": "0.1.0",
                "python": "3.11.7",
                "web3": "7.16.0",
                "slither-analyzer": None,
                "anvil": "1.7.1",
                "solc 0.8.17": "0.8.17+commit.8df45f5f",
            },
            "host": {"name": "here", "system": "Linux", "machine": "x86_64", "cores": 2, "pid": 1},
            "command": ["solexp", "run"],
            "choices": {
                "benchmark": "starter",
                "model": "mutants",
                "oracle": ["compile", "replay"],
                **(choices or {}),
            },
            "overrides": list(overrides),
            "config_hash": "c" * 64,
            "data": {"starter": "d" * 64},
            **({"sweep_id": sweep_id} if sweep_id else {}),
        }
    )
    write_lines(path / "tasks.jsonl", TASKS)
    prompts = [
        Prompt(task_id=task.id, messages=(Message("user", f"Write {task.id}."),)) for task in TASKS
    ]
    write_lines(path / "prompts.jsonl", prompts)
    generations = [
        Generation(
            key=f"{task.id}-{batch.name}-{index}",
            task_id=task.id,
            batch=batch.name,
            repeat=0,
            index=index,
            completion=Completion(
                text=f"contract {task.id} {{}}",
                usage=Usage(prompt_tokens=10, completion_tokens=5),
                seconds=0.25,
            ),
        )
        for task in TASKS
        for batch in BATCHES
        for index in range(batch.n)
    ]
    folder.write_generations(generations)
    folder.write_verdicts(verdicts(passing))
    summary = summarise(
        TASKS, verdicts(passing), BATCHES, seed=42, oracles=ORACLES, generations=generations
    )
    folder.write_summary(msgspec.to_builtins(summary))
    write_atomically(path / "solexp.log", b"done\n")
    return folder
