"""Programs: a deployment and the calls made to it afterwards.

All chain data is text: addresses and byte strings are lower-case hex with ``0x``. Amounts are integers in wei, gas in
units of gas, times in seconds since 1970.
"""

from __future__ import annotations

from typing import Literal

import msgspec


class Recorded(msgspec.Struct, frozen=True, gc=False):
    """What the chain recorded of a call."""

    status: bool
    """Whether the transaction succeeded."""
    gas_used: int
    """Gas the transaction used, in units of gas, the intrinsic cost included."""
    tx_hash: str | None = None


class Deployment(msgspec.Struct, frozen=True, kw_only=True):
    """How a contract comes to life. The creation code itself comes from a build."""

    contract: str
    """Name of the contract that is deployed; it need not be the one a model writes."""
    constructor_args: str = "0x"
    """ABI-encoded constructor arguments, appended to the creation code."""
    sender: str
    nonce: int = 0
    """The sender's nonce, so that the contract gets its recorded address."""
    value: int = 0
    gas: int | None = None
    """Recorded gas limit; None where there is no record."""
    block_number: int
    timestamp: int
    recorded: Recorded | None = None


class Receiver(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An account that has code while a call is made, and so notices when it is paid or called."""

    account: str
    does: Literal["tells", "refuses", "calls"]
    """``tells``: it takes what comes, and emits the gas that it was given. ``refuses``: it reverts. ``calls``: it calls
    whoever calls it back, once, and reverts when that fails."""
    input: str = "0x"
    """Calldata of the call back."""
    value: int = 0


class Call(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One transaction of a program."""

    sender: str
    input: str = "0x"
    to: str | None = None
    """None means the deployed contract, wherever it is."""
    value: int = 0
    gas: int | None = None
    """Recorded gas limit; None where there is no record."""
    block_number: int
    timestamp: int
    recorded: Recorded | None = None
    receivers: tuple[Receiver, ...] | msgspec.UnsetType = msgspec.UNSET
    """Accounts that have code while it is made; no recorded call has any."""


class Program(msgspec.Struct, frozen=True, kw_only=True):
    """A deployment and an ordered list of calls. Block numbers never fall from one call to the next."""

    deployment: Deployment
    calls: tuple[Call, ...] = ()
    chain_id: int = 1
    hardfork: str | None = None
    """Fixed hard fork; None means the one that was in force at the recorded blocks on mainnet."""
    coinbase: str = "0x0000000000000000000000000000000000000000"
    """Fee recipient of every block."""
    prevrandao: str | None = None
    """32-byte randomness of every block (difficulty before the merge); None leaves it to the machine."""
    base_fee: int = 0
