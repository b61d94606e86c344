"""A real MLflow server on loopback."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from solexp.core import ToolError, UserError
from solexp.store.runfolder import RunFolder
from solexp.tracking import ui
from solexp.tracking.client import load_mlflow
from solexp.tracking.publish import publish
from solexp.tracking.settings import TrackingSettings, local_uri

MakeRun = Callable[..., RunFolder]


def test_a_server_named_by_the_environment_takes_runs_and_a_server_that_is_gone_costs_nothing(
    run_folder: MakeRun, settings: TrackingSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ui.server(settings.resolved_uri) as (address, _):
        monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
        assert TrackingSettings().resolved_uri == address
        run_id = publish(run_folder(), TrackingSettings(), status="KILLED")
        client = load_mlflow().MlflowClient(tracking_uri=address)
        run = client.get_run(run_id)
        assert run.info.status == "KILLED"
        assert run.data.metrics["pass_at_1"] == 0.5
        assert run.info.artifact_uri.startswith("mlflow-artifacts:")
        kept = Path(client.download_artifacts(run_id, "run/summary.json"))
        assert b'"pass_at_1"' in kept.read_bytes()

    later = run_folder("later")
    before = {path.name: path.read_bytes() for path in later.path.iterdir()}
    with pytest.raises(ToolError) as raised:
        publish(later, TrackingSettings(), status="FINISHED")
    assert "\n" not in str(raised.value)
    assert address in str(raised.value)
    after = {path.name: path.read_bytes() for path in later.path.iterdir()}
    assert {name: data for name, data in after.items() if name != "tracking.json"} == before

    published = publish(later, settings, status="FINISHED")
    direct = load_mlflow().MlflowClient(tracking_uri=settings.resolved_uri)
    assert direct.get_run(published).info.status == "FINISHED"
    assert direct.get_run(run_id).info.status == "KILLED"


def test_the_ui_says_its_address_and_ctrl_c_ends_it_with_its_worker(
    settings: TrackingSettings,
) -> None:
    with socket.socket() as probe:
        probe.bind((ui.HOST, 0))
        port = probe.getsockname()[1]
    code = (
        "import sys; from solexp.tracking.ui import serve; "
        "serve(sys.argv[1], port=int(sys.argv[2]), open_browser=False)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, settings.resolved_uri, str(port)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line.startswith(f"MLflow: http://127.0.0.1:{port}")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
        assert b"<title>MLflow</title>" in page.read()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=15)
    assert process.returncode == 0
    with socket.socket() as probe:
        assert probe.connect_ex((ui.HOST, port)) != 0


def test_a_port_that_is_taken_is_named_with_the_mend(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind((ui.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port} is taken.*--port {port + 1}"):
            ui.serve(local_uri(tmp_path), port=port, open_browser=False)
