"""Tasks over worker processes, by joblib: on this machine, or on a cluster that joblib knows."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence

from joblib import Parallel, delayed, parallel_config
from joblib.externals.loky import ProcessPoolExecutor, get_reusable_executor
from joblib.externals.loky.process_executor import TerminatedWorkerError

from solexp.core import Candidate, Outcome
from solexp.judging.task import Job, Judged, judge_job
from solexp.oracles.base import verdict

_LOG = logging.getLogger("solexp.judging")

_SINGLE: set[ProcessPoolExecutor] = set()
"""Executors of one worker that are at work."""


_POOLED = threading.Event()
"""joblib's executor has been used."""


def judge_all(jobs: Sequence[Job], n_jobs: int, backend: str = "loky") -> Iterator[Judged]:
    """Yield each job's result as it ends, in no particular order.

    A worker that dies takes along what it and its peers had in hand. Those jobs are tried again one
    by one, and the job that kills its worker a second time becomes ``harness_error``; the rest goes
    on in parallel.
    """
    waiting = list(jobs)
    while waiting:
        handed: list[Job] = []
        ended: set[str] = set()
        try:
            for judged in _parallel(waiting, n_jobs, backend, handed):
                ended.add(judged.task_id)
                yield judged
        except TerminatedWorkerError:
            suspects = [job for job in handed if job.task.id not in ended]
            _LOG.warning("a worker died; trying %d tasks again one by one", len(suspects))
            for job in suspects:
                ended.add(job.task.id)
                yield _alone(job, backend)
        waiting = [job for job in waiting if job.task.id not in ended]


def stop_workers() -> None:
    """End the worker processes and their children at once."""
    for executor in _SINGLE:
        executor.shutdown(wait=False, kill_workers=True)
    _SINGLE.clear()
    if _POOLED.is_set():
        # joblib's own executor; asking for it when there is none would start one.
        get_reusable_executor().shutdown(wait=False, kill_workers=True)
        _POOLED.clear()


def _parallel(
    jobs: Sequence[Job], n_jobs: int, backend: str, handed: list[Job]
) -> Iterator[Judged]:
    def feed() -> Iterator[Job]:
        for job in jobs:
            handed.append(job)
            yield job

    if n_jobs == 1 and backend == "loky":
        yield from _one_worker(feed())
        return
    _POOLED.set()
    # loky must be asked for by name: inside a loky worker, as a job of a sweep is one, joblib
    # would otherwise fall back to threads of that one process.
    with parallel_config(backend=backend, inner_max_num_threads=1 if backend == "loky" else None):
        yield from Parallel(
            n_jobs=n_jobs,
            return_as="generator_unordered",
            batch_size=1,
            pre_dispatch=n_jobs,
        )(delayed(judge_job)(job) for job in feed())


def _one_worker(jobs: Iterator[Job]) -> Iterator[Judged]:
    """joblib would judge in this very process; a candidate that kills its judge must not kill the run."""
    executor = ProcessPoolExecutor(max_workers=1)
    _SINGLE.add(executor)
    try:
        for job in jobs:
            yield executor.submit(judge_job, job).result()
    finally:
        executor.shutdown(wait=False, kill_workers=True)
        _SINGLE.discard(executor)


def _alone(job: Job, backend: str) -> Judged:
    try:
        return next(_parallel([job], 1, backend, []))
    except TerminatedWorkerError:
        reason = "the worker process died while judging this task"
        return Judged(
            task_id=job.task.id,
            verdicts=tuple(
                verdict(
                    oracle.name,
                    Candidate(
                        task_id=job.task.id,
                        batch=generation.batch,
                        repeat=generation.repeat,
                        index=generation.index,
                    ),
                    Outcome.HARNESS_ERROR,
                    evidence={"reason": reason},
                )
                for generation in job.generations
                for oracle in job.oracles
            ),
            log=(f"{job.task.id}: {reason}",),
        )
