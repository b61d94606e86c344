"""Whether a call ended as the solver meant it to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from solexp.core import Call, CallResult
from solexp.violations.solidity import FunctionGuards, Guard, Solution
from solexp.violations.witnesses.records import Witness

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


def judged(witness: Witness, statuses: Mapping[frozenset[int], bool] | None) -> Witness:
    """The witness with what its call did without some of the guards."""
    if statuses is None:
        return witness
    everything = frozenset(witness.violated)
    rest = (statuses.get(everything - {number}) for number in witness.violated)
    return msgspec.structs.replace(
        witness,
        exact=statuses[everything],
        firing=sum(status is False for status in rest),
    )


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
