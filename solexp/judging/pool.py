"""Tasks over worker processes, by joblib: on this machine, or on a cluster that joblib knows."""

from __future__ import annotations

import dataclasses
import logging
import os
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from typing import Any, TypeVar, cast

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import ProcessPoolExecutor, get_reusable_executor

from solexp.core import Candidate, Outcome, Verdict
from solexp.judging.task import Job, Judged, charged, judge_job, judge_reference
from solexp.judging.watch import end_with
from solexp.oracles.base import Oracle, verdict

_LOG = logging.getLogger("solexp.judging")

_SINGLE: set[ProcessPoolExecutor] = set()
"""Executors of one worker that are at work."""


_POOLED = threading.Event()
"""joblib's executor has been used."""

_DEATHS = {
    "TerminatedWorkerError",  # loky
    "KilledWorker",  # Dask
    "WorkerCrashedError",  # Ray
    "ActorDiedError",
    "RayActorError",
    "OutOfMemoryError",
    "WorkerLostError",
}
"""What the backends raise when a worker process dies, by name: most of them are not installed."""

T = TypeVar("T")


def judge_all(
    jobs: Sequence[Job], n_jobs: int, backend: str = "loky"
) -> Generator[Judged, None, None]:
    """Yield each job's result as it ends, in no particular order.

    A worker that dies takes along what it and its peers had in hand. Those jobs are tried again one
    by one, and then the replies of a job that kills its worker again; the reference alone decides
    whether such a reply fails or the harness does. The rest goes on in parallel.
    """
    waiting = list(jobs)
    while waiting:
        handed: list[Job] = []
        ended: set[str] = set()
        try:
            with closing(_parallel(waiting, n_jobs, backend, handed)) as results:
                for judged in results:
                    ended.add(judged.task_id)
                    yield judged
        except Exception as error:
            if not _is_death(error):
                raise
            suspects = [job for job in handed if job.task.id not in ended]
            _LOG.warning("a worker died; trying %d tasks again one by one", len(suspects))
            for job in suspects:
                ended.add(job.task.id)
                yield _alone(job, backend)
        waiting = [job for job in waiting if job.task.id not in ended]


def _begin(parent: int) -> None:
    """What a worker does first. Ctrl-C goes to the whole terminal group; only the parent answers it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)


def stop_workers() -> None:
    """End the worker processes and their children at once."""
    for executor in _SINGLE:
        executor.shutdown(wait=False, kill_workers=True)
    _SINGLE.clear()
    if _POOLED.is_set():
        # joblib's own executor, as it is: asked for with other settings than joblib's, loky would
        # first wait for its workers to end their work.
        get_reusable_executor(reuse=True, kill_workers=True).shutdown(wait=False, kill_workers=True)
        _POOLED.clear()


def _parallel(
    jobs: Sequence[Job], n_jobs: int, backend: str, handed: list[Job]
) -> Generator[Judged, None, None]:
    def feed() -> Iterator[Job]:
        for job in jobs:
            handed.append(job)
            yield job

    if n_jobs == 1 and backend == "loky":
        yield from _one_worker(feed())
        return
    if backend == "dask":
        yield from _on_dask(feed(), n_jobs)
        return
    _POOLED.set()
    # loky must be asked for by name: inside a loky worker, as a job of a sweep is one, joblib
    # would otherwise fall back to threads of that one process.
    loky = {"inner_max_num_threads": 1, "initializer": _begin, "initargs": (os.getpid(),)}
    with parallel_config(backend=backend, **(loky if backend == "loky" else {})):
        results = Parallel(
            n_jobs=n_jobs,
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch=n_jobs,
        )(delayed(judge_job)(job) for job in feed())
        try:
            # No `yield from`: that would close it by itself.
            for judged in results:  # noqa: UP028
                yield judged
        finally:
            with warnings.catch_warnings():
                # joblib warns of work that is cut short, which is what is wanted.
                warnings.simplefilter("ignore", UserWarning)
                results.close()


def _one_worker(jobs: Iterator[Job]) -> Iterator[Judged]:
    """joblib would judge in this very process; a candidate that kills its judge must not kill the run."""
    with _worker() as executor:
        for job in jobs:
            yield executor.submit(judge_job, job).result()


def _on_dask(jobs: Iterator[Job], n_jobs: int) -> Iterator[Judged]:
    """As many jobs at a time as there are workers, or ``n_jobs`` if that is more.

    Not by way of joblib, whose Dask backend (1.6) drops a task that failed: a generator of results waits for ever for
    one whose worker died.
    """
    from distributed import as_completed  # noqa: PLC0415  (an optional package)

    client = _dask_client()
    under_way = as_completed()
    try:
        for job in islice(jobs, max(n_jobs, len(client.nthreads()))):
            under_way.add(client.submit(judge_job, job, pure=False))
        for future in under_way:
            yield future.result()
            for job in islice(jobs, 1):
                under_way.add(client.submit(judge_job, job, pure=False))
    finally:
        client.cancel(list(under_way.futures))


def _dask_client() -> Any:
    # Not at the top: it brings Hydra along, two fifths of the start of a worker, which has no use for it.
    from solexp.config.backends import dask_client  # noqa: PLC0415

    return dask_client()


@contextmanager
def _worker() -> Iterator[ProcessPoolExecutor]:
    executor = ProcessPoolExecutor(max_workers=1, initializer=_begin, initargs=(os.getpid(),))
    _SINGLE.add(executor)
    try:
        yield executor
    finally:
        executor.shutdown(wait=False, kill_workers=True)
        _SINGLE.discard(executor)


def _by_itself(function: Callable[[Job], T], job: Job, backend: str) -> T | None:
    """The result from a worker of its own, or None when the worker dies."""
    try:
        if backend == "loky":
            with _worker() as executor:
                found: T = executor.submit(function, job).result()
                return found
        if backend == "dask":
            return cast("T", _dask_client().submit(function, job, pure=False).result())
        with parallel_config(backend=backend):
            (result,) = Parallel(n_jobs=1)([delayed(function)(job)])
            return cast("T", result)
    except Exception as error:
        if not _is_death(error):
            raise
        return None


def _is_death(error: Exception) -> bool:
    return any(kind.__name__ in _DEATHS for kind in type(error).__mro__)


def _alone(job: Job, backend: str) -> Judged:
    """A job whose worker died: its replies together, then one by one, each in a worker of its own."""
    judged = _by_itself(judge_job, job, backend)
    if judged is not None:
        return judged
    verdicts: list[Verdict] = []
    tools: dict[str, str] = {}
    log: list[str] = []
    deadly = []
    for generation in job.generations:
        single = dataclasses.replace(job, generations=(generation,))
        # A single reply has had its second try just now.
        judged = _by_itself(judge_job, single, backend) if len(job.generations) > 1 else None
        if judged is None:
            deadly.append(generation)
        else:
            verdicts += judged.verdicts
            tools |= judged.tools
            log += judged.log
    if deadly:
        ours = not _by_itself(judge_reference, job, backend)
        reason = "the worker process died while judging this task"
        log.append(f"{job.task.id}: {reason}{'; so it does on the reference' if ours else ''}")
        verdicts += [
            _deadly(oracle, Candidate.of(generation), reason, ours)
            for generation in deadly
            for oracle in job.oracles
        ]
    return Judged(task_id=job.task.id, verdicts=tuple(verdicts), tools=tools, log=tuple(log))


def _deadly(oracle: Oracle, candidate: Candidate, reason: str, ours: bool) -> Verdict:
    if ours:
        return verdict(oracle.name, candidate, Outcome.HARNESS_ERROR, evidence={"reason": reason})
    return charged(oracle.name, candidate, reason)
