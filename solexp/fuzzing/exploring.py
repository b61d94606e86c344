"""Trying sequences on the original: each batch is drawn from what the batches before it found new there.

Nothing of a candidate has a part in it, so that all candidates of a task are asked the same, and none can steer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple

import msgspec

from solexp.core import Call, CallResult, Program, Trace
from solexp.core.hashing import content_hash
from solexp.evm.deployed import NOTHING, Deployed
from solexp.evm.machine import Keys, Observation
from solexp.fuzzing.drawing import GAS, Sequences, Start, Step
from solexp.fuzzing.reference import Ending, Reference, ending
from solexp.fuzzing.settings import Constants, Entry, Settings, Unit
from solexp.fuzzing.values import STRANGERS, Pool

_BATCH = 24
_SLOTS = 48
"""Slots of storage, from the first on, that are looked through for values worth trying."""
_NAMED_SENDERS = 6
_SPECIAL = tuple(f"0x{number:040x}" for number in (0, 1, 9))
"""No account, one that is nobody's, and the contract of EIP-152, which takes no ether."""
_SPENT = "all gas used"
_SHOWN = 256
_SMALL = 12
_EXPLORED = 4
"""How many times as many calls the original of a contract gets as candidates are sent, at most."""
_FAILURES = 8
_TOLD = 32
_SLOTS_READ = 128


class Looked(NamedTuple):
    """What is known of an original before it is sent anything."""

    stated: Constants
    """What its source states."""
    accounts: list[str]
    """Accounts that it names."""
    words: list[str]
    """What it answers and stores, but zeros; 64 hex digits each."""


def look_through(
    original: Deployed, base: Program, getters: Iterable[Entry], stated: Constants
) -> Looked:
    """Ask an original that stands deployed all ``getters``, and read its first slots. Raises HarnessError."""
    stored = [each for each in original.storage(range(_SLOTS)) if int(each, 16)]
    told: list[str] = []
    start = base.deployment
    calls = [
        Call(
            sender=start.sender,
            input=f"0x{entry.selector}",
            gas=GAS,
            block_number=start.block_number + 1,
            timestamp=start.timestamp + 1,
        )
        for entry in getters
    ]
    programs = [msgspec.structs.replace(base, calls=(call,)) for call in calls]
    for trace in original.run(original.questions(programs)):
        for result in trace.calls:
            if result.status:
                told += _words(result.output[2:])
    # A slot may hold something small before an address.
    parts = [each for each in (*told, *stored) if each.startswith("0" * 20)]
    named = ["0x" + each[24:] for each in parts if int(each[24:], 16) >> 100]
    accounts = [each for each in dict.fromkeys(named) if each != original.address]
    return Looked(stated, accounts, [*told, *stored])


class _Sequence(NamedTuple):
    program: Program
    endings: tuple[Ending, ...]
    new: bool


def _best(found: Sequence[_Sequence], calls: int) -> list[_Sequence]:
    """As many sequences as make so many calls: those that did something new, and of the others the latest, which go on
    from most that is known."""
    order = [each for each in found if each.new]
    order += [each for each in reversed(found) if not each.new]
    kept = []
    for each in order:
        if calls <= 0:
            break
        ended = each.endings[:calls]
        program = msgspec.structs.replace(each.program, calls=each.program.calls[:calls])
        kept.append(each._replace(program=program, endings=ended))
        calls -= len(ended)
    return kept


class Explorer:
    """Finds the sequences of one unit on the original."""

    def __init__(
        self,
        original: Deployed,
        unit: Unit,
        settings: Settings,
        base: Program,
        known: Looked,
    ) -> None:
        """``original`` stands deployed as ``base`` says."""
        self._node = original
        self._settings = settings
        self._base = base
        assert original.address is not None
        random = Random(content_hash(settings.seed, unit.name, base.deployment))
        who = senders(base, settings.seed, known.accounts)
        self._pool = Pool(random, known.stated, who, (original.address, *_SPECIAL, *who))
        for each in known.words:
            self._pool.see(each)
            self._pool.stated.append(int(each, 16))
        # What is stored in the end is not compared here, but something new is worth going on from.
        original.observe(
            Observation(
                storage=True,
                keys=Keys(addresses=tuple(each[2:].rjust(64, "0") for each in who)),
                max_slots=_SLOTS_READ,
            )
        )
        self._sequences = Sequences(unit, settings, base, self._pool, random)
        self._news: set[object] = set()
        self._failures: dict[tuple[str, str, str], int] = {}
        self._costly = self._gas = 0

    def explore(self) -> Reference:
        """All sequences, as many calls as the settings say. Raises HarnessError when the node fails."""
        settings = self._settings
        # Of a contract's calls most fail. Those that do so for the hundredth time are not worth a candidate's time.
        most = settings.calls * (_EXPLORED if settings.scope == "contract" else 1)
        found: list[_Sequence] = []
        called = 0
        cut: str | None = None
        while called < most and cut is None:
            drawn: list[tuple[Step, ...]] = []
            while len(drawn) < _BATCH and called < most:
                drawn.append(self._sequences.next()[: most - called])
                called += len(drawn[-1])
            asked = [self._sequences.program(steps) for steps in drawn]
            traces = self._node.run(self._node.questions(asked))
            for steps, program, trace in zip(drawn, asked, traces, strict=False):
                if trace.stopped:
                    cut = trace.stopped
                    break
                places, new = self._learnt(steps, trace)
                if places:
                    calls = tuple(program.calls[place] for place in places)
                    ended = (ending(trace.calls[at], program.calls[at].gas or 0) for at in places)
                    found.append(
                        _Sequence(msgspec.structs.replace(program, calls=calls), tuple(ended), new)
                    )
            if cut is None and self._gas > settings.gas:
                cut = "gas"
        found = _best(found, settings.calls)
        self._node.observe(NOTHING)
        return Reference(
            programs=tuple(each.program for each in found),
            endings=tuple(each.endings for each in found),
            called=called,
            costly=self._costly,
            cut=cut,
        )

    def _learnt(self, steps: Sequence[Step], trace: Trace) -> tuple[list[int], bool]:
        """Learn from what the original did. The places of the calls that candidates are to be sent, and whether any of
        it was new.

        Those that failed changed nothing, so that the others do the same without them.
        """
        before = ""
        way: list[Step] = []
        new: list[Step] = []
        goal: Entry | None = None
        told: dict[int, None] = {}
        stored: dict[int, None] = {}
        kept: list[int] = []
        late = blocks = 0
        for place, (step, result) in enumerate(zip(steps, trace.calls, strict=True)):
            self._gas += result.gas_used
            signature = step.entry.signature
            late, blocks = late + step.seconds, blocks + step.blocks
            if _spent(result):
                self._sequences.costly[signature] = self._sequences.costly.get(signature, 0) + 1
                self._costly += 1
                continue
            if result.status or self._worth_it((before, signature, result.output[:_SHOWN])):
                kept.append(place)
            fresh = self._new(before, signature, result, told)
            if step.entry.view:
                self._sequences.looked(step.entry, (result.status, result.output))
            elif result.status:
                # Calls that fail, or only look, are not needed to get there again.
                way.append(step._replace(blocks=blocks, seconds=late))
                late = blocks = 0
                self._sequences.succeeded(step)
                before = signature
            if fresh:
                new, goal = list(way), step.entry
        if self._states(trace, stored):
            new = way
        if new:
            said, kept_words = tuple(told)[-_TOLD:], tuple(stored)[:_TOLD]
            start = Start(tuple(new), goal or new[-1].entry, said, kept_words)
            self._sequences.begun(start)
        return kept, bool(new)

    def _worth_it(self, failure: tuple[str, str, str]) -> bool:
        """Whether a failed call is sent to candidates: the first of its kind are, and some of the others."""
        count = self._failures.get(failure, 0)
        self._failures[failure] = count + 1
        return self._settings.scope == "function" or count < _FAILURES or count % 4 == 0

    def _new(self, before: str, signature: str, result: CallResult, told: dict[int, None]) -> bool:
        """Whether the original did something that it had not done before; numbers that it told are added."""
        features: list[object] = [(before, signature, result.status)]
        if not result.status:
            features.append((signature, result.output[:_SHOWN]))
        else:
            features.append((signature, len(result.output), _magnitude(result.output[2:66])))
            self._hear(result.output[2:], told)
            for log in result.logs:
                features.append((signature, log.topics[:1], _magnitude(log.data[2:66])))
                for topic in log.topics[1:]:
                    self._hear(topic[2:], told)
                self._hear(log.data[2:], told)
        return self._any_new(features)

    def _states(self, trace: Trace, told: dict[int, None]) -> bool:
        """The same for what is stored in the end."""
        features: list[object] = []
        for point in trace.checkpoints:
            for label, value in point.storage.items():
                features.append((label.partition("[")[0], _magnitude(value[2:])))
                self._hear(value[2:], told)
        return self._any_new(features)

    def _hear(self, digits: str, told: dict[int, None]) -> None:
        for number in self._pool.see(digits):
            told[number] = None

    def _any_new(self, features: Iterable[object]) -> bool:
        before = len(self._news)
        self._news.update(features)
        return len(self._news) > before


def settle(reference: Reference, others: Sequence[Trace]) -> Reference:
    """The reference without what the original, compiled otherwise, does otherwise: the calls from there on.

    What depends on gas, code or block hashes is no behaviour that a candidate could share.
    """
    programs, endings = [], []
    unstable = 0
    for place, (program, ended) in enumerate(
        zip(reference.programs, reference.endings, strict=True)
    ):
        count = len(ended)
        if place < len(others):
            results = zip(program.calls, others[place].calls, strict=False)
            other = [ending(result, call.gas or 0) for call, result in results]
            alike = (
                one.status == two.status and one.output == two.output and one.logs == two.logs
                for one, two in zip(ended, other, strict=False)
            )
            count = next((at for at, same in enumerate(alike) if not same), len(other))
        unstable += len(ended) - count
        if count:
            programs.append(msgspec.structs.replace(program, calls=program.calls[:count]))
            endings.append(ended[:count])
    return msgspec.structs.replace(
        reference, programs=tuple(programs), endings=tuple(endings), unstable=unstable
    )


def senders(base: Program, seed: int, named: Sequence[str]) -> list[str]:
    """Who sends calls: the deployer, those that the contract names itself, and accounts that mean nothing to it.

    The last depend on seed and deployment, so that a candidate cannot know them by heart.
    """
    deployment = base.deployment
    made = [
        "0x" + content_hash(seed, deployment, number)[:40] for number in range(1, 1 + STRANGERS)
    ]
    given = [
        "0x" + each[24:]
        for each in _words(deployment.constructor_args[2:])
        if each.startswith("0" * 24) and int(each, 16) >> 100
    ]
    also = list(dict.fromkeys((*given, *named)))[:_NAMED_SENDERS]
    return [*dict.fromkeys((deployment.sender, *also)), *made]


def _spent(result: CallResult) -> bool:
    return result.error == _SPENT


def _magnitude(digits: str) -> int:
    """A small number as it is, and of others roughly how big they are."""
    number = int(digits, 16) if len(digits) == 64 else 0
    return number if number < _SMALL else _SMALL + number.bit_length() // 32


def _words(data: str) -> Iterator[str]:
    return (data[at : at + 64] for at in range(0, min(len(data), 64 * 64) - 63, 64))
