"""A real MLflow server on loopback."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from solexp.core import ToolError, UserError
from solexp.store.runfolder import RunFolder
from solexp.tracking import ui
from solexp.tracking.client import load_mlflow
from solexp.tracking.publish import publish
from solexp.tracking.settings import TrackingSettings, local_uri

MakeRun = Callable[..., RunFolder]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((ui.HOST, 0))
        return int(probe.getsockname()[1])


def _serving(uri: str, port: int) -> subprocess.Popen[str]:
    """What `solexp ui` does, in a process of its own that has said that it starts."""
    code = (
        "import sys; from solexp.tracking.ui import serve; "
        "serve(sys.argv[1], port=int(sys.argv[2]), open_browser=False)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, uri, str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "starting MLflow …\n"
    return process


def _nobody_listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((ui.HOST, port)) != 0


def test_the_ui_is_a_server_that_takes_runs_until_sigterm_ends_it_with_its_worker(
    run_folder: MakeRun, settings: TrackingSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = _free_port()
    address = f"http://127.0.0.1:{port}"
    with _serving(settings.resolved_uri, port) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == f"MLflow: {address} (Ctrl-C ends it)\n"
            with urllib.request.urlopen(f"{address}/") as page:
                assert b"<title>MLflow</title>" in page.read()

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
        finally:
            process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert _nobody_listens(port)

    published = publish(run_folder("later"), settings, status="FINISHED")
    direct = load_mlflow().MlflowClient(tracking_uri=settings.resolved_uri)
    assert direct.get_run(published).info.status == "FINISHED"
    assert direct.get_run(run_id).info.status == "KILLED"


def test_ctrl_c_ends_the_ui_while_it_starts(settings: TrackingSettings) -> None:
    port = _free_port()
    with _serving(settings.resolved_uri, port) as process:
        # At once when the server is under way: it may not even be the program that it is to become.
        ours, until = psutil.Process(process.pid), time.monotonic() + 30
        while not (servers := ours.children()):
            assert time.monotonic() < until
        process.send_signal(signal.SIGINT)
        assert _nobody_listens(port)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (0, "")
    assert not [server for server in servers if server.is_running()]


def test_a_server_that_is_gone_costs_nothing(
    run_folder: MakeRun, settings: TrackingSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"http://127.0.0.1:{_free_port()}"
    monkeypatch.setenv("MLFLOW_TRACKING_URI", address)
    folder = run_folder()
    before = {path.name: path.read_bytes() for path in folder.path.iterdir()}
    with pytest.raises(ToolError) as raised:
        publish(folder, TrackingSettings(), status="FINISHED")
    assert "\n" not in str(raised.value)
    assert address in str(raised.value)
    after = {path.name: path.read_bytes() for path in folder.path.iterdir()}
    assert {name: data for name, data in after.items() if name != "tracking.json"} == before

    published = publish(folder, settings, status="FINISHED")
    direct = load_mlflow().MlflowClient(tracking_uri=settings.resolved_uri)
    assert direct.get_run(published).info.status == "FINISHED"


def test_a_port_that_is_taken_is_named_with_the_mend(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind((ui.HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(UserError, match=f"port {port} is taken.*--port {port + 1}"):
            ui.serve(local_uri(tmp_path), port=port, open_browser=False)
