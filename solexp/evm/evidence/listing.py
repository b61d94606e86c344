"""A counterexample as a list of calls that a person can read."""

from __future__ import annotations

from datetime import timedelta

import msgspec

from solexp.core import CallResult, ContractBuild, Counterexample, Program
from solexp.evm.abi import (
    decoded,
    describe_event,
    describe_failure,
    describe_output,
    output_types,
    shown_value,
)
from solexp.evm.evidence.cast import Cast, ether
from solexp.evm.receiving import described

SHOWN = 10
"""Calls at the end of a long program that are listed."""
_EVENTS = 4
_WHERE = {
    "chain": ", with fees, gas limits and randomness as on a chain",
    "late": ", many years after the deployment",
}


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """One call."""

    number: int
    """1-based, in the counterexample."""
    later: str
    """Blocks and time since the call before (or the deployment), such as ``+3 blocks, +36 s``; empty for none."""
    sender: str
    call: str
    """The function with its decoded arguments."""
    value: str
    """Ether sent along; empty for none."""


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """A counterexample for a reader."""

    deployment: str
    before: int
    """Calls that come before the first line."""
    lines: tuple[Line, ...]
    what: str
    """What differs: ``call 12 returns``, ``owner after call 12``."""
    expected: str
    got: str
    accounts: dict[str, str]
    """Addresses by what they are called in the lines."""


def listing(
    found: Counterexample, own: Program | None, contract: ContractBuild | None, most: int = SHOWN
) -> Listing:
    """The last ``most`` calls of a counterexample, decoded by the original's ABI, and how it ends on both.

    Raises ValueError where the task has not the calls that it begins with.
    """
    program = found.program(own)
    cast = Cast(program)
    calls = program.calls
    first = max(0, len(calls) - most)
    lines = tuple(_line(program, place, cast, contract) for place in range(first, len(calls)))
    sent = {"deployer", *(line.sender for line in lines)}
    deployment = program.deployment
    value = f" with {ether(deployment.value)}" if deployment.value else ""
    last = calls[-1].input if calls and found.reads is None else None
    said = [
        cast.named(ended(found.axis, result, contract, last))
        for result in (found.expected, found.got)
    ]
    text = " ".join(line.call for line in lines) + "".join(said)
    return Listing(
        deployment=f"{deployment.contract} is deployed by deployer{value} "
        f"in block {deployment.block_number}",
        before=first,
        lines=lines,
        what=cast.named(what(found.axis, len(calls), found.reads))
        + _WHERE.get(found.elsewhere or "", ""),
        expected=said[0],
        got=said[1],
        accounts={
            role: address for address, role in cast.roles.items() if role in sent or role in text
        }
        | ({"the contract": cast.contract} if "the contract" in text else {}),
    )


def what(axis: str, count: int, reads: str | None) -> str:
    """What differs, in a few words; ``count`` calls were made."""
    last = f"call {count}"
    if reads is not None:
        return f"{reads} after {last}" if count else f"{reads} after the deployment"
    if axis == "deployment":
        return "the deployment"
    if not count:
        return "what the constructor emits"
    said = {
        "status": "how {} ends",
        "return": "what {} returns",
        "revert": "why {} fails",
        "events": "what {} emits",
        "gas": "the gas of {}",
    }
    return said.get(axis, "what {} does").format(last)


def ended(
    axis: str, result: CallResult | None, contract: ContractBuild | None, data: str | None
) -> str:
    """How a call, or a read, with calldata ``data`` ended, as far as the axis looks."""
    if result is None:
        return "nothing"
    if axis == "deployment":
        return "deployed" if result.status else f"not deployed{_reason(result, contract)}"
    if not result.status:
        return f"failure{_reason(result, contract)}"
    if axis == "gas":
        return f"{result.gas_used} gas"
    if axis == "events":
        return _events(result, contract)
    return _answer(result, contract, data) if axis in ("return", "storage") else "success"


def _events(result: CallResult, contract: ContractBuild | None) -> str:
    shown = [describe_event(contract, log) for log in result.logs[:_EVENTS]]
    more = len(result.logs) - len(shown)
    return ("; ".join(shown) + (f"; and {more} more" if more else "")) or "no event"


def _answer(result: CallResult, contract: ContractBuild | None, data: str | None) -> str:
    types = output_types(contract, data) if data is not None else []
    values = decoded(types, result.output[2:]) if types else None
    if values is not None:
        return ", ".join(map(shown_value, values))
    return describe_output(result.output) if result.output != "0x" else "nothing"


def _reason(result: CallResult, contract: ContractBuild | None) -> str:
    said = describe_failure(contract, result.output) if result.output != "0x" else result.error
    return f" ({said})" if said else ""


def _line(program: Program, place: int, cast: Cast, contract: ContractBuild | None) -> Line:
    call = program.calls[place]
    before = program.calls[place - 1] if place else program.deployment
    blocks = call.block_number - before.block_number
    seconds = call.timestamp - before.timestamp
    moved = []
    if blocks:
        moved.append(f"+{blocks} block{'s' if blocks > 1 else ''}")
    if seconds:
        moved.append(f"+{_duration(seconds)}")
    own = call.to is None or call.to.lower() == cast.contract
    said = cast.named(described(contract if own else None, call))
    sender = call.sender.lower()
    return Line(
        number=place + 1,
        later=", ".join(moved),
        sender=cast.roles.get(sender, cast.named(sender)),
        call=said if own else f"{said} to {call.to}",
        value=ether(call.value) if call.value else "",
    )


def _duration(seconds: int) -> str:
    return f"{seconds} s" if seconds < 3600 else str(timedelta(seconds=seconds))
