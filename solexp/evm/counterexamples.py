"""Counterexamples out of traces that differ."""

from __future__ import annotations

from collections.abc import Sequence

from solexp.core import CallResult, Checkpoint, Counterexample, Trace
from solexp.evm.compare import Difference
from solexp.evm.storage import BALANCE


def counterexample(
    difference: Difference, places: Sequence[int], reference: Trace, candidate: Trace
) -> Counterexample:
    """The calls that lead to a difference of two traces, and what each of them has there.

    ``places`` are those of the traces' calls in the task's own program.
    """
    index = difference.index
    if difference.axis == "deployment" or (index is not None and index < 0):
        return Counterexample(
            axis=difference.axis, expected=reference.deployment, got=candidate.deployment
        )
    after = len(places) if index is None else index + 1
    kept = places[:after]
    if difference.what is None:
        assert index is not None
        return Counterexample.after(
            kept,
            axis=difference.axis,
            expected=reference.calls[index],
            got=candidate.calls[index],
        )
    label = difference.what
    points = [
        next(point for point in trace.checkpoints if point.after == after)
        for trace in (reference, candidate)
    ]
    if label == "balance" and points[0].balance != points[1].balance:
        label = f"{BALANCE}{reference.address}"
        read: list[CallResult | None] = [_word(point.balance) for point in points]
    else:
        read = [_state(point, label) for point in points]
    return Counterexample.after(
        kept, axis=difference.axis, reads=label, expected=read[0], got=read[1]
    )


def _state(point: Checkpoint, label: str) -> CallResult | None:
    """What a checkpoint has under a label; None where a label holds the contract's own address, which differs."""
    if label in point.storage:
        return CallResult(status=True, output=point.storage[label])
    return point.getters.get(label)


def _word(value: int) -> CallResult:
    return CallResult(status=True, output=f"0x{value:064x}")
