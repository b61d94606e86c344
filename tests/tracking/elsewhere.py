"""What other processes do in these tests. They are forked from one that has imported MLflow, which takes seconds."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from solexp.store.runfolder import RunFolder
from solexp.tracking import publish
from solexp.tracking.client import load_mlflow
from solexp.tracking.settings import TrackingSettings
from tests.made_runs import make_run

_PROCESSES = multiprocessing.get_context("forkserver")


def start(work: Callable[..., None], *arguments: Any) -> multiprocessing.process.BaseProcess:
    """A process of its own that does ``work``, a function of this module."""
    _PROCESSES.set_forkserver_preload([__name__])
    process = _PROCESSES.Process(target=work, args=arguments)
    process.start()
    return process


def publish_four(folder: Path, uri: str, name: str) -> None:
    """Make four runs of a sweep and publish each."""
    for number in range(4):
        run = make_run(folder / f"{name}-{number}", sweep_id="s")
        publish.publish(run, TrackingSettings(uri=uri), status="FINISHED")


def publish_and_die(folder: Path, uri: str) -> None:
    """Publish a run, and be killed when only its files are missing."""

    def die(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    publish._log_files = die  # type: ignore[assignment]
    publish.publish(RunFolder(folder), TrackingSettings(uri=uri), status="FINISHED")


load_mlflow()
