"""The solver of guards, as a search asks it."""

from __future__ import annotations

from collections.abc import Set

from solexp.violations.solidity import (  # type: ignore[attr-defined]
    Answer,
    Contract,
    FunctionGuards,
    Settings,
    solve,
)
from solexp.violations.witnesses.search import Original
from solexp.violations.witnesses.states import ReachedState


class GuardSolver:
    """Guards of one contract, and their solver."""

    def __init__(self, original: Original) -> None:
        self._contract = Contract(original.build, original.contract.name, original.sources)

    def functions(self) -> tuple[FunctionGuards, ...]:
        """The contract's public functions that may change state."""
        found: tuple[FunctionGuards, ...] = self._contract.functions()
        return found

    def solve(
        self, signature: str, violated: Set[int], state: ReachedState, settings: Settings
    ) -> Answer:
        """See `solexp.violations.solidity.solve`."""
        found: Answer = solve(self._contract, signature, violated, state, settings)
        return found
