"""Killed work goes on where it stopped."""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from collections import Counter

import psutil
import pytest

from tests.e2e.conftest import Trial, told

WORDS = ("run", "model=slow", "oracle=[length]", "sampling=solcontracteval", "tracking=none")


def test_kill_9_at_any_point_and_the_same_command_again_gives_the_uninterrupted_result(
    trial: Trial,
) -> None:
    draw = random.Random(7)
    words: tuple[str, ...] = (
        *WORDS,
        "model.seconds=0.03",
        "oracle.length.seconds=0.1",
        "benchmark.limit=3",
    )
    kills = 0
    for _ in range(4):
        before = len(trial.lines("requests")) + len(trial.lines("judged"))
        process = trial.start(*words)
        wanted = before + draw.randint(2, 7)
        trial.wait_for(
            lambda p=process, w=wanted: (  # type: ignore[misc]
                p.poll() is not None
                or len(trial.lines("requests")) + len(trial.lines("judged")) >= w
            )
        )
        if process.poll() is None:
            kills += 1
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert kills >= 3
    trial.solexp(*words)
    resumed = trial.runs()[-1]

    requests = Counter(trial.lines("requests"))
    judged = Counter(trial.lines("judged"))
    assert len(requests) == 18
    # Only what was under way at a kill may be done again: one request and a task a worker.
    assert sum(requests.values()) <= 18 + kills
    assert sum(judged.values()) <= 3 + 2 * kills

    trial.environment["SOLEXP_CACHE"] = str(trial.folder / "fresh")
    trial.solexp(*words)
    assert told(trial.runs()[-1]) == told(resumed)
    assert trial.runs()[-1].path != resumed.path


def test_a_finished_run_started_again_asks_and_judges_nothing(trial: Trial) -> None:
    words = (*WORDS, "model.seconds=0", "benchmark.limit=2")
    trial.solexp(*words)
    done = (trial.lines("requests"), trial.lines("judged"))
    trial.solexp(*words)
    assert (trial.lines("requests"), trial.lines("judged")) == done
    first, second = trial.runs()
    assert told(first) == told(second)


def test_raising_n_asks_only_for_what_is_missing(trial: Trial) -> None:
    words: tuple[str, ...] = ("run", "model=slow", "oracle=[length]", "sampling=nucleus5")
    words = (*words, "tracking=none", "benchmark.limit=1", "model.seconds=0")
    trial.solexp(*words)
    assert len(trial.lines("requests")) == 5
    trial.solexp(*words, "sampling.batches.nucleus.n=8")
    assert len(trial.lines("requests")) == 8


@pytest.mark.parametrize(("phase", "n_jobs"), [("requests", 1), ("judged", 2)])
def test_ctrl_c_ends_in_5_seconds_and_keeps_what_there_is(
    trial: Trial, phase: str, n_jobs: int
) -> None:
    slow = "model.seconds=0.2" if phase == "requests" else "oracle.length.seconds=3"
    quick = "model.seconds=0" if phase == "judged" else "oracle.length.seconds=0"
    words = [word for word in WORDS if word != "tracking=none"]
    # A warm MLflow store, as from the second run on.
    trial.solexp(*words, "benchmark.limit=1", "model.seconds=0", "sampling=greedy")
    seen = len(trial.lines(phase))
    process = trial.start(*words, slow, quick, f"execution.n_jobs={n_jobs}")
    trial.wait_for(lambda: len(trial.lines(phase)) >= seen + (8 if phase == "requests" else 1))
    started = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    took = time.monotonic() - started
    assert process.returncode == 130, out + err
    assert "interrupted; what was done is in" in err
    assert "Traceback" not in err
    assert took < 15
    folder = trial.runs()[-1]
    assert folder.manifest["status"] == "killed"
    assert folder.summary["candidates"] >= 1 or phase == "requests"
    # The request under way at the interrupt may have been noted, and never recorded.
    assert len(folder.generations()) >= 7
    # Where MLflow was not loaded yet, a process of its own marks the run.
    trial.wait_for((folder.path / "tracking.json").exists)
    trial.wait_for(lambda: len(trial.mlflow_runs()) == 2, pause=0.25)
    assert sorted(run["status"] for run in trial.mlflow_runs()) == ["FINISHED", "KILLED"]


def test_results_do_not_depend_on_the_number_of_workers(trial: Trial) -> None:
    words = (*WORDS, "model.seconds=0", "execution.cache=false", "benchmark.limit=4")
    trial.solexp(*words, "execution.n_jobs=1")
    trial.solexp(*words, "execution.n_jobs=3")
    one, three = trial.runs()
    assert told(one) == told(three)


@pytest.mark.slow
def test_verdicts_of_behaviour_do_not_depend_on_workers_or_on_what_was_kept(trial: Trial) -> None:
    words = (
        *("run", "model=slow", "model.seconds=0", "tracking=none", "sampling=greedy"),
        *("sampling.batches.greedy.n=3", "benchmark.ids=[InitVault,HouseholdWallet]"),
        *("oracle=[replay,fuzz,dcr,negative,violation]", "oracle.fuzz.calls=100"),
        *("oracle.dcr.calls=60", "oracle.dcr.queries=4", "oracle.violation.states=3"),
    )
    for place, workers in (("a", 1), ("a", 2), ("b", 2)):
        trial.environment["SOLEXP_CACHE"] = str(trial.folder / place)
        trial.solexp(*words, f"execution.n_jobs={workers}", "execution.cache=true")
        # Verdicts are to be made anew, of what oracles have kept.
        for kept in (trial.folder / place).glob("verdicts*"):
            shutil.rmtree(kept)
    first, again, fresh = map(told, trial.runs())
    assert first == again == fresh
    assert len(first[1]) == 30


def test_sigterm_to_one_job_of_a_sweep_ends_that_job_alone(trial: Trial) -> None:
    words = [word for word in WORDS[1:] if word != "tracking=none"]
    process = trial.start(
        *("run", "-m", *words, "hydra/launcher=joblib", "hydra.launcher.n_jobs=2"),
        *("benchmark.limit=2", "model.seed=1,2", "model.seconds=0.5"),
    )
    trial.wait_for(lambda: len(trial.lines("requests")) >= 3)
    first = trial.runs()[0]
    os.kill(first.manifest["host"]["pid"], signal.SIGTERM)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 1, out + err
    assert f"{first.name} killed" in err
    assert [run.manifest["status"] for run in trial.runs()] == ["killed", "finished"]
    assert sorted(run["status"] for run in trial.mlflow_runs()) == ["FINISHED", "KILLED"]


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_of_a_sweep_outlives_it(trial: Trial, sign: signal.Signals) -> None:
    process = trial.start(
        *("run", "-m", *WORDS[1:], "hydra/launcher=joblib", "hydra.launcher.n_jobs=2"),
        *("benchmark.limit=2", "model.seed=1,2", "model.seconds=0", "oracle.length.seconds=30"),
    )
    trial.wait_for(
        lambda: len([run for run in trial.runs() if (run.path / "verdicts.jsonl").exists()]) == 2
    )
    children = psutil.Process(process.pid).children(recursive=True)
    assert len(children) >= 4
    process.send_signal(sign)
    out, err = process.communicate(timeout=20)
    assert process.returncode == (130 if sign == signal.SIGTERM else -9), out + err
    assert psutil.wait_procs(children, timeout=10)[1] == []
    if sign == signal.SIGTERM:
        assert [run.manifest["status"] for run in trial.runs()] == ["killed", "killed"]


@pytest.mark.parametrize("launcher", ["basic", "joblib"])
def test_ctrl_c_ends_a_whole_sweep(trial: Trial, launcher: str) -> None:
    words = [word for word in WORDS if word != "tracking=none"]
    trial.solexp(*words, "benchmark.limit=1", "model.seconds=0", "sampling=greedy")
    process = trial.start(
        "run",
        "-m",
        *words[1:],
        f"hydra/launcher={launcher}",
        *(["hydra.launcher.n_jobs=2"] if launcher == "joblib" else []),
        "model.seed=1,2,3,4",
        "model.seconds=0.3",
    )
    trial.wait_for(lambda: len(trial.lines("requests")) >= 8)
    started = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    took = time.monotonic() - started
    assert process.returncode == 130, out + err
    assert "Traceback" not in err
    assert took < 15
    at_work = 1 if launcher == "basic" else 2
    killed = [run for run in trial.runs() if run.path.parent.name != "runs"]
    assert [run.manifest["status"] for run in killed] == ["killed"] * at_work
    # Workers may outlive the sweep for as long as it takes to say that they were killed.
    told = ["FINISHED", *["KILLED"] * at_work]
    trial.wait_for(lambda: sorted(run["status"] for run in trial.mlflow_runs()) == told, pause=0.25)
