"""Calls by Z3: models of a function's guards in the state that the walk has reached."""

from __future__ import annotations

from collections.abc import Sequence

from solexp.core import UserError
from solexp.dcr.drafts import Draft
from solexp.dcr.graph import Event
from solexp.dcr.records import Search
from solexp.evm.machine import RICH
from solexp.evm.stepping import Stepping
from solexp.violations.solidity import Contract, Settings, Unsupported


class Present:
    """The present state of a stepping node, a `solexp.violations.solidity.State`; slots are read when first needed."""

    def __init__(
        self,
        node: Stepping,
        accounts: Sequence[str],
        immutables: dict[str, int],
        chain_id: int,
        coinbase: str,
    ) -> None:
        self.address = node.address
        self.block_number = node.block_number
        self.timestamp = node.timestamp
        self.chain_id = chain_id
        self.coinbase = coinbase
        self.accounts = tuple(accounts)
        self.keys: tuple[int | bytes, ...] = (*(int(each, 16) for each in accounts), *range(8))
        self._node = node
        self._immutables = immutables
        self._words: dict[int, int] = {}
        self._here: int | None = None

    def read(self, slot: int) -> int:
        """The contract's storage at a slot."""
        if slot not in self._words:
            [self._words[slot]] = self._node.storage([slot])
        return self._words[slot]

    def balance(self, account: str) -> int:
        """Wei of an account; of a sender, what it can send."""
        if account != self.address:
            return RICH
        if self._here is None:
            self._here = self._node.balance()
        return self._here

    def has_code(self, account: str) -> bool:
        """Whether it is the contract itself: around it there is nothing."""
        return account == self.address

    def immutable(self, name: str) -> int | None:
        """An immutable's word; None where it is not known."""
        return self._immutables.get(name)


class Solving:
    """Asks Z3 for calls that satisfy every guard of an event's function."""

    def __init__(
        self,
        contract: Contract,
        node: Stepping,
        accounts: Sequence[str],
        search: Search,
        *,
        immutables: dict[str, int],
        chain_id: int,
        coinbase: str,
    ) -> None:
        self.asked = 0
        """Questions so far."""
        self._contract = contract
        self._node = node
        self._accounts = accounts
        self._search = search
        self._immutables = immutables
        self._chain_id = chain_id
        self._coinbase = coinbase
        self._of: dict[str, int] = {}

    def worthwhile(self, event: Event, failing: int) -> bool:
        """Whether to ask about an event that has failed so often: less and less often."""
        if self.asked >= self._search.queries:
            return False
        asked: int = self._of.get(event.id, 0)
        return failing + 1 >= 2 << asked

    def solve(self, event: Event, now: int) -> list[Draft]:
        """Calls in the present state, none made before ``now``; none where there is no answer."""
        self.asked += 1
        self._of[event.id] = self._of.get(event.id, 0) + 1
        state = Present(
            self._node, self._accounts, self._immutables, self._chain_id, self._coinbase
        )
        settings = Settings(rlimit=self._search.rlimit, seed=self._search.seed + self.asked)
        try:
            answer = self._contract.at(event.function, state).solve((), settings)
        except (UserError, Unsupported, RecursionError):
            return []
        return [
            Draft(each.sender, each.value, each.input, max(now, each.timestamp))
            for each in answer.solutions
            if each.value <= RICH
        ]
