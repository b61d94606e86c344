"""Trying sequences on the original: each batch is drawn from what the batches before it found new there.

Nothing of a candidate has a part in it, so that all candidates of a task are asked the same, and none can steer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

import msgspec

from solexp.core import Call, CallResult, Program, Trace
from solexp.core.hashing import content_hash
from solexp.evm.deployed import NOTHING, Deployed
from solexp.evm.machine import Keys, Observation
from solexp.evm.private import Limit
from solexp.fuzzing.directing import Choice, Directed
from solexp.fuzzing.drawing import Sequences, Start, Step
from solexp.fuzzing.looking import Looked, senders
from solexp.fuzzing.reference import Ending, Reference, ending
from solexp.fuzzing.settings import Entry, Settings, Unit
from solexp.fuzzing.tracing import Watching
from solexp.fuzzing.trails import Results, Trail, magnitude, steps_of
from solexp.fuzzing.values import Pool

_BATCH = 24
_ROUNDS = (40, 70)
"""Parts of the calls, in percent, after which the search with an aim goes on."""
_AIMED = 50
"""Most calls, in percent, that it makes."""
_PICKED: dict[Choice, int] = {"border": 20, "change": 30, "beside": 10, "again": 5}
"""Most of the calls that candidates are sent, in percent, that it has picked; what one leaves is for the next."""
_SPECIAL = tuple(f"0x{number:040x}" for number in (0, 1, 9))
"""No account, one that is nobody's, and the contract of EIP-152, which takes no ether."""
_SPENT = "all gas used"
_SHOWN = 256
_EXPLORED = 4
"""How many times as many calls the original of a contract gets as candidates are sent, at most."""
_FAILURES = 8
_TOLD = 32
_SLOTS_READ = 128


class _Sequence(NamedTuple):
    program: Program
    endings: tuple[Ending, ...]
    new: bool


def _best(
    found: Sequence[_Sequence],
    calls: int,
    picked: Mapping[Choice, Sequence[_Sequence]],
) -> list[_Sequence]:
    """As many sequences as make so many calls: of those ``picked`` with an aim as many as have a share, those that did
    something new, and of the others the latest, which go on from most that is known."""
    kept = []
    order: list[_Sequence] = []
    left = 0
    for why, share in _PICKED.items():
        left += calls * share // 100
        some = list(_share(picked[why], left))
        left -= sum(len(each.endings) for each in some)
        order += some
    order += [each for each in found if each.new]
    order += [each for each in reversed(found) if not each.new]
    for each in order:
        if calls <= 0:
            break
        ended = each.endings[:calls]
        program = msgspec.structs.replace(each.program, calls=each.program.calls[:calls])
        kept.append(each._replace(program=program, endings=ended))
        calls -= len(ended)
    return kept


def _share(found: Sequence[_Sequence], calls: int) -> Iterator[_Sequence]:
    for each in found:
        calls -= len(each.endings)
        if calls < 0:
            break
        yield each


class Explorer:
    """Finds the sequences of one unit on the original."""

    def __init__(
        self,
        original: Deployed,
        unit: Unit,
        settings: Settings,
        base: Program,
        known: Looked,
        *,
        history: Sequence[Call] = (),
    ) -> None:
        """``original`` stands deployed as ``base`` says. ``history`` are the calls of its task."""
        self._node = original
        self._settings = settings
        self._base = base
        assert original.address is not None
        random = Random(content_hash(settings.seed, unit.name, base.deployment))
        directed = settings.directed
        past: Trail = ()
        if directed and settings.corpus == "history":
            past = steps_of(base, history, (*unit.entries, *unit.views))
        who = senders(base, settings.seed, known.accounts, [step.sender for step in past])
        self._pool = Pool(random, known.stated, who, (original.address, *_SPECIAL, *who))
        for each in known.words:
            self._pool.see(each)
            self._pool.stated.append(int(each, 16))
        # What is stored in the end is not compared here, but something new is worth going on from.
        self._plan = Observation(
            storage=True,
            keys=Keys(addresses=tuple(each[2:].rjust(64, "0") for each in who)),
            max_slots=_SLOTS_READ,
        )
        original.observe(self._plan)
        self._sequences = Sequences(unit, settings, base, self._pool, random)
        self._news: set[object] = set()
        self._failures: dict[tuple[str, str, str], int] = {}
        self._costly = self._gas = self._called = self._aimed = 0
        # Of a contract's calls most fail. Those that do so for the hundredth time are not worth a candidate's time.
        self._most = settings.calls * (_EXPLORED if settings.scope == "contract" else 1)
        self._cut: str | None = None
        self._found: list[_Sequence] = []
        self._picked: dict[Choice, list[_Sequence]] = {why: [] for why in _PICKED}
        self._past = past
        self._directed: Directed | None = None
        if directed:
            self._directed = Directed(
                unit,
                settings,
                base,
                watching=Watching(original, who),
                sequences=self._sequences,
                random=random,
                ask=self._ask,
                pick=self._pick,
            )

    def explore(self) -> Reference:
        """All sequences, as many calls as the settings say. Raises HarnessError when the node fails."""
        if self._directed is not None:
            self._aim(self._directed.begin, self._past)
        rounds = [self._most * share // 100 for share in _ROUNDS]
        while self._called < self._most and self._cut is None:
            drawn: list[tuple[Step, ...]] = []
            called = self._called
            while len(drawn) < _BATCH and called < self._most:
                drawn.append(self._sequences.next()[: self._most - called])
                called += len(drawn[-1])
            for steps, program, trace in self._run(drawn):
                places, new = self._learnt(steps, trace)
                if places:
                    calls = tuple(program.calls[place] for place in places)
                    ended = (ending(trace.calls[at], program.calls[at].gas or 0) for at in places)
                    self._found.append(
                        _Sequence(msgspec.structs.replace(program, calls=calls), tuple(ended), new)
                    )
            if self._cut is None and self._gas > self._settings.gas:
                self._cut = "gas"
            if self._directed is not None and rounds and self._called >= rounds[0]:
                del rounds[0]
                self._aim(self._directed.round)
        found = _best(self._found, self._settings.calls, self._picked)
        self._node.observe(NOTHING)
        return Reference(
            programs=tuple(each.program for each in found),
            endings=tuple(each.endings for each in found),
            called=self._called,
            costly=self._costly,
            cut=self._cut,
        )

    def _aim(self, search: Callable[..., None], *given: object) -> None:
        if self._cut is None:
            # Behind a few calls there is little to be seen that is new, and reading it would take longer than they do.
            self._node.observe(NOTHING)
            try:
                search(*given)
            except Limit as limit:
                self._cut = str(limit)
            self._node.observe(self._plan)

    def _run(
        self, drawn: Sequence[tuple[Step, ...]]
    ) -> Iterator[tuple[tuple[Step, ...], Program, Trace]]:
        """What the original does in sequences, up to one in which it uses up a limit."""
        asked = [self._sequences.program(steps) for steps in drawn]
        self._called += sum(map(len, drawn))
        traces = self._node.run(self._node.questions(asked))
        for steps, program, trace in zip(drawn, asked, traces, strict=False):
            if trace.stopped:
                self._cut = trace.stopped
                break
            yield steps, program, trace

    def _ask(self, trails: Sequence[Trail]) -> list[Results]:
        """The same for trails, as long as there are calls left for them."""
        found: list[Results] = []
        for start in range(0, len(trails), _BATCH):
            some = trails[start : start + _BATCH]
            self._aimed += sum(map(len, some))
            spent = self._gas > self._settings.gas * 3 // 4
            if self._cut is not None or spent or self._aimed > self._most * _AIMED // 100:
                break
            for steps, _, trace in self._run(some):
                self._learnt(steps, trace)
                found.append(trace.calls)
        return found

    def _pick(self, trail: Trail, results: Results, why: Choice) -> None:
        """Have candidates be sent a trail, up to a call that uses up its gas."""
        count = next((at for at, each in enumerate(results) if _spent(each)), len(results))
        program = self._sequences.program(trail[:count])
        endings = tuple(
            ending(result, call.gas or 0)
            for result, call in zip(results, program.calls, strict=False)
        )
        if count:
            self._picked[why].append(_Sequence(program, endings, new=True))

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
                if self._directed is not None:
                    accepted = result.status and not step.entry.view
                    last = step._replace(blocks=blocks, seconds=late)
                    self._directed.offer(way if accepted else (*way, last), result)
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
            features.append((signature, len(result.output), magnitude(result.output[2:66])))
            self._hear(result.output[2:], told)
            for log in result.logs:
                features.append((signature, log.topics[:1], magnitude(log.data[2:66])))
                for topic in log.topics[1:]:
                    self._hear(topic[2:], told)
                self._hear(log.data[2:], told)
        return self._any_new(features)

    def _states(self, trace: Trace, told: dict[int, None]) -> bool:
        """The same for what is stored in the end."""
        features: list[object] = []
        for point in trace.checkpoints:
            for label, value in point.storage.items():
                features.append((label.partition("[")[0], magnitude(value[2:])))
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


def _spent(result: CallResult) -> bool:
    return result.error == _SPENT
