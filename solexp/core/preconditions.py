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
    """For each assertion, whether the description asks for it; None where that was not judged."""
    base: tuple[str, ...] = ()
    """Argument lists as Python literals (`solexp.python.literals`), such as ``[1, 'a']``."""
    plus: tuple[str, ...] = ()
    """Further argument lists, those that EvalPlus added."""
    atol: float = 0.0
    """Absolute tolerance in comparing floats of an output."""
