"""States that a program reaches, as the solver reads them: slots are fetched in batches, all states in one run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from solexp.core import Branched, Call, CallResult, HarnessError, Program, Trace
from solexp.core.hashing import content_hash
from solexp.evm.machine import Branch, Keys, Machine, Observation, Subject
from solexp.evm.observe import keys_in_play
from solexp.violations.witnesses.records import leading

SENDER_WEALTH = 10**27
"""Wei that every sender can send."""
MOST_ACCOUNTS = 12
MOST_KEYS = 32
MOST_TEXTS = 8

_PUSH_SELECTOR = 10


class ReachedState(msgspec.Struct, kw_only=True):
    """One state, a `solexp.violations.solidity.State`. What is asked for and not known yet is ``missing``."""

    after: int
    address: str
    block_number: int
    timestamp: int
    chain_id: int
    coinbase: str
    accounts: tuple[str, ...]
    keys: tuple[int | bytes, ...]
    contracts: frozenset[str]
    balance_here: int = 0
    immutables: dict[str, int] = {}
    words: dict[int, int] = {}
    touched: set[int] = set()
    """Slots read since this was last emptied."""

    @property
    def missing(self) -> set[int]:
        """Slots that were read before they were known, and passed for zero."""
        return self.touched - self.words.keys()

    def read(self, slot: int) -> int:
        """The storage at a slot."""
        self.touched.add(slot)
        return self.words.get(slot, 0)

    def balance(self, account: str) -> int:
        """Wei of an account; of a sender, what it can send."""
        return self.balance_here if account == self.address else SENDER_WEALTH

    def has_code(self, account: str) -> bool:
        """Whether a contract is known to be there; around the contract there are no others but its libraries."""
        return account == self.address or account in self.contracts

    def immutable(self, name: str) -> int | None:
        """An immutable's word; None where it is not known."""
        return self.immutables.get(name)


class Failure(NamedTuple):
    """A call of the program that fails."""

    place: int
    """How many calls succeed before it."""
    selector: str
    """8 hex digits, or fewer where the call has fewer."""
    output: str


class History:
    """A program on the original, and the states that it reaches.

    Calls that fail change nothing, and only those that succeed are made: so a candidate that accepts one which the
    original rejects is not led astray by it. Places count these calls alone.
    """

    def __init__(self, program: Program, original: Subject, machine: Machine) -> None:
        self._original = original
        self._machine = machine
        nothing = Observation(storage=False)
        [trace] = machine.run(program, [original], nothing)
        self.kept = tuple(place for place, result in enumerate(trace.calls) if result.status)
        self.failures = tuple(_failures(program, trace))
        """The calls that fail."""
        self._program = leading(program, self.kept)
        if len(self.kept) < len(trace.calls):
            [trace] = machine.run(self._program, [original], nothing)
        self.trace = trace
        """Of the calls that succeed."""
        self._keys = keys_in_play(program)
        self._accounts = _accounts(self._program, self._keys, trace.address or "")

    def successes(self) -> dict[str, list[int]]:
        """By selector (8 hex digits) of the contract's functions: the places of the calls that succeed."""
        found: dict[str, list[int]] = {}
        for place, (call, result) in enumerate(
            zip(self._program.calls, self.trace.calls, strict=False)
        ):
            if result.status and call.to in (None, self.trace.address):
                found.setdefault(call.input[2:_PUSH_SELECTOR], []).append(place)
        return found

    def states(self, places: Iterable[int], immutables: Mapping[str, int]) -> list[ReachedState]:
        """The states after so many calls, without those where the contract is gone; storage is not known yet."""
        wanted = sorted(set(places))
        found = [self._state(place, dict(immutables)) for place in wanted]
        trace = self.tried([Branch(place) for place in wanted])
        for state, branched in zip(found, trace.branches, strict=True):
            state.balance_here = branched.balance
        return [s for s, b in zip(found, trace.branches, strict=True) if b.alive]

    def fetch(self, states: Sequence[ReachedState]) -> bool:
        """Read what the states miss; False where they miss nothing."""
        asked = [
            (state, tuple(sorted(state.missing)))
            for state in sorted(states, key=lambda state: state.after)
            if state.missing
        ]
        if not asked:
            return False
        trace = self.tried([Branch(state.after, (), slots) for state, slots in asked])
        for (state, slots), branched in zip(asked, trace.branches, strict=True):
            state.words |= zip(slots, branched.words, strict=True)
        return True

    def results(self, tries: Sequence[tuple[int, tuple[Call, ...]]]) -> list[Branched]:
        """What calls from states do, by how many calls of the program lead there, in rising order."""
        return list(self.tried([Branch(after, calls) for after, calls in tries]).branches)

    def same(
        self, other: Subject, tries: Mapping[int, Sequence[Call]]
    ) -> dict[int, tuple[CallResult, ...]]:
        """What calls do on ``other``, by state, where the program leads it there as it leads the original."""
        order = sorted(tries)
        if not order:
            return {}
        branches = [Branch(after, tuple(tries[after])) for after in order]
        try:
            trace = self.tried(branches, other)
        except HarnessError:
            return {}
        if trace.address is None:
            return {}
        pairs = zip(self.trace.calls, trace.calls, strict=False)
        unlike = (at for at, (one, other_) in enumerate(pairs) if one.status != other_.status)
        limit = next(unlike, len(self._program.calls))
        return {b.after: b.calls for b in trace.branches if b.alive and b.after <= limit}

    def tried(self, branches: Sequence[Branch], subject: Subject | None = None) -> Trace:
        """The trace of the program, as far as the branches need it. Raises HarnessError where a limit cuts it short."""
        last = max((branch.after for branch in branches), default=0)
        program = msgspec.structs.replace(self._program, calls=self._program.calls[:last])
        plan = Observation(storage=False, branches=tuple(branches))
        [trace] = self._machine.run(program, [subject or self._original], plan)
        if trace.stopped or len(trace.branches) < len(branches):
            raise HarnessError(
                f"the original used up its {trace.stopped or 'run'} when calls were tried on it"
            )
        return trace

    def _state(self, after: int, immutables: dict[str, int]) -> ReachedState:
        program = self._program
        deployment = program.deployment
        last = program.calls[after - 1] if after else None
        assert self.trace.address is not None
        return ReachedState(
            after=after,
            address=self.trace.address,
            block_number=last.block_number if last else deployment.block_number,
            timestamp=last.timestamp if last else deployment.timestamp,
            chain_id=program.chain_id,
            coinbase=program.coinbase,
            accounts=self._accounts,
            keys=_keys(self._keys),
            contracts=frozenset(self._original.code_at),
            immutables=immutables,
            words={},
            touched=set(),
        )


def _failures(program: Program, trace: Trace) -> Iterator[Failure]:
    place = 0
    for call, result in zip(program.calls, trace.calls, strict=False):
        if result.status:
            place += 1
        elif call.to in (None, trace.address):
            yield Failure(place, call.input[2:_PUSH_SELECTOR], result.output)


def _accounts(program: Program, keys: Keys, address: str) -> tuple[str, ...]:
    """The deployer, the senders (most used first), and an account that is none of them."""
    senders = {call.sender for call in program.calls}
    known = ("0x" + key[24:] for key in keys.addresses)
    found = dict.fromkeys([program.deployment.sender, *(a for a in known if a in senders)])
    found.pop(address, None)
    return (*list(found)[:MOST_ACCOUNTS], _stranger(program))


def _stranger(program: Program) -> str:
    """An account that the program has not heard of; another for each, so that no candidate can know it."""
    return f"0x{content_hash(['stranger', program])[:40]}"


def _keys(keys: Keys) -> tuple[int | bytes, ...]:
    addresses = (int(key, 16) for key in keys.addresses[:MOST_KEYS])
    words = (int(key, 16) for key in keys.words[:MOST_KEYS])
    texts = (bytes.fromhex(text) for text in keys.texts[:MOST_TEXTS])
    return (*dict.fromkeys((*addresses, *words)), *texts)
