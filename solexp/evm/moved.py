"""Programs moved to where code that asks whether it is watched sees other answers: nearer to a real chain, or later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import msgspec

from solexp.core import CallResult, Program, Trace
from solexp.core.hashing import content_hash
from solexp.evm.hardforks import at_least
from solexp.evm.machine import Surroundings

Place = Literal["chain", "late"]
"""``chain``: gas limits as wallets set them, fees, a block's usual gas limit, a fee recipient and other randomness.
``late``: all calls many years after the deployment."""

_TELLS: dict[Place, frozenset[str]] = {
    "chain": frozenset(
        (
            *("gas", "gasprice", "gaslimit", "coinbase", "basefee", "randomness", "balance"),
            *("blockhash", "create", "create2"),
        )
    ),
    "late": frozenset(["timestamp", "number", "blockhash", "create", "create2"]),
}

_BASE_FEE = 19_407_113_902
_GAS_PRICE = 20_907_113_902
_BLOCK_GAS = 30_000_000
_WEALTH = 3_171_904_200_512_377_001
_SECONDS, _BLOCKS = 20 * 365 * 86_400, 52_000_000
_SPENT = "all gas used"


class Moved(NamedTuple):
    """A program elsewhere, and what surrounds it there."""

    program: Program
    surroundings: Surroundings


def places(candidate: Mapping[str, int], original: Mapping[str, int]) -> tuple[Place, ...]:
    """Where to look at a candidate that asks more, or more often, than its original; see `solexp.evm.asked.asked`.

    Nowhere when the original asks for the hash of a block, which may be that of its own deployment's.
    """
    if original.get("blockhash"):
        return ()
    more = {name for name, count in candidate.items() if count > original.get(name, 0)}
    return tuple(place for place, tells in _TELLS.items() if tells & more)


def moved(
    place: Place, program: Program, traces: Sequence[Trace], original: Mapping[str, int]
) -> Moved:
    """``program``, whose fork and gas limits are fixed, at another place.

    ``traces`` are those of all contracts that are to be compared there: near a chain each call gets the gas that the
    most wasteful of them needs, and little more, unless the original itself does what depends on its gas.
    """
    if place == "late":
        calls = tuple(
            msgspec.structs.replace(
                call,
                block_number=call.block_number + _BLOCKS,
                timestamp=call.timestamp + _SECONDS,
            )
            for call in program.calls
        )
        return Moved(msgspec.structs.replace(program, calls=calls), Surroundings())
    fork = program.hardfork or ""
    limits = [
        call.gas or 0
        if original.get("gas")
        else _limit(call.gas or 0, [trace.calls[at] for trace in traces], fork)
        for at, call in enumerate(program.calls)
    ]
    # Fees make what senders have depend on the gas that is used, which is nobody's behaviour.
    price = 0 if original.get("balance") else _GAS_PRICE
    mark = content_hash("elsewhere", program.deployment)
    return Moved(
        msgspec.structs.replace(
            program,
            calls=tuple(
                msgspec.structs.replace(call, gas=limit, recorded=None)
                for call, limit in zip(program.calls, limits, strict=True)
            ),
            coinbase="0x" + mark[:40],
            prevrandao="0x" + mark[:64] if at_least(fork, "paris") else None,
        ),
        Surroundings(
            gas_price=price,
            base_fee=_BASE_FEE if price and at_least(fork, "london") else 0,
            block_gas=_BLOCK_GAS,
            wealth=_WEALTH + price * sum(limits),
        ),
    )


def deployment_limit(traces: Sequence[Trace], most: int, fork: str) -> int:
    """Gas for a deployment near a chain, where ``most`` is what it had before."""
    return _limit(most, [trace.deployment for trace in traces], fork)


def _limit(most: int, results: Sequence[CallResult], fork: str) -> int:
    if any(result.error == _SPENT for result in results):
        return most
    used = max(result.gas_used for result in results)
    # What is given back for cleared storage was needed before (EIP-3529: one part in 5; before it, one in 2), and calls
    # keep one part in 64 back (EIP-150).
    needed = used * 4 // 3 if at_least(fork, "london") else used * 9 // 4
    return min(most, needed + (10_000 if all(result.status for result in results) else 40_000))
