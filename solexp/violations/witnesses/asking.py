"""A query while it is asked: in which states still, and how far it came."""

from __future__ import annotations

import msgspec

from solexp.violations.solidity import Answer, FunctionGuards, Status
from solexp.violations.witnesses.records import ATTEMPTS, Attempt, Query, Witness


class OpenQuery(msgspec.Struct):
    """A query under way."""

    function: FunctionGuards
    violated: frozenset[int]
    wanted: int
    places: list[int]
    """States that are still to be tried."""
    part: int | None = None
    """The way in which the guard is to fail, or to hold; a place in the function's parts."""
    attempt: Attempt = "unknown"
    exactness: str | None = None
    reason: str | None = None
    after: int | None = None
    answer: Answer | None = None
    found: list[Witness] = msgspec.field(default_factory=list)

    def reached(self, attempt: Attempt, reason: str | None, after: int) -> None:
        """Note how far it came, where that is further than before."""
        if self.after is None or ATTEMPTS.index(attempt) > ATTEMPTS.index(self.attempt):
            self.attempt, self.reason, self.after = attempt, reason, after

    def told(self) -> Query:
        """For the record."""
        return Query(
            function=self.function.signature,
            violated=tuple(sorted(self.violated)),
            attempt=self.attempt,
            exactness=self.exactness,
            reason=self.reason,
            after=self.after,
            part=self.part is not None,
        )


def attempt_of(status: Status) -> Attempt:
    """How far a query came that has no calls."""
    if status is Status.UNSUPPORTED:
        return "unsupported"
    return "unsat" if status is Status.UNSAT else "unknown"
