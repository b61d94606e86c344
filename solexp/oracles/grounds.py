"""What a task's history can tell at all, before any candidate is looked at.

A task is undecidable when its original does not deploy or does too little. It is vacuous when a
stub, the original with its functions emptied or always reverting, cannot be told from the original:
then the recorded calls never reach what was to be written, and a pass would mean nothing. And it
is undecidable when the original cannot be told from itself: a contract that hands out the hash of
its own code, as one that creates others at addresses derived from theirs, fails every candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from solexp.core import Outcome, Program, Trace
from solexp.evm.abi import describe_output
from solexp.evm.compare import Axis, Comparison, Exercise, compare, exercise
from solexp.evm.machine import Machine, Subject
from solexp.oracles.base import Case
from solexp.oracles.staging import Stage, subject
from solexp.solidity.splice import splice
from solexp.solidity.stubs import Kind, stub_of

Measures = dict[str, float | int | bool | str | None]

_REMARK = "\n// the same contract under another hash\n"
"""Makes the original's twin: the same in all but the hash of its metadata."""

_STUBS: tuple[Kind, ...] = ("empty", "revert")

STUBS = "stubs_differ"
"""The measure that says which axes tell each stub from the original, such as ``status,return|status``."""


KEEP = "keep"
"""The measure that is False where a limit cut a run short: another time it may end otherwise."""


class Minima(msgspec.Struct, frozen=True):
    """The least that the original has to do for its task to count."""

    successful_calls: int
    selectors: int
    """Distinct functions that answer a successful call."""
    events: int


class Grounds(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a task can be decided, and how much its history exercises."""

    outcome: Outcome | None = None
    """``undecidable`` or ``vacuous``; None when candidates can be judged."""
    reason: str | None = None
    measures: dict[str, Any] = {}
    """Calls, functions and events of the original, and how far it agrees with the chain."""
    stubs: tuple[tuple[str, ...], ...] = ()
    """For each stub that runs to its end, the axes that tell it from the original: along any others the task is
    vacuous."""
    not_read: tuple[str, ...] = ()
    """Variables of the original of which not all is read, such as ``votes[][]``, a mapping three deep."""

    def told(self) -> Measures:
        """The measures of every verdict about the task, also of one that ran nothing."""
        told: Measures = {"task_decidable": self.outcome is None}
        if self.outcome is not None:
            # A candidate that fails before it is run has evidence of its own, which says nothing of the task.
            told |= {"task_outcome": self.outcome.value, "task_reason": self.reason}
        if self.stubs:
            told[STUBS] = "|".join(",".join(axes) or "none" for axes in self.stubs)
        return {**self.measures, **told}


def undecidable(reason: str) -> Grounds:
    """Grounds for no judgement."""
    return Grounds(outcome=Outcome.UNDECIDABLE, reason=reason)


def survey(
    stage: Stage,
    case: Case,
    machine: Machine,
    axes: Sequence[Axis],
    least: Minima,
    *,
    getters: bool = True,
) -> Grounds:
    """Run the original and its stubs, and say what the task's history can tell along ``axes``.

    ``getters`` as in `solexp.evm.compare.compare`.
    """

    def differences(trace: Trace) -> Comparison:
        return compare(original, trace, stage.program, getters=getters)

    stubs = _stubs(stage, case)
    twin = _built(stage, case, case.task.reference + _REMARK)
    subjects = [stage.original, *(found for _, found in stubs), *([twin] if twin else [])]
    original, *others = machine.run(stage.program, subjects, stage.plan)
    tried = exercise(stage.program, original, stage.contract)
    history, trace_of_all = stage.whole or (stage.program, original)
    measures = _measures(tried, history, trace_of_all)
    if any(trace.stopped for trace in (trace_of_all, original, *others)):
        measures[KEEP] = False
    reason = _cut_short(trace_of_all) or _too_little(original, tried, least)
    if reason is not None:
        return Grounds(outcome=Outcome.UNDECIDABLE, reason=reason, measures=measures)
    if twin is not None and differences(others.pop()).diverges(axes):
        reason = "what the original does depends on the hash of its own code"
        return Grounds(outcome=Outcome.UNDECIDABLE, reason=reason, measures=measures)
    told: list[tuple[str, ...]] = []
    outcome = None
    for (kind, _), trace in zip(stubs, others, strict=True):
        found = differences(trace)
        if found.truncated:
            continue
        told.append(tuple(axis for axis, count in found.counts.items() if count))
        if outcome is None and not found.diverges(axes):
            outcome = Outcome.VACUOUS
            what = "do nothing" if kind == "empty" else "always revert"
            reason = f"no recorded call tells the original from one whose functions {what}"
    return Grounds(outcome=outcome, reason=reason, measures=measures, stubs=tuple(told))


def _stubs(stage: Stage, case: Case) -> list[tuple[Kind, Subject]]:
    """The stubs that compile and can be deployed; the others cannot pass for the original anyway."""
    task = case.task
    built = ((kind, _built(stage, case, stub_of(task, kind))) for kind in _STUBS)
    return [(kind, found) for kind, found in built if found is not None]


def _built(stage: Stage, case: Case, code: str) -> Subject | None:
    """The deployed contract with ``code`` in the target's place; None when it cannot be deployed."""
    sources = splice(case.task, code)
    build = case.compiled(sources)
    made = build.contract(stage.program.deployment.contract) if build.ok else None
    if made is None or made.creation == "0x" or made.missing_libraries:
        return None
    return subject(build, made, case, sources)


def _cut_short(original: Trace) -> str | None:
    return f"the original used up its {original.stopped}" if original.stopped else None


def _too_little(original: Trace, tried: Exercise, least: Minima) -> str | None:
    if original.stopped:
        return _cut_short(original)
    if original.address is None:
        return undeployed(original)
    for minimum, count, what in (
        (least.successful_calls, tried.successful_calls, "calls of the original succeed"),
        (least.selectors, tried.selectors, "functions of the original answer"),
        (least.events, tried.events, "events of the original are seen"),
    ):
        if count < minimum:
            return f"{count} {what}, fewer than {minimum}"
    return None


def undeployed(original: Trace) -> str:
    """Why nothing can be told of an original that does not deploy."""
    output = original.deployment.output
    said = original.deployment.error or (
        describe_output(output) if output != "0x" else "no reason given"
    )
    return f"the original does not deploy ({said})"


def _measures(tried: Exercise, program: Program, original: Trace) -> Measures:
    known = [
        (call.recorded, result)
        for call, result in zip(program.calls, original.calls, strict=False)
        if call.recorded is not None
    ]
    return {
        "calls": tried.calls,
        "successful_calls": tried.successful_calls,
        "selectors": tried.selectors,
        "events": tried.events,
        "functions": tried.functions,
        "functions_called": tried.functions_called,
        "functions_called_share": tried.functions_called / tried.functions
        if tried.functions
        else None,
        "functions_exercised": tried.functions_exercised,
        "functions_exercised_share": tried.share,
        "recorded_calls": len(known),
        "statuses_as_recorded": sum(r.status == result.status for r, result in known),
        "successful_as_recorded": sum(r.status and result.status for r, result in known),
        "gas_as_recorded": sum(
            r.status and result.status and r.gas_used == result.gas_used for r, result in known
        ),
        "hardfork": original.hardfork,
    }
