"""Judging one task: what happens inside a worker process."""

from __future__ import annotations

import atexit
import functools
import logging
import signal
import threading
import time
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from solexp.core import Candidate, Generation, Outcome, SolexpError, Task, Verdict
from solexp.core.errors import TimeLimitExceeded
from solexp.judging.watch import Watch
from solexp.oracles.base import Case, Oracle, verdict
from solexp.solidity.compiler import Compiler
from solexp.strategies import Strategy


@dataclass(frozen=True, kw_only=True)
class Job:
    """One task, the replies to judge, and the oracles to judge them by."""

    task: Task
    generations: tuple[Generation, ...]
    strategy: Strategy
    oracles: tuple[Oracle, ...]
    seconds: float
    memory_mb: int


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What a worker sends back."""

    task_id: str
    verdicts: tuple[Verdict, ...]
    tools: dict[str, str] = field(default_factory=dict)
    """Versions of the tools that were used, by name."""
    log: tuple[str, ...] = ()
    """What was logged, one line an entry."""


def judge_job(job: Job) -> Judged:
    """Judge one task. Never raises for what a candidate or a tool does: those become outcomes."""
    if threading.current_thread() is threading.main_thread():
        # Ctrl-C goes to the whole terminal group; only the parent answers it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    with _Captured() as captured:
        candidates = [_candidate(job, generation) for generation in job.generations]
        texts: dict[tuple[str | None, str | None], list[Candidate]] = {}
        verdicts: list[Verdict] = []
        for candidate in candidates:
            if isinstance(candidate, Verdict):
                verdicts += [_named(candidate, oracle.name) for oracle in job.oracles]
            else:
                texts.setdefault((candidate.code, candidate.no_code), []).append(candidate)
        firsts = [same[0] for same in texts.values()]
        found, tools = _judge(job, firsts)
        verdicts += _spread(found, texts.values())
    return Judged(
        task_id=job.task.id, verdicts=tuple(verdicts), tools=tools, log=tuple(captured.lines)
    )


def _candidate(job: Job, generation: Generation) -> Candidate | Verdict:
    try:
        return job.strategy.candidate(job.task, generation)
    except Exception as error:
        return _harness_error(
            "",
            Candidate(
                task_id=job.task.id,
                batch=generation.batch,
                repeat=generation.repeat,
                index=generation.index,
            ),
            error,
            "extraction",
        )


def _judge(
    job: Job, candidates: Sequence[Candidate]
) -> tuple[dict[str, list[Verdict]], dict[str, str]]:
    """Verdicts by candidate key, for distinct candidates. Falls back to one at a time when a limit is passed."""
    found: dict[str, list[Verdict]] = {candidate.key: [] for candidate in candidates}
    tools: dict[str, str] = {}
    if not candidates:
        return found, tools
    reason = _attempt(job, candidates, found, tools)
    if reason is None:
        return found, tools
    if len(candidates) == 1:
        _blame(job, candidates[0], reason, found, tools)
        return found, tools
    for candidate in candidates:
        found[candidate.key] = []
        reason = _attempt(job, [candidate], found, tools)
        if reason is not None:
            _blame(job, candidate, reason, found, tools)
    return found, tools


def _attempt(
    job: Job,
    candidates: Sequence[Candidate],
    found: dict[str, list[Verdict]],
    tools: dict[str, str],
) -> str | None:
    """Judge together; returns the limit that was passed, or None."""
    case = Case(job.task, candidates, _compiler())
    with Watch(job.seconds, job.memory_mb) as watch:
        for oracle in job.oracles:
            started = time.perf_counter()
            try:
                verdicts = oracle.judge(case)
            except TimeLimitExceeded as error:
                return str(error)
            except Exception as error:
                if watch.reason is not None:
                    break
                verdicts = [
                    _harness_error(oracle.name, candidate, error, oracle.name)
                    for candidate in candidates
                ]
            if watch.reason is not None:
                break
            share = (time.perf_counter() - started) / len(candidates)
            for candidate, said in zip(candidates, verdicts, strict=True):
                found[candidate.key].append(msgspec.structs.replace(said, seconds=share))
    tools.update(case.tools())
    return watch.reason


def _blame(
    job: Job,
    candidate: Candidate,
    reason: str,
    found: dict[str, list[Verdict]],
    tools: dict[str, str],
) -> None:
    """A limit was passed with this candidate alone: its fault, unless the reference passes it too."""
    reference = msgspec.structs.replace(candidate, code=job.task.reference, no_code=None, notes=())
    alone: dict[str, list[Verdict]] = {reference.key: []}
    too = None
    if candidate.code != reference.code:
        too = _attempt(job, [reference], alone, tools)
    outcome = Outcome.TIMEOUT
    if too is not None or candidate.code == reference.code:
        outcome = Outcome.HARNESS_ERROR
        reason = f"the reference itself {reason}"
    said = {each.oracle for each in found[candidate.key]}
    found[candidate.key] += [
        verdict(oracle.name, candidate, outcome, evidence={"reason": reason})
        for oracle in job.oracles
        if oracle.name not in said
    ]


def _spread(found: dict[str, list[Verdict]], groups: Iterable[list[Candidate]]) -> list[Verdict]:
    """Give every candidate the verdicts of the equal one that was judged."""
    spread = []
    for same in groups:
        for said in found[same[0].key]:
            spread.append(said)
            spread += [
                msgspec.structs.replace(
                    said, batch=other.batch, repeat=other.repeat, index=other.index, seconds=0.0
                )
                for other in same[1:]
            ]
    return spread


def _harness_error(oracle: str, candidate: Candidate, error: Exception, where: str) -> Verdict:
    logging.getLogger("solexp").warning(
        "%s: %s failed: %s", candidate.task_id, where, error, exc_info=not _expected(error)
    )
    evidence: dict[str, object] = {"reason": f"{type(error).__name__}: {error}"}
    if not _expected(error):
        evidence["trace"] = traceback.format_exc(limit=-6)
    return verdict(oracle, candidate, Outcome.HARNESS_ERROR, evidence=evidence)


def _expected(error: Exception) -> bool:
    return isinstance(error, SolexpError)


def _named(said: Verdict, oracle: str) -> Verdict:
    return msgspec.structs.replace(said, oracle=oracle)


@functools.cache
def _compiler() -> Compiler:
    """This process's compilers: they stay alive from one task to the next."""
    compiler = Compiler()
    atexit.register(compiler.close)
    return compiler


class _Captured(logging.Handler):
    """Collects what solexp logs in this process, so that the parent can write it down."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))

    def __enter__(self) -> _Captured:
        logger = logging.getLogger("solexp")
        logger.addHandler(self)
        logger.setLevel(logging.INFO)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger("solexp").removeHandler(self)
