"""Where runs are published."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

LOCAL_STORE = Path("mlruns")
"""Folder of the local store, below the working folder: ``mlflow.db`` and ``artifacts/``."""


def local_uri(folder: Path = LOCAL_STORE) -> str:
    """The URI of the SQLite store in ``folder``."""
    return f"sqlite:///{folder.absolute() / 'mlflow.db'}"


@dataclass(frozen=True, kw_only=True)
class TrackingSettings:
    """Where and how runs are published."""

    uri: str | None = None
    """An MLflow tracking URI; None means ``MLFLOW_TRACKING_URI``, else the store in ``mlruns/``."""
    experiment: str = "solexp"
    """Name of the MLflow experiment."""
    nested: bool = False
    """Whether the runs of a sweep fold away under one parent. Flat runs can be charted and compared at once."""
    enabled: bool = True
    """Whether runs are published at all; run folders are complete without."""
    tags: dict[str, str] = field(default_factory=dict)
    """Further tags for every run."""

    @property
    def resolved_uri(self) -> str:
        """The tracking URI in force."""
        return self.uri or os.environ.get("MLFLOW_TRACKING_URI") or local_uri()
