"""What a state holds at the places a query reads, under the keys in play."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice, product
from typing import cast

from solexp.violations.solidity.evaluation import Read
from solexp.violations.solidity.state import State
from solexp.violations.solidity.storage import Leaf, reader

MOST_ENTRIES = 1500
"""Combinations of keys that are read of one place, at most."""
FIRST_INDEXES = 12
"""Elements of an array that are read from the start."""
SMALL_WORDS = 9
FRESH = (0xC0FFEE << 136 | 0x51, 0xC0FFEE << 136 | 0x52)
"""Accounts that have done nothing before."""


class Tables:
    """Known values by place; what is in no table is taken to be zero until the state says otherwise."""

    def __init__(self, state: State, constants: Iterable[int] = ()) -> None:
        self.state = state
        self._read = reader(state)
        accounts = [int(each, 16) for each in (*state.accounts, state.address)]
        words = [each for each in state.keys if isinstance(each, int)]
        self._addresses = list(
            dict.fromkeys([*accounts, *(w for w in words if w >> 160 == 0), *FRESH, 0])
        )
        small = range(SMALL_WORDS)
        self._words = list(dict.fromkeys([*small, *words, *constants]))
        self._texts = list(dict.fromkeys(each for each in state.keys if isinstance(each, bytes)))
        self._known: dict[object, dict[tuple[int, ...], int]] = {}
        self.version = 0
        """Rises with every change of what was told before."""

    @property
    def read(self) -> Read:
        """The value at a place; of places of code, whether there is any."""
        return self.value

    def value(self, place: object, keys: tuple[int, ...]) -> int:
        if place == ("code",):
            return int(self.state.has_code(f"0x{keys[0]:040x}"))
        return self._read(place, keys)

    def entries(self, place: object) -> dict[tuple[int, ...], int]:
        """The values at a place that are not zero, by keys."""
        found = self._known.get(place)
        if found is None:
            found = self._known[place] = {}
            for keys in islice(product(*self._candidates(place)), MOST_ENTRIES):
                value = self.value(place, keys)
                if value:
                    found[keys] = value
        return found

    def add_words(self, words: Iterable[int]) -> None:
        """Adds values that may be keys, before anything is read."""
        new = [word for word in words if word not in self._words]
        if new:
            self._words += new
            self._known.clear()
            self.version += 1

    def pool(self, width: int) -> list[int]:
        """Values in play of a width."""
        found = self._addresses if width == 160 else self._words
        return [each for each in found if each >> width == 0]

    def learn(self, place: object, keys: tuple[int, ...]) -> bool:
        """Adds what the state holds under keys; whether that was news."""
        known = self.entries(place)
        value = self.value(place, keys)
        if known.get(keys, 0) == value:
            return False
        known[keys] = value
        self.version += 1
        return True

    def _candidates(self, place: object) -> list[list[int]]:
        if place == ("code",):
            return [self._addresses]
        leaf, widths = cast("tuple[Leaf, tuple[int, ...]]", place)
        if leaf.space == "balance":
            return [self._addresses]
        found = []
        for via, width in zip(leaf.way, widths, strict=True):
            if via.how != "mapping":
                found.append(list(range(FIRST_INDEXES)))
            elif via.key == "text":
                texts = [t for t in self._texts if 8 * len(t) == width]
                found.append([int.from_bytes(text, "big") for text in texts])
            elif width == 160:
                found.append(self._addresses)
            elif width <= 8:
                found.append(list(range(1 << width)))
            elif via.key == "sign":
                words = [*self._words, *(each - 4 + (1 << width) for each in range(4))]
                found.append([word for word in words if word >> width == 0])
            else:
                found.append([word for word in self._words if word >> width == 0])
        return found
