"""The state that a call meets: storage, balances, block and the accounts in play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec


class State(Protocol):
    """A reached state of one contract. Addresses are lower-case hex with ``0x``, amounts wei, times seconds."""

    @property
    def address(self) -> str:
        """The contract's."""
        ...

    @property
    def block_number(self) -> int:
        """Of the last block; the call comes in this block or a later one."""
        ...

    @property
    def timestamp(self) -> int:
        """Of the last block."""
        ...

    @property
    def chain_id(self) -> int: ...

    @property
    def coinbase(self) -> str: ...

    @property
    def accounts(self) -> Sequence[str]:
        """Accounts without code that may send the call, the most used first."""
        ...

    @property
    def keys(self) -> Sequence[int | bytes]:
        """Further values that may be keys of mappings: addresses and words as integers, texts as bytes."""
        ...

    def read(self, slot: int) -> int:
        """The contract's storage at a slot, 0 where nothing was written."""
        ...

    def balance(self, account: str) -> int:
        """Wei that an account holds, or for a sender can send."""
        ...

    def has_code(self, account: str) -> bool:
        """Whether there is a contract at an address."""
        ...

    def immutable(self, name: str) -> int | None:
        """The word that an immutable variable holds, or None where that is not known."""
        ...


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A state written out."""

    address: str
    block_number: int = 20_000_000
    timestamp: int = 1_700_000_000
    chain_id: int = 1
    coinbase: str = "0x" + "00" * 20
    accounts: tuple[str, ...] = ()
    keys: tuple[int | bytes, ...] = ()
    storage: dict[int, int] = {}
    """Words by slot."""
    balances: dict[str, int] = {}
    default_balance: int = 10**27
    """Wei of accounts that ``balances`` does not name; the contract itself then holds none."""
    contracts: frozenset[str] = frozenset()
    """Other addresses with code."""
    immutables: dict[str, int] = {}

    def read(self, slot: int) -> int:
        """The storage at a slot."""
        return self.storage.get(slot, 0)

    def balance(self, account: str) -> int:
        """Wei of an account."""
        if account in self.balances:
            return self.balances[account]
        return 0 if account == self.address else self.default_balance

    def has_code(self, account: str) -> bool:
        """Whether the address is the contract's own, or among ``contracts``."""
        return account == self.address or account in self.contracts

    def immutable(self, name: str) -> int | None:
        """An immutable's word."""
        return self.immutables.get(name)
