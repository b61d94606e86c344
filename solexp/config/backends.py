"""joblib's backends: which of them may judge, and what a cluster's needs before it can."""

from __future__ import annotations

import importlib.util
from typing import Any

from joblib.parallel import BACKENDS, EXTERNAL_BACKENDS

from solexp.core import HarnessError, UserError
from solexp.core.errors import nearest

DASK = "dask"

_UNSAFE = ("sequential", "threading", "multiprocessing")
"""Backends that judge in this very process, or wait for ever for a worker that died."""

_CONNECT_S = 15
"""How long a cluster's scheduler, and then its first worker, are waited for."""


def check_backend(name: str) -> None:
    """Raise UserError for a backend that does not exist, cannot be reached by these settings, or may not judge."""
    if name in _UNSAFE:
        raise UserError(
            f"execution.backend: cannot be '{name}', under which a candidate that ends its "
            "judge ends or stops the whole run; choose loky, or a cluster's backend"
        )
    known = {*BACKENDS, *EXTERNAL_BACKENDS} - {*_UNSAFE}
    if name not in known:
        raise UserError(
            f"execution.backend: joblib has no '{name}'; {nearest(name, known)} "
            "(others once they are registered with joblib.register_parallel_backend)"
        )
    if name != DASK:
        return
    if importlib.util.find_spec("distributed") is None:
        raise UserError(
            "execution.backend: dask is not installed; run: pip install dask distributed"
        )
    if _scheduler() is None:
        raise UserError(
            "execution.backend: dask needs its scheduler's address; "
            "set DASK_SCHEDULER_ADDRESS=tcp://HOST:PORT"
        )


def _scheduler() -> str | None:
    """The address in Dask's own configuration, the environment included."""
    import dask  # noqa: PLC0415  (an optional package)

    address: str | None = dask.config.get("scheduler-address", None)
    return address


def dask_client() -> Any:
    """A client of the cluster that Dask's configuration names, the same one as long as it lives.

    Raises HarnessError when the cluster does not answer or has no worker, UserError when its workers have threads.
    """
    from distributed import Client, get_client  # noqa: PLC0415  (an optional package)

    address = _scheduler()
    try:
        client = get_client()
    except ValueError:  # there is none yet
        try:
            client = Client(address, timeout=_CONNECT_S)
        except OSError as error:  # a TimeoutError is one
            raise HarnessError(
                f"execution.backend: no Dask scheduler answers at {address}; start one with: "
                f"dask scheduler ({type(error).__name__})"
            ) from None
    try:
        client.wait_for_workers(1, timeout=_CONNECT_S)
    except TimeoutError:
        raise HarnessError(
            f"execution.backend: the Dask scheduler at {address} has no workers; start some with: "
            f"dask worker {address} --nthreads 1"
        ) from None
    threads = max(client.nthreads().values(), default=1)
    if threads > 1:
        raise UserError(
            f"execution.backend: Dask's workers have {threads} threads each, and limits hold for a "
            f"process; start them with: dask worker {address} --nthreads 1 --nworkers {threads}"
        )
    return client
