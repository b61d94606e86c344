"""Counterexamples: the calls after which a candidate no longer does what the original does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from solexp.core.program import Call, Deployment, Program
from solexp.core.trace import CallResult

OUTPUT_KEPT = 4096
"""Hex digits of an answer that are kept: a candidate can return megabytes."""
LOGS_KEPT = 32
"""Events of a call that are kept."""


class Counterexample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Calls of which the last ends otherwise on the candidate, or after which its state differs.

    They are the first ``prefix`` calls of the task's own program, of those only the ``kept`` ones, and then ``calls``.
    With none at all it is the deployment that differs. Small enough to lie in every failing verdict: the calls
    themselves are in the task.
    """

    axis: str
    """As of `solexp.core.Divergence`."""
    prefix: int = 0
    """The first so many calls of the task's own program come first."""
    kept: tuple[int, ...] | None = None
    """0-based calls of the prefix that are made, in order; None for all of them."""
    calls: tuple[Call, ...] = ()
    """Calls that come after those, in order."""
    reads: str | None = None
    """What is read after the last call, where state differs: the label of a slot, of a getter with its arguments,
    ``balance``, or ``balance of 0x…``. None where the last call itself differs."""
    deployment: Deployment | None = None
    """How the contract comes to life; None for the task's own way."""
    hardfork: str | None = None
    """Fixed hard fork; None for what the task's own program says."""
    elsewhere: str | None = None
    """Where a second look has seen it: ``chain`` or ``late``; None for where the oracle makes its calls. ``chain`` has
    fees, gas limits and randomness that are not said here."""
    expected: CallResult | None = None
    """What the last call, or the read after it, does on the original; a word of storage is an answer of 32 bytes."""
    got: CallResult | None = None
    """... and on the candidate."""

    def __post_init__(self) -> None:
        """Cut what a contract says to a length that can be kept."""
        for name in ("expected", "got"):
            result = getattr(self, name)
            if result is not None:
                msgspec.structs.force_setattr(self, name, _kept(result))

    @classmethod
    def after(cls, kept: Sequence[int], **fields: Any) -> Counterexample:
        """One that begins with these calls of the task's own program, in order; ``fields`` are the others."""
        prefix = kept[-1] + 1 if kept else 0
        return cls(prefix=prefix, kept=None if len(kept) == prefix else tuple(kept), **fields)

    @property
    def length(self) -> int:
        """Calls in all."""
        own = self.prefix if self.kept is None else len(self.kept)
        return own + len(self.calls)

    def program(self, own: Program | None) -> Program:
        """The counterexample as a program, ``own`` being the task's.

        Raises ValueError where it takes something from a program that is not there.
        """
        deployment = self.deployment or (own.deployment if own is not None else None)
        indices = range(self.prefix) if self.kept is None else self.kept
        recorded = own.calls if own is not None else ()
        if deployment is None or (indices and max(indices) >= len(recorded)):
            raise ValueError("the task has not the calls that the counterexample begins with")
        base = own or Program(deployment=deployment)
        return msgspec.structs.replace(
            base,
            deployment=deployment,
            calls=(*(recorded[index] for index in indices), *self.calls),
            hardfork=self.hardfork or base.hardfork,
        )


def _kept(result: CallResult) -> CallResult:
    if len(result.output) <= OUTPUT_KEPT + 2 and len(result.logs) <= LOGS_KEPT:
        return result
    return msgspec.structs.replace(
        result, output=result.output[: OUTPUT_KEPT + 2], logs=result.logs[:LOGS_KEPT]
    )
