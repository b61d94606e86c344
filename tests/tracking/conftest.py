"""Stores and hand-made run folders."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from solexp.store.runfolder import RunFolder
from solexp.tracking.client import load_mlflow
from solexp.tracking.settings import TrackingSettings, local_uri
from solexp.tracking.store import client_uri, prepare
from tests.made_runs import make_run


@pytest.fixture
def run_folder(tmp_path: Path) -> Callable[..., RunFolder]:
    """Makes run folders below the test's own folder."""

    def make(name: str = "run", **facts: Any) -> RunFolder:
        return make_run(tmp_path / name, **facts)

    return make


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store that was made once; making one takes seconds."""
    folder = tmp_path_factory.mktemp("store") / "mlruns"
    prepare(local_uri(folder))
    return folder


@pytest.fixture
def settings(empty_store: Path, tmp_path: Path) -> TrackingSettings:
    """Tracking into a store of the test's own."""
    shutil.copytree(empty_store, tmp_path / "mlruns")
    return TrackingSettings(uri=local_uri(tmp_path / "mlruns"))


@pytest.fixture
def client(settings: TrackingSettings) -> Any:
    """MLflow's own client on that store."""
    prepare(settings.resolved_uri)
    return load_mlflow().MlflowClient(tracking_uri=client_uri(settings.resolved_uri))
