"""Calls asked of a candidate from states that a program reaches: where it may be asked, and what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

import msgspec

from solexp.core import CallResult, Trace

T = TypeVar("T")


class Reached(msgspec.Struct, Generic[T]):
    """The calls that were asked, and those that were not."""

    rows: list[tuple[T, CallResult, CallResult]] = []
    """With what the original and the candidate did."""
    skipped: int = 0
    left: str | None = None
    """Where the candidate leaves the original's state."""
    gone: bool = False
    """Whether its code is gone in a state in which the original's stands."""


def reached(states: Sequence[Sequence[T]], reference: Trace, trace: Trace) -> Reached[T]:
    """What a candidate made of the calls of each state, where it reached the state as the original did.

    ``states`` are those of the traces' branches, in order.
    """
    found: Reached[T] = Reached(rows=[])
    left, found.left = _leaves(reference, trace)
    for place, (rows, expected) in enumerate(zip(states, reference.branches, strict=True)):
        got = trace.branches[place] if place < len(trace.branches) else None
        if got is None or not got.alive or (left is not None and left < expected.after):
            found.skipped += len(rows)
            if got is not None and not got.alive and expected.alive and found.left is None:
                found.left = f"its code is gone after {got.after} calls"
                found.gone = True
            continue
        found.rows += zip(rows, expected.calls, got.calls, strict=True)
    return found


def _leaves(reference: Trace, trace: Trace) -> tuple[int | None, str | None]:
    """The first call that ends otherwise than on the original, and words for it; -1 for the deployment."""
    if trace.address is None:
        return -1, "it is not deployed"
    for index, (one, other) in enumerate(zip(reference.calls, trace.calls, strict=False)):
        if one.status != other.status:
            ends = "succeeds" if other.status else "fails"
            return index, f"call {index} {ends}, unlike the original's"
    return None, None


def same_error(expected: CallResult, got: CallResult) -> bool:
    """Whether two failed calls ended alike: with the same revert data, or both by an invalid instruction."""
    return expected.output == got.output and (expected.error is None) == (got.error is None)
