"""Publishing a run folder as one MLflow run."""

from __future__ import annotations

import json
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from solexp.core import ToolError, UserError, secrets
from solexp.core.hashing import content_hash
from solexp.store.records import read_json, write_json
from solexp.store.runfolder import RunFolder, TaskRow
from solexp.tracking import content
from solexp.tracking.client import load_mlflow, lock, mlflow_quiet
from solexp.tracking.settings import TrackingSettings
from solexp.tracking.store import ROOT_TAG, artifact_root, client_uri, prepare

T = TypeVar("T")
Status = Literal["FINISHED", "FAILED", "KILLED"]

METRICS_PER_BATCH = 1_000
PARAMS_PER_BATCH = 100
TAGS_PER_BATCH = 100
"""What MLflow takes in one request."""

KEY_TAG = "solexp.key"
"""Run tag: the folder's key, by which a publication that was cut short is found again."""

SWEEP_TAG = "solexp.sweep_id"
PARENT_TAG = "solexp.sweep_parent"
TABLES = {"tasks.json": "tasks", "replies.json": "replies"}


class Publication(msgspec.Struct, kw_only=True):
    """``tracking.json``: where a run folder was published."""

    schema: int = 1
    key: str
    uri: str | None = None
    experiment_id: str | None = None
    run_id: str | None = None
    status: str | None = None
    fees: tuple[str, ...] = ()
    """Hashes of the compared sets whose fee is in MLflow too."""


class _Contents(msgspec.Struct, frozen=True, kw_only=True):
    """All that is written to MLflow, gathered before the lock is taken."""

    params: dict[str, str]
    metrics: dict[str, float]
    fees: list[tuple[str, float, int]]
    """Further metrics, each with its own time in milliseconds."""
    compared: tuple[str, ...]
    """Hashes of the sets that these are of."""
    tags: dict[str, str]
    tables: dict[str, bytes]
    datasets: list[tuple[str, str, str]]
    files: list[Path]
    started: int
    ended: int


def publish(folder: RunFolder, settings: TrackingSettings, *, status: Status) -> str:
    """Publish ``folder`` as one flat MLflow run and return the run's id.

    Publishing again updates that run, also after a publication that was killed. The folder is only read, but for its
    ``tracking.json``. Raises ToolError in one line when MLflow cannot be reached or refuses; the folder is complete
    all the same, and ``solexp track`` publishes it later.
    """
    uri = settings.resolved_uri
    secrets.register_url(uri, strict=False)
    there = f"the run is complete in {folder.path}"
    with in_one_line(uri, f"{there}; publish it with: solexp track {folder.path}"):
        contents = _gather(folder, settings, status)
        mlflow = load_mlflow()
        prepare(uri)
        with lock(uri), mlflow_quiet():
            return _write(mlflow, folder, settings, contents, status)


@contextmanager
def in_one_line(uri: str, later: str) -> Iterator[None]:
    """Makes whatever MLflow raises a ToolError of one line, which ends with what can be done ``later``."""
    try:
        yield
    except (ToolError, UserError) as error:
        raise ToolError(f"{secrets.redact(str(error))}; {later}") from error
    except Exception as error:
        reason = (str(error).splitlines() or [""])[0] or type(error).__name__
        said = secrets.redact(f"tracking: {uri}: {reason[:300]}")
        raise ToolError(f"{said}; {later}") from error


def _gather(folder: RunFolder, settings: TrackingSettings, status: Status) -> _Contents:
    manifest = folder.manifest
    verdicts, tasks = folder.verdicts(), folder.tasks()
    summary = folder.summary if (folder.path / "summary.json").is_file() else {}
    deciding = [name for name, row in summary.get("oracles", {}).items() if row.get("decides")]
    outcomes = content.Judgements(verdicts, deciding)
    tables = {
        "tasks.json": content.task_table(tasks, outcomes, folder.generations()),
        "replies.json": content.reply_table(folder.generations(), folder.prompts(), outcomes),
    }
    started = _milliseconds(manifest.get("started"))
    config = folder.config
    fees, fee_tags = content.fees(summary)
    return _Contents(
        params=_masked(content.params(config, manifest.get("choices") or {})),
        metrics=content.metrics(summary),
        fees=fees,
        compared=tuple(summary.get("fee") or ()),
        tags={
            "mlflow.runName": content.run_name(manifest, folder.name),
            "solexp.folder": str(folder.path.absolute()),
            "solexp.status": status.lower(),
            **_masked(content.tags(manifest, settings.tags)),
            **fee_tags,
        },
        tables={
            name: secrets.redact_json(_table_bytes(table))
            for name, table in tables.items()
            if table
        },
        datasets=_datasets(manifest, tasks),
        files=[
            path
            for path in sorted(folder.path.rglob("*"))
            if path.is_file() and path.name != "tracking.json" and not path.name.endswith(".lock")
        ],
        started=started,
        ended=_milliseconds(manifest.get("ended")),
    )


def _masked(texts: dict[str, str]) -> dict[str, str]:
    """What the folder says is masked already; the user's own tags are not."""
    return {name: secrets.redact(text) for name, text in texts.items()}


def _milliseconds(moment: Any) -> int:
    """An ISO 8601 moment, or seconds since 1970, as MLflow's milliseconds; now when there is none."""
    if isinstance(moment, str):
        return int(datetime.fromisoformat(moment).timestamp() * 1_000)
    return int((moment if isinstance(moment, int | float) else time.time()) * 1_000)


def _table_bytes(table: content.Table) -> bytes:
    """The form in which MLflow keeps tables: ``{"columns": […], "data": [row, …]}``."""
    rows = list(zip(*table.values(), strict=True))
    return msgspec.json.encode({"columns": list(table), "data": rows})


def _datasets(manifest: dict[str, Any], tasks: Sequence[TaskRow]) -> list[tuple[str, str, str]]:
    """(name, digest, source) of what was read; digests are cut to MLflow's 36 characters.

    The digest is over the tasks that were chosen, the source names the files that they came from.
    """
    data = manifest.get("data") or {}
    if not data and not tasks:
        return []
    chosen = sorted((task.id, task.hash) for task in tasks)
    name = str((manifest.get("choices") or {}).get("benchmark") or "benchmark")
    source = msgspec.json.encode(data, order="deterministic").decode()
    return [(name, content_hash(chosen or data)[:32], source)]


def _write(
    mlflow: Any,
    folder: RunFolder,
    settings: TrackingSettings,
    contents: _Contents,
    status: Status,
) -> str:
    uri = settings.resolved_uri
    client = mlflow.MlflowClient(tracking_uri=client_uri(uri))
    experiment = _experiment(client, settings.experiment, uri)
    publication = _publication(folder)
    tags = {**contents.tags, KEY_TAG: publication.key}
    if settings.nested and SWEEP_TAG in tags:
        tags["mlflow.parentRunId"] = _parent(client, experiment, tags[SWEEP_TAG], contents.started)
    run = _run(client, experiment, publication.key, contents.started, tags)
    run_id = str(run.info.run_id)
    publication.uri, publication.experiment_id, publication.run_id = uri, experiment, run_id
    write_json(folder.path / "tracking.json", publication)
    _log(mlflow, client, run, contents, tags)
    _log_files(mlflow, client, run, folder, contents)
    client.set_terminated(run_id, status, end_time=contents.ended)
    publication.status, publication.fees = status, contents.compared
    write_json(folder.path / "tracking.json", publication)
    return run_id


def _publication(folder: RunFolder) -> Publication:
    """The folder's publication; its key is on disk before any run bears it."""
    path = folder.path / "tracking.json"
    if path.is_file():
        return read_json(path, Publication)
    publication = Publication(key=uuid.uuid4().hex)
    write_json(path, publication, durable=True)
    return publication


def _experiment(client: Any, name: str, uri: str) -> str:
    found = client.get_experiment_by_name(name)
    if found is not None:
        if found.lifecycle_stage != "active":
            raise ToolError(
                f"tracking: experiment '{name}' was deleted in MLflow; restore it there, or choose "
                f"another with tracking.experiment=NAME"
            )
        return str(found.experiment_id)
    root = artifact_root(uri)
    if root is None:
        return str(client.create_experiment(name))
    made = client.create_experiment(name, artifact_location=f"{root}/{content.folder_name(name)}")
    client.set_experiment_tag(made, ROOT_TAG, root)
    return str(made)


def _run(client: Any, experiment: str, key: str, started: int, tags: dict[str, str]) -> Any:
    found = client.search_runs([experiment], f"tags.`{KEY_TAG}` = '{key}'", max_results=1)
    if found:
        return found[0]
    first = {name: tags[name] for name in (KEY_TAG, "mlflow.runName")}
    return client.create_run(experiment, start_time=started, tags=first)


def _parent(client: Any, experiment: str, sweep: str, started: int) -> str:
    """The run under which a sweep's runs fold away."""
    sweep = sweep.replace("'", "")  # what a search cannot quote
    query = f"tags.`{PARENT_TAG}` = '{sweep}'"
    found = client.search_runs([experiment], query, max_results=1)
    if found:
        return str(found[0].info.run_id)
    tags = {PARENT_TAG: sweep, "mlflow.runName": f"sweep {sweep}"}
    run = client.create_run(experiment, start_time=started, tags=tags)
    client.set_terminated(run.info.run_id, "FINISHED")
    return str(run.info.run_id)


def _log(mlflow: Any, client: Any, run: Any, contents: _Contents, tags: dict[str, str]) -> None:
    """Params, metrics, tags and data sets, in as few requests as MLflow allows."""
    entities = mlflow.entities
    known = run.data.params
    # A param is written once: what an earlier publication wrote stays, since MLflow refuses changes.
    params = [entities.Param(k, v) for k, v in contents.params.items() if k not in known]
    # One time for all of them, so that publishing the same again adds no points to their history.
    metrics = [entities.Metric(k, v, contents.ended, 0) for k, v in contents.metrics.items()]
    metrics += [entities.Metric(k, v, at, 0) for k, v, at in contents.fees]
    # MLflow looks for this text in its own spelling, blanks included.
    logged = json.dumps([{"path": name, "type": "table"} for name in contents.tables])
    run_tags = [entities.RunTag(k, v) for k, v in tags.items()]
    run_tags.append(entities.RunTag("mlflow.loggedArtifacts", logged))
    batches = (
        _chunks(metrics, METRICS_PER_BATCH),
        _chunks(params, PARAMS_PER_BATCH),
        _chunks(run_tags, TAGS_PER_BATCH),
    )
    while any(batch := [next(part, []) for part in batches]):
        client.log_batch(run.info.run_id, *batch)
    inputs = [
        entities.DatasetInput(
            entities.Dataset(name=name, digest=digest, source_type="solexp", source=source),
            [entities.InputTag("mlflow.data.context", "evaluation")],
        )
        for name, digest, source in contents.datasets
    ]
    if inputs:
        client.log_inputs(run.info.run_id, inputs)


def _chunks(items: Sequence[T], size: int) -> Iterator[list[T]]:
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def _log_files(mlflow: Any, client: Any, run: Any, folder: RunFolder, contents: _Contents) -> None:
    """The tables at the top of the artifacts, the run folder's files below ``run/``."""
    local = own_artifacts(mlflow, client, run)
    with tempfile.TemporaryDirectory() as scratch:
        tables = [(Path(scratch) / name, None) for name in contents.tables]
        for path, _ in tables:
            path.write_bytes(contents.tables[path.name])
        files = [(p, str(Path("run") / p.relative_to(folder.path).parent)) for p in contents.files]
        for path, below in (*tables, *files):
            if local is None:
                client.log_artifact(run.info.run_id, str(path), below)
            else:
                local.log_artifact(str(path), below)


def own_artifacts(mlflow: Any, client: Any, run: Any) -> Any:
    """The artifact folder of a run whose experiment a server of ours made; None where MLflow knows it itself.

    Such a run's artifacts have addresses that only a server can resolve, but the server keeps them in the artifact
    folder beside the store, so that whoever opens the store itself can write them there.
    """
    served = "mlflow-artifacts:"
    uri = str(run.info.artifact_uri)
    root = artifact_root(client.tracking_uri)
    if root is None or not uri.startswith(served):
        return None
    below = uri.removeprefix(served).lstrip("/")
    registry = mlflow.store.artifact.artifact_repository_registry
    return registry.get_artifact_repository(f"{root}/{below}")
