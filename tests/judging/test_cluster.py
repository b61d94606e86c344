"""A Dask cluster judges as this machine's own processes do, and a reply that kills its worker costs itself alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from solexp.config import Execution
from solexp.config.backends import dask_client
from solexp.core import UserError
from solexp.judging import judge_all
from tests.judging.parts import SOURCE, job

distributed = pytest.importorskip("distributed", reason="Dask is not installed: solexp[cluster]")

pytestmark = pytest.mark.filterwarnings("ignore")
"""Dask's own warnings are its own."""


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A cluster of two worker processes, which gives a task up when the first worker has died of it."""
    import dask  # noqa: PLC0415

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0
        ) as cluster,
        dask.config.set({"scheduler-address": cluster.scheduler_address}),
    ):
        yield cluster.scheduler_address


@pytest.fixture(autouse=True)
def _no_client_is_left() -> Iterator[None]:
    yield
    for client in distributed.Client._instances:
        client.close()


@pytest.mark.usefixtures("scheduler")
def test_tasks_are_judged_by_the_clusters_workers() -> None:
    assert Execution(backend="dask").backend == "dask"
    jobs = [job(f"t{n}", SOURCE, "x") for n in range(6)]
    jobs.insert(2, job("deadly", SOURCE, "die"))
    found: dict[str, list[str]] = {}
    for judged in judge_all(jobs, 2, "dask"):
        rows = sorted(judged.verdicts, key=lambda row: row.index)
        found[judged.task_id] = [row.outcome.value for row in rows]
    assert found.pop("deadly") == ["pass", "fail"]
    assert found == {f"t{n}": ["pass", "fail"] for n in range(6)}


@pytest.mark.usefixtures("scheduler")
def test_workers_with_threads_are_refused_since_limits_hold_for_a_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def two(_: Any) -> dict[str, int]:
        return {"tcp://a": 2}

    monkeypatch.setattr(distributed.Client, "nthreads", two)
    with pytest.raises(UserError, match=r"have 2 threads each.*--nthreads 1 --nworkers 2"):
        dask_client()
