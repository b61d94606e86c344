"""What comparisons add to a run that is in MLflow already."""

from __future__ import annotations

from typing import Any

import msgspec

from solexp.core import secrets
from solexp.store.records import read_json, write_json
from solexp.store.runfolder import RunFolder
from solexp.tracking import content
from solexp.tracking.client import load_mlflow, lock, mlflow_quiet
from solexp.tracking.publish import Publication, in_one_line, own_artifacts
from solexp.tracking.settings import TrackingSettings
from solexp.tracking.store import client_uri, prepare


def lacks_fees(folder: RunFolder) -> bool:
    """Whether a run was published, and its summary holds a fee that MLflow does not."""
    path = folder.path / "tracking.json"
    if not path.is_file():
        return False
    publication = read_json(path, Publication)
    return publication.run_id is not None and not folder.fees().keys() <= set(publication.fees)


def publish_fees(folder: RunFolder, settings: TrackingSettings) -> None:
    """Log the fees in a published run's summary as metrics and tags of its MLflow run, and the summary itself.

    Logging the same again changes nothing. Raises ToolError in one line when MLflow cannot be reached or refuses; the
    summary in the folder holds them all the same.
    """
    uri = settings.resolved_uri
    secrets.register_url(uri, strict=False)
    there = f"the fee is in {folder.path / 'summary.json'}"
    with in_one_line(uri, f"{there}; publish it with: solexp track {folder.path}"):
        mlflow = load_mlflow()
        prepare(uri)
        with lock(uri), mlflow_quiet():
            _log(mlflow, folder, uri)


def _log(mlflow: Any, folder: RunFolder, uri: str) -> None:
    path = folder.path / "tracking.json"
    publication = read_json(path, Publication)
    known = folder.fees()
    client = mlflow.MlflowClient(tracking_uri=client_uri(uri))
    run = client.get_run(publication.run_id)
    points, tags = content.fees({"fee": known})
    client.log_batch(
        run.info.run_id,
        [mlflow.entities.Metric(name, value, at, 0) for name, value, at in points],
        [],
        [mlflow.entities.RunTag(name, secrets.redact(text)) for name, text in tags.items()],
    )
    local = own_artifacts(mlflow, client, run)
    summary = str(folder.path / "summary.json")
    if local is None:
        client.log_artifact(run.info.run_id, summary, "run")
    else:
        local.log_artifact(summary, "run")
    write_json(path, msgspec.structs.replace(publication, fees=tuple(known)))
