"""A run from beginning to end: tasks, generations, verdicts, summary, tracking."""

from __future__ import annotations

import logging
import math
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import joblib
import msgspec

from solexp.config import RunSpec, build, tracking_settings
from solexp.core import Generation, HarnessError, Interrupted, SolexpError, UserError, Verdict
from solexp.core.errors import nearest
from solexp.judging.pool import stop_workers
from solexp.manifest import describe
from solexp.metrics.calibration import calibrate, calibrate_oracles
from solexp.metrics.decidable import open_tasks
from solexp.metrics.functions import function_metrics
from solexp.metrics.rounds import at_round, round_metrics
from solexp.metrics.scores import Metric, judged
from solexp.metrics.sizes import stated_cutoff
from solexp.metrics.summary import Summary, summarise
from solexp.publishing import is_published, publish_interrupted, publish_run, warm_up
from solexp.rounds import Rounds
from solexp.sandbox.workspace import end_all
from solexp.store import RunFolder
from solexp.store.runfolder import TaskRow
from solexp.toolchain.homes import cache_home
from solexp.tracking.settings import TrackingSettings

_LOG = logging.getLogger("solexp")


def start(
    config: dict[str, Any],
    folder: RunFolder,
    facts: dict[str, Any],
    *,
    spec: RunSpec | None = None,
    cores: int | None = None,
    stored: Sequence[Generation] | None = None,
) -> tuple[RunSpec, Summary]:
    """Run a composed configuration into ``folder`` and publish it; returns its parts and its summary.

    ``facts`` go into the manifest (overrides, choices, sweep). ``spec`` are the parts, where they
    are built already; ``cores`` is what a run may use that does not say so, by default all.
    ``stored`` generations are judged instead of asking the model, which is not even built. Raises
    what went wrong, after keeping and publishing what there is; Interrupted on Ctrl-C. Wrong input
    leaves nothing behind, but in a sweep, where each job has its row.
    """
    check_places(folder.path.parent)
    if spec is None:
        parts = config if stored is None else config | {"model": {"_target_": _NO_MODEL}}
        try:
            spec = build(parts)
        except Exception as error:
            if "sweep_id" in facts:
                _refused(config, folder, facts, error)
            raise
    _open(config, folder, facts)
    n_jobs = spec.execution.n_jobs or cores or joblib.cpu_count()
    return spec, _execute(spec, folder, n_jobs, stored)


_NO_MODEL = "solexp.llm.offline.Reference"
"""Stands in for the model where none is asked."""


def _open(config: dict[str, Any], folder: RunFolder, facts: dict[str, Any]) -> None:
    folder.write_config(config)
    folder.write_manifest(describe(config, facts))


def _refused(
    config: dict[str, Any], folder: RunFolder, facts: dict[str, Any], error: Exception
) -> None:
    """Write down and publish a job that could not be built."""
    _open(config, folder, facts)
    folder.update_manifest(status="failed", ended=_now(), error=_told(error))
    try:
        tracking = tracking_settings(config)
    except UserError:  # perhaps the very thing that is wrong
        return
    publish_run(folder, tracking, "failed")


def _execute(
    spec: RunSpec, folder: RunFolder, n_jobs: int, stored: Sequence[Generation] | None
) -> Summary:
    handler = _Log(folder.path / "solexp.log")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("solexp")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    run = _Run(spec, folder, n_jobs)
    try:
        warm_up(spec.tracking)
        with terminable():
            run.go(stored)
        summary = run.finish("finished", None)
    except KeyboardInterrupt as stop:
        stop_workers()
        end_all()
        run.finish("killed", None)
        said = f"interrupted; what was done is in {folder.path}"
        if "sweep_id" not in folder.manifest:
            publish_interrupted([folder], spec.tracking)
        elif isinstance(stop, Terminated) and is_worker():
            # Somebody ended this job and no other: the sweep goes on.
            publish_run(folder, spec.tracking, "killed")
            raise SolexpError(said) from None
        raise Interrupted(said) from None
    except Exception as error:
        stop_workers()
        if not isinstance(error, SolexpError):
            _LOG.exception("the run failed")
        run.fail(error)
        publish_run(folder, spec.tracking, "failed")
        if isinstance(error, OSError):
            raise HarnessError(f"{error}; what was done is in {folder.path}") from error
        raise
    finally:
        logger.removeHandler(handler)
        handler.close()
    if not spec.dry:
        publish_run(folder, spec.tracking, "finished")
    return summary


def nothing_judged(summary: Summary) -> str | None:
    """Why a run says nothing about its candidates, when every single one is a ``harness_error``."""
    count = summary.outcomes.get("harness_error", 0)
    if not count or count < summary.candidates:
        return None
    reason = next(iter(summary.reasons.get("harness_error", {})), "no reason given")
    return f"none of {count} candidates could be judged, most often because: {reason}"


def objective(summary: Summary, name: str) -> float:
    """The metric that a sweeper optimises; NaN, which sweepers take for a failed trial, when nothing was judged."""
    metric = summary.metrics.get(name)
    if metric is None or metric.value is None:
        known = [key for key, each in summary.metrics.items() if each.value is not None]
        _LOG.warning("objective: this run has no metric '%s'; %s", name, nearest(name, known))
        return math.nan
    return metric.value


def finish_killed(folders: Sequence[RunFolder], tracking: TrackingSettings) -> None:
    """Mark and publish the runs of a sweep that was interrupted; what they wrote stays as it is."""
    left = []
    for folder in folders:
        if folder.manifest.get("status") == "running":
            folder.update_manifest(status="killed", ended=_now())
        if folder.manifest.get("status") == "killed" and not is_published(folder):
            left.append(folder)
    publish_interrupted(left, tracking)


class _Run(Rounds):
    """A run that can be finished at any moment."""

    def fail(self, error: Exception) -> None:
        """Write down what there is; when even that fails, at least that the run failed."""
        told = _told(error)
        try:
            self.finish("failed", told)
        except Exception:
            _LOG.exception("the summary of a failed run failed too")
            with suppress(OSError):  # a full disk takes no word any more
                self.folder.update_manifest(status="failed", ended=_now(), error=told)

    def finish(self, status: str, error: str | None) -> Summary:
        """Write down what there is, in an order that does not depend on the workers'."""
        order = {task.id: number for number, task in enumerate(self.tasks)}
        batches = {batch.name: n for n, batch in enumerate(self.spec.sampling.batches)}
        places = {name: n for n, name in enumerate(self.spec.oracles)}

        def place(row: Generation | Verdict) -> tuple[int, ...]:
            oracle = places.get(row.oracle, len(places)) if isinstance(row, Verdict) else 0
            batch = batches.get(row.batch, len(batches))
            return order[row.task_id], batch, row.repeat, row.index, row.round, oracle

        oracles = {name: oracle.decides for name, oracle in self.spec.oracles.items()}
        self.generations.sort(key=place)
        self.verdicts.sort(key=place)
        self.folder.write_generations(self.generations)
        self.folder.write_verdicts(self.verdicts)
        rows = [TaskRow.of(task) for task in self.tasks]
        summary = summarise(
            rows,
            at_round(self.verdicts),
            self.spec.sampling.batches,
            seed=self.spec.seed,
            oracles=oracles,
            generations=self.generations,
            cutoff=stated_cutoff(self.folder.config),
        )
        rounds = round_metrics(self.verdicts, oracles, seed=self.spec.seed)
        functions = self._function_metrics(rows, oracles)
        summary = msgspec.structs.replace(
            summary,
            metrics=summary.metrics | rounds | functions,
            calibration=calibrate_oracles(self.tasks, self.generations, self.verdicts, oracles),
        )
        self.folder.write_summary(summary)
        fields: dict[str, Any] = {
            "status": status,
            "ended": _now(),
            "versions": self.folder.manifest["versions"] | dict(sorted(self.tools.items())),
        }
        if error is not None:
            fields["error"] = error
        if (halted := self.halted.told()) is not None:
            fields["halted"] = halted
        if self.spec.dry:
            fields["dry"] = True
        each = (self.folder.config.get("model") or {}).get("each") is True
        calibration = calibrate(self.tasks, self.generations, self.verdicts, oracles, each=each)
        if calibration is not None:
            fields["calibration"] = calibration
        self.folder.update_manifest(**fields)
        return summary

    def _function_metrics(
        self, rows: Sequence[TaskRow], oracles: Mapping[str, bool]
    ) -> dict[str, Metric]:
        """The function level, where functions are tasks."""
        parents = {row.id: row.parent for row in rows if row.parent is not None}
        if not parents:
            return {}
        candidates = judged(at_round(self.verdicts))
        deciding = [name for name, decides in oracles.items() if decides]
        return function_metrics(
            parents,
            candidates,
            self.spec.sampling.batches,
            deciding=deciding,
            undecided=open_tasks(rows, candidates, deciding),
            together=judged(at_round(self.together)),
            seed=self.spec.seed,
        )


class Terminated(KeyboardInterrupt):
    """SIGTERM: a scheduler's way to end a job, where Ctrl-C is a person's way to end all."""


class _Log(logging.FileHandler):
    """A log that gives up quietly: what fills the disk is told elsewhere."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Say nothing."""


def check_places(runs: Path) -> None:
    """Raise UserError when run folders or answers have no place to go to."""
    for setting, wanted in (("SOLEXP_RUNS", runs), ("SOLEXP_CACHE", cache_home())):
        found = wanted.absolute()
        while not found.exists() and found != found.parent:
            found = found.parent
        if not found.is_dir():
            raise UserError(f"{found}: is no folder, so {wanted} cannot be used; see {setting}")
        if wanted == runs and not os.access(found, os.W_OK | os.X_OK):
            raise UserError(f"{found}: cannot be written to; choose another folder with {setting}")


@contextmanager
def terminable() -> Iterator[None]:
    """While entered, SIGTERM raises Terminated."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    earlier = signal.signal(signal.SIGTERM, _terminated)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, earlier)


def _terminated(*_: object) -> None:
    raise Terminated


def is_worker() -> bool:
    """Whether this process does a sweep's jobs for another."""
    return multiprocessing.current_process().name != "MainProcess"


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
