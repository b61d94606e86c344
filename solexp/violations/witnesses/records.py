"""What a search for witnesses is told, and what it finds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from solexp.core import Call, Program

Attempt = Literal["unsupported", "unsat", "unknown", "sat", "confirmed"]
"""How far a query came at best: the solver refused it, has no answer, found calls that the original ended otherwise, or
found one that ends as it should."""

ATTEMPTS: tuple[Attempt, ...] = ("unsupported", "unsat", "unknown", "sat", "confirmed")


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """How many witnesses are looked for, and where."""

    models: int = 2
    """Distinct calls wanted for each guard alone."""
    satisfied: int = 3
    """Distinct calls wanted that satisfy every guard of a function."""
    parts: int = 3
    """Of each guard, ways in which it fails and ways in which it holds that are asked for besides, at most each."""
    pairs: int = 6
    """Pairs of guards of a function that are violated together, at most."""
    states: int = 8
    """States of the program that are tried, at most."""
    rlimit: int = 500_000
    """Z3's units of work for one check."""
    seed: int = 0


class GuardRow(msgspec.Struct, frozen=True, kw_only=True):
    """A guard, and how far the search came with it alone."""

    function: str
    """Canonical signature of the public function."""
    number: int
    kind: str
    path: str
    line: int
    text: str
    expected: str
    """How a call ends that fails it, for a reader."""
    inside: tuple[str, ...] = ()
    """Functions and modifiers that are called on the way to it."""
    shared: int = 0
    """How many other guards of the function end a call the same way: the revert alone does not tell them apart."""
    unsupported: str | None = None
    attempt: Attempt = "unsupported"
    reason: str | None = None
    """Why there is no witness, as far as known."""


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """Which guards of which function are violated together."""

    function: str
    violated: tuple[int, ...]
    attempt: Attempt
    exactness: str | None = None
    """In which sense no other guard is violated, of the confirmed witness: ``all``, ``stated`` or ``first``."""
    reason: str | None = None
    after: int | None = None
    """The state where it was answered best."""
    part: bool = False
    """Whether it is about a part of a guard's condition, or its border."""


class Witness(msgspec.Struct, frozen=True, kw_only=True):
    """A call from a state of the program, confirmed on the original."""

    function: str
    violated: tuple[int, ...] = ()
    """Numbers of the violated guards, of `GuardRow.number`; none: it satisfies all."""
    first: int | None = None
    """The guard at which the original ends it."""
    exactness: str = "all"
    after: int
    """It is made after the first so many calls of the program that succeed on the original."""
    call: Call
    shown: str
    """The function with its decoded arguments."""
    output: str = "0x"
    """Revert data of the original."""
    invalid: bool = False
    """Whether the original used up all gas, as an invalid instruction does."""
    alone: bool = True
    """Whether no other guard of the function ends a call with data like these: else they do not tell which it was."""
    exact: bool | None = None
    """Whether the call succeeds once just the violated guards are taken out of the original, so that no other is
    violated; None where that could not be tried."""
    firing: int | None = None
    """Of the violated guards, those that end the call, with their own data, while all others of the function that can
    be taken out are; None where nothing could."""


class Tried(msgspec.Struct, frozen=True, kw_only=True):
    """The solver's calls, and what the original made of them."""

    violating: int = 0
    rejected: int = 0
    """Of the violating ones; their share is AVC."""
    confirmed: int = 0
    """... with the data of the first violated guard."""
    satisfying: int = 0
    accepted: int = 0


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """Guards or queries, each of which counts in every column up to where it came."""

    found: int = 0
    translated: int = 0
    satisfiable: int = 0
    confirmed: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            found=self.found + other.found,
            translated=self.translated + other.translated,
            satisfiable=self.satisfiable + other.satisfiable,
            confirmed=self.confirmed + other.confirmed,
        )


def count(attempts: Iterable[Attempt]) -> Counts:
    """How many came how far."""
    places = [ATTEMPTS.index(attempt) for attempt in attempts]
    return Counts(
        found=len(places),
        translated=sum(place > 0 for place in places),
        satisfiable=sum(place >= ATTEMPTS.index("sat") for place in places),
        confirmed=sum(place == len(ATTEMPTS) - 1 for place in places),
    )


class Witnesses(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found for one contract and program."""

    reason: str | None = None
    """Why nothing was looked for; None where something was."""
    functions: tuple[str, ...] = ()
    """Public functions that may change state."""
    guards: tuple[GuardRow, ...] = ()
    queries: tuple[Query, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    tried: Tried = Tried()
    kept: tuple[int, ...] = ()
    """The calls of the program that succeed on the original, by their places: these lead to the states."""
    states: tuple[int, ...] = ()
    """The states tried, each by how many of these calls lead to it."""
    checks: int = 0
    """Z3's checks."""
    solver_cpu_s: float = 0.0

    def guard(self, function: str, number: int) -> GuardRow:
        """A guard by its function and number."""
        return next(g for g in self.guards if g.function == function and g.number == number)

    def counts(self, *, stated: bool | None = None) -> Counts:
        """Guards by how far they came; ``stated``: only those that the author wrote, or only the others."""
        kept = (g for g in self.guards if stated in (None, g.kind in STATED))
        return count(guard.attempt for guard in kept)

    def satisfied(self) -> Counts:
        """Functions by how far the query came that violates nothing."""
        whole = (query for query in self.queries if not query.violated and not query.part)
        return count(query.attempt for query in whole)


STATED = ("require", "assert", "revert", "error")
"""Kinds of guards that the author wrote."""


def leading(program: Program, kept: Sequence[int]) -> Program:
    """The program's calls at these places alone."""
    calls = tuple(program.calls[place] for place in kept)
    return msgspec.structs.replace(program, calls=calls)


def program_of(program: Program, found: Witnesses, witness: Witness) -> Program:
    """The program that leads to the witness's state and ends with its call."""
    before = leading(program, found.kept[: witness.after])
    return msgspec.structs.replace(before, calls=(*before.calls, witness.call))
