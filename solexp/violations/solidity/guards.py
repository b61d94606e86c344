"""What a function of a contract demands: its guards, each with where it stands and how a call that fails it ends."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

import msgspec

from solexp.evm.words import keccak


class Kind(StrEnum):
    """What makes a guard."""

    REQUIRE = "require"
    ASSERT = "assert"
    REVERT = "revert"
    """``if (…) revert();`` or ``revert("…")``, or ``throw``."""
    ERROR = "error"
    """A custom error: ``revert E(…)`` or ``require(…, E(…))``."""
    PAYMENT = "payment"
    """Ether sent to a function that takes none."""
    DECODING = "decoding"
    """An argument whose word is none of its type's; only ABI coder v2 refuses these."""
    OVERFLOW = "overflow"
    DIVISION = "division"
    BOUNDS = "bounds"
    ENUM = "enum"
    POP = "pop"
    TRANSFER = "transfer"
    """``transfer``, which reverts when the contract has too little ether."""
    CALL = "call"
    """A call to another contract, which may revert; always unsupported."""

    @property
    def stated(self) -> bool:
        """Whether the author wrote it; the others are the compiler's or the machine's."""
        return self in _STATED


_STATED = frozenset({Kind.REQUIRE, Kind.ASSERT, Kind.REVERT, Kind.ERROR})

Data = Literal["empty", "string", "panic", "error", "invalid", "any"]


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """How a call that fails a guard ends."""

    data: Data
    """What the revert data are: nothing, ``Error(string)``, ``Panic(uint256)``, a custom error; ``invalid``: no revert
    but an invalid instruction, without data and with all gas gone; ``any``: not known."""
    text: str | None = None
    """Reason string; None where it is not constant."""
    panic: int | None = None
    signature: str | None = None
    """Canonical signature of a custom error."""

    @property
    def selector(self) -> str | None:
        """First four bytes of the data, as hex with ``0x``; None where there are none, or where they are not known."""
        if self.data == "string":
            return "0x08c379a0"
        if self.data == "panic":
            return "0x4e487b71"
        if self.signature is not None:
            return f"0x{keccak(self.signature.encode()) >> 224:08x}"
        return None

    def matches(self, output: str) -> bool:
        """Whether revert data (hex with ``0x``) are as expected; the arguments of a custom error are not compared."""
        if self.data == "any":
            return True
        if self.selector is None:
            return output in ("", "0x")
        if not output.startswith(self.selector):
            return False
        if self.data == "panic" and self.panic is not None:
            return int(output[10:] or "0", 16) == self.panic
        if self.data == "string" and self.text is not None:
            raw = bytes.fromhex(output[10:])
            length = int.from_bytes(raw[32:64], "big")
            return raw[64 : 64 + length] == self.text.encode()
        return True

    def __str__(self) -> str:
        """For a reader."""
        if self.data == "string":
            return repr(self.text) if self.text is not None else "a reason string"
        if self.data == "panic":
            return f"Panic(0x{self.panic:02x})"
        return self.signature if self.signature is not None else self.data


class Step(msgspec.Struct, frozen=True):
    """A call on the way from the function to a guard."""

    callee: str
    """Name of the function or modifier that is called."""
    path: str
    start: int
    """UTF-8 byte offset of the call."""
    line: int


class Guard(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that decides between success and revert."""

    number: int
    """Place in `FunctionGuards.guards`, in order of execution."""
    kind: Kind
    path: str
    start: int
    """UTF-8 byte span in its file, end exclusive."""
    end: int
    line: int
    """1-based line of ``start``."""
    text: str
    """Source text of the span, on one line."""
    expected: Expected
    chain: tuple[Step, ...] = ()
    """Calls from the function's own body to the guard, outermost first. One guard in the source that is reached by two
    calls is two guards."""
    unsupported: str | None = None
    """``Unsupported: …`` when its condition, or whether it is reached, cannot be expressed at all; else None."""


class FunctionGuards(msgspec.Struct, frozen=True, kw_only=True):
    """A public state-changing function and its guards."""

    contract: str
    name: str
    signature: str
    """Canonical, such as ``transfer(address,uint256)``; ``receive()`` and ``fallback()`` for those."""
    selector: str
    """8 hex digits; empty for receive and fallback."""
    path: str
    start: int
    end: int
    inputs: tuple[str, ...]
    """Canonical ABI types of the parameters."""
    parameters: tuple[str, ...]
    """Names of the parameters; empty strings where they have none."""
    payable: bool
    guards: tuple[Guard, ...]
    unsupported: tuple[str, ...] = ()
    """What of the function could not be expressed, each ``Unsupported: …`` with its line."""

    def numbers(self, *, stated: bool | None = None) -> tuple[int, ...]:
        """Numbers of the guards that can be asked for: those not unsupported, of the author's making or not."""
        return tuple(
            guard.number
            for guard in self.guards
            if guard.unsupported is None and stated in (None, guard.kind.stated)
        )
