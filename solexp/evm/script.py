"""Writing a program as one ``eth_simulateV1`` request (Ethereum execution-apis, ``eth_simulateV1``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from solexp.core import Call, Program
from solexp.evm.assembly import PROBE, READER, SIZE, old_trial, trial, undoing
from solexp.evm.hardforks import at_least, intrinsic_gas
from solexp.evm.machine import BLOCK_GAS, Branch, Observation, Surroundings
from solexp.evm.overrides import Overrides
from solexp.evm.receiving import codes_of
from solexp.evm.words import word

PROBE_ADDRESS = "0x5e1ec7ed000000000000000000000000000b5e17"
SIZE_ADDRESS = "0x5e1ec7ed00000000000000000000000000051ce5"
TRIAL_ADDRESS = "0x5e1ec7ed000000000000000000000000000771a1"
UNDOING_ADDRESS = "0x5e1ec7ed0000000000000000000000000000d01e"
_READ_GAS = 200_000_000_000
_PROBE_GAS = 5_000_000
_LONG_INPUT = 4096

READ, RESTORE, INSTALL = 0, 1, 2
"""Places in a script that differ from subject to subject: what to read, the code to put back, and to put at first."""
TRIAL = 3
"""Stands for code that is the same for all subjects: what runs a subject's own and undoes it."""
_TRIAL = trial(TRIAL_ADDRESS)
_OLD_TRIAL = old_trial(TRIAL_ADDRESS, UNDOING_ADDRESS)
_USUAL = Surroundings()


@dataclass(frozen=True)
class Reading:
    """The state is read after the first ``after`` calls of the program."""

    after: int


@dataclass(frozen=True)
class Branching:
    """A branch leaves the program after so many calls; ``blocks`` of the answer are its own."""

    branch: Branch
    blocks: tuple[int, ...]
    """How many calls each of the trial's blocks holds, the two blocks before them aside."""

    @property
    def after(self) -> int:
        """Calls of the program before it."""
        return self.branch.after


@dataclass(frozen=True)
class Script:
    """A request with places left open, and the order in which its answer comes."""

    pieces: tuple[bytes | str | int, ...]
    """Text of the request; long calldata are the program's own strings, never copied."""
    steps: tuple[tuple[int, ...] | Reading | Branching, ...]
    """What each block of the answer belongs to: indices of calls, a reading (which takes two blocks), or a branch."""
    invalid: frozenset[int]
    """Calls that no block could hold, since they cannot pay for their own data; they are not sent."""
    skip: int
    """Blocks of the answer before the first step's."""

    def body(self, read: str, code: str, dead_from: int | None = None) -> list[bytes | str]:
        """The request's body for one subject: calldata of its reading, and its runtime code.

        A contract that has destroyed itself must not be brought back: ``dead_from`` is the first reading that met none.
        """
        readings = iter(step.after for step in self.steps if not isinstance(step, tuple))
        body: list[bytes | str] = []
        for piece in self.pieces:
            if not isinstance(piece, int):
                body.append(piece)
            elif piece == READ:
                body.append(read)
            elif piece == INSTALL:
                body.append(code)
            else:
                after = next(readings)
                alive = dead_from is None or after < dead_from
                body.append(code if alive else "0x")
        return body


def write(
    program: Program,
    address: str,
    gas: Sequence[int],
    plan: Observation,
    hardfork: str,
    *,
    stop: int | None = None,
    block: str = "latest",
    distinct_blocks: bool = False,
    prelude: str | None = None,
    surroundings: Surroundings = _USUAL,
) -> Script:
    """The request that runs ``calls[:stop]`` on the contract at ``address`` and reads its state as planned.

    ``gas`` is the limit of each call. With ``distinct_blocks``, for nodes that insist on rising block numbers, the
    state is read in between only where the recorded numbers leave room. ``prelude`` is a block (JSON) in which the
    contract's constructor runs in its place; the contract's code is then put there first.
    """
    stop = len(program.calls) if stop is None else stop
    writer = _Writer(
        *(program, address, gas, plan),
        hardfork=hardfork,
        stop=stop,
        distinct_blocks=distinct_blocks,
        surroundings=surroundings,
    )
    return writer.write(block, prelude)


class _Writer:
    def __init__(
        self,
        program: Program,
        address: str,
        gas: Sequence[int],
        plan: Observation,
        *,
        hardfork: str,
        stop: int,
        distinct_blocks: bool,
        surroundings: Surroundings,
    ) -> None:
        self._surroundings = surroundings
        self._price = hex(surroundings.gas_price)
        self._program = program
        self._address = address
        self._gas = gas
        self._plan = plan
        self._hardfork = hardfork
        self._stop = stop
        self._distinct = distinct_blocks
        self._merged = at_least(hardfork, "paris")
        self._static = at_least(hardfork, "byzantium")
        self._text: list[str] = []
        self._pieces: list[bytes | str | int] = []
        self._steps: list[tuple[int, ...] | Reading | Branching] = []
        self._branches = list(plan.branches)
        self._invalid: set[int] = set()
        self._overrides = Overrides(self._wealth())
        self._number = -1
        self._due: int | None = None

    def write(self, block: str, prelude: str | None = None) -> Script:
        self._text.append(
            '{"jsonrpc":"2.0","id":1,"method":"eth_simulateV1","params":[{"blockStateCalls":['
        )
        if prelude is not None:
            self._text.append(prelude + ",")
            self._number = self._program.deployment.block_number
            self._due = INSTALL
        calls = self._program.calls
        every = self._plan.checkpoint_every or 0
        at = 0
        self._branch(0)
        while at < self._stop:
            first = calls[at]
            end = at + 1
            while end < self._stop and _same_block(first, calls[end]):
                end += 1
            while at < end:
                due = end if not every or self._distinct else min(end, at - at % every + every)
                if self._branches:
                    due = min(due, self._branches[0].after)
                self._block(range(at, due))
                self._branch(due)
                passed = every and due // every > at // every
                if passed and due < self._stop and self._room(due):
                    self._reading(due)
                at = due
        if self._plan.at_end:
            self._reading(self._stop)
        checked = "true" if self._surroundings.base_fee else "false"
        self._text.append(f'],"validation":{checked},"traceTransfers":false}},"{block}"]}}')
        self._flush()
        return Script(
            tuple(self._pieces),
            tuple(self._steps),
            frozenset(self._invalid),
            skip=int(prelude is not None),
        )

    def _room(self, at: int) -> bool:
        # A reading takes two blocks of its own.
        calls = self._program.calls
        return not self._distinct or calls[at].block_number > calls[at - 1].block_number + 2

    def _block(self, indices: range) -> None:
        calls = self._program.calls
        sent: list[int] = []
        for index in indices:
            call = calls[index]
            gas = self._gas[index]
            # Cheap bound first: counting zero bytes of every call would cost more than running it.
            if gas < 21_000 + 34 * len(call.input) and gas < intrinsic_gas(
                call.input, self._hardfork
            ):
                self._invalid.add(index)
                continue
            if sent:
                self._text.append(",")
            else:
                wanted = sum(self._gas[place] for place in indices)
                self._open(call, code=self._take_due(), gas=wanted, own=True)
            value = f'"value":"{call.value:#x}",' if call.value else ""
            head = (
                f'{{"from":"{call.sender}","to":"{call.to or self._address}","gas":"{gas:#x}",'
                f'"gasPrice":"{self._price}",{value}"input":"'
            )
            if len(call.input) < _LONG_INPUT:
                self._text.append(f'{head}{call.input}"}}')
            else:
                self._text.append(head)
                self._flush()
                self._pieces.append(call.input)
                self._text.append('"}')
            sent.append(index)
        if sent:
            self._text.append("]}")
            self._steps.append(tuple(sent))

    def _open(
        self,
        like: Call | None,
        code: int | None = None,
        *,
        gas: int | None = None,
        tools: tuple[tuple[str, str], ...] = (),
        kept: bool = False,
        own: bool = False,
    ) -> None:
        """Begin a block at the place and time of ``like``, up to its list of calls.

        ``gas`` is what its calls may use together, None for those that only read. ``tools`` stand in this block alone,
        and in those after it that are opened with ``kept``: code that finds them would know that it is looked at. The
        block is the call's ``own``: its receivers stand in it.
        """
        program = self._program
        number = like.block_number if like else program.deployment.block_number
        if self._distinct and number <= self._number:
            number = self._number + 1
        self._number = number
        time = like.timestamp if like else program.deployment.timestamp
        comma = "," if self._steps else ""
        fee = self._surroundings.base_fee
        block_gas = BLOCK_GAS if gas is None else max(self._surroundings.block_gas, gas)
        # Whoever reads pays no fees.
        base_fee = (fee if gas is not None else 0) if fee else program.base_fee
        self._text.append(
            f'{comma}{{"blockOverrides":{{"number":"{number:#x}","time":"{time:#x}",'
            f'"gasLimit":"{block_gas:#x}","feeRecipient":"{program.coinbase}",'
            f'"baseFeePerGas":"{base_fee:#x}",{self._randomness(number)}}},'
        )
        changes = self._overrides.changes(tools, codes_of(like) if own and like else (), kept=kept)
        if changes or code is not None:
            self._text.append(f'"stateOverrides":{{{changes}')
            if code is not None:
                comma = "," if changes else ""
                self._text.append(f'{comma}"{self._address}":{{"code":"')
                self._code(code)
                self._text.append('"}')
            if code == TRIAL:
                self._overrides.standing.append(TRIAL_ADDRESS)
                self._text.append(f',"{TRIAL_ADDRESS}":{{"code":"')
                self._code(INSTALL)
                self._text.append('"}')
            self._text.append("},")
        self._text.append('"calls":[')

    def _code(self, which: int) -> None:
        if which == READ:
            self._text.append(READER)
        elif which == TRIAL:
            self._text.append(_TRIAL if self._static else _OLD_TRIAL)
        else:
            self._flush()
            self._pieces.append(which)

    def _randomness(self, number: int) -> str:
        name = "prevRandao" if self._merged else "difficulty"
        if self._program.prevrandao is not None:
            return f'"{name}":"{self._program.prevrandao}"'
        return f'"{name}":"0x{word(randomness(number, self._merged))}"'

    def _reading(self, after: int) -> None:
        like = self._program.calls[after - 1] if after else None
        head = self._reader()
        probe = f'{{"from":"{PROBE_ADDRESS}","gas":"{_PROBE_GAS:#x}","gasPrice":"0x0","to":'
        target = "0" * 24 + self._address[2:]
        asked = [f'{head}"{SIZE_ADDRESS}","input":"0x{target}"}}']
        for getter in self._plan.getters:
            # Through the probe a "view" that writes after all can only fail. Before Byzantium there is no such call.
            if self._static:
                asked.append(f'{probe}"{PROBE_ADDRESS}","input":"0x{target}{getter.input[2:]}"}}')
            else:
                asked.append(f'{probe}"{self._address}","input":"{getter.input}"}}')
        tools = ((PROBE_ADDRESS, PROBE), (SIZE_ADDRESS, SIZE))
        self._open(like, code=self._take_due(), tools=tools if self._plan.getters else tools[1:])
        self._text.append(",".join(asked) + "]}")
        self._steps.append(Reading(after))
        self._open(like, code=READ)
        self._text.append(f'{head}"{self._address}","input":"')
        self._flush()
        self._pieces.append(READ)
        self._text.append('"}]}')
        self._due = RESTORE

    def _reader(self) -> str:
        """A call that reads; it comes from an account that the contract knows anyway."""
        sender = self._program.deployment.sender
        return f'{{"from":"{sender}","gas":"{_READ_GAS:#x}","gasPrice":"0x0","to":'

    def _branch(self, after: int) -> None:
        """The branches from here: is there a contract, what does its storage hold, and what would each call do."""
        while self._branches and self._branches[0].after == after:
            branch = self._branches.pop(0)
            like = self._program.calls[after - 1] if after else None
            head = self._reader()
            target = "0" * 24 + self._address[2:]
            self._open(like, code=self._take_due(), tools=((SIZE_ADDRESS, SIZE),))
            self._text.append(f'{head}"{SIZE_ADDRESS}","input":"0x{target}"}}]}}')
            # From here on the answer has something in front, so that the next block follows a comma.
            self._steps.append(Branching(branch, ()))
            self._open(like, code=READ)
            slots = "".join(map(word, (0, 0, len(branch.slots), 0, *branch.slots)))
            self._text.append(f'{head}"{self._address}","input":"0x{slots}"}}]}}')
            self._due = RESTORE
            self._steps[-1] = Branching(branch, self._tries(branch))

    def _tries(self, branch: Branch) -> tuple[int, ...]:
        """The calls of a branch; how many each block holds."""
        blocks: list[int] = []
        opened: Call | None = None
        tools = ((UNDOING_ADDRESS, undoing(TRIAL_ADDRESS)),) if not self._static else ()
        together = sum(call.gas or 0 for call in branch.calls)
        for call in branch.calls:
            gas = call.gas or 0
            if opened is not None and _same_block(opened, call):
                self._text.append(",")
                blocks[-1] += 1
            else:
                if opened is not None:
                    self._text.append("]}")
                if not branch.undone:
                    self._open(call, code=self._take_due(), gas=together, own=True)
                elif opened is None:
                    self._open(call, code=TRIAL, tools=tools, own=True)
                else:
                    self._open(call, kept=True, own=True)
                opened = call
                blocks.append(1)
            self._text.append(
                f'{{"from":"{call.sender}","to":"{self._address}","gas":"{gas:#x}",'
                f'"gasPrice":"{self._price}","value":"{call.value:#x}","input":"{call.input}"}}'
            )
        if opened is not None:
            self._text.append("]}")
        return tuple(blocks)

    def _take_due(self) -> int | None:
        due, self._due = self._due, None
        return due

    def _wealth(self) -> dict[str, int]:
        calls = self._program.calls
        wealth = self._surroundings.wealth + sum(call.value for call in calls)
        tried = (call for branch in self._plan.branches for call in branch.calls)
        senders = {call.sender: wealth for call in (*calls, *tried)}
        senders.pop(self._address, None)
        return senders

    def _flush(self) -> None:
        if self._text:
            self._pieces.append("".join(self._text).encode())
            self._text = []


def randomness(number: int, merged: bool) -> int:
    """A block's prevrandao (or, before the merge, its difficulty) where the program names none.

    Fixed by the block's number, so that every subject and every run sees the same.
    """
    mixed = (number + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC8341082276BF3A27251F86C6A11D0C18E95
    return mixed % (1 << 256) if merged else 10**15 + mixed % 10**14


def _same_block(first: Call, second: Call) -> bool:
    if first.timestamp != second.timestamp or first.block_number != second.block_number:
        return False
    return first.receivers == second.receivers
