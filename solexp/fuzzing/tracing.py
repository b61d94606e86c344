"""Watching an original step by step: what it compares in a call, and which storage it reads and writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from solexp.core import Call
from solexp.evm.deployed import Deployed
from solexp.evm.machine import BLOCK_GAS
from solexp.evm.private import Limit

MOST_GAS = 300_000
"""A call that used more has too many steps to be looked at one by one."""

Site = tuple[int, int, int]
"""Where something is compared: depth of the call, place in the code, and for the how manieth time."""

_SIGNED = frozenset({"SLT", "SGT"})
_TWO = frozenset({"LT", "GT", "EQ"}) | _SIGNED
_LOOKED_AT = _TWO | {"ISZERO", "JUMPI", "SLOAD", "SSTORE", "CALL"}
_BALANCES = frozenset({"SELFBALANCE", "BALANCE"})
_MOST_TIMES = 4
_WEALTH = 1 << 120
"""Wei of whoever calls, for any number of calls."""
_BATCH = 8
_HALF, _WHOLE = 1 << 255, 1 << 256

BALANCE = -1
"""Stands for ether among the slots that a call reads or writes."""


class Watched(NamedTuple):
    """What an original did in a call."""

    status: bool
    compared: dict[Site, tuple[int, int]]
    """In the order in which it was. What is tested for being zero is compared with that."""
    reads: frozenset[int]
    writes: frozenset[int]
    timely: bool
    """Whether it looked at the clock."""
    blocks: bool
    """... or at the number of the block."""


class _Step(msgspec.Struct, gc=False):
    pc: int
    op: str
    depth: int
    stack: msgspec.Raw


class _Steps(msgspec.Struct):
    failed: bool
    structLogs: list[_Step]  # noqa: N815


class _Account(msgspec.Struct):
    balance: str | None = None
    nonce: int | None = None
    code: str | None = None
    storage: dict[str, str] = {}


class _Change(msgspec.Struct):
    pre: dict[str, _Account]
    post: dict[str, _Account]


class _StepsAnswer(msgspec.Struct):
    result: _Steps | None = None


class _ChangeAnswer(msgspec.Struct):
    result: _Change | None = None


_STEPS_GAS = 500_000
"""Where a call is changed that used less than `MOST_GAS`, it may use a little more."""
_STEPWISE: dict[str, Any] = {"disableStorage": True}
_CHANGES: dict[str, Any] = {"tracer": "prestateTracer", "tracerConfig": {"diffMode": True}}
REFUSED = Watched(False, {}, frozenset(), frozenset(), False, False)
"""Of a call of which nothing is seen."""
_STEPS = msgspec.json.Decoder(_StepsAnswer)
_CHANGE = msgspec.json.Decoder(_ChangeAnswer)

World = dict[str, dict[str, Any]]
"""What differs from the state after the deployment, as the node takes it: by account."""


class Watching:
    """Calls that leave from any state, on an original that stands deployed."""

    def __init__(self, node: Deployed, senders: Iterable[str]) -> None:
        self._node = node
        assert node.address is not None
        self._address = node.address
        self.start: World = {each: {"balance": hex(_WEALTH)} for each in senders}
        """The state after the deployment."""

    def after(
        self, asked: Sequence[tuple[World, Call]], *, last: bool = False
    ) -> list[tuple[Watched, World]]:
        """What each call does in the state before it, and the state behind it; with ``last`` that before it still.

        Raises Limit and HarnessError. Nothing is seen of what no block could hold, or has too many steps.
        """
        found: list[tuple[Watched, World]] = []
        for start in range(0, len(asked), _BATCH):
            some = asked[start : start + _BATCH]
            steps = self._ask(some, _STEPWISE)
            changes = [b"{}"] * len(some) if last else self._ask(some, _CHANGES)
            for (world, _), one, two in zip(some, steps, changes, strict=True):
                seen, change = _STEPS.decode(one).result, _CHANGE.decode(two).result
                watched = _watched(seen, change) if seen is not None else REFUSED
                found.append((watched, _changed(world, change) if change is not None else world))
        return found

    def heavy(self, world: World, call: Call) -> tuple[Watched, World]:
        """The same for a call that has too many steps: only what it writes is known. Raises Limit and HarnessError."""
        [raw] = self._ask([(world, call)], _CHANGES)
        change = _CHANGE.decode(raw).result
        if change is None:
            return REFUSED, world
        accounts = (*change.pre.values(), *change.post.values())
        slots = frozenset(int(slot, 16) for each in accounts for slot in each.storage) | {BALANCE}
        return Watched(True, {}, slots, slots, False, False), _changed(world, change)

    def _ask(self, asked: Sequence[tuple[World, Call]], how: dict[str, Any]) -> list[bytes]:
        questions = [self._question(*each, how) for each in asked]
        try:
            return self._node.ask("debug_traceCall", questions)
        except Limit as limit:
            if str(limit) != "answer":
                raise
            return [b"{}"] * len(asked)

    def _question(self, world: World, call: Call, how: dict[str, Any]) -> list[Any]:
        where = {
            "number": hex(call.block_number),
            "time": hex(call.timestamp),
            "gasLimit": hex(BLOCK_GAS),
        }
        if call.sender not in world:
            world = world | {call.sender: {"balance": hex(_WEALTH)}}
        transaction = {
            "from": call.sender,
            "to": call.to or self._address,
            "data": call.input,
            "value": hex(call.value),
            "gas": hex(min(call.gas or 0, _STEPS_GAS) if how is _STEPWISE else call.gas or 0),
            "gasPrice": "0x0",
        }
        return [transaction, "latest", how | {"stateOverrides": world, "blockOverrides": where}]


def _changed(world: World, change: _Change) -> World:
    """The state once a call has changed it. Slots that it emptied are told of only as they were before."""
    made = dict(world)
    for place in dict.fromkeys((*change.pre, *change.post)):
        before = change.pre.get(place, _Account())
        after = change.post.get(place, _Account())
        fields = dict(made.get(place, {}))
        if after.balance is not None:
            fields["balance"] = after.balance
        if after.nonce is not None:
            fields["nonce"] = hex(after.nonce)
        if after.code is not None:
            fields["code"] = after.code
        slots = dict.fromkeys(before.storage, "0x" + "0" * 64) | after.storage
        if slots:
            fields["stateDiff"] = fields.get("stateDiff", {}) | slots
        if fields:
            made[place] = fields
    return made


def _watched(steps: _Steps, change: _Change | None) -> Watched:
    compared: dict[Site, tuple[int, int]] = {}
    times: Counter[tuple[int, int]] = Counter()
    reads: set[int] = set()
    ops: set[str] = set()
    writes: set[int] = set()
    for step in steps.structLogs:
        op = step.op
        if op in _LOOKED_AT:
            top = _top(step.stack)
            if op == "SLOAD":
                reads.add(top[0])
            elif op == "SSTORE":
                writes.add(top[0])
            elif op == "CALL":
                if top[2]:
                    reads.add(BALANCE)
            elif (pair := _compared(op, *top[:2])) is not None:
                place = step.depth, step.pc
                count = times[place]
                if count < _MOST_TIMES:
                    times[place] = count + 1
                    compared[(*place, count)] = pair
        else:
            ops.add(op)
    if not ops.isdisjoint(_BALANCES):
        reads.add(BALANCE)
    if change is not None and any(each.balance is not None for each in change.post.values()):
        writes.add(BALANCE)
    return Watched(
        not steps.failed,
        compared,
        frozenset(reads),
        frozenset() if steps.failed else frozenset(writes),
        "TIMESTAMP" in ops,
        "NUMBER" in ops,
    )


def _top(stack: msgspec.Raw) -> list[int]:
    """The upper three words of a stack, the uppermost first; 0 where it has fewer."""
    found = [int(each.strip(b'[]"') or b"0", 16) for each in bytes(stack).rsplit(b",", 3)[:-4:-1]]
    return found + [0] * (3 - len(found))


def _compared(op: str, first: int, second: int) -> tuple[int, int] | None:
    """The operands of a comparison. Differences are tested for being zero, too: those are compared with that."""
    if op in _SIGNED:
        return _signed(first), _signed(second)
    if op in _TWO:
        return first, second
    tested = first if op == "ISZERO" else second
    return (_signed(tested), 0) if tested > 1 else None


def _signed(number: int) -> int:
    return number - _WHOLE if number >= _HALF else number
