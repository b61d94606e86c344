"""Publishing to a real SQLite store."""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from solexp.core import ToolError
from solexp.metrics.summary import summarise
from solexp.store.records import write_lines
from solexp.store.runfolder import RunFolder
from solexp.tracking.publish import publish
from solexp.tracking.settings import TrackingSettings, local_uri
from solexp.tracking.store import prepare
from tests.made_runs import BATCHES, ORACLES, TASKS, verdicts
from tests.tracking.elsewhere import publish_and_die, publish_four, start

MakeRun = Callable[..., RunFolder]


def runs(client: Any, settings: TrackingSettings) -> list[Any]:
    experiment = client.get_experiment_by_name(settings.experiment)
    return [] if experiment is None else list(client.search_runs([experiment.experiment_id]))


def test_a_run_folder_becomes_one_run_with_all_that_is_in_it(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    folder = run_folder(sweep_id="sweep-1")
    run_id = publish(folder, settings, status="FINISHED")

    [run] = runs(client, settings)
    assert run.info.run_id == run_id
    assert run.info.status == "FINISHED"
    assert run.info.run_name == "starter-mutants"
    assert run.info.end_time - run.info.start_time == 9_000
    assert run.data.params["model"] == "mutants"
    assert run.data.params["model.reference_share"] == "0.5"
    assert run.data.metrics["pass_at_1"] == 0.5
    assert run.data.metrics["pass_at_1.lo"] < 0.5 < run.data.metrics["pass_at_1.hi"]
    assert run.data.tags["solexp.sweep_id"] == "sweep-1"
    assert "mlflow.parentRunId" not in run.data.tags
    assert run.data.tags["solexp.version.solc 0.8.17"] == "0.8.17+commit.8df45f5f"
    [used] = run.inputs.dataset_inputs
    assert (used.dataset.name, len(used.dataset.digest)) == ("starter", 32)

    files = {file.path for file in client.list_artifacts(run_id, "run")}
    own = {path.name for path in folder.path.iterdir()} - {"tracking.json"}
    assert files == {f"run/{name}" for name in own}
    kept = client.download_artifacts(run_id, "run/summary.json")
    assert Path(kept).read_bytes() == (folder.path / "summary.json").read_bytes()


def test_other_tasks_of_the_same_files_are_another_data_set_in_mlflow(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    both, again, one = run_folder("both"), run_folder("again"), run_folder("one")
    write_lines(one.path / "tasks.jsonl", TASKS[:1])
    digests, sources = [], set()
    for folder in (both, again, one):
        run = client.get_run(publish(folder, settings, status="FINISHED"))
        [used] = run.inputs.dataset_inputs
        digests.append(used.dataset.digest)
        sources.add(used.dataset.source)
    assert digests[0] == digests[1] != digests[2]
    assert sources == {json.dumps({"starter": "d" * 64}, separators=(",", ":"))}


def test_tables_can_be_read_as_mlflows_own(
    run_folder: MakeRun,
    settings: TrackingSettings,
    client: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_id = publish(run_folder(passing=False), settings, status="FINISHED")
    # MLflow's reading of tables asks the store of the environment, not the client's.
    monkeypatch.setenv("MLFLOW_TRACKING_URI", settings.resolved_uri)
    run = client.get_run(run_id)
    logged = json.loads(run.data.tags["mlflow.loggedArtifacts"])
    assert logged == [
        {"path": "tasks.json", "type": "table"},
        {"path": "replies.json", "type": "table"},
    ]
    replies = client.load_table(run.info.experiment_id, "replies.json", [run_id])
    assert list(replies["prompt"][:1]) == ["Write token."]
    assert list(replies["reply"][:1]) == ["contract token {}"]
    tasks = client.load_table(run.info.experiment_id, "tasks.json", [run_id])
    assert list(tasks["pass"]) == [0, 0]


def test_publishing_twice_leaves_one_run_and_one_point_a_metric(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    folder = run_folder()
    first = publish(folder, settings, status="FINISHED")
    assert publish(folder, settings, status="FINISHED") == first
    assert len(runs(client, settings)) == 1
    assert len(client.get_metric_history(first, "pass_at_1")) == 1


def test_a_killed_run_that_was_resumed_becomes_finished_with_the_new_figures(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    folder = run_folder(passing=False, status="killed")
    run_id = publish(folder, settings, status="KILLED")
    assert client.get_run(run_id).info.status == "KILLED"
    assert client.get_run(run_id).data.metrics["pass_at_1"] == 0.0

    folder.write_summary(summarise(TASKS, verdicts(True), BATCHES, seed=42, oracles=ORACLES))
    folder.update_manifest(status="finished", ended="2026-11-29T22:28:00+0000")
    assert publish(folder, settings, status="FINISHED") == run_id
    [run] = runs(client, settings)
    assert run.info.status == "FINISHED"
    assert run.data.metrics["pass_at_1"] == 0.5


def test_a_failed_run_says_its_error(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    folder = run_folder(status="failed")
    folder.update_manifest(error="HarnessError: no anvil")
    (folder.path / "summary.json").unlink()
    run = client.get_run(publish(folder, settings, status="FAILED"))
    assert run.info.status == "FAILED"
    assert run.data.tags["solexp.error"] == "HarnessError: no anvil"


def test_a_publication_killed_half_way_is_completed_by_the_next(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    folder = run_folder()
    victim = start(publish_and_die, folder.path, settings.resolved_uri)
    victim.join()
    assert victim.exitcode == -signal.SIGKILL
    [half] = runs(client, settings)
    assert half.info.status == "RUNNING"

    # Even the note of the run's id may be lost: the key finds it.
    note = json.loads((folder.path / "tracking.json").read_bytes())
    (folder.path / "tracking.json").write_text(json.dumps({"key": note["key"]}))
    assert publish(folder, settings, status="FINISHED") == half.info.run_id
    [whole] = runs(client, settings)
    assert whole.info.status == "FINISHED"
    assert client.list_artifacts(whole.info.run_id, "run")


def test_more_params_metrics_and_tags_than_one_request_takes_all_arrive(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    folder = run_folder(settings={f"setting_{i}": i for i in range(250)})
    metrics = {f"m_{i}": {"value": i / 2_500, "lo": None, "hi": None, "n": 1} for i in range(2_500)}
    folder.write_summary({"metrics": metrics})
    many = replace(settings, tags={f"tag_{i}": "x" for i in range(150)})
    run = client.get_run(publish(folder, many, status="FINISHED"))
    assert sum(name.startswith("setting_") for name in run.data.params) == 250
    assert sum(name.startswith("m_") for name in run.data.metrics) == 2_500
    assert sum(name.startswith("tag_") for name in run.data.tags) == 150


def test_sweeps_are_flat_unless_nesting_is_asked_for(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    nested = replace(settings, nested=True)
    folders = [run_folder(name, sweep_id="sweep-1") for name in ("0", "1")]
    children = [client.get_run(publish(f, nested, status="FINISHED")) for f in folders]
    parents = {child.data.tags["mlflow.parentRunId"] for child in children}
    assert len(parents) == 1
    assert client.get_run(parents.pop()).data.tags["mlflow.runName"] == "sweep sweep-1"
    assert len(runs(client, settings)) == 3


def test_sixteen_runs_of_four_processes_all_arrive_in_a_fresh_store(tmp_path: Path) -> None:
    uri = local_uri(tmp_path / "mlruns")
    processes = [start(publish_four, tmp_path / "runs", uri, str(number)) for number in range(4)]
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 4
    from solexp.tracking.client import load_mlflow  # noqa: PLC0415

    client = load_mlflow().MlflowClient(tracking_uri=uri)
    found = runs(client, TrackingSettings(uri=uri))
    assert len(found) == 16
    assert {run.info.status for run in found} == {"FINISHED"}
    assert {run.data.metrics["pass_at_1"] for run in found} == {0.5}
    assert all(client.list_artifacts(run.info.run_id, "run") for run in found)


def test_a_store_that_was_moved_still_shows_its_artifacts(
    run_folder: MakeRun, settings: TrackingSettings, tmp_path: Path
) -> None:
    from solexp.tracking.client import load_mlflow  # noqa: PLC0415

    run_id = publish(run_folder(), settings, status="FINISHED")
    (tmp_path / "elsewhere").mkdir()
    shutil.move(tmp_path / "mlruns", tmp_path / "elsewhere" / "mlruns")
    moved = TrackingSettings(uri=local_uri(tmp_path / "elsewhere" / "mlruns"))
    prepare(moved.resolved_uri)
    client = load_mlflow().MlflowClient(tracking_uri=moved.uri)
    assert client.list_artifacts(run_id, "run")
    second = publish(run_folder("later"), moved, status="FINISHED")
    assert str(tmp_path / "elsewhere") in client.get_run(second).info.artifact_uri


def test_a_deleted_experiment_is_named_with_the_mend(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    publish(run_folder(), settings, status="FINISHED")
    client.delete_experiment(client.get_experiment_by_name("solexp").experiment_id)
    with pytest.raises(ToolError, match=r"'solexp' was deleted.*tracking\.experiment=NAME"):
        publish(run_folder("again"), settings, status="FINISHED")


def test_a_store_that_cannot_be_made_is_one_line(run_folder: MakeRun, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    settings = TrackingSettings(uri=local_uri(tmp_path / "file"))
    with pytest.raises(ToolError) as raised:
        publish(run_folder(), settings, status="FINISHED")
    assert "\n" not in str(raised.value)
    assert str(tmp_path / "file") in str(raised.value)
