"""Drawing sequences of calls."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

import msgspec

from solexp.core import Call, Program
from solexp.evm.encoding import calldata
from solexp.fuzzing.settings import FALLBACK, RECEIVE, Entry, Settings, Unit
from solexp.fuzzing.values import Draw, Pool, drawer, pick

GAS = 10_000_000
"""About the gas that each call may use, original and candidate alike, since code can ask what is left."""
GAS_SPREAD = 1 << 20
"""... give or take, so that a limit does not tell that this is a test."""

_PAUSES = (12, 60, 3600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400)
_LONGEST = 20 * 365 * 86_400
_BLOCK_S = 12
_KEPT_CALLS = 48


class Step(NamedTuple):
    """One call of a sequence, with the time that has passed since the one before."""

    entry: Entry
    sender: str
    values: tuple[Any, ...]
    value: int
    """Wei."""
    blocks: int
    seconds: int


class Sequences:
    """Draws the sequences of one unit; all that is random comes from ``random``."""

    def __init__(
        self, unit: Unit, settings: Settings, base: Program, pool: Pool, random: Random
    ) -> None:
        self.pool = pool
        self.corpus: list[tuple[Step, ...]] = []
        """Sequences that did something new, each up to where it did."""
        self.costly: dict[str, int] = {}
        """How often a function used up its gas, by signature."""
        self._succeeded: dict[str, list[Step]] = {}
        self._unit = unit
        self._length = settings.length
        self._base = base
        self._random = random
        every = (*unit.entries, *unit.views, RECEIVE, FALLBACK)
        self._draws: dict[str, list[Draw]] = {
            entry.signature: [drawer(kind, pool) for kind in entry.types] for entry in every
        }
        self._waits = [n for n in pool.numbers if 0 < n <= _LONGEST]

    def succeeded(self, step: Step) -> None:
        """Remember a call that the original accepts."""
        kept = self._succeeded.setdefault(step.entry.signature, [])
        if len(kept) < _KEPT_CALLS:
            kept.append(step)
        else:
            kept[int(self._random.random() * _KEPT_CALLS)] = step

    def next(self) -> tuple[Step, ...]:
        """The next sequence."""
        self.pool.begin()
        self.pool.now = self._base.deployment.timestamp
        if self.corpus and self._random.random() < 0.5:
            return self._mutated()
        steps: list[Step] = []
        while len(steps) < self._length:
            steps.append(self._step())
        return tuple(steps)

    def _mutated(self) -> tuple[Step, ...]:
        """A sequence of the corpus, changed in a few places and gone on with."""
        random = self._random
        newest = random.random() < 0.4
        among = self.corpus[-8:] if newest else self.corpus
        steps = list(pick(random, among))[: self._length]
        for step in steps:
            self._use(step)
        for _ in range(int(random.random() * 3)):
            at = int(random.random() * len(steps))
            self._change(steps, at)
        while len(steps) < self._length:
            steps.append(self._step())
        return tuple(steps[: self._length])

    def _use(self, step: Step) -> None:
        pool = self.pool
        pool.now += step.seconds
        pool.used_addresses.append(step.sender)
        for value in step.values:
            if isinstance(value, bool):
                continue
            if isinstance(value, int):
                pool.used_numbers.append(abs(value))
            elif isinstance(value, str) and value.startswith("0x") and len(value) == 42:
                pool.used_addresses.append(value)
            elif isinstance(value, bytes):
                pool.used_words.append(value)

    def _change(self, steps: list[Step], at: int) -> None:
        random = self._random
        step = steps[at]
        chance = random.random()
        if chance < 0.30:
            steps[at] = self._redrawn(step)
        elif chance < 0.45:
            steps[at] = step._replace(sender=self.pool.sender())
        elif chance < 0.60:
            steps.insert(at, self._step())
        elif chance < 0.72:
            steps.insert(at, step)
        elif chance < 0.82 and len(steps) > 1:
            del steps[at]
        elif chance < 0.92:
            other = int(random.random() * len(steps))
            steps[at], steps[other] = steps[other], steps[at]
        else:
            blocks, seconds = self._pause()
            steps[at] = step._replace(blocks=blocks, seconds=seconds)

    def _redrawn(self, step: Step) -> Step:
        """A call with one of its arguments, or its ether, drawn anew."""
        draws = self._draws[step.entry.signature]
        at = int(self._random.random() * (len(draws) + step.entry.payable))
        if at >= len(draws):
            return step._replace(value=self._ether(step.entry))
        values = list(step.values)
        values[at] = draws[at]()
        return step._replace(values=tuple(values))

    def _step(self) -> Step:
        random, pool = self._random, self.pool
        entry = self._entry()
        blocks, seconds = self._pause()
        pool.now += seconds
        known = self._succeeded.get(entry.signature)
        if known and random.random() < 0.25:
            step = pick(random, known)._replace(blocks=blocks, seconds=seconds)
            self._use(step)
            return self._redrawn(step) if random.random() < 0.5 else step
        sender = pool.sender()
        pool.used_addresses.append(sender)
        pool.cautious = self.costly.get(entry.signature, 0) > 2
        values = tuple(draw() for draw in self._draws[entry.signature])
        pool.cautious = False
        return Step(entry, sender, values, self._ether(entry), blocks, seconds)

    def _entry(self) -> Entry:
        unit, chance = self._unit, self._random.random()
        if unit.loose and chance < 0.04:
            return RECEIVE if chance < 0.03 else FALLBACK
        if unit.views and (chance < 0.30 or not unit.entries):
            return pick(self._random, unit.views)
        return pick(self._random, unit.entries)

    def _ether(self, entry: Entry) -> int:
        chance = self._random.random()
        if entry.payable or entry is RECEIVE:
            if chance < 0.25 and self.pool.used_numbers:
                return pick(self._random, self.pool.used_numbers) & ((1 << 79) - 1)
            return self.pool.ether()
        # What takes no ether should say so.
        return 1 if chance < 0.02 else 0

    def _pause(self) -> tuple[int, int]:
        """Blocks and seconds that pass before a call."""
        random = self._random
        chance = random.random()
        if chance < 0.55:
            return 0, 0
        if chance < 0.80:
            return 1, _BLOCK_S
        if chance < 0.90 or not (self._waits or self.pool.seen_numbers.values):
            seconds = pick(random, _PAUSES)
        elif chance < 0.96 and self._waits:
            seconds = pick(random, self._waits)
            if chance > 0.945:
                # Constants count blocks, too.
                return min(seconds, 1_000_000), min(seconds, 1_000_000) * _BLOCK_S
            seconds += int(random.random() * 3) - 1
        else:
            # Up to a moment that the original has named.
            ahead = [
                moment - self.pool.now
                for moment in self.pool.seen_numbers.values
                if 0 < moment - self.pool.now <= _LONGEST
            ]
            seconds = pick(random, ahead) + int(random.random() * 3) - 1 if ahead else _BLOCK_S
        seconds = max(1, seconds)
        return 1 + seconds // _BLOCK_S, seconds

    def program(self, steps: Sequence[Step]) -> Program:
        """A sequence as a program."""
        deployment = self._base.deployment
        number, time = deployment.block_number + 1, deployment.timestamp + _BLOCK_S
        calls = []
        for step in steps:
            number += step.blocks
            time += step.seconds
            entry = step.entry
            calls.append(
                Call(
                    sender=step.sender,
                    input="0x"
                    if not entry.selector
                    else calldata(entry.selector, entry.types, step.values),
                    value=step.value,
                    gas=GAS + (number * 0x9E3779B1 + time) % GAS_SPREAD,
                    block_number=number,
                    timestamp=time,
                )
            )
        return msgspec.structs.replace(self._base, calls=tuple(calls))
