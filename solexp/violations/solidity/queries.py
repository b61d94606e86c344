"""Questions to the solver and its answers."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Status(StrEnum):
    """How a query ended."""

    SAT = "sat"
    UNSAT = "unsat"
    """No call does it, whatever its sender, value, arguments and time; within the bounds of `Answer.bounds`, if any."""
    UNKNOWN = "unknown"
    """The solver used up its resources, or only found calls that turned out not to do it."""
    UNSUPPORTED = "unsupported"


class Exactness(StrEnum):
    """In which sense only the chosen guards are violated."""

    ALL = "all"
    """Every other guard holds, also those after the first violated one, evaluated as though that had not reverted."""
    STATED = "stated"
    """Every other guard that the author wrote holds so; after the first violated one the compiler's own checks are
    free, since what they protect is not defined there: ``require(balance >= value); balance -= value;``."""
    FIRST = "first"
    """The chosen guard is the first to fail; nothing is said of those after it."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How queries are answered."""

    models: int = 1
    """Distinct calls wanted of one query."""
    rlimit: int = 500_000
    """Z3's units of work for one check: reproducible, unlike seconds."""
    refinements: int = 24
    """How often a model that storage or a hash contradicts is asked for again with what was learnt."""
    seed: int = 0
    exactness: tuple[Exactness, ...] = (Exactness.ALL, Exactness.STATED, Exactness.FIRST)
    """Senses that are tried, in this order."""


class Solution(msgspec.Struct, frozen=True, kw_only=True):
    """One call."""

    sender: str
    value: int
    args: tuple[object, ...]
    """Python values by ABI type, as eth_abi takes them: int, bool, ``0x…`` for addresses, bytes, str, list, tuple. An
    argument that violates a decoding guard cannot be written so; here it stands as the nearest value of its type."""
    input: str
    """Calldata, hex with ``0x``; it is what counts."""
    block_number: int
    timestamp: int
    exactness: Exactness = Exactness.ALL
    first: int | None = None
    """Number of the guard at which the call fails: the first violated one in order of execution. None: it succeeds."""
    violated: tuple[int, ...] = ()
    """All guards that are violated, evaluated on past those that fail."""
    parts: tuple[int, ...] = ()
    """Places in `Contract.parts` of the ways of failing or holding that it shows at their borders."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a query."""

    status: Status
    solutions: tuple[Solution, ...] = ()
    """As many as wanted, or fewer when there are no more; empty unless the status is SAT."""
    reason: str | None = None
    """Why not, for UNKNOWN and UNSUPPORTED."""
    bounds: tuple[str, ...] = ()
    """What was bounded on the way, such as ``loop at line 12: 8 rounds``."""
    checks: int = 0
    """Z3's checks."""
    given_up: bool = False
    """Whether the solver gave up on some sense of the query, even if another has an answer."""
    cpu_s: float = 0.0
