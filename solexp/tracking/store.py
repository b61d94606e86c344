"""The local store: one SQLite file and a folder of artifacts, made and migrated once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from solexp.core import ToolError
from solexp.store.records import write_atomically
from solexp.tracking.client import database, load_mlflow, lock, mlflow_quiet

ROOT_TAG = "solexp.artifact_root"
"""Experiment tag: where the store's artifacts lay when the experiment was made."""

BUSY_SECONDS = 60


def artifact_root(uri: str) -> str | None:
    """The URI of the artifact folder beside a SQLite store; None where a server decides."""
    file = database(uri)
    return None if file is None else (file.parent / "artifacts").as_uri()


def client_uri(uri: str) -> str:
    """``uri`` as clients open it: a SQLite store that another process writes is waited for."""
    if database(uri) is None or "?" in uri:
        return uri
    return f"{uri}?timeout={BUSY_SECONDS}"


def prepare(uri: str) -> None:
    """Make and migrate the store behind ``uri``, once, so that many jobs can write to it.

    Only a SQLite store needs this: two processes that migrate a fresh one together break it for good. A store that
    was moved to another folder is mended too. Costs nothing when there is nothing to do.

    Raises ToolError when the store cannot be made.
    """
    file = database(uri)
    if file is None or _ready(file):
        return
    load_mlflow()
    with lock(uri):
        if _ready(file):
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with closing(sqlite3.connect(file, timeout=BUSY_SECONDS)) as connection:
                # Readers (the UI) and the one writer do not wait for each other; and a migration commits hundreds of
                # times, each with one sync instead of four.
                connection.execute("PRAGMA journal_mode=WAL")
                _migrate(client_uri(uri), str(artifact_root(uri)))
                with connection:
                    _relocate(connection, str(artifact_root(uri)))
        except ToolError:
            raise
        except Exception as error:
            first = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise ToolError(f"tracking: cannot make the store {file}: {first}") from error
        write_atomically(_marker(file), _state(file))


def _marker(file: Path) -> Path:
    return file.with_name(file.name + ".ready")


def _state(file: Path) -> bytes:
    return f"mlflow {version('mlflow')} at {file.parent}\n".encode()


def _ready(file: Path) -> bool:
    marker = _marker(file)
    return file.is_file() and marker.is_file() and marker.read_bytes() == _state(file)


def _migrate(uri: str, root: str) -> None:
    from mlflow.exceptions import MlflowException  # noqa: PLC0415

    with mlflow_quiet():
        # MLflow leaves these untyped.
        utils: Any = import_module("mlflow.store.db.utils")
        tracking: Any = import_module("mlflow.store.tracking.sqlalchemy_store")
        try:
            tracking.SqlAlchemyStore(uri, root)
        except MlflowException as error:
            if "out-of-date" not in str(error):
                raise
            engine = utils.create_sqlalchemy_engine(uri)
            utils._upgrade_db(engine)
            engine.dispose()
            tracking.SqlAlchemyStore(uri, root)


def _relocate(connection: sqlite3.Connection, root: str) -> None:
    """Point the experiments made here, and their runs, to the folder where the artifacts lie now.

    MLflow keeps absolute locations, which a moved or copied folder would leave pointing nowhere.
    """
    rows = connection.execute(
        "SELECT experiment_id, value FROM experiment_tags WHERE key = ? AND value <> ?",
        (ROOT_TAG, root),
    ).fetchall()
    for experiment, old in rows:
        for table, column in (("experiments", "artifact_location"), ("runs", "artifact_uri")):
            connection.execute(
                f"UPDATE {table} SET {column} = ? || substr({column}, ?) "
                f"WHERE experiment_id = ? AND substr({column}, 1, ?) = ?",
                (root, len(old) + 1, experiment, len(old), old),
            )
        connection.execute(
            "UPDATE experiment_tags SET value = ? WHERE key = ? AND experiment_id = ?",
            (root, ROOT_TAG, experiment),
        )
