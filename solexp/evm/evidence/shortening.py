"""A difference shown with fewer calls and smaller values."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import msgspec

from solexp.core import CallResult, HarnessError, Program, Trace
from solexp.evm.deployed import Deployed
from solexp.evm.evidence.seeing import Seen, look
from solexp.evm.gas import call_limits, deployment_limit
from solexp.evm.machine import Machine
from solexp.evm.shrinking import shrink

MOST_CALLS = 50_000
"""Calls that are made on each of the two in looking for a shorter program, about: some 10 CPU seconds in all."""


def shorten(seen: Seen, machine: Machine) -> Seen:
    """The same difference with fewer calls and smaller values, or as it was where it can only be seen so."""
    if not seen.program.calls:
        return seen
    limits = call_limits(seen.program, "generous", seen.traces[0])
    calls = [
        msgspec.structs.replace(call, gas=gas, recorded=None)
        for call, gas in zip(seen.program.calls, limits, strict=True)
    ]
    program = msgspec.structs.replace(seen.program, calls=tuple(calls))
    gas = deployment_limit(seen.program, "generous", seen.traces[0])
    with ExitStack() as stack:
        nodes = []
        for subject in (seen.original, seen.candidate):
            node = stack.enter_context(Deployed(program, program.hardfork or ""))
            node.observe(seen.question.plan)
            if node.deploy(subject, gas).address is None:
                return seen
            nodes.append(node)

        made = 0

        def fails(programs: Sequence[Program]) -> list[bool]:
            nonlocal made
            if made > MOST_CALLS:
                return [False] * len(programs)
            made += sum(len(each.calls) for each in programs)
            traces = [node.run(node.questions(programs)) for node in nodes]
            # A run that used up a limit is the last.
            said = [
                _is_same(seen, tried, *pair)
                for tried, *pair in zip(programs, *traces, strict=False)
            ]
            return said + [False] * (len(programs) - len(said))

        try:
            if not fails([program])[0]:
                return seen
            program = shrink(program, fails, contract=seen.original.contract)
        except HarnessError:
            return seen
    return look(seen.question, program, seen.original, seen.candidate, machine) or seen


def _is_same(seen: Seen, program: Program, reference: Trace, trace: Trace) -> bool:
    """Whether a shorter program shows the same difference, and none before it unless there was one."""
    answer = seen.question.answer(program, reference, trace)
    if answer is None or not _alike(answer[0], seen.expected, seen.question.axis):
        return False
    return _ends_alike(seen, reference, trace) or not _ends_alike(seen, *seen.traces)


def _ends_alike(seen: Seen, reference: Trace, trace: Trace) -> bool:
    """Whether all calls before the difference end alike."""
    before = len(reference.calls) - (seen.question.read is None)
    pairs = zip(reference.calls[:before], trace.calls[:before], strict=False)
    return all(one.status == other.status for one, other in pairs)


def _alike(one: CallResult, other: CallResult, axis: str) -> bool:
    """Whether the original ends alike, and for the same reason: else it would be another difference."""
    if one.status != other.status:
        return False
    return axis != "status" or one.status or one.output == other.output
