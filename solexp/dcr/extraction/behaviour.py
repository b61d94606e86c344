"""What one function of a contract demands and does, as the reading of its syntax tree leaves it."""

from __future__ import annotations

from typing import Literal

import msgspec

from solexp.dcr.expressions import Expression
from solexp.dcr.extraction.terms import family, keyed


class Write(msgspec.Struct, frozen=True):
    """Something stored."""

    place: Expression
    value: Expression
    how: Literal["set", "add", "sub"]
    """``add`` and ``sub``: ``value`` more or less than was there."""
    when: Expression | None
    """Under which condition; None: whenever the call succeeds. Not known where it holds `UNKNOWN`."""

    @property
    def family(self) -> str:
        return family(self.place) or "?"

    @property
    def keyed(self) -> bool:
        return keyed(self.place)


class Behaviour(msgspec.Struct, frozen=True):
    """A function."""

    name: str
    signature: str
    parameters: dict[str, str]
    """Types of its parameters, as the compiler writes them, by name."""
    payable: bool
    pays: bool
    """Whether it sends ether or tokens."""
    guards: tuple[Expression, ...]
    """What has to hold for a call to succeed, over state, the call's context and the parameters; joined by and."""
    needs: tuple[Expression, ...]
    """What beyond its guards has to hold for a call to store anything: tokens of old return ``false`` instead."""
    writes: tuple[Write, ...]
    """In order; of several to one place that has no key, the last alone."""

    @property
    def demands(self) -> tuple[Expression, ...]:
        """What has to hold for a call to come to something."""
        return self.guards + self.needs
