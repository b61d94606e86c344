"""Whether a call ended as the solver meant it to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from solexp.core import Call, CallResult
from solexp.violations.solidity import FunctionGuards, Guard, Solution
from solexp.violations.witnesses.records import Witness
from solexp.violations.witnesses.removal import Switches

GAS = 30_000_000
"""Limit of every witness's call, in units of gas."""


def why_not(function: FunctionGuards, solution: Solution, result: CallResult) -> str | None:
    """Why the original's result is not what the solver meant; None when it is."""
    if solution.first is None:
        return None if result.status else f"the original reverts: {result.error or result.output}"
    if result.status:
        return "the original succeeds"
    expected = function.guards[solution.first].expected
    if not expected.matches(result.output):
        return f"the original reverts otherwise: {result.error or result.output}"
    if expected.data == "invalid" and result.error is None:
        return "the original reverts, and does not run into an invalid instruction"
    return None


class Trial(NamedTuple):
    """A witness's call to the original without some of its guards."""

    witness: Witness
    guard: Guard | None
    """The one of the violated guards that is left in; None where they are out, and all others in."""
    call: Call


def trials(function: FunctionGuards, witness: Witness, made: Switches) -> Iterator[Trial]:
    """What tells which guards end a witness's call, as far as they can be taken out."""
    if not witness.violated or not function.selector:
        return
    violated = [function.guards[number] for number in witness.violated]
    data = witness.call.input
    if made.has(violated):
        call = msgspec.structs.replace(witness.call, input=made.without(data, violated))
        yield Trial(witness, None, call)
    switched = [guard for guard in function.guards if made.has([guard])]
    for guard in violated:
        others = [each for each in switched if not made.same(each, guard)]
        call = msgspec.structs.replace(witness.call, input=made.without(data, others))
        yield Trial(witness, guard, call)


def judged(witnesses: Sequence[Witness], told: Iterable[tuple[Trial, CallResult]]) -> list[Witness]:
    """The witnesses with what came of their trials."""
    exact: dict[int, bool] = {}
    firing: dict[int, int] = {}
    for trial, result in told:
        key = id(trial.witness)
        if trial.guard is None:
            exact[key] = result.status
        else:
            fires = not result.status and trial.guard.expected.matches(result.output)
            firing[key] = firing.get(key, 0) + fires
    return [
        msgspec.structs.replace(
            witness, exact=exact.get(id(witness)), firing=firing.get(id(witness))
        )
        for witness in witnesses
    ]


def columns(result: CallResult, *, violating: bool, fine: bool) -> Iterator[str]:
    """The columns of `Tried` that a call counts in."""
    yield "violating" if violating else "satisfying"
    if violating and not result.status:
        yield "rejected"
        if fine:
            yield "confirmed"
    if result.status and not violating:
        yield "accepted"


def sharing(function: FunctionGuards, guard: Guard) -> list[Guard]:
    """Other guards of the function whose failure looks the same."""

    def looks(other: Guard) -> tuple[object, ...]:
        expected = other.expected
        data = "empty" if expected.data == "any" else expected.data
        return (data, expected.text, expected.panic, expected.signature)

    return [g for g in function.guards if g is not guard and looks(g) == looks(guard)]


def as_call(solution: Solution) -> Call:
    """The solver's call as a transaction."""
    return Call(
        sender=solution.sender,
        input=solution.input,
        value=solution.value,
        gas=GAS,
        block_number=solution.block_number,
        timestamp=solution.timestamp,
    )
