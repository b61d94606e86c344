"""The calls of a fuzzing and what the original does with them: found once, kept, and asked of every candidate."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from solexp.core import Call, CallResult, Log, Program


class Ending(NamedTuple):
    """What a call did, as far as it is compared."""

    status: bool
    output: str
    logs: tuple[Log, ...]
    heavy: bool
    """Whether it used so much of its gas that ten times as much would not have been there."""


class Reference(msgspec.Struct, frozen=True, kw_only=True):
    """Sequences of one unit, in the order in which they are to be tried, and how they end on the original."""

    programs: tuple[Program, ...] = ()
    endings: tuple[tuple[Ending, ...], ...] = ()
    called: int = 0
    """Calls that the original was sent to find these."""
    costly: int = 0
    """Calls that used up their gas on the original. They are in no sequence: a candidate may need less."""
    unstable: int = 0
    """Calls that were left out, since there the original differs from itself when it is compiled otherwise."""
    cut: str | None = None
    """``gas`` when the original used up what it had before all calls were made; ``time``, ``memory`` or ``answer`` when
    it used up such a limit."""

    @property
    def calls(self) -> int:
        """Calls that a candidate is sent."""
        return sum(map(len, self.endings))

    @property
    def succeeded(self) -> int:
        """Of these, calls that succeed on the original."""
        return sum(ending.status for row in self.endings for ending in row)

    @property
    def reached(self) -> frozenset[str]:
        """Selectors of which some call succeeds on the original."""
        return frozenset(
            call.input[2:10]
            for program, row in zip(self.programs, self.endings, strict=True)
            for call, ending in zip(program.calls, row, strict=True)
            if ending.status
        )


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    """Every distinct thing once."""

    senders: list[str]
    inputs: list[str]
    endings: list[tuple[bool, str, list[tuple[str, list[str], str]], bool]]
    rows: list[list[tuple[int, int, int, int, int, int, int]]]
    """Sender, input, value, gas, blocks and seconds since the deployment, ending."""
    counts: tuple[int, int, int]
    cut: str | None


class KeptReference(msgspec.Struct, frozen=True):
    """A reference as it lies in a cache."""

    packed: bytes


class _Table:
    def __init__(self) -> None:
        self.rows: list[Any] = []
        self._places: dict[Any, int] = {}

    def place(self, row: Any) -> int:
        found = self._places.get(row)
        if found is None:
            found = self._places[row] = len(self.rows)
            self.rows.append(row)
        return found


def pack(reference: Reference) -> KeptReference:
    """A reference in few bytes."""
    senders, inputs, endings = _Table(), _Table(), _Table()
    rows = []
    for program, ended in zip(reference.programs, reference.endings, strict=True):
        start = program.deployment
        rows.append(
            [
                (
                    senders.place(call.sender),
                    inputs.place(call.input),
                    # Wei may need more than the 64 bits that a packed number has.
                    inputs.place(hex(call.value)),
                    call.gas or 0,
                    call.block_number - start.block_number,
                    call.timestamp - start.timestamp,
                    endings.place(ending),
                )
                for call, ending in zip(program.calls, ended, strict=True)
            ]
        )
    packed = _Packed(
        senders.rows,
        inputs.rows,
        [
            (e.status, e.output, [(g.address, list(g.topics), g.data) for g in e.logs], e.heavy)
            for e in endings.rows
        ],
        rows,
        (reference.called, reference.costly, reference.unstable),
        reference.cut,
    )
    return KeptReference(zlib.compress(msgspec.msgpack.encode(packed), 3))


def unpack(kept: KeptReference, base: Program) -> Reference:
    """What was packed; ``base`` is the program without calls that its sequences began from. Raises ValueError."""
    try:
        packed = msgspec.msgpack.decode(zlib.decompress(kept.packed), type=_Packed)
    except (zlib.error, msgspec.MsgspecError) as error:
        raise ValueError(f"not a packed reference: {error}") from None
    endings = [
        Ending(
            status,
            output,
            tuple(Log(where, tuple(topics), data) for where, topics, data in logs),
            h,
        )
        for status, output, logs, h in packed.endings
    ]
    return Reference(
        programs=tuple(
            msgspec.structs.replace(base, calls=tuple(_calls(row, packed, base)))
            for row in packed.rows
        ),
        endings=tuple(tuple(endings[place] for *_, place in row) for row in packed.rows),
        called=packed.counts[0],
        costly=packed.counts[1],
        unstable=packed.counts[2],
        cut=packed.cut,
    )


def _calls(
    row: Sequence[tuple[int, int, int, int, int, int, int]], packed: _Packed, base: Program
) -> Iterator[Call]:
    start = base.deployment
    for sender, given, value, gas, blocks, seconds, _ in row:
        yield Call(
            sender=packed.senders[sender],
            input=packed.inputs[given],
            value=int(packed.inputs[value], 16),
            gas=gas,
            block_number=start.block_number + blocks,
            timestamp=start.timestamp + seconds,
        )


def ending(result: CallResult, limit: int) -> Ending:
    """What is compared of a result, under a gas limit."""
    return Ending(result.status, result.output, result.logs, 10 * result.gas_used > limit)
