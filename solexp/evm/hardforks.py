"""Which rules of the EVM held at a block of Ethereum mainnet, and what a transaction costs before it starts."""

from __future__ import annotations

from bisect import bisect_right
from itertools import groupby

from solexp.core import Program, UserError
from solexp.core.errors import nearest

_BY_BLOCK = (
    (0, "frontier"),
    (1_150_000, "homestead"),
    (1_920_000, "dao"),
    (2_463_000, "tangerine"),
    (2_675_000, "spuriousdragon"),
    (4_370_000, "byzantium"),
    (7_280_000, "petersburg"),
    (9_069_000, "istanbul"),
    (9_200_000, "muirglacier"),
    (12_244_000, "berlin"),
    (12_965_000, "london"),
    (13_773_000, "arrowglacier"),
    (15_050_000, "grayglacier"),
    (15_537_394, "paris"),
)
_BY_TIME = (
    (1_681_338_455, "shanghai"),
    (1_710_338_135, "cancun"),
    (1_746_612_311, "prague"),
    (1_764_798_551, "osaka"),
)
_BLOCKS = [block for block, _ in _BY_BLOCK]
_TIMES = [time for time, _ in _BY_TIME]

HARDFORKS: tuple[str, ...] = (*(name for _, name in _BY_BLOCK), *(name for _, name in _BY_TIME))
"""Every hard fork by name, oldest first."""

_AGE = {name: age for age, name in enumerate(HARDFORKS)}

# Forks that moved the difficulty bomb or undid a theft: the EVM's rules are those of the fork before.
_SAME_RULES = {
    "dao": "homestead",
    "muirglacier": "istanbul",
    "arrowglacier": "london",
    "grayglacier": "london",
}


def hardfork_at(block_number: int, timestamp: int) -> str:
    """The fork whose EVM rules held on mainnet at a block: by number up to the merge, by time (seconds) after it."""
    if block_number >= _BLOCKS[-1]:
        after_merge = bisect_right(_TIMES, timestamp)
        if after_merge:
            return _BY_TIME[after_merge - 1][1]
    name = _BY_BLOCK[bisect_right(_BLOCKS, block_number) - 1][1]
    return _SAME_RULES.get(name, name)


def at_least(hardfork: str, other: str) -> bool:
    """Whether ``hardfork`` is ``other`` or younger. Raises UserError for a name that is no fork."""
    if hardfork not in _AGE:
        raise UserError(f"unknown hard fork {hardfork!r}: {nearest(hardfork, HARDFORKS)}")
    return _AGE[hardfork] >= _AGE[other]


class Era:
    """A run of calls under one fork: ``calls[start:end]`` of a program."""

    __slots__ = ("end", "hardfork", "start")

    def __init__(self, hardfork: str, start: int, end: int) -> None:
        self.hardfork = hardfork
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"Era({self.hardfork!r}, {self.start}, {self.end})"


def eras(program: Program, *, exact: bool = True) -> list[Era]:
    """The program's calls split at hard forks, in order; the first era always holds the deployment.

    One era when the program fixes its fork, or when not ``exact``: then the deployment's fork holds throughout.
    """
    count = len(program.calls)
    if program.hardfork is not None:
        at_least(program.hardfork, HARDFORKS[0])
        return [Era(program.hardfork, 0, count)]
    deployment = program.deployment
    first = hardfork_at(deployment.block_number, deployment.timestamp)
    if not exact or not count:
        return [Era(first, 0, count)]
    found = [Era(first, 0, 0)]
    position = 0
    for name, calls in groupby(hardfork_at(c.block_number, c.timestamp) for c in program.calls):
        length = sum(1 for _ in calls)
        if name != found[-1].hardfork:
            found.append(Era(name, position, position))
        position += length
        found[-1].end = position
    return found


def intrinsic_gas(data: str, hardfork: str, *, creation: bool = False) -> int:
    """Gas that a transaction with this calldata (hex with ``0x``) costs before its first instruction.

    Yellow paper, section 6.2, with EIP-2 (creation), EIP-2028 (calldata), EIP-3860 (init code words) and the floor of
    EIP-7623.
    """
    raw = bytes.fromhex(data[2:])
    zeros = raw.count(0)
    others = len(raw) - zeros
    gas = 21_000 + 4 * zeros + (16 if at_least(hardfork, "istanbul") else 68) * others
    if creation:
        if at_least(hardfork, "homestead"):
            gas += 32_000
        if at_least(hardfork, "shanghai"):
            gas += 2 * ((len(raw) + 31) // 32)
    if at_least(hardfork, "prague"):
        gas = max(gas, 21_000 + 10 * zeros + 40 * others)
    return gas
