"""Asking a candidate what the original was asked, up to where it does something else."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from solexp.core import CallResult, Program, Trace
from solexp.evm.compare import Difference, compare
from solexp.evm.deployed import Deployed, Question
from solexp.fuzzing.reference import Ending, Reference

_SHARES = (1, 2, 4, 8, 16)
"""Sequences that are asked at a time, at first. A candidate that is wrong mostly shows it at once."""
_SHARE = 32
_SPENT = "all gas used"


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """How far a candidate came."""

    at: int
    """The sequence at which it ended: the first that differs, or where a limit was used up; or how many there are."""
    difference: Difference | None = None
    """What differs there first. Its index is that of a call of the sequence; None for the state behind it."""
    calls: int = 0
    """Calls that were compared."""
    stopped: str | None = None
    """The limit that it used up: ``time``, ``memory`` or ``answer``."""


class Asked:
    """A reference's sequences, written down for the node."""

    def __init__(
        self,
        reference: Reference,
        original: Deployed,
        axes: Collection[str],
        states: Sequence[Trace] = (),
    ) -> None:
        """``states`` are the original's traces with the state behind each sequence, where ``storage`` counts."""
        self.reference = reference
        self._axes = tuple(axes)
        self._states = states
        self._outputs = "return" in axes
        self._logs = "events" in axes
        self._reasons = "revert" in axes
        self._questions: list[Question] = original.questions(reference.programs)

    def of(self, candidate: Deployed, start: int = 0) -> Tried:
        """Ask the contract that stands on ``candidate``, from the sequence ``start`` on."""
        count = len(self._questions)
        at, calls, share = start, 0, 0
        while at < count:
            size = _SHARES[share] if share < len(_SHARES) else _SHARE
            share += 1
            for trace in candidate.run(self._questions[at : at + size]):
                if trace.stopped:
                    return Tried(at=at, calls=calls, stopped=trace.stopped)
                wanted = self._comparable(at, trace)
                calls += wanted
                difference = self._difference(at, trace, wanted)
                if difference is not None:
                    return Tried(at=at, calls=calls, difference=difference)
                at += 1
        return Tried(at=at, calls=calls)

    def _comparable(self, at: int, trace: Trace) -> int:
        """How many calls can be compared: up to one that used up its gas where the original used much of it."""
        for place, (want, got) in enumerate(
            zip(self.reference.endings[at], trace.calls, strict=True)
        ):
            if want.heavy and got.error == _SPENT:
                return place
        return len(trace.calls)

    def _difference(self, at: int, trace: Trace, count: int) -> Difference | None:
        row = self.reference.endings[at]
        whole = count == len(row)
        if not (self._states and whole) and not any(
            self._unlike(want, got)
            for want, got in zip(row[:count], trace.calls[:count], strict=True)
        ):
            return None
        expected = Trace(
            address=trace.address,
            deployment=trace.deployment,
            calls=tuple(map(_result, row[:count], trace.calls)),
            checkpoints=self._states[at].checkpoints if self._states and whole else (),
        )
        got = msgspec.structs.replace(trace, calls=trace.calls[:count])
        program: Program = self.reference.programs[at]
        return compare(expected, got, program).earliest(self._axes)

    def _unlike(self, want: Ending, got: CallResult) -> bool:
        """Whether a call may have ended otherwise; nearly all of them have not."""
        if want.status is not got.status:
            return True
        if not want.status:
            return self._reasons and want.output != got.output
        return (self._outputs and want.output != got.output) or (
            self._logs and want.logs != got.logs
        )


def _result(want: Ending, got: CallResult) -> CallResult:
    """What the original did; gas is not compared."""
    return CallResult(status=want.status, output=want.output, logs=want.logs, gas_used=got.gas_used)
