"""Addresses of tracking servers: what of them is kept, and how a run is published later all the same."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import pytest

from solexp.commands.runs import track
from solexp.core import UserError
from solexp.store.runfolder import RunFolder
from solexp.tracking.settings import TrackingSettings


def test_a_run_whose_servers_address_holds_a_password_asks_the_environment_for_it(
    run_folder: Callable[..., RunFolder],
    settings: TrackingSettings,
    client: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = run_folder()
    node = {"_target_": "solexp.tracking.settings.TrackingSettings", "tags": {"team": "blue"}}
    folder.write_config(folder.config | {"tracking": node | {"uri": "https://me:pw@host/mlflow"}})
    assert folder.config["tracking"]["uri"] == "https://***@host/mlflow"
    command = argparse.Namespace(run=[str(folder.path)])
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    with pytest.raises(UserError, match=r"tracking\.uri: is not stored in .*set MLFLOW_TRACKING_"):
        track(command)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", settings.resolved_uri)
    track(command)
    [run] = client.search_runs(["1"])
    assert run.data.tags["team"] == "blue"
