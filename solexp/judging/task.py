"""Judging one task: what happens inside a worker process."""

from __future__ import annotations

import atexit
import functools
import logging
import time
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import msgspec

from solexp.core import Candidate, Generation, Outcome, SolexpError, Task, UserError, Verdict
from solexp.core.errors import HarnessError, TimeLimitExceeded, ToolError
from solexp.judging.watch import Watch
from solexp.oracles.base import Case, Oracle, verdict
from solexp.solidity.compiler import Compiler
from solexp.strategies import Reader


@dataclass(frozen=True, kw_only=True)
class Job:
    """One task, the replies to judge, and the oracles to judge them by."""

    task: Task
    generations: tuple[Generation, ...]
    reader: Reader
    oracles: tuple[Oracle, ...]
    seconds: float
    memory_mb: int
    cached: bool = True
    """Whether oracles may keep what they find out, and use what was kept."""


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
    with _Captured() as captured:
        candidates = [_candidate(job, generation) for generation in job.generations]
        texts: dict[object, list[Candidate]] = {}
        verdicts: list[Verdict] = []
        for candidate in candidates:
            if isinstance(candidate, Verdict):
                verdicts += [_named(candidate, oracle.name) for oracle in job.oracles]
            else:
                left = tuple(sorted((candidate.files or {}).items()))
                texts.setdefault((candidate.code, candidate.no_code, left), []).append(candidate)
        firsts = [same[0] for same in texts.values()]
        found, tools = _judge(job, firsts)
        verdicts += _spread(found, texts.values())
    return Judged(
        task_id=job.task.id, verdicts=tuple(verdicts), tools=tools, log=tuple(captured.lines)
    )


def judge_reference(job: Job) -> bool:
    """Put the reference through every oracle of ``job``, as a candidate; returns whether all gave a verdict."""
    with _Captured():
        attempt = _Blame(job).settle()
    return attempt.limit is None and not attempt.errors


def _candidate(job: Job, generation: Generation) -> Candidate | Verdict:
    try:
        return job.reader.candidate(job.task, generation)
    except Exception as error:
        if not isinstance(error, _SURROUNDINGS) and _takes_the_reference(job, generation):
            return charged("", Candidate.of(generation), f"{type(error).__name__}: {error}")
        return _harness_error("", Candidate.of(generation), error, "extraction")


def _takes_the_reference(job: Job, generation: Generation) -> bool:
    """Whether the reader gets through with the reference as every reply."""
    text = f"```{job.task.language}\n{job.task.reference}\n```"
    replies = [msgspec.structs.replace(each, text=text) for each in generation.completions]
    try:
        job.reader.candidate(
            job.task,
            msgspec.structs.replace(
                generation, completion=replies[-1], earlier=tuple(replies[:-1])
            ),
        )
    except Exception:
        return False
    return True


def _judge(
    job: Job, candidates: Sequence[Candidate]
) -> tuple[dict[str, list[Verdict]], dict[str, str]]:
    """Verdicts by candidate key, for distinct candidates. Falls back to one at a time when anything goes wrong."""
    found: dict[str, list[Verdict]] = {candidate.key: [] for candidate in candidates}
    tools: dict[str, str] = {}
    if not candidates:
        return found, tools
    if len(candidates) > 1:
        together = _attempt(job, candidates, tools)
        if together.limit is None and not together.errors:
            return together.found, tools
    blame = _Blame(job)
    for candidate in candidates:
        found[candidate.key] = _alone(job, candidate, tools, blame)
    return found, tools


def _alone(job: Job, candidate: Candidate, tools: dict[str, str], blame: _Blame) -> list[Verdict]:
    """The verdicts of one candidate by itself, in the oracles' order."""
    attempt = _attempt(job, [candidate], tools)
    ours = attempt.found[candidate.key]
    said = {verdict.oracle: verdict for verdict in ours}
    for oracle in job.oracles:
        error = attempt.errors.get(oracle.name)
        if error is not None:
            said[oracle.name] = blame.crash(oracle, candidate, error)
        elif oracle.name not in said:
            said[oracle.name] = blame.limit(oracle, candidate, attempt.limit or "was not judged")
    return [said[oracle.name] for oracle in job.oracles]


@dataclass(frozen=True)
class _Attempt:
    """What came of judging some candidates together."""

    found: dict[str, list[Verdict]]
    """Verdicts by candidate key."""
    errors: dict[str, Exception]
    """What oracles raised, by name."""
    limit: str | None
    """The limit that was passed, or None."""


def _attempt(
    job: Job,
    candidates: Sequence[Candidate],
    tools: dict[str, str],
    oracles: Sequence[Oracle] | None = None,
) -> _Attempt:
    """Judge together, by all oracles unless some are given; ends at the first limit that is passed."""
    found: dict[str, list[Verdict]] = {candidate.key: [] for candidate in candidates}
    errors: dict[str, Exception] = {}
    asked = job.oracles if oracles is None else oracles
    asts = any(getattr(oracle, "wants_asts", False) for oracle in asked)
    case = Case(job.task, candidates, _compiler(), cached=job.cached, asts=asts)
    limit = None
    with Watch(job.seconds, job.memory_mb) as watch:
        for oracle in asked:
            started = time.perf_counter()
            try:
                verdicts = _asked(oracle, case)
            except TimeLimitExceeded as error:
                limit = str(error)
                break
            except Exception as error:
                if watch.reason is not None:
                    break
                errors[oracle.name] = error
                continue
            if watch.reason is not None:
                break
            share = (time.perf_counter() - started) / len(candidates)
            for candidate, said in zip(candidates, verdicts, strict=True):
                found[candidate.key].append(msgspec.structs.replace(said, seconds=share))
    tools.update(case.tools())
    return _Attempt(found, errors, watch.reason or limit)


def _asked(oracle: Oracle, case: Case) -> list[Verdict]:
    verdicts = oracle.judge(case)
    if len(verdicts) != len(case.candidates):
        raise HarnessError(
            f"oracle '{oracle.name}' gave {len(verdicts)} verdicts for {len(case.candidates)} candidates"
        )
    return verdicts


class _Blame:
    """Decides whose fault it is that a candidate could not be judged: its own, unless the reference fares no better.

    The reference is tried once for all candidates, when the first of them fails.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._reference: _Attempt | None = None

    def settle(self) -> _Attempt:
        """How the reference itself fares."""
        if self._reference is None:
            reference = Candidate.of(self._job.generations[0], self._job.task.reference)
            self._reference = _attempt(self._job, [reference], {})
        return self._reference

    def limit(self, oracle: Oracle, candidate: Candidate, reason: str) -> Verdict:
        """A limit was passed with this candidate alone."""
        outcome = Outcome.TIMEOUT
        if self._is_reference(candidate) or self.settle().limit is not None:
            outcome = Outcome.HARNESS_ERROR
            reason = f"the reference itself {reason}"
        return verdict(oracle.name, candidate, outcome, evidence={"reason": reason})

    def crash(self, oracle: Oracle, candidate: Candidate, error: Exception) -> Verdict:
        """The oracle raised with this candidate alone."""
        if isinstance(error, _SURROUNDINGS) or self._is_reference(candidate):
            return _harness_error(oracle.name, candidate, error, oracle.name)
        reference = self.settle()
        if oracle.name in reference.errors or reference.limit is not None:
            return _harness_error(oracle.name, candidate, error, oracle.name)
        # Once more: what was bad luck does not come twice.
        again = _attempt(self._job, [candidate], {}, [oracle])
        if again.found[candidate.key]:
            return again.found[candidate.key][0]
        if oracle.name not in again.errors:
            return self.limit(oracle, candidate, again.limit or "was not judged")
        if isinstance(again.errors[oracle.name], _SURROUNDINGS):
            return _harness_error(oracle.name, candidate, again.errors[oracle.name], oracle.name)
        return charged(oracle.name, candidate, f"{type(error).__name__}: {error}")

    def _is_reference(self, candidate: Candidate) -> bool:
        return candidate.code == self._job.task.reference


_SURROUNDINGS = (ToolError, UserError, OSError)
"""Errors of the machine, its tools and its settings: no compiler, a full disk. Never a candidate's fault."""


def charged(oracle: str, candidate: Candidate, reason: str) -> Verdict:
    """A failure of the harness that this candidate brings about and the reference does not: a model cannot buy its
    way out of the score with it."""
    return verdict(
        oracle,
        candidate,
        Outcome.FAIL,
        measures={"keep": False},
        evidence={
            "reason": f"the harness fails on this candidate and not on the reference: {reason}"
        },
    )


def _spread(found: dict[str, list[Verdict]], groups: Iterable[list[Candidate]]) -> list[Verdict]:
    """Give every candidate the verdicts of the equal one that was judged."""
    spread = []
    for same in groups:
        for said in found[same[0].key]:
            spread.append(said)
            spread += [
                msgspec.structs.replace(
                    said,
                    batch=other.batch,
                    repeat=other.repeat,
                    index=other.index,
                    round=other.round,
                    seconds=0.0,
                )
                for other in same[1:]
            ]
    return spread


def _harness_error(oracle: str, candidate: Candidate, error: Exception, where: str) -> Verdict:
    logging.getLogger("solexp").warning(
        "%s: %s failed: %s",
        candidate.task_id,
        where,
        error,
        exc_info=None if _expected(error) else error,
    )
    evidence: dict[str, object] = {"reason": f"{type(error).__name__}: {error}"}
    if not _expected(error):
        evidence["trace"] = "".join(traceback.format_exception(error, limit=-6))
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
