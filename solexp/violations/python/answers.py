"""What the translator is asked and what it answers: one answer for each combination of violated assertions."""

from __future__ import annotations

from enum import StrEnum

import msgspec

VERSION = 2
"""Raised whenever the same contract and settings may give other models than before."""


class Status(StrEnum):
    """What became of a combination. The last four are four different answers."""

    SAT = "sat"
    UNSAT = "unsat"
    """No input within the bounds violates exactly these assertions."""
    UNKNOWN = "unknown"
    """The solver gave up, for a reason other than its budget."""
    TIMEOUT = "timeout"
    """The solver's budget, or a task's, was used up."""
    UNSUPPORTED = "unsupported"
    """No input was found, and a construct that cannot be expressed may hide one."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How far the search goes. Nothing here depends on the load of the machine but ``backstop_s``."""

    models: int = 5
    """Distinct inputs a combination, at most."""
    exhaustive_to: int = 8
    """Up to so many assertions all 2^n − 1 combinations are asked for; of more, singles and pairs."""
    levels: int = 2
    """How often the bounds grow, at most, while a combination has no input: 1 means that they do not."""
    depth: int = 1
    """Nesting of containers at the first level, at least; the task's own inputs can raise it."""
    length: int = 3
    """Elements a container at the first level, at least; the task's own inputs can raise it."""
    query_budget: int = 3_000_000
    """Z3's resource units (``rlimit``) that one query may use: the same work on any machine."""
    task_budget: int = 300_000_000
    """Resource units that all queries of one task may use together."""
    backstop_s: float = 60.0
    """Wall-clock seconds that one query may take, whatever its budget; met only where something is wrong."""
    seed: int = 0


class Combination(msgspec.Struct, frozen=True, kw_only=True):
    """The assertions to violate, all others being satisfied, and the inputs that do so."""

    violated: tuple[int, ...]
    """Numbers of assertions, 0-based, ascending."""
    status: Status
    reason: str = ""
    """Why there is no model, in one line, where there is none."""
    bounds: tuple[int, ...] = ()
    """(depth, length, characters) within which the answer was found."""
    seconds: float = 0.0
    """CPU time of its queries."""
    queries: int = 0
    """How often the solver was asked."""
    models: tuple[str, ...] = ()
    """Argument lists as literals (`solexp.python.literals`), distinct."""


class Generated(msgspec.Struct, frozen=True, kw_only=True):
    """All that is found out about one contract."""

    combinations: tuple[Combination, ...]
    unsupported: dict[int, str] = {}
    """By number of the assertion: ``Unsupported: `` and the construct that keeps it from being translated whole."""
    cpu_s: float = 0.0
    """CPU time of translation and queries, seconds."""
