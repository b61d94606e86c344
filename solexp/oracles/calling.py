"""Calls of Python candidates, made once however many oracles ask."""

from __future__ import annotations

import platform
from collections.abc import Sequence

from solexp.core import Candidate
from solexp.core.hashing import content_hash
from solexp.core.settings import above
from solexp.oracles.base import Case
from solexp.python.expected import OUTPUT_MB, preconditions_of
from solexp.python.series import call_series
from solexp.sandbox import CallResult, Ended, Limits


def calls(
    case: Case, candidate: Candidate, inputs: Sequence[str], limits: Limits
) -> list[CallResult]:
    """How ``candidate``, which has code, ends on each argument list, in their order."""
    case.used("python", platform.python_version())
    program = program_of(case, candidate)
    entry_point = preconditions_of(case.task).entry_point
    return case.once(
        content_hash("calls", program, list(inputs), limits),
        lambda: call_series(program, entry_point, inputs, limits),
    )


def limits_of(oracle: str, cpu_s: float, total_cpu_s: float, memory_mb: int) -> Limits:
    """The limits that oracles share: equal ones are how they share calls.

    Raises UserError, which names ``oracle``, for one that is not above 0.
    """
    above(f"oracle.{oracle}.cpu_s", cpu_s)
    above(f"oracle.{oracle}.total_cpu_s", total_cpu_s)
    above(f"oracle.{oracle}.memory_mb", memory_mb)
    return Limits(cpu_s=cpu_s, batch_cpu_s=total_cpu_s, memory_mb=memory_mb, output_mb=OUTPUT_MB)


def program_of(case: Case, candidate: Candidate) -> str:
    """The candidate in its file."""
    return case.sources(candidate)[case.task.target.path]


def unloaded(results: Sequence[CallResult]) -> str | None:
    """Why a program could not be loaded, in one line; None where it was."""
    for call in results:
        if call.ended is Ended.UNLOADED:
            said = f": {call.message}" if call.message else ""
            return f"the program does not load: {call.exception or 'no such function'}{said}"
    return None


def told(call: CallResult) -> str:
    """How a call ended, in a few words."""
    if call.ended is Ended.RETURNED:
        return call.value or ""
    if call.ended is Ended.RAISED:
        return f"{call.exception}: {call.message}" if call.message else f"{call.exception}"
    return f"{call.ended.value}: {call.message}" if call.message else call.ended.value
