"""What a search is about: the original, its guards, and the solver that answers for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

import msgspec

from solexp.core import Build, ContractBuild, Deployment
from solexp.evm.machine import Subject
from solexp.violations.solidity import Answer, FunctionGuards, Part, Settings, Standing
from solexp.violations.witnesses.states import ReachedState


class Situation(Protocol):
    """A function in a state."""

    def solve(
        self, violated: Collection[int], settings: Settings, part: int | None = None
    ) -> Answer:
        """Calls that violate exactly ``violated`` of the function's guards, in the way ``part`` if one is given."""
        ...


class Guarded(Protocol):
    """What the search asks of a contract, as `solexp.violations.solidity.Contract` answers it."""

    def functions(self) -> tuple[FunctionGuards, ...]:
        """The contract's public functions that may change state."""
        ...

    def parts(self, signature: str) -> Sequence[Part]:
        """Ways in which the author's guards of a function fail or hold."""
        ...

    def standing(self, signature: str) -> Sequence[Standing]:
        """What the author's guards of a function ask of the state alone."""
        ...

    def immutables(self, deployment: Deployment, address: str, chain_id: int) -> dict[str, int]:
        """Words of the contract's immutables after a deployment, as far as they can be told."""
        ...

    def at(self, signature: str, state: ReachedState) -> Situation:
        """A function in a state."""
        ...


class Original(msgspec.Struct, frozen=True):
    """The contract whose guards count."""

    subject: Subject
    build: Build
    """With ASTs."""
    sources: dict[str, str]
    rebuilt: Callable[[dict[str, str]], Subject | None]
    """The same contract from other sources; None where they do not compile."""

    @property
    def contract(self) -> ContractBuild:
        """The contract that is deployed."""
        return self.subject.contract
