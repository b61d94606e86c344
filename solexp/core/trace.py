"""Traces: what a machine made of a program."""

from __future__ import annotations

import msgspec


class Log(msgspec.Struct, frozen=True, gc=False):
    """One event. ``address`` is the emitter."""

    address: str
    topics: tuple[str, ...]
    data: str


class CallResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one call did."""

    status: bool
    output: str = "0x"
    """Return data when ``status``, else revert data."""
    gas_used: int = 0
    """Units of gas, the intrinsic cost included, refunds taken off."""
    logs: tuple[Log, ...] = ()
    error: str | None = None
    """The machine's word for a failure that was no plain revert, such as ``OutOfGas``."""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """State read after the first ``after`` calls of the program."""

    after: int
    balance: int = 0
    """The contract's own balance in wei."""
    storage: dict[str, str] = {}
    """32-byte words by slot label, such as ``balances[0x…]``; labels, not slots, so that builds with different layouts
    can be compared."""
    getters: dict[str, CallResult] = {}
    """Results of probe calls by label, such as ``balanceOf(0x…)``."""


class Branched(msgspec.Struct, frozen=True, kw_only=True):
    """What calls would do that all start from one state of a program, and what storage holds there."""

    after: int
    alive: bool = True
    """Whether the contract's code still stands; where not, nothing else is known."""
    balance: int = 0
    """The contract's own balance in wei."""
    calls: tuple[CallResult, ...] = ()
    """Without logs. Before Byzantium also without output, and with all gas used by those that succeed."""
    words: tuple[int, ...] = ()
    """The slots that were asked for."""


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """What a machine made of one program with one creation code."""

    address: str | None
    """Where the contract was deployed; None when the deployment failed."""
    deployment: CallResult
    calls: tuple[CallResult, ...] = ()
    """One result a call, in order; empty when the deployment failed."""
    checkpoints: tuple[Checkpoint, ...] = ()
    branches: tuple[Branched, ...] = ()
    hardfork: str = ""
    """Fork of the deployment; a program that crosses forks names them all, joined by ``+``."""
    stopped: str | None = None
    """Which limit (``time``, ``memory``, ``answer``) ended the run early; ``calls`` is then a prefix of the program."""
