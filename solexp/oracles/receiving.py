"""Calls that a task's original rejects because of who is paid or called on the way: an account with code of ours."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from solexp.core import Branched, Call, CallResult, Program, Receiver, Trace
from solexp.evm.deployed import Deployed, Question
from solexp.evm.gas import UNRECORDED
from solexp.evm.machine import Branch
from solexp.evm.private import Limit
from solexp.evm.receiving import RICH_IN_GAS, told
from solexp.evm.words import created_address
from solexp.oracles.rejecting import Lead, Row

_CALLS = 200
"""Calls of one program that are looked at, from the first on: recorded histories can be long."""
_ACCOUNTS = 48
"""Accounts of one program that are looked at."""
_MOMENTS = 12
"""Calls of one function that are looked at, of those that reach an account in the same way."""
_CHILDREN = 64
_BACK = 2
"""Calls back of one function that are tried at one moment."""

_NOTHING = CallResult(status=False)


class Moment(NamedTuple):
    """A call that succeeds on the original and reaches an account that is not the contract."""

    program: int
    at: int
    account: str
    way: tuple[str, bool, bool]
    """The call's function, whether it reaches its sender, and whether it gives gas enough to call back."""

    @property
    def rich(self) -> bool:
        """Whether it gives gas enough to call back."""
        return self.way[2]


class _Asked(NamedTuple):
    """A call during which an account refuses, or calls back."""

    moment: Moment
    call: Call
    later: bool = False
    """Whether the original takes the call back both before the call and after it."""

    @property
    def once_more(self) -> bool:
        """Whether what is called back is the call's own function."""
        return any(each.input[:10] == self.call.input[:10] for each in self.call.receivers or ())


def of_receivers(
    node: Deployed, programs: Sequence[Program], libraries: Collection[str] = ()
) -> list[Lead]:
    """What the original, which stands on ``node``, rejects while an account refuses what it is sent, or calls back.

    ``libraries`` are accounts with code of their own, as are those that the original creates. All calls of ``programs``
    are to succeed on it. A call back that it takes before the call, but not during it, is one that it keeps out; where
    it gives too little gas for any, one that it does not take after the call either. Of one that it does take then only
    where it has a lock, see `_locked`.

    Raises Limit when the original uses one up: what is found by then hangs on the machine.
    """
    programs = [
        msgspec.structs.replace(program, calls=program.calls[:_CALLS]) for program in programs
    ]
    moments = _moments(node, programs, libraries)
    rows = [*_refusals(programs, moments), *_calls_back(node, programs, moments)]
    return _rejected(node, programs, rows)


def _moments(
    node: Deployed, programs: Sequence[Program], libraries: Collection[str]
) -> list[Moment]:
    address = node.address
    assert address is not None
    children = (created_address(address, nonce) for nonce in range(_CHILDREN))
    standing = {address, *children, *libraries}
    chosen = [_accounts(program, standing) for program in programs]
    asked = [_telling(each, who) for each, who in zip(programs, chosen, strict=True)]
    found: dict[tuple[str, bool, bool], list[Moment]] = defaultdict(list)
    for number, trace in enumerate(every(node, node.questions(asked))):
        calls = programs[number].calls
        for at, (call, result) in enumerate(zip(calls, trace.calls, strict=False)):
            if not result.status or call.to not in (None, node.address):
                continue
            for account, gas in told(result.logs, chosen[number].__contains__).items():
                rich = gas >= RICH_IN_GAS
                way = call.input[:10], account == call.sender, rich
                found[way].append(Moment(number, at, account, way))
    return [moment for moments in found.values() for moment in _some(moments)]


def every(node: Deployed, questions: Sequence[Question]) -> list[Trace]:
    """The node's answers to all questions. Raises Limit."""
    traces = node.run(questions)
    if traces and traces[-1].stopped:
        raise Limit(traces[-1].stopped)
    return traces


def _some(moments: Sequence[Moment]) -> list[Moment]:
    """Some of them from beginning to end: what an account can get hangs on what others have brought before."""
    count = min(_MOMENTS, len(moments))
    return [moments[place * len(moments) // count] for place in range(count)]


def _telling(program: Program, accounts: Sequence[str]) -> Program:
    receivers = tuple(Receiver(account=each, does="tells") for each in accounts)
    return msgspec.structs.replace(
        program, calls=tuple(_received(call, *receivers) for call in program.calls)
    )


def _received(call: Call, *receivers: Receiver) -> Call:
    return msgspec.structs.replace(call, gas=UNRECORDED, recorded=None, receivers=receivers)


def _accounts(program: Program, standing: Collection[str]) -> list[str]:
    """Accounts in play: who sends, and whom arguments name, but for those that have code."""
    found = dict.fromkeys(call.sender for call in program.calls)
    found[program.deployment.sender] = None
    for data in (program.deployment.constructor_args[2:], *(c.input[10:] for c in program.calls)):
        for start in range(0, min(len(data), 64 * 32) - 63, 64):
            word = data[start : start + 64]
            # Small numbers are no accounts, or the EVM's own.
            if word.startswith("0" * 24) and int(word[24:], 16) >> 100:
                found["0x" + word[24:]] = None
    return [each for each in found if each not in standing][:_ACCOUNTS]


def _refusals(programs: Sequence[Program], moments: Sequence[Moment]) -> Iterator[_Asked]:
    """Each way once, at its first moment."""
    for moment in {moment.way: moment for moment in reversed(moments)}.values():
        call = programs[moment.program].calls[moment.at]
        yield _Asked(moment, _received(call, Receiver(account=moment.account, does="refuses")))


def _calls_back(
    node: Deployed, programs: Sequence[Program], moments: Sequence[Moment]
) -> list[_Asked]:
    """Calls during which an account makes a call that the original would take from it before."""
    found: dict[tuple[object, ...], list[tuple[int, _Asked]]] = defaultdict(list)
    for moment, backs, before, after in _around(node, programs, moments):
        call = programs[moment.program].calls[moment.at]
        for back, taken, later in zip(backs, before.calls, after.calls, strict=True):
            if taken.status and (moment.rich or not later.status):
                receiver = Receiver(
                    account=moment.account, does="calls", input=back.input, value=back.value
                )
                kind = moment.way, back.input[:10], later.status
                asked = _Asked(moment, _received(call, receiver), later.status)
                found[kind].append((after.balance, asked))
    chosen: dict[_Asked, None] = {}
    for rows in found.values():
        # The first, and the one after which the contract has most, which are others' ether.
        for _, asked in (rows[0], max(rows, key=lambda row: row[0])):
            chosen[asked] = None
    return list(chosen)


def _around(
    node: Deployed, programs: Sequence[Program], moments: Sequence[Moment]
) -> Iterator[tuple[Moment, list[Call], Branched, Branched]]:
    """What the original makes of calls by the reached account, right before and right after each moment."""
    for number, program in enumerate(programs):
        here = {
            moment: _backs(program.calls, moment) for moment in moments if moment.program == number
        }
        tries: dict[int, dict[Call, None]] = defaultdict(dict)
        for moment, backs in here.items():
            for later in (0, 1):
                tries[moment.at + later] |= dict.fromkeys(backs)
        branches = [Branch(after, tuple(tries[after])) for after in sorted(tries)]
        if not branches:
            continue
        [trace] = every(node, node.questions([program], [branches]))
        states = {each.after: each for each in trace.branches}
        for moment, backs in here.items():
            before, after = (
                _only(states[moment.at + later], tries[moment.at + later], backs)
                for later in (0, 1)
            )
            yield moment, backs, before, after


def _only(state: Branched, tried: Iterable[Call], wanted: Sequence[Call]) -> Branched:
    """What a state came to with only the wanted calls of those that were tried."""
    results = dict(zip(tried, state.calls, strict=False))
    return msgspec.structs.replace(
        state, calls=tuple(results.get(call, _NOTHING) for call in wanted)
    )


def _backs(calls: Sequence[Call], moment: Moment) -> list[Call]:
    """Calls that the account may make back: the same once more, and those of each function that are nearest to it in
    the program, its own first."""
    own = calls[moment.at]
    near = sorted(
        (call.sender != moment.account, abs(at - moment.at), at) for at, call in enumerate(calls)
    )
    found: dict[tuple[str, int], None] = {(own.input, own.value): None}
    count = Counter([own.input[:10]])
    for _, _, at in near:
        call = calls[at]
        key = call.input, call.value
        if call.to is None and key not in found and count[call.input[:10]] < _BACK:
            found[key] = None
            count[call.input[:10]] += 1
    return [
        Call(
            sender=moment.account,
            input=data,
            value=value,
            gas=UNRECORDED,
            block_number=own.block_number,
            timestamp=own.timestamp,
        )
        for data, value in found
    ]


def _rejected(node: Deployed, programs: Sequence[Program], rows: Sequence[_Asked]) -> list[Lead]:
    """Those that the original rejects, each asked in a program of its own."""
    asked = [
        msgspec.structs.replace(
            programs[moment.program], calls=(*programs[moment.program].calls[: moment.at], call)
        )
        for moment, call, _ in rows
    ]
    kept: list[_Asked] = []
    for row, trace in zip(rows, every(node, node.questions(asked)), strict=True):
        *before, last = trace.calls
        if all(each.status for each in before) and not last.status and last.error is None:
            kept.append(row)
    locked = _locked(kept)
    found: dict[int, list[Row]] = defaultdict(list)
    for moment, call, later in kept:
        if not later or moment.way[0] in locked:
            found[moment.program].append(Row(moment.at, call))
    return [
        Lead("receivers", programs[number], tuple(sorted(each, key=lambda row: row.after)))
        for number, each in sorted(found.items())
    ]


def _locked(rejected: Sequence[_Asked]) -> set[str]:
    """Functions that have a lock: each keeps itself out while it runs, though not before and after.

    Others, which pay first and book then, keep out what they do not mean to. A candidate that books first does not.
    """
    return {each.moment.way[0] for each in rejected if each.later and each.once_more}
