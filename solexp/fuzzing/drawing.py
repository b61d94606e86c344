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

PAUSES = (12, 60, 3600, 86_400, 7 * 86_400, 30 * 86_400, 365 * 86_400)
_RESTLESS = (0.02, 0.06, 0.12, 0.3)
_SHORTEST = 60
_MOST_BLOCKS = 1_000_000
_LONGEST = 20 * 365 * 86_400
BLOCK_S = 12
_KEPT_CALLS = 48
_KEPT_STARTS = 64


class Step(NamedTuple):
    """One call of a sequence, with the time that has passed since the one before."""

    entry: Entry
    sender: str
    values: tuple[Any, ...]
    value: int
    """Wei."""
    blocks: int
    seconds: int


class Start(NamedTuple):
    """Calls that succeed, and that led the original to something new."""

    steps: tuple[Step, ...]
    goal: Entry
    """What did something new, be it only that it failed otherwise."""
    said: tuple[int, ...]
    """What it answered and told in events meanwhile."""
    stored: tuple[int, ...]
    """What it stored."""


class Sequences:
    """Draws the sequences of one unit; all that is random comes from ``random``."""

    def __init__(
        self, unit: Unit, settings: Settings, base: Program, pool: Pool, random: Random
    ) -> None:
        self.pool = pool
        self._starts: dict[str, list[list[Any]]] = {}
        """By the signature of what was new; with how often each was gone on from."""
        self._answers: dict[str, object] = {}
        self._lively: dict[Entry, None] = {}
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
        self._last: Step | None = None
        self._restless = 0.1
        """How often much time passes before a call."""
        self._waits = [n for n in pool.numbers if _SHORTEST <= n <= _LONGEST]
        self._blocks = [n for n in pool.numbers if 1 < n <= _MOST_BLOCKS] or [1]

    def succeeded(self, step: Step) -> None:
        """Remember a call that the original accepts."""
        kept = self._succeeded.setdefault(step.entry.signature, [])
        if len(kept) < _KEPT_CALLS:
            kept.append(step)
        else:
            kept[int(self._random.random() * _KEPT_CALLS)] = step

    def lively(self) -> list[Entry]:
        """Views that do not always answer the same."""
        return list(self._lively)

    def begun(self, start: Start) -> None:
        """Remember how something new was reached, to go on from there."""
        kept = self._starts.setdefault(start.goal.signature, [])
        kept.append([0, start])
        if len(kept) > _KEPT_STARTS:
            del kept[int(self._random.random() * _KEPT_STARTS)]

    def looked(self, view: Entry, answer: object) -> None:
        """Remember what a view answers: one that never answers anything else is not worth asking."""
        if self._answers.setdefault(view.signature, answer) != answer:
            self._lively.setdefault(view)

    def next(self) -> tuple[Step, ...]:
        """The next sequence."""
        pool, random = self.pool, self._random
        pool.begin()
        pool.now = self._base.deployment.timestamp
        self._last = None
        self._restless = pick(random, _RESTLESS)
        looks = self._looks() if random.random() < 0.75 else 0
        steps = self._going_on(self._length - looks) if random.random() < 0.7 else []
        while len(steps) < self._length - looks:
            steps.append(self._step(self._entry(0.25 if not looks else 0.06)))
        # What the calls have done is best seen behind them all.
        views = list(self._lively) if random.random() < 0.9 else self._unit.views
        views = views or self._unit.views
        start = int(random.random() * len(views)) if looks else 0
        for number in range(looks):
            steps.append(self._step(views[(start + number) % len(views)]))
        return tuple(steps)

    def _looks(self) -> int:
        """How many calls at the end of a sequence look at the state."""
        return min(len(self._unit.views), self._length // 3)

    def _going_on(self, length: int) -> list[Step]:
        """Calls that have led to something new, some of them changed."""
        random, pool = self._random, self.pool
        if not self._starts:
            return []
        # Each function has its turn, however seldom it did anything.
        among = self._starts[pick(random, list(self._starts))]
        chosen = min((pick(random, among) for _ in range(3)), key=lambda each: each[0])
        chosen[0] += 1
        start: Start = chosen[1]
        steps = list(start.steps)[:length]
        pool.said = list(start.said)
        pool.told = [*start.said, *start.stored]
        for step in steps:
            self._use(step)
        self._last = steps[-1]
        if random.random() < 0.6:
            for _ in range(1 + int(random.random() * 2)):
                self._change(steps, int(random.random() * len(steps)))
        if random.random() < 0.35:
            # Once more, which is often once too many.
            again = pick(random, start.steps)._replace(blocks=0, seconds=0)
            steps.append(again if random.random() < 0.7 else again._replace(sender=pool.sender()))
        if random.random() < 0.6:
            # It may do more, now that it does this.
            steps += [self._step(start.goal) for _ in range(1 + int(random.random() * 4))]
        return steps[:length]

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
        elif chance < 0.40:
            steps[at] = step._replace(sender=self.pool.sender())
        elif chance < 0.50:
            # Would somebody else have been let?
            steps.insert(at, step._replace(sender=self.pool.sender()))
            steps[at + 1] = step._replace(blocks=0, seconds=0)
        elif chance < 0.62:
            steps.insert(at, self._step(self._entry(0.1)))
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

    def _step(self, entry: Entry) -> Step:
        random, pool = self._random, self.pool
        blocks, seconds = self._pause()
        pool.now += seconds
        known = self._succeeded.get(entry.signature)
        if known and random.random() < 0.45:
            step = pick(random, known)._replace(blocks=blocks, seconds=seconds)
            chance = random.random()
            if chance < 0.45:
                step = step._replace(sender=self._answering() or pool.sender())
            elif chance < 0.8:
                step = self._redrawn(step)
            self._use(step)
            pool.now -= seconds
            if not entry.view:
                self._last = step
            return step
        sender = self._answering() or pool.sender()
        pool.used_addresses.append(sender)
        pool.cautious = self.costly.get(entry.signature, 0) > 2
        values = tuple(draw() for draw in self._draws[entry.signature])
        pool.cautious = False
        step = Step(entry, sender, values, self._ether(entry), blocks, seconds)
        if not entry.view:
            self._last = step
        return step

    def _answering(self) -> str | None:
        """Somebody whom the last call named, who may then act upon who made it; None for anybody."""
        pool, last = self.pool, self._last
        pool.about = None
        if last is None or self._random.random() > 0.4:
            return None
        named = [each for each in last.values if each in pool.senders]
        pool.about = last.sender
        return pick(self._random, named) if named else None

    def _entry(self, views: float) -> Entry:
        """What is called next; a view with this probability."""
        unit, chance = self._unit, self._random.random()
        if unit.loose and chance < 0.04:
            return RECEIVE if chance < 0.03 else FALLBACK
        if unit.views and (chance < 0.04 + views or not unit.entries):
            return pick(self._random, list(self._lively) or unit.views)
        return pick(self._random, unit.entries)

    def _ether(self, entry: Entry) -> int:
        chance = self._random.random()
        if entry.payable or entry is RECEIVE:
            return self.pool.ether()
        # What takes no ether should say so.
        return 1 if chance < 0.02 else 0

    def _pause(self) -> tuple[int, int]:
        """Blocks and seconds that pass before a call."""
        random = self._random
        if random.random() > self._restless:
            return (0, 0) if random.random() < 0.7 else (1, BLOCK_S)
        chance = random.random()
        if chance < 0.3:
            seconds = pick(random, PAUSES)
        elif chance < 0.65 and self._waits:
            if chance < 0.35:
                # Constants count blocks, too.
                blocks = pick(random, self._blocks)
                return blocks, blocks * BLOCK_S
            seconds = pick(random, self._waits) + int(random.random() * 3) - 1
        else:
            # Up to a moment that the original has named.
            told = self.pool.told or self.pool.stated
            ahead = [each - self.pool.now for each in told if 0 < each - self.pool.now <= _LONGEST]
            seconds = pick(random, ahead or PAUSES) + int(random.random() * 3) - 1
        seconds = max(1, seconds)
        return 1 + seconds // BLOCK_S, seconds

    def program(self, steps: Sequence[Step]) -> Program:
        """A sequence as a program."""
        return program(self._base, steps)


def program(base: Program, steps: Sequence[Step]) -> Program:
    """Calls as a program that begins as ``base`` does."""
    deployment = base.deployment
    number, time = deployment.block_number + 1, deployment.timestamp + BLOCK_S
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
    return msgspec.structs.replace(base, calls=tuple(calls))
