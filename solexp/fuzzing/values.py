"""Drawing values of ABI types."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from solexp.evm.abi import split_types
from solexp.fuzzing.settings import Constants

T = TypeVar("T")

SEEN = 256
"""Values of each kind that are remembered of answers and events, the latest."""

STRANGERS = 4
"""Accounts that mean nothing to the contract."""

_TIMES = (0, 1, 60, 3600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400)
_ARRAY = re.compile(r"^(.*)\[(\d*)\]$")
_LENGTHS = (0, 1, 1, 2, 2, 3, 4)
_TEXT_LENGTHS = (0, 1, 5, 31, 32, 33, 64)
_ZERO = "0" * 64
_MOST_WEI = (1 << 79) - 1

Draw = Callable[[], Any]


def pick(random: Random, among: Sequence[T]) -> T:
    """One of several, faster than ``Random.choice``."""
    return among[int(random.random() * len(among))]


class Seen:
    """The latest distinct values, in the order in which they were first seen."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._known: set[Any] = set()
        self._next = 0

    def add(self, value: Any) -> bool:
        """Remember a value; whether it is new."""
        if value in self._known:
            return False
        self._known.add(value)
        if len(self.values) < SEEN:
            self.values.append(value)
        else:
            self._known.discard(self.values[self._next])
            self.values[self._next] = value
            self._next = (self._next + 1) % SEEN
        return True


class Pool:
    """Values worth trying: what the source states, addresses in play, what the original answered, and what the present
    sequence has used. Numbers are integers, addresses ``0x…``, texts bytes."""

    def __init__(
        self,
        random: Random,
        constants: Constants,
        senders: Sequence[str],
        addresses: Sequence[str],
    ) -> None:
        """``senders`` may send calls: the deployer, those that the contract names, and `STRANGERS` unknown to it.
        ``addresses`` may stand in arguments.
        """
        self.random = random
        self.numbers = list(dict.fromkeys(abs(number) for number in constants.numbers)) or [1]
        self.texts = list(constants.texts)
        self.senders = list(senders)
        self.addresses = list(dict.fromkeys((*addresses, *constants.addresses)))
        self.seen_numbers = Seen()
        self.seen_addresses = Seen()
        self.seen_words = Seen()
        self.cautious = False
        """Whether big numbers have cost much gas before, so that they are rarer now."""
        self.now = 0
        """Time of the call that is being made."""
        self.stated: list[int] = []
        """What the original says before anything happens."""
        self.told: list[int] = []
        """What it has said and stored on the way that the present sequence goes on from."""
        self.said: list[int] = []
        """Of this, what it said, such as the number of a thing it has made."""
        self.cast = self.senders[:2]
        """Who takes part in the present sequence."""
        self.about: str | None = None
        """Whom the present call may well concern."""
        self.used_numbers: list[int] = []
        self.used_addresses: list[str] = []
        self.used_words: list[bytes] = []

    def begin(self) -> None:
        """Forget what the sequence before used, and choose who takes part in the next one.

        A few accounts that meet again and again get further than many that never do.
        """
        self.used_numbers = []
        self.used_addresses = []
        self.used_words = []
        random = self.random
        self.told = []
        self.said = []
        self.about = None
        cast = [self.senders[0]] if random.random() < 0.7 else []
        insiders = self.senders[:-STRANGERS]
        while len(cast) < 2 or (len(cast) < 5 and random.random() < 0.5):
            cast.append(pick(random, insiders if random.random() < 0.5 else self.senders))
        self.cast = cast

    def see(self, data: str) -> list[int]:
        """Remember the words of an answer or event, given as hex digits without ``0x``; its numbers, without 0."""
        # Of long data there is only the start, and then how much there was.
        data = data[: 64 * 16].partition(".")[0]
        found = []
        for at in range(0, len(data) - 63, 64):
            digits = data[at : at + 64]
            if digits == _ZERO:
                continue
            number = int(digits, 16)
            self.seen_numbers.add(number)
            if number >> 160:
                self.seen_words.add(bytes.fromhex(digits))
            elif number >> 100:
                self.seen_addresses.add("0x" + digits[24:])
            else:
                found.append(number)
        return found

    def sender(self) -> str:
        """Who sends a call."""
        random = self.random
        return pick(random, self.cast if random.random() < 0.9 else self.senders)

    def address(self) -> str:
        random = self.random
        if self.about is not None and random.random() < 0.5:
            return self.about
        chance = random.random()
        if chance < 0.60:
            return pick(random, self.cast)
        if chance < 0.72 and self.used_addresses:
            return pick(random, self.used_addresses)
        if chance < 0.80 and self.seen_addresses.values:
            found: str = pick(random, self.seen_addresses.values)
        elif chance < 0.98:
            found = pick(random, self.addresses)
        else:
            found = f"0x{random.getrandbits(160):040x}"
        self.used_addresses.append(found)
        return found

    def number(self, bits: int) -> int:
        """A number of at most so many bits, without a sign."""
        random = self.random
        chance = random.random()
        if self.cautious and random.random() < 0.85:
            value = random.getrandbits(1 + int(random.random() * 7))
        elif chance < 0.12 and self.used_numbers:
            value = self._changed(pick(random, self.used_numbers))
        elif chance < 0.22 and self.said:
            value = pick(random, self.said)
        elif chance < 0.28 and self.told:
            value = self._changed(pick(random, self.told))
        elif chance < 0.36 and (self.told or self.stated):
            value = self._left()
        elif chance < 0.48:
            value = self._changed(pick(random, self.numbers))
        elif chance < 0.54 and self.seen_numbers.values:
            value = self._changed(pick(random, self.seen_numbers.values))
        elif chance < 0.66:
            value = random.getrandbits(2)
        elif chance < 0.77:
            value = random.getrandbits(3 + int(random.random() * 6))
        elif chance < 0.89:
            value = self._boundary(bits)
        elif chance < 0.93:
            value = self.now + pick(random, _TIMES)
        else:
            value = random.getrandbits(1 + int(random.random() * bits))
        value &= (1 << bits) - 1
        self.used_numbers.append(value)
        return value

    def _left(self) -> int:
        """What is left up to a bound, or just beyond."""
        random = self.random
        known = self.told if self.told and random.random() < 0.7 else self.stated or self.told
        among = known if random.random() < 0.6 else self.numbers
        one, other = pick(random, known), pick(random, among)
        return max(0, abs(one - other) + int(random.random() * 3) - 1)

    def _boundary(self, bits: int) -> int:
        top = 1 << bits
        half = top >> 1
        return pick(
            self.random, (0, 0, 1, top - 1, top - 1, top - 2, half, half - 1, 1 << (bits // 2))
        )

    def _changed(self, value: int) -> int:  # noqa: PLR0911
        """A value, or one near it."""
        chance = self.random.random()
        if chance < 0.5:
            return value
        if chance < 0.62:
            return value + 1
        if chance < 0.74:
            return max(0, value - 1)
        if chance < 0.82:
            return value * (2 + int(self.random.random() * 8))
        if chance < 0.90:
            return value // (2 + int(self.random.random() * 8))
        if chance < 0.95:
            return value + pick(self.random, self.numbers)
        return int(value * self.random.random()) if value < 1 << 900 else value

    def ether(self) -> int:
        """Wei to send along, at most half a million ether."""
        random = self.random
        chance = random.random()
        if chance < 0.15:
            return 0
        if chance < 0.25:
            return 10**15 * (1 + int(random.random() * 3000))
        if chance < 0.40 and self.used_numbers:
            # A price, and how many.
            price = pick(random, self.told or self.stated or self.numbers)
            return (price * self.used_numbers[-1]) & _MOST_WEI
        if chance < 0.60 and (self.told or self.stated):
            return pick(random, self.told or self.stated) & _MOST_WEI
        return self.number(79)

    def fixed_bytes(self, size: int) -> bytes:
        random = self.random
        chance = random.random()
        if chance < 0.25 and self.used_words:
            found = pick(random, self.used_words)
        elif chance < 0.55 and self.texts:
            found = pick(random, self.texts)
        elif chance < 0.75 and self.seen_words.values:
            found = pick(random, self.seen_words.values)
        elif chance < 0.85:
            found = b""
        elif chance < 0.92:
            found = (1 + int(random.random() * 8)).to_bytes(32, "big")[-size:]
        else:
            found = random.getrandbits(8 * size).to_bytes(size, "big")
        found = found[:size].ljust(size, b"\0")
        self.used_words.append(found)
        return found

    def data(self) -> bytes:
        random = self.random
        chance = random.random()
        if chance < 0.35 and self.texts:
            return pick(random, self.texts)
        length = pick(random, _TEXT_LENGTHS)
        if chance < 0.6:
            return b"abcdefgh" * 8 if length > 63 else (b"abcdefgh" * 8)[:length]
        return random.getrandbits(8 * length).to_bytes(length, "big") if length else b""

    def text(self) -> str:
        return self.data().decode("utf-8", "replace")


def drawer(kind: str, pool: Pool) -> Draw:  # noqa: PLR0911
    """What draws values of a canonical type, in the form that eth_abi takes."""
    array = _ARRAY.match(kind)
    if array:
        inner = drawer(array[1], pool)
        if array[2]:
            count = int(array[2])
            return lambda: [inner() for _ in range(count)]
        return lambda: [inner() for _ in range(pick(pool.random, _LENGTHS))]
    if kind.endswith(")"):
        parts = [drawer(each, pool) for each in split_types(kind[1:-1])]
        return lambda: tuple(part() for part in parts)
    if kind == "address":
        return pool.address
    if kind == "bool":
        return lambda: pool.random.random() < 0.5
    if kind.startswith("uint"):
        bits = int(kind[4:])
        return lambda: pool.number(bits)
    if kind.startswith("int"):
        bits = int(kind[3:])
        return lambda: _signed(pool, bits)
    if kind == "bytes":
        return pool.data
    if kind == "string":
        return pool.text
    size = int(kind[5:])
    return lambda: pool.fixed_bytes(size)


def _signed(pool: Pool, bits: int) -> int:
    value = pool.number(bits)
    if pool.random.random() < 0.3:
        value = -value
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value
