"""Calls that a task's original rejects, by where they come from, each with the program that leads to its state."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from solexp.core import Call, Program, Trace
from solexp.dcr.records import Sequences
from solexp.evm.gas import UNRECORDED
from solexp.evm.machine import Branch, Machine, Observation
from solexp.oracles.staging import Stage
from solexp.violations.witnesses import Witnesses, leading

Source = Literal["sequences", "history", "receivers", "witnesses"]
SOURCES: tuple[Source, ...] = ("sequences", "history", "receivers", "witnesses")

_PER_REASON = 4
"""Failing calls of the history that are asked, of one function and one reason."""


class Row(msgspec.Struct, frozen=True):
    """A call that is to be rejected."""

    after: int
    """It is made after the first so many calls of its lead's program."""
    call: Call


class Lead(msgspec.Struct, frozen=True):
    """A program, of which all calls succeed on the original, and what is rejected on its way."""

    source: Source
    program: Program
    rows: tuple[Row, ...]

    @property
    def states(self) -> tuple[tuple[Row, ...], ...]:
        """The rows by state, in order."""
        found: dict[int, list[Row]] = defaultdict(list)
        for row in self.rows:
            found[row.after].append(row)
        return tuple(tuple(found[after]) for after in sorted(found))

    def asked(self, *, undone: bool = False) -> tuple[Program, tuple[Branch, ...]]:
        """What a machine is to run: the program as far as it is needed, and what leaves it.

        A call that fails undoes itself. ``undone``: so is one that succeeds, which a contract can find out.
        """
        states = self.states
        last = states[-1][0].after
        program = msgspec.structs.replace(self.program, calls=self.program.calls[:last])
        return program, tuple(
            Branch(rows[0].after, tuple(r.call for r in rows), undone=undone) for rows in states
        )

    def together(self) -> Program:
        """The program with the calls that are to be rejected among its own."""
        program, branches = self.asked()
        calls: list[Call] = []
        at = 0
        for branch in branches:
            calls += (*program.calls[at : branch.after], *branch.calls)
            at = branch.after
        return msgspec.structs.replace(program, calls=tuple(calls))


def _lead(source: Source, program: Program, rows: Sequence[Row]) -> Lead:
    calls = generous(program.calls)
    return Lead(source, msgspec.structs.replace(program, calls=calls), tuple(rows))


def of_sequences(found: Sequences, base: Program) -> Iterator[Lead]:
    """What was tried in vain on the way along a graph."""
    for number, calls in enumerate(found.programs):
        rows = [Row(each.after, each.call) for each in found.rejected if each.program == number]
        if rows:
            yield Lead("sequences", msgspec.structs.replace(base, calls=calls), tuple(rows))


def recorded(staged: Stage, machine: Machine) -> Trace:
    """What the original makes of the recorded calls."""
    plan = Observation(at_end=False, storage=False)
    [trace] = machine.run(staged.program, [staged.original], plan)
    return trace


def followed(program: Program, trace: Trace) -> Program:
    """The recorded calls that succeed on the original, whose trace of them this is."""
    kept = [place for place, result in enumerate(trace.calls) if result.status]
    found = leading(program, kept)
    return msgspec.structs.replace(found, calls=generous(found.calls))


def of_history(program: Program, trace: Trace, most: int) -> Iterator[Lead]:
    """Recorded calls that fail on the original, whose trace of them this is, at most ``most``."""
    rows = list(_failing(program, trace))[:most]
    if rows and not trace.stopped:
        yield _lead("history", followed(program, trace), rows)


def _failing(program: Program, trace: Trace) -> Iterator[Row]:
    after = 0
    seen: Counter[tuple[str, str]] = Counter()
    for call, result in zip(program.calls, trace.calls, strict=False):
        if result.status:
            after += 1
            continue
        reason = call.input[:10], result.output
        seen[reason] += 1
        # One that fails for want of gas may well succeed in a candidate that needs less.
        starved = result.error is not None and "gas" in result.error.lower()
        if call.to in (None, trace.address) and not starved and seen[reason] <= _PER_REASON:
            yield Row(after, msgspec.structs.replace(call, gas=UNRECORDED))


def of_witnesses(found: Witnesses, program: Program) -> Iterator[Lead]:
    """Calls that violate a guard, as the violation oracle asks them."""
    rows = [Row(each.after, each.call) for each in found.witnesses if each.violated]
    if rows:
        yield _lead("witnesses", leading(program, found.kept), rows)


def rejected(lead: Lead, trace: Trace) -> Lead | None:
    """The lead with only the calls that the original, whose trace this is, rejects; None where it is led astray."""
    if trace.stopped or not all(result.status for result in trace.calls):
        return None
    kept = [
        row
        for rows, branched in zip(lead.states, trace.branches, strict=True)
        for row, result in zip(rows, branched.calls, strict=False)
        if not result.status
    ]
    return msgspec.structs.replace(lead, rows=tuple(kept)) if kept else None


def generous(calls: Iterable[Call]) -> tuple[Call, ...]:
    """Calls with limits under which also a wasteful contract comes through."""
    return tuple(
        call
        if call.recorded is None and call.gas is not None
        else msgspec.structs.replace(call, gas=max(call.gas or 0, UNRECORDED), recorded=None)
        for call in calls
    )
