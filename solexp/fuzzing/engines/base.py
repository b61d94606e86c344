"""What an engine is asked, and what it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple, Protocol, get_args

import msgspec

from solexp.core import Program
from solexp.evm.machine import Subject
from solexp.fuzzing.reference import Reference
from solexp.fuzzing.settings import Unit

EngineName = Literal["solexp", "forge", "echidna", "medusa"]
"""``solexp``: sequences found on the original, asked of every candidate on the machine of record. The others are
programs that are given original and candidate side by side."""

ENGINES: tuple[EngineName, ...] = get_args(EngineName)


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine's calls of a unit do on the original; the numbers are of calls, but for ``sequences``."""

    calls: int = 0
    sequences: int = 0
    succeeded: int = 0
    reached: tuple[str, ...] = ()
    """Selectors of which some call succeeds."""
    costly: int = 0
    unstable: int = 0
    """Left out, since there the original differs from itself."""
    cut: str | None = None
    """The limit that ended the search."""
    left_out: int = 0
    """Bits of the entries that candidates are not sent, for the same reason."""


class Lead(NamedTuple):
    """How far an engine came with a candidate."""

    program: Program | None
    """A sequence that may show a difference; None when there is none to be found any more."""
    calls: int
    """Calls that were compared since the lead before."""
    stopped: str | None = None
    """The limit that the candidate used up."""
    doubt: str | None = None
    """Why nothing follows from no difference being found."""


class Engine(Protocol):
    """Looks for differences. Whatever it finds is run on the machine of record before it is believed."""

    def explore(self, unit: Unit) -> Told:
        """What there is to know of the original. Raises HarnessError or ToolError when the engine fails."""
        ...

    def leads(self, unit: Unit, subject: Subject) -> Iterator[Lead]:
        """Sequences that may tell ``subject``, which stands deployed, from the original.

        Who goes on to the next one says that the last one told nothing. Ends with a lead without a program.
        """
        ...


class Beside(Engine, Protocol):
    """An engine that is given original and candidate side by side."""

    def know(self, unit: Unit, told: Told) -> None:
        """What `explore` said once before."""
        ...


def told(reference: Reference) -> Told:
    """The same of sequences that are kept."""
    return Told(
        calls=reference.calls,
        sequences=len(reference.programs),
        succeeded=reference.succeeded,
        reached=tuple(sorted(reference.reached)),
        costly=reference.costly,
        unstable=reference.unstable,
        cut=reference.cut,
    )
