"""Calls worth trying for an event: what the graph proposes, what was recorded, what worked before, and drawn values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from solexp.core import Call, ContractBuild, Program
from solexp.core.errors import UserError
from solexp.core.hashing import content_hash
from solexp.dcr.arguments import values_of
from solexp.dcr.graph import Event
from solexp.evm.abi import decoded
from solexp.evm.encoding import calldata
from solexp.fuzzing.settings import FALLBACK, RECEIVE, Constants, Entry, can_be_drawn, entries
from solexp.fuzzing.values import Draw, Pool, drawer, pick

SENDERS = 8
"""Accounts that send calls, the deployer first."""
_KEPT = 24
_NAMED = 3
_OWNERS = re.compile(r"owner|deployer|admin|governor|creator|minter|operator|authority", re.I)
_PEOPLE = re.compile(r"(?:user|account|addr|address|person|party|holder|player)[ _-]?(\d+)", re.I)
_NAMES = ("alice", "bob", "carol", "dave", "erin", "frank", "grace")


class Draft(NamedTuple):
    """A call without its place in time."""

    sender: str
    value: int
    input: str
    timestamp: int = 0
    """Seconds since 1970 before which it is not to be made; 0 for any time."""


class Drafts:
    """Where the calls of each event come from; all that is random comes from ``random``."""

    def __init__(
        self,
        contract: ContractBuild,
        base: Program,
        known: Constants,
        random: Random,
        *,
        address: str,
        named: Sequence[str] = (),
    ) -> None:
        """``base`` holds the recorded calls; ``address`` is the contract's own, ``named`` are accounts it names."""
        self.random = random
        self.senders = senders(base, named)
        self.pool = Pool(random, known, self.senders, (*self.senders, address, "0x" + "0" * 40))
        self.entries = {entry.signature: entry for entry in entries(contract) if not entry.view}
        self.entries |= {RECEIVE.signature: RECEIVE, FALLBACK.signature: FALLBACK}
        self._address = address
        self.life = _life(base.calls, address, self.entries)
        """Recorded calls with their functions, in order, each not before its time."""
        self._history = _recorded(self.life)
        self._worked: dict[str, list[Draft]] = {}
        self._draws: dict[str, list[Draw]] = {}

    def known(self, event: Event) -> bool:
        """Whether the contract has the event's function."""
        return event.function in self.entries

    def account(self, word: str) -> str:
        """The address that a word stands for: the deployer for a ruler's, another account for each other."""
        plain = word.strip().lower()
        if plain in ("this", "self", "contract", "address(this)"):
            return self._address
        if plain in ("zero", "null", "address(0)"):
            return "0x" + "0" * 40
        others = self.senders[1:]
        if plain in _NAMES:
            return others[_NAMES.index(plain) % len(others)]
        numbered = _PEOPLE.fullmatch(plain)
        if numbered:
            return others[int(numbered[1]) % len(others)]
        if _OWNERS.search(plain):
            return self.senders[0]
        return others[int(content_hash(plain)[:8], 16) % len(others)]

    def proposed(self, event: Event) -> list[Draft]:
        """The graph's own arguments, by every sender who may be meant."""
        entry = self.entries[event.function]
        lists: Sequence[Sequence[str]] = event.arguments or (() if entry.types else ((),))
        value = int(event.value or 0)
        found = []
        for texts in lists:
            try:
                values = values_of(entry.types, texts, self.account)
            except (UserError, ValueError):
                continue
            found += [Draft(who, value, self._input(entry, values)) for who in self.callers(event)]
        return found

    def callers(self, event: Event) -> list[str]:
        """Senders for an event, the likeliest first."""
        if event.sender is None:
            others = list(self.senders)
            self.random.shuffle(others)
            return others
        named = event.sender.lower()
        first = named if named.startswith("0x") else self.account(named)
        return [first, *(who for who in self.senders if who != first)]

    def recorded(self, event: Event) -> list[Draft]:
        """Calls of the event's function that were recorded, each once, in an order of chance."""
        found = list(self._history.get(event.function, ()))
        self.random.shuffle(found)
        return found[:_KEPT]

    def worked(self, event: Event) -> list[Draft]:
        """Calls of this event that succeeded before, some of them a little changed."""
        random = self.random
        found = []
        known = self._worked.get(event.id, [])
        for _ in range(min(4, len(known))):
            draft = pick(random, known)
            chance = random.random()
            if chance < 0.4:
                draft = draft._replace(sender=pick(random, self.senders))
            elif chance < 0.8:
                draft = self._changed(self.entries[event.function], draft)
            found.append(draft._replace(timestamp=0))
        return found

    def drawn(self, event: Event, count: int) -> list[Draft]:
        """Drawn calls."""
        entry = self.entries[event.function]
        if not all(map(can_be_drawn, entry.types)):
            return []
        return [self._drawn(event, entry) for _ in range(count)]

    def remember(self, event: Event, draft: Draft) -> None:
        """A call of the event has succeeded."""
        kept = self._worked.setdefault(event.id, [])
        if draft in kept:
            return
        if len(kept) < _KEPT:
            kept.append(draft)
        else:
            kept[int(self.random.random() * _KEPT)] = draft

    def _drawn(self, event: Event, entry: Entry) -> Draft:
        random, pool = self.random, self.pool
        pool.begin()
        sender = pool.sender()
        if event.sender is not None and random.random() < 0.8:
            sender = self.callers(event)[0]
        pool.used_addresses.append(sender)
        values = tuple(draw() for draw in self._drawers(entry))
        value = int(event.value or 0)
        if not event.value and _takes_ether(entry):
            value = pool.ether()
        return Draft(sender, value, self._input(entry, values))

    def _drawers(self, entry: Entry) -> list[Draw]:
        if entry.signature not in self._draws:
            self._draws[entry.signature] = [drawer(kind, self.pool) for kind in entry.types]
        return self._draws[entry.signature]

    def _changed(self, entry: Entry, draft: Draft) -> Draft:
        """The call with one argument, or its ether, drawn anew."""
        random = self.random
        drawable = all(map(can_be_drawn, entry.types))
        places = len(entry.types) if drawable else 0
        at = int(random.random() * (places + _takes_ether(entry)))
        if at >= places:
            return draft._replace(value=self.pool.ether()) if _takes_ether(entry) else draft
        values = decoded(list(entry.types), draft.input[10:])
        if values is None:
            return draft
        self.pool.begin()
        fresh = self._drawers(entry)[at]()
        changed = (*values[:at], fresh, *values[at + 1 :])
        return draft._replace(input=self._input(entry, changed))

    @staticmethod
    def _input(entry: Entry, values: Sequence[Any]) -> str:
        return calldata(entry.selector, entry.types, values) if entry.selector else "0x"


def _takes_ether(entry: Entry) -> bool:
    return entry.payable or entry in (RECEIVE, FALLBACK)


def senders(base: Program, named: Sequence[str] = ()) -> list[str]:
    """Who sends calls: the deployer, accounts of the constructor's arguments and ``named`` ones, the senders of
    recorded calls (most used first), and strangers that depend on the deployment, so that nobody can know them.
    """
    counted: dict[str, int] = {}
    for call in base.calls:
        counted[call.sender] = counted.get(call.sender, 0) + 1
    deployment = base.deployment
    data = deployment.constructor_args[2:]
    words = (data[at : at + 64] for at in range(0, min(len(data), 64 * 64) - 63, 64))
    given = ["0x" + each[24:] for each in words if _is_account(each)]
    used = sorted(counted, key=lambda who: (-counted[who], who))
    found = list(dict.fromkeys((deployment.sender, *given[:_NAMED], *named[:_NAMED], *used)))
    strangers = (f"0x{content_hash('account', deployment, place)[:40]}" for place in range(SENDERS))
    return [*found[: SENDERS - 2], *strangers][:SENDERS]


def accounts_in(words: Iterable[int]) -> list[str]:
    """Addresses that words of storage may be, each once."""
    texts = (f"{word:064x}" for word in words)
    return list(dict.fromkeys("0x" + each[24:] for each in texts if _is_account(each)))


def _is_account(word: str) -> bool:
    # A slot may hold something small before an address.
    return word.startswith("0" * 20) and bool(int(word[24:], 16) >> 100)


def _life(
    calls: Sequence[Call], address: str, known: dict[str, Entry]
) -> tuple[tuple[str, Draft], ...]:
    selectors = {entry.selector: entry.signature for entry in known.values() if entry.selector}
    found = []
    for call in calls:
        if call.to in (None, address):
            signature = selectors.get(call.input[2:10])
            if signature is None:
                signature = (RECEIVE if call.input == "0x" else FALLBACK).signature
            found.append((signature, Draft(call.sender, call.value, call.input, call.timestamp)))
    return tuple(found)


def _recorded(life: Iterable[tuple[str, Draft]]) -> dict[str, tuple[Draft, ...]]:
    found: dict[str, dict[Draft, None]] = {}
    for signature, dated in life:
        draft = dated._replace(timestamp=0)
        found.setdefault(signature, {})[draft] = None
        if draft.input == "0x":
            # Contracts without a receive() take it by their fallback().
            found.setdefault(FALLBACK.signature, {})[draft] = None
    return {signature: tuple(drafts) for signature, drafts in found.items()}


def times(constants: Constants, seen: Sequence[int], now: int, most: int) -> Iterator[int]:
    """Moments (seconds since 1970) that may matter, from early to late, at most ``most`` seconds after ``now``."""
    lengths = {number for number in constants.numbers if 0 < number <= most}
    lengths |= {60, 3600, 86_400, 7 * 86_400, 30 * 86_400, 91 * 86_400, 366 * 86_400}
    moments = {now + length + 1 for length in lengths if length <= most}
    moments |= {moment + extra for moment in seen for extra in (0, 1)}
    yield from sorted(moment for moment in moments if now < moment <= now + most)
