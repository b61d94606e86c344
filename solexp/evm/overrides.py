"""What a block of a simulation changes in the state before it begins: wealth, and code that stands for a while."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

Codes = Iterable[tuple[str, str]]
"""Accounts with the runtime code that is to stand there, both as hex with ``0x``."""


class Overrides:
    """Remembers what stands where from one block to the next."""

    def __init__(self, wealth: Mapping[str, int]) -> None:
        """``wealth`` is the wei that accounts have from the first block on."""
        self.standing: list[str] = []
        """Where tools stand: code that finds them would know that it is looked at."""
        self._wealth = wealth
        self._receiving: list[str] = []

    def changes(self, tools: Codes, receivers: Codes, *, kept: bool) -> str:
        """The next block's changes as JSON's members. Receivers stand in that block alone, tools in it and in those
        after it that are ``kept``."""
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for account, wei in self._wealth.items():
            found[account]["balance"] = hex(wei)
        self._wealth = {}
        gone = self._receiving if kept else [*self.standing, *self._receiving]
        for place in gone:
            found[place]["code"] = "0x"
        if not kept:
            self.standing = []
        self._receiving = []
        for codes, places in ((tools, self.standing), (receivers, self._receiving)):
            for place, code in codes:
                found[place]["code"] = code
                places.append(place)
        return ",".join(f'"{place}":{{{_members(fields)}}}' for place, fields in found.items())


def _members(fields: Mapping[str, str]) -> str:
    return ",".join(f'"{name}":"{value}"' for name, value in fields.items())
