"""Stores and hand-made run folders."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from solexp.store.runfolder import RunFolder
from solexp.tracking.client import load_mlflow, mlflow_quiet
from solexp.tracking.settings import TrackingSettings, local_uri
from solexp.tracking.store import client_uri, prepare
from tests.made_runs import make_run


@pytest.fixture
def run_folder(tmp_path: Path) -> Callable[..., RunFolder]:
    """Makes run folders below the test's own folder."""

    def make(name: str = "run", **facts: Any) -> RunFolder:
        return make_run(tmp_path / name, **facts)

    return make


@pytest.fixture
def settings(empty_store: Path) -> TrackingSettings:
    """Tracking into a store of the test's own."""
    return TrackingSettings(uri=local_uri(empty_store))


@pytest.fixture
def client(settings: TrackingSettings) -> Any:
    """MLflow's own client on that store."""
    prepare(settings.resolved_uri)
    mlflow = load_mlflow()
    with mlflow_quiet():
        # A process's first question sets MLflow's mappers up, whichever test asks it.
        asking = mlflow.MlflowClient(tracking_uri=client_uri(settings.resolved_uri))
        asking.search_experiments()
    return asking
