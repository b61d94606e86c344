"""When runs are published, and by whom: at their end, or by a process of its own when nobody should wait."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Sequence

from solexp.core import ToolError, secrets
from solexp.store import RunFolder
from solexp.store.records import read_json
from solexp.tracking.client import load_mlflow
from solexp.tracking.publish import Status, publish
from solexp.tracking.settings import TrackingSettings
from solexp.tracking.store import prepare

_LOG = logging.getLogger("solexp.publishing")

_STATUS: dict[str, Status] = {"finished": "FINISHED", "failed": "FAILED", "killed": "KILLED"}

_READY = threading.Event()
"""MLflow is imported, and the store is there."""


def warm_up(tracking: TrackingSettings) -> None:
    """Import MLflow and make its store beside the work: both take seconds, and an interrupted run has none."""
    if tracking.enabled and not _READY.is_set():
        uri = tracking.resolved_uri
        threading.Thread(target=_make_ready, args=(uri,), daemon=True, name="solexp-mlflow").start()


def _make_ready(uri: str) -> None:
    try:
        load_mlflow()
        prepare(uri)
    except ToolError:  # the publishing itself will say what is wrong
        return
    _READY.set()


def publish_run(folder: RunFolder, tracking: TrackingSettings, status: str) -> None:
    """Publish a run; when that fails the run is still whole on disk, and says how to publish it later."""
    if not tracking.enabled:
        return
    try:
        publish(folder, tracking, status=_STATUS[status])
    except ToolError as error:
        _LOG.warning("%s", error)
        print(f"solexp: {secrets.redact(str(error))}", file=sys.stderr)


def is_published(folder: RunFolder) -> bool:
    """Whether a run that was killed is marked so already."""
    path = folder.path / "tracking.json"
    return path.is_file() and read_json(path, dict).get("status") == "KILLED"


def publish_interrupted(folders: Sequence[RunFolder], tracking: TrackingSettings) -> None:
    """Mark runs KILLED: one at once where MLflow is loaded, else by a process of its own that nobody waits for."""
    if not tracking.enabled or not folders:
        return
    if _READY.is_set() and len(folders) == 1:
        publish_run(folders[0], tracking, "killed")
        return
    subprocess.Popen(
        [
            sys.executable,
            *("-m", "solexp.cli", "track"),
            *(str(folder.path.absolute()) for folder in folders),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        # The run folders do not say it where it holds a password.
        env=os.environ | {"MLFLOW_TRACKING_URI": tracking.resolved_uri},
    )
