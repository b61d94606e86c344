"""Accounts with code: what happens when a contract pays or calls one that refuses, or that calls back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from solexp.core import Call, ContractBuild, Log, Receiver
from solexp.evm.abi import describe_call
from solexp.evm.assembly import assemble
from solexp.evm.words import word

RICH_IN_GAS = 0x20000
"""Units of gas with which a receiver can call back; ``transfer`` and ``send`` of Solidity give 2,300."""

# Nothing happens when it is touched with neither ether nor data: a contract may well do without that.
_BEGIN = "CALLVALUE CALLDATASIZE OR ISZERO @end JUMPI"

# ERC-721 and ERC-1155 want a receiver's function to answer with its own selector.
_END = """
    CALLDATASIZE ISZERO @end JUMPI
    ffffffff00000000000000000000000000000000000000000000000000000000 0x00 CALLDATALOAD AND
    0x00 MSTORE 0x20 0x00 RETURN
    end:
    STOP
"""

_TELLING = assemble(f"{_BEGIN} GAS 0x00 MSTORE 0x20 0x00 LOG0 {_END}")

_REFUSING = assemble(f"{_BEGIN} 0x00 0x00 REVERT end: STOP")

# Slot 0 says that its own call is under way, in which it takes what comes. Some gas is left for what comes after it.
_CALLING = f"""
    {_BEGIN}
    0x00 SLOAD @take JUMPI
    POOR GAS LT @refuse JUMPI
    0x01 0x00 SSTORE
    SIZE OFFSET 0x00 CODECOPY
    0x00 0x00 SIZE 0x00 VALUE CALLER 0x8000 GAS SUB CALL
    ISZERO @refuse JUMPI
    0x00 0x00 SSTORE
    take:
    {_END}
    refuse:
    0x00 0x00 REVERT
"""


def codes_of(call: Call) -> tuple[tuple[str, str], ...]:
    """Accounts that have code while a call is made, with their runtime code, both as hex with ``0x``."""
    return tuple((each.account, code_of(each)) for each in call.receivers or ())


@lru_cache(maxsize=256)
def code_of(receiver: Receiver) -> str:
    """What stands at a receiver's account, as hex with ``0x``."""
    if receiver.does == "tells":
        return _TELLING
    if receiver.does == "refuses":
        return _REFUSING
    data = receiver.input[2:]
    known = {
        "POOR": f"{RICH_IN_GAS:06x}",
        "SIZE": f"{len(data) // 2:08x}",
        "VALUE": word(receiver.value),
        "OFFSET": "0000",
    }
    # Places have the same width whatever their number, so that the code is as long as it will be.
    length = len(_assembled(known)) // 2 - 1
    return _assembled(known | {"OFFSET": f"{length:04x}"}) + data


def _assembled(known: dict[str, str]) -> str:
    return assemble(" ".join(known.get(each, each) for each in _CALLING.split()))


def told(logs: Iterable[Log], accounts: Callable[[str], bool]) -> dict[str, int]:
    """The most gas that each account of those that tell was given, in units of gas, by account."""
    found: dict[str, int] = {}
    for log in logs:
        if not log.topics and len(log.data) == 66 and accounts(log.address):
            found[log.address] = max(found.get(log.address, 0), int(log.data, 16))
    return found


def described(contract: ContractBuild | None, call: Call) -> str:
    """A call with its decoded arguments, and what its receivers do, for a reader."""
    said = describe_call(contract, call.input)
    for each in call.receivers or ():
        if each.does == "refuses":
            said += f" while {each.account} refuses what it is sent"
        elif each.does == "calls":
            back = describe_call(contract, each.input)
            paid = f" with {each.value} wei" if each.value else ""
            said += f" while {each.account}, when it is paid or called, calls {back} back{paid}"
    return said
