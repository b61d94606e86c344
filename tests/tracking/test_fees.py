"""Fees that comparisons add to runs which are in MLflow already: a real SQLite store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from solexp.cli import main
from solexp.core import ToolError
from solexp.store.records import read_json, write_json
from solexp.store.runfolder import RunFolder
from solexp.tracking.fees import lacks_fees, publish_fees
from solexp.tracking.publish import Publication, publish
from solexp.tracking.settings import TrackingSettings, local_uri
from tests.report.compare.test_fees import make_measured

MakeRun = Callable[..., RunFolder]
FIRST, SECOND = "1" * 64, "2" * 64


def _fee(value: float, tasks: int) -> dict[str, Any]:
    return {"value": value, "tasks": tasks, "runs": ["runs/a", "runs/b"]}


def _points(client: Any, run_id: str, name: str) -> list[float]:
    points = sorted(client.get_metric_history(run_id, name), key=lambda point: point.timestamp)
    return [point.value for point in points]


def test_a_published_run_gets_metric_tag_and_summary(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    folder = run_folder()
    run_id = publish(folder, settings, status="FINISHED")
    assert not lacks_fees(folder)
    folder.add_fee(FIRST, _fee(150.0, 3))
    assert lacks_fees(folder)
    for _ in range(2):  # the second time changes nothing
        publish_fees(folder, settings)
    run = client.get_run(run_id)
    assert run.data.metrics["fee"] == run.data.metrics["fee.111111111111"] == 150.0
    assert run.data.metrics["fee.tasks"] == run.data.metrics["fee.111111111111.tasks"] == 3
    assert run.data.tags["solexp.fee_set"] == FIRST
    assert json.loads(run.data.tags["solexp.fee.111111111111"]) == ["runs/a", "runs/b"]
    assert run.data.metrics["pass_at_1"] == 0.5
    assert run.info.status == "FINISHED"
    assert _points(client, run_id, "fee") == [150.0]
    assert not lacks_fees(folder)
    kept = client.download_artifacts(run_id, "run/summary.json")
    assert Path(kept).read_bytes() == (folder.path / "summary.json").read_bytes()


def test_another_set_adds_to_the_first_and_is_the_latest(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    folder = run_folder()
    run_id = publish(folder, settings, status="FINISHED")
    for compared, value, minute in ((FIRST, 150.0, 1), (SECOND, -20.0, 2)):
        folder.add_fee(compared, _fee(value, 3))
        fees = folder.fees()
        fees[compared]["written"] = f"2026-11-30T06:0{minute}:00.000+00:00"
        write_json(folder.path / "summary.json", {**folder.summary, "fee": fees})
        publish_fees(folder, settings)
    run = client.get_run(run_id)
    assert _points(client, run_id, "fee") == [150.0, -20.0]
    assert run.data.metrics["fee"] == run.data.metrics["fee.222222222222"] == -20.0
    assert run.data.metrics["fee.111111111111"] == 150.0
    assert run.data.tags["solexp.fee_set"] == SECOND


def test_publishing_the_whole_run_publishes_its_fees(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    folder = run_folder()
    folder.add_fee(FIRST, _fee(150.0, 3))
    for _ in range(2):
        run_id = publish(folder, settings, status="FINISHED")
    assert client.get_run(run_id).data.metrics["fee"] == 150.0
    assert _points(client, run_id, "fee") == [150.0]
    assert read_json(folder.path / "tracking.json", Publication).fees == (FIRST,)
    assert not lacks_fees(folder)


def test_a_run_that_was_never_published_lacks_nothing(run_folder: MakeRun) -> None:
    folder = run_folder()
    folder.add_fee(FIRST, _fee(150.0, 3))
    assert not lacks_fees(folder)


def test_a_run_that_mlflow_no_longer_has_is_one_line(
    run_folder: MakeRun, settings: TrackingSettings, client: Any
) -> None:
    folder = run_folder()
    run_id = publish(folder, settings, status="FINISHED")
    path = folder.path / "tracking.json"
    gone = msgspec.structs.replace(read_json(path, Publication), run_id="0" * 32)
    write_json(path, gone)
    folder.add_fee(FIRST, _fee(150.0, 3))
    with pytest.raises(ToolError, match=r"^[^\n]+ the fee is in [^\n]+: solexp track [^\n]+$"):
        publish_fees(folder, settings)
    assert "fee" not in client.get_run(run_id).data.metrics


def test_compare_tells_mlflow_and_only_warns_where_it_cannot(
    tmp_path: Path,
    settings: TrackingSettings,
    client: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MLFLOW_TRACKING_URI", settings.resolved_uri)
    folders = [
        make_measured(tmp_path / "s" / "0", {"t0": 900}, "cheap"),
        make_measured(tmp_path / "s" / "1", {"t0": 1100}, "dear"),
    ]
    for folder in folders:
        config = "tracking: {_target_: solexp.tracking.settings.TrackingSettings, uri: null}\n"
        with (folder.path / "config.yaml").open("a") as file:
            file.write(config)
    ids = [publish(folder, settings, status="FINISHED") for folder in folders]
    command = ["compare", *(str(folder.path) for folder in folders)]
    assert main(command) == 0
    fees = [client.get_run(run_id).data.metrics["fee"] for run_id in ids]
    assert fees == [100.0, -100.0]
    capsys.readouterr()

    more = make_measured(tmp_path / "s" / "2", {"t0": 1000}, "same")
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", local_uri(tmp_path / "file" / "mlruns"))
    assert main([*command, str(more.path)]) == 0
    said = capsys.readouterr().err.splitlines()
    assert [line for line in said if "tracking" in line or "solexp track" in line]
    assert all(len(folder.fees()) == 2 for folder in folders)
    assert lacks_fees(folders[0])
