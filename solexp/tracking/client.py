"""The way to MLflow: its import, its clients, and the lock around its stores."""

from __future__ import annotations

import hashlib
import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from solexp.core import ToolError
from solexp.toolchain.homes import cache_home

LOCK_SECONDS = 300.0
"""A publication takes about a second, so a lock held for this long is held by something that hangs."""

ENVIRONMENT = {
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    # MLflow's own defaults wait for minutes on a server that is not there.
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
}


def database(uri: str) -> Path | None:
    """The file of a SQLite tracking URI, or None for other URIs."""
    if not uri.startswith("sqlite:///"):
        return None
    return Path(uri.removeprefix("sqlite:///").partition("?")[0]).absolute()


@contextmanager
def mlflow_quiet() -> Iterator[None]:
    """Leave out what MLflow's own code provokes in the libraries below it, and nothing else."""
    retries = logging.getLogger("urllib3.connectionpool")
    level = retries.level
    # A server that does not answer is reported once, by the error in the end.
    retries.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            # SQLAlchemy 2.1 about MLflow's mappers.
            warnings.filterwarnings("ignore", message=r"The ``noload`` loader strategy is depr")
            yield
    finally:
        retries.setLevel(level)


def load_mlflow() -> Any:
    """The mlflow module, with telemetry and job runner off and its progress messages silent.

    Importing it costs seconds, so import it before taking a lock. Raises ToolError when it is missing.
    """
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    try:
        with mlflow_quiet():
            import mlflow  # noqa: PLC0415
            from mlflow.tracking import MlflowClient  # noqa: F401, PLC0415
    except ImportError as error:
        raise ToolError(
            f"tracking: MLflow cannot be imported ({error}); see: solexp doctor"
        ) from None
    for name in ("mlflow.store.db.utils", "alembic", "alembic.runtime.migration"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return mlflow


@contextmanager
def lock(uri: str) -> Iterator[None]:
    """Hold the one lock of a store: beside its file for SQLite, in the cache home for servers.

    Raises ToolError when another process does not let go of it.
    """
    file = database(uri)
    if file is None:
        path = cache_home() / "locks" / f"{hashlib.sha256(uri.encode()).hexdigest()[:16]}.lock"
    else:
        path = file.with_name(file.name + ".lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(path, timeout=LOCK_SECONDS):
            yield
    except Timeout:
        raise ToolError(
            f"tracking: {path} has been locked for {LOCK_SECONDS:.0f} s; end the solexp that hangs"
        ) from None
