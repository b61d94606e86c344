"""Keys in a run's settings: nowhere on disk, nor printed, whether the run succeeds or fails."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from solexp.evm.anvils import anvil_for
from solexp.evm.process import AnvilProcess
from tests.e2e.conftest import Trial

KEY, OTHER = "aB3dEf9hIjKlMn0pQr", "Zy8xWv7uTs6rQp5oNm"
SETTING = "oracle.replay.machine.rpc_url"
QUICK = (
    "benchmark.ids=[HarborToken]",
    "model=reference",
    "oracle.replay.machine.block=latest",
    "oracle.replay.limit=30",
)


@pytest.fixture
def node() -> Iterator[str]:
    """A node that takes any path, as one behind a provider takes a key."""
    process = AnvilProcess(
        anvil_for("london"),
        ["--hardfork", "shanghai", "--chain-id", "1", "--timestamp", "1000000000"],
        memory_mb=1024,
    )
    yield process.url
    process.close()


def _closed() -> int:
    """A port on which nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def _holding(trial: Trial, *secrets: str) -> list[str]:
    """The files of run folders, MLflow's store and caches that hold one of the secrets."""
    files = [path for path in trial.folder.rglob("*") if path.is_file()]
    assert any(path.name == "mlflow.db" for path in files)
    assert trial.mlflow_runs()
    return [
        str(path)
        for path in files
        if any(secret.encode() in path.read_bytes() for secret in secrets)
    ]


def test_a_literal_key_is_nowhere_whether_the_node_answers_or_not(trial: Trial, node: str) -> None:
    trial.keep_own_builds()
    values = f"{node}/v2/{KEY},http://localhost:{_closed()}/v3/{OTHER}"
    printed = trial.solexp("run", "-m", *QUICK, f"{SETTING}={values}", status=1)
    assert "1 candidates could be judged" in printed
    good, bad = trial.runs()
    assert good.summary["outcomes"] == {"pass": 1}
    assert bad.summary["outcomes"] == {"harness_error": 1}
    assert not _holding(trial, KEY, OTHER)
    assert KEY not in printed
    assert OTHER not in printed
    assert good.manifest["overrides"][-1].endswith("/***")
    assert good.config["oracle"]["replay"]["machine"]["rpc_url"] == f"{node}/***"
    [param, _] = sorted(run["params"][SETTING] for run in trial.mlflow_runs())
    assert param.endswith("/***")
    said = trial.solexp("rescore", str(good.path), status=2)
    assert said == (
        f"solexp: {SETTING}: is not stored in {good.path}, since it may hold a key; "
        f"give it with {SETTING}=VALUE\n"
    )


def test_a_key_from_the_environment_is_stored_by_its_name_and_serves_again(
    trial: Trial, node: str
) -> None:
    trial.keep_own_builds()
    trial.environment["NODE_KEY"] = KEY
    address = f"{node}/v2/${{oc.env:NODE_KEY}}"
    printed = trial.solexp("run", *QUICK, f"{SETTING}='{address}'")
    [run] = trial.runs()
    assert run.config["oracle"]["replay"]["machine"]["rpc_url"] == address
    printed += trial.solexp("rescore", str(run.path), "tracking=none")
    assert [each.summary["outcomes"] for each in trial.runs()] == [{"pass": 1}] * 2
    assert not _holding(trial, KEY)
    assert KEY not in printed
    del trial.environment["NODE_KEY"]
    said = trial.solexp("rescore", str(run.path), status=2)
    assert said == (
        f"solexp: {SETTING}: Environment variable 'NODE_KEY' not found; "
        f"set it, or give {SETTING}=VALUE\n"
    )
