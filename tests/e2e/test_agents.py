"""Whole runs of agents against a scripted model on loopback."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.e2e.conftest import Trial, told
from tests.llm.served.server import LoopbackServer
from tests.made_workspaces import scripted, write_rows

ROUTES = {
    "Solves": "exit_0",
    "Fails": "fail",
    "Leaks": "b3_violation",
    "Loops": "stub_residue",
    "Talks": "stub_residue",
    "Unknown": "stub_residue",
    "Outside": "exit_0",
    "Calls": "exit_0",
    "Forks": "exit_0",
    "Fills": "exit_0",
    "Spins": "exit_0",
}


def words(
    trial: Trial, server: LoopbackServer, names: tuple[str, ...], *more: str
) -> tuple[str, ...]:
    write_rows(trial.folder / "rows.jsonl", names)
    return (
        "run",
        "benchmark=solidity_eval",
        f"benchmark.path={trial.folder / 'rows.jsonl'}",
        "model=openai",
        "model.name=loopback",
        f"model.base_url={server.base_url}",
        "model.api_key_env=null",
        "model.backoff_s=0.01",
        "strategy=agent",
        "strategy.steps=6",
        "strategy.cpu_s=8",
        "oracle=[workspace]",
        "oracle.workspace.calls=400",
        "tracking=none",
        *more,
    )


@pytest.mark.slow
def test_every_way_to_work_ends_in_its_route_within_limits(trial: Trial) -> None:
    with LoopbackServer(scripted) as server:
        trial.solexp(*words(trial, server, tuple(ROUTES)))
    run = trial.runs()[-1]
    found = {v.task_id.removeprefix("made_"): v.measures["workspace.route"] for v in run.verdicts()}
    assert found == ROUTES
    assert not Path("/tmp/escape.txt").exists()
    assert run.summary["workspaces"]["routes"] == Counter(ROUTES.values())
    assert run.summary["workspaces"]["flagged"] is False
    assert max(len(g.completions) for g in run.generations()) == 6

    said = trial.solexp("show", str(run.path), "--task", "made_Forks", "--sample", "0")
    assert "FFI is disabled" in said
    assert "not allowed to be accessed" in said
    assert "-> edit" in said
    said = trial.solexp("show", str(run.path), "--task", "made_Outside", "--sample", "0")
    assert "must not leave the workspace" in said
    assert "root:" not in said
    said = trial.solexp("show", str(run.path), "--task", "made_Spins", "--sample", "0")
    assert "went beyond the limit of CPU time" in said
    said = trial.solexp("show", str(run.path))
    assert "workspaces: 6 exit_0" in said


@pytest.mark.slow
def test_twenty_tasks_go_on_after_kill_9_without_asking_anything_twice(trial: Trial) -> None:
    names = tuple(f"Vault{number}" for number in range(20))
    with LoopbackServer(scripted, delay_s=0.05) as server:
        command = words(
            trial, server, names, "oracle=[compile]", "execution.n_jobs=2", "model.concurrency=10"
        )
        command = tuple(word for word in command if not word.startswith("oracle.workspace"))
        kills = 0
        for wanted in (15, 45):
            process = trial.start(*command)
            trial.wait_for(lambda w=wanted: server.count >= w, 120)  # type: ignore[misc]
            kills += process.poll() is None
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        started = time.monotonic()
        trial.solexp(*command)
        print(f"the rest took {time.monotonic() - started:.1f} s")
        asked = Counter(str(each.body["messages"]) for each in server.asked)
        assert kills == 2
        assert len(asked) == 4 * len(names)
        # Only what was on its way at a kill may be asked again.
        again = sum(asked.values()) - len(asked)
        print(f"{again} of {len(asked)} requests were asked again")
        assert again <= kills * 10
        resumed = trial.runs()[-1]
        before = server.count
        trial.solexp(*command)
        assert server.count == before
        assert told(trial.runs()[-1]) == told(resumed)
