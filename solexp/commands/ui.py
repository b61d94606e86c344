"""`solexp ui`: MLflow on the local store."""

from __future__ import annotations

import argparse

from solexp.tracking.settings import TrackingSettings
from solexp.tracking.ui import serve


def ui(command: argparse.Namespace) -> int:
    """Serve until interrupted."""
    serve(TrackingSettings().resolved_uri, port=command.port, open_browser=not command.no_browser)
    return 0
