"""Sequences of calls as data: how they were to be found, and what was."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from solexp.core import Call, Program

Source = Literal["history", "pool", "z3"]
SOURCES: tuple[Source, ...] = ("history", "pool", "z3")
"""Where arguments come from beside the graph."""


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """How sequences are looked for."""

    calls: int = 1000
    """Successful calls wanted, SolBehave's T."""
    length: int | None = 100
    """Calls after which the contract is deployed afresh; None: only where nothing is enabled any more (SolBehave)."""
    beta: float = 0.7
    """Chance that what is owed goes first."""
    alpha: float = 0.8
    """Chance that what others wait for goes next."""
    closing: float = 0.1
    """Chance that an event which excludes others is let come while others may (1: SolBehave)."""
    led: float = 0.3
    """Chance that a fresh start begins with recorded calls (0: SolBehave)."""
    attempts: int = 4000
    """Events tried, at most."""
    sources: tuple[Source, ...] = SOURCES
    queries: int = 24
    """Questions to Z3, at most."""
    rlimit: int = 50_000
    """Z3's units of work for one check."""
    rejected: int = 400
    """Rejected calls that are kept, at most; those beyond limits are kept in any case."""
    borders: int = 6000
    """Calls tried to find the limits of numbers, about; 0: none."""
    seed: int = 0


class Counted(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an event."""

    event: str
    function: str
    attempted: int = 0
    succeeded: int = 0


class Rejected(msgspec.Struct, frozen=True, kw_only=True):
    """A call that the original rejects."""

    program: int
    after: int
    """It was tried after the first so many calls of that program."""
    event: str
    call: Call


class Sequences(msgspec.Struct, frozen=True, kw_only=True):
    """Programs along a graph, and what else was met on the way."""

    reason: str | None = None
    """Why there is none; None where there is one."""
    programs: tuple[tuple[Call, ...], ...] = ()
    """The calls of each fresh start, all of which succeed on the original."""
    events: tuple[tuple[str, ...], ...] = ()
    """The event of each call."""
    rejected: tuple[Rejected, ...] = ()
    counts: tuple[Counted, ...] = ()
    """One an event of the graph, in its order."""
    tried: int = 0
    """Calls tried in all."""
    unread: tuple[str, ...] = ()
    """Guards that the contract does not take; they count as held."""
    unbound: tuple[str, ...] = ()
    """Events of functions that the contract lacks."""
    found: dict[str, int] = {}
    """Successful calls by where they came from: ``graph``, ``recorded``, ``worked``, ``drawn``, ``solved``;
    ``led`` are recorded ones that a program begins with."""
    at_borders: int = 0
    """Calls of these that were then made at the limit of one of their numbers."""
    queries: int = 0
    """Questions that Z3 was asked."""
    unsettled: int = 0
    """Calls dropped because the machine of record ends them otherwise."""

    @property
    def calls(self) -> int:
        """Successful calls."""
        return sum(map(len, self.programs))

    def functions(self, *, succeeded: bool) -> frozenset[str]:
        """Signatures of the functions that were called, or called with success."""
        return frozenset(
            row.function for row in self.counts if (row.succeeded if succeeded else row.attempted)
        )


def programs(base: Program, calls: Iterable[Iterable[Call]]) -> list[Program]:
    """Each as a program with the deployment of ``base``."""
    return [msgspec.structs.replace(base, calls=tuple(each)) for each in calls]
