"""Sweeps: none lost, none in another's way, and a failing job takes nobody along."""

from __future__ import annotations

import json
import time
from pathlib import Path

from tests.e2e.conftest import Trial

CONF = Path(__file__).resolve().parents[2] / "conf"

QUICK = ("benchmark.limit=2", "oracle=[length]", "model=slow", "model.seconds=0")


def test_sixteen_jobs_of_two_at_a_time_on_a_fresh_store_are_all_published(bare: Trial) -> None:
    printed = bare.solexp(
        "run",
        "-m",
        *QUICK,
        "model.seed=range(8)",
        "seed=1,2",
        "hydra/launcher=joblib",
        "hydra.launcher.n_jobs=2",
    )
    assert "16 runs in" in printed
    folders = bare.runs()
    assert len(folders) == 16
    assert {folder.manifest["status"] for folder in folders} == {"finished"}
    published = bare.mlflow_runs()
    assert [run["status"] for run in published] == ["FINISHED"] * 16
    grid = {(run["params"]["seed"], run["params"]["model.seed"]) for run in published}
    assert len(grid) == 16
    assert len({run["tags"]["solexp.sweep_id"] for run in published}) == 1
    assert all("pass_at_1" in run["metrics"] for run in published)


def test_a_job_that_raises_leaves_the_others_running(trial: Trial) -> None:
    printed = trial.solexp(
        "run", "-m", *QUICK, "model.fails=true,false", "model.seed=1,2", status=1
    )
    assert "RuntimeError: this model is broken" in printed
    statuses = {
        tuple(folder.manifest["overrides"][-2:]): folder.manifest["status"]
        for folder in trial.runs()
    }
    assert statuses == {
        ("model.fails=True", "model.seed=1"): "failed",
        ("model.fails=True", "model.seed=2"): "failed",
        ("model.fails=False", "model.seed=1"): "finished",
        ("model.fails=False", "model.seed=2"): "finished",
    }
    published = trial.mlflow_runs()
    assert sorted(run["status"] for run in published) == ["FAILED"] * 2 + ["FINISHED"] * 2
    errors = [run["tags"]["solexp.error"] for run in published if run["status"] == "FAILED"]
    assert all("this model is broken" in error for error in errors)


def test_a_job_that_cannot_be_built_has_its_row_too(trial: Trial) -> None:
    printed = trial.solexp("run", "-m", *QUICK, "execution.n_jobs=0,1", status=1)
    assert "failed: UserError: execution.n_jobs: must be above 0, got 0" in printed
    refused, done = trial.runs()
    assert (refused.manifest["status"], done.manifest["status"]) == ("failed", "finished")
    assert "execution.n_jobs=0" in refused.manifest["overrides"]
    assert sorted(run["status"] for run in trial.mlflow_runs()) == ["FAILED", "FINISHED"]


def test_optuna_optimises_the_objective(trial: Trial) -> None:
    trial.solexp(
        "run",
        "-m",
        "hydra/sweeper=optuna",
        "hydra.sweeper.n_trials=3",
        "hydra.sweeper.direction=maximize",
        "hydra.sweeper.sampler.seed=1",
        "model=mutants",
        "model.reference_share=interval(0,1)",
        "oracle=[length]",
        "tracking=none",
    )
    best = (next(trial.folder.rglob("optimization_results.yaml"))).read_text()
    values = [folder.summary["metrics"]["pass_at_1"]["value"] for folder in trial.runs()]
    assert len(values) == 3
    assert f"best_value: {max(values)}" in best


def test_a_run_can_be_shown_and_rescored_without_its_model(trial: Trial) -> None:
    trial.solexp("run", *QUICK, "tracking=none")
    asked = trial.lines("requests")
    shown = json.loads(trial.solexp("show", "latest", "--json"))
    assert set(shown["metrics"]["pass_at_1"]) >= {"value", "lo", "hi", "n"}
    assert shown["outcomes"]
    (first,) = trial.runs()
    (trial.folder / "mine" / "parts.py").write_text("raise RuntimeError('no model is needed')")
    trial.solexp("rescore", first.name, "oracle=[compile]")
    assert trial.lines("requests") == asked
    rescored = trial.runs()[-1]
    assert rescored.manifest["rescored_from"] == first.name
    assert {row.oracle for row in rescored.verdicts()} == {"compile"}
    assert rescored.generations() == first.generations()


def test_wrong_input_ends_in_one_line_and_status_2(trial: Trial) -> None:
    for words, said in (
        (["experiments=nope"], "experiments=nope: no such option; choose from: "),
        (["oracle=[compile,nope]"], "oracle=nope: no such option"),
        (["model.sed=3"], "did you mean 'model.seed'?"),
        (["-m", "model=mutants,refrence"], "did you mean 'reference'?"),
        (["execution.n_jobs=0"], "execution.n_jobs: must be above 0"),
        (["benchmark.ids=[Nope]"], "Nope"),
    ):
        printed = trial.solexp("run", *words, "tracking=none", status=2)
        assert said in printed
        assert len(printed.strip().splitlines()) == 1, printed
        if words != ["benchmark.ids=[Nope]"]:
            assert not (trial.folder / "runs").exists()


def test_a_place_that_is_a_file_ends_in_one_line_and_status_2(trial: Trial) -> None:
    file = trial.folder / "file"
    file.touch()
    for name in ("SOLEXP_RUNS", "SOLEXP_CACHE"):
        before = dict(trial.environment)
        trial.environment[name] = str(file / "below")
        printed = trial.solexp("run", *QUICK, "tracking=none", status=2)
        assert f"{file}: is no folder, so {file / 'below'} cannot be used; see {name}" in printed
        assert len(printed.strip().splitlines()) == 1, printed
        trial.environment = before
    assert not (trial.folder / "runs").exists()


def test_a_run_in_which_nothing_could_be_judged_fails_with_the_reason(trial: Trial) -> None:
    broken = (*QUICK, "tracking=none", "oracle.length.seconds=-1")
    printed = trial.solexp("run", *broken, status=1)
    assert printed.strip().splitlines()[-1] == (
        "solexp: none of 2 candidates could be judged, most often because: "
        "ValueError: sleep length must be non-negative"
    )
    printed = trial.solexp("run", "-m", *broken, "seed=1", status=1)
    assert "none of 2 candidates could be judged" in printed


def test_help_ends_at_once_and_names_groups_and_settings(trial: Trial) -> None:
    started = time.monotonic()
    printed = trial.solexp("run", "--help")
    assert time.monotonic() - started < 30
    benchmarks = sorted(path.stem for path in (CONF / "benchmark").glob("*.yaml"))
    assert f"benchmark: {', '.join(benchmarks)}\n" in printed
    assert "starter" in benchmarks
    assert "reference_share: 0.5" in printed
    assert "job:" not in printed


def test_cfg_job_prints_the_composition_and_runs_nothing(trial: Trial) -> None:
    printed = trial.solexp("run", "--cfg", "job", "seed=7")
    assert "seed: 7" in printed
    assert trial.runs() == []
