"""Preconditions: what a Python function demands of its arguments."""

from __future__ import annotations

import msgspec


class Preconditions(msgspec.Struct, frozen=True, kw_only=True):
    """What a Python function demands of its arguments, and the inputs that judge it."""

    entry_point: str
    parameters: tuple[str, ...]
    statements: tuple[str, ...]
    """Source of each statement of the contract, in order: assertions, and the helper statements between them."""
    assertions: tuple[int, ...]
    """For each assertion, in order of the source, the place in ``statements`` of the statement that is or holds it.

    A loop that holds two assertions is named twice.
    """
    aligned: tuple[bool, ...] | None = None
    """For each assertion, whether the description asks for it; None where that was not judged.

    The contract is the same either way: what nobody asks for is satisfied by every test, and no prompt tells it.
    """
    base: tuple[str, ...] = ()
    """Argument lists as Python literals (`solexp.python.literals`), such as ``[1, 'a']``."""
    plus: tuple[str, ...] = ()
    """Further argument lists, those that EvalPlus added."""
    atol: float = 0.0
    """Absolute tolerance in comparing floats of an output."""

    @property
    def violable(self) -> tuple[int, ...]:
        """Numbers of the assertions that a test may violate: those that the description asks for, or all."""
        every = range(len(self.assertions))
        return tuple(n for n in every if self.aligned is None or self.aligned[n])
