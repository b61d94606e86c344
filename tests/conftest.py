"""What every test can ask for."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import settings

from solexp.toolchain.homes import data_home as configured_data_home
from solexp.tracking.settings import local_uri
from solexp.tracking.store import prepare

# A busy machine is no failure of the law under test.
settings.register_profile("solexp", deadline=None)
settings.load_profile("solexp")


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # A shell starts background jobs so, and what the tests start would be deaf to Ctrl-C too.
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_home() -> Path:
    """The benchmark data home. Tests that need it skip where it is empty, but never in CI."""
    home = configured_data_home()
    if not (home / "solcontracteval" / "tasks.jsonl.gz").is_file():
        reason = f"no benchmark data in {home}; set SOLEXP_DATA or run: solexp data fetch"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return home


@pytest.fixture(scope="session")
def made_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an MLflow store that is made once for all processes that test; making one takes seconds."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    file = folder / "store" / "mlflow.db"
    prepare(local_uri(file.parent))
    with closing(sqlite3.connect(file)) as store:
        store.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # all of it is in the one file
    return file


@pytest.fixture
def empty_store(made_store: Path, tmp_path: Path) -> Path:
    """The folder of an MLflow store of the test's own, in which no run is yet."""
    folder = tmp_path / "mlruns"
    folder.mkdir()
    shutil.copy(made_store, folder)
    ready = made_store.with_name("mlflow.db.ready")  # says for which folder
    (folder / ready.name).write_text(ready.read_text().replace(str(ready.parent), str(folder)))
    return folder


@pytest.fixture(autouse=True)
def _ctrl_c_is_heard() -> Iterator[None]:
    """No test may leave this process, and so the next test's children, deaf to Ctrl-C."""
    yield
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
