"""Reading a node's answer to ``eth_simulateV1``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from solexp.core import Branched, CallResult, Checkpoint, Log, ToolError
from solexp.evm.machine import Observation
from solexp.evm.rpc import RpcError
from solexp.evm.script import Branching, Reading, Script
from solexp.evm.storage import SlotPlan

KEEP_BYTES = 16_384
"""Return data, revert data and event data beyond this are kept as a hash."""
_KEEP_DIGITS = 2 + 2 * KEEP_BYTES
_BIG_ANSWER = 32 << 20
_UNSENT = CallResult(status=False, error="gas below intrinsic cost")


class _Call(msgspec.Struct, gc=False):
    status: str
    gasUsed: str  # noqa: N815  # the node's name
    returnData: str = "0x"  # noqa: N815
    logs: tuple[Log, ...] = ()


class _BigCall(msgspec.Struct, gc=False):
    status: str
    gasUsed: str  # noqa: N815
    returnData: msgspec.Raw = msgspec.Raw(b'"0x"')  # noqa: N815
    logs: tuple[Log, ...] = ()


class _Block(msgspec.Struct):
    calls: list[_Call]


class _BigBlock(msgspec.Struct):
    calls: list[_BigCall]


class _Error(msgspec.Struct):
    code: int = 0
    message: str = ""


class _Answer(msgspec.Struct):
    result: list[_Block] | None = None
    error: _Error | None = None


class _BigAnswer(msgspec.Struct):
    result: list[_BigBlock] | None = None
    error: _Error | None = None


_ANSWER = msgspec.json.Decoder(_Answer)
_BIG = msgspec.json.Decoder(_BigAnswer)


def bounded(data: str) -> str:
    """Hex data as it is kept in a trace: as given, or its start with length and SHA-256 where it is long."""
    if len(data) <= _KEEP_DIGITS:
        return data
    digest = hashlib.sha256(data.encode()).hexdigest()
    return f"{data[:130]}...{len(data) // 2 - 1} bytes, sha256 {digest}"


class Answer(NamedTuple):
    """What a node said of one subject."""

    calls: list[CallResult]
    checkpoints: list[Checkpoint]
    branches: list[Branched]
    codeless: int | None
    """The first reading or branch that met no code."""


def read(
    answer: bytes,
    script: Script,
    *,
    gas: Sequence[int],
    stop: int,
    plan: Observation,
    slots: SlotPlan,
    known: dict[str, dict[str, str]],
) -> Answer:
    """Results of the first ``stop`` calls, the state at checkpoints, and what branches came to.

    ``known`` keeps storage by raw answer, so that equal states of several subjects are decoded and held once.
    Raises RpcError or ToolError when the node did not answer as it should.
    """
    blocks = _blocks(answer)
    wanted = script.skip + sum(map(_size, script.steps))
    if len(blocks) < wanted:
        raise ToolError(f"the node answered {len(blocks)} blocks, not {wanted}")
    results: list[CallResult] = []
    checkpoints: list[Checkpoint] = []
    branches: list[Branched] = []
    codeless: int | None = None
    gaps = bool(script.invalid)
    at = script.skip
    for step in script.steps:
        if isinstance(step, Branching):
            branches.append(_branched(step, blocks[at : at + _size(step)]))
            codeless = step.after if codeless is None and not branches[-1].alive else codeless
            at += _size(step)
            continue
        calls = blocks[at].calls
        if isinstance(step, Reading):
            sized, *probed, asked = map(_plain, _reading(blocks, at, len(plan.getters)))
            raw = asked.returnData
            if len(sized.returnData) < 66 or len(raw) < 2 + 64 * slots.words:
                raise ToolError(f"the node read less of the state than asked: {bounded(raw)}")
            if codeless is None and not int(sized.returnData, 16):
                codeless = step.after
            if raw not in known:
                known[raw] = slots.read(raw)
            getters = zip(plan.getters, probed, strict=True)
            checkpoints.append(
                Checkpoint(
                    after=step.after,
                    balance=int(raw[2:66], 16),
                    storage=known[raw],
                    getters={probe.label: _result(call, 0) for probe, call in getters},
                )
            )
            at += 2
            continue
        if len(calls) != len(step):
            raise ToolError(f"the node answered {len(calls)} calls of a block, not {len(step)}")
        if gaps:
            results += [_UNSENT] * (step[0] - len(results))
        for call in calls:
            while gaps and len(results) in script.invalid:
                results.append(_UNSENT)
            results.append(_result(_plain(call), gas[len(results)]))
        at += 1
    results += [_UNSENT] * (stop - len(results))
    return Answer(results, checkpoints, branches, codeless)


def _size(step: tuple[int, ...] | Reading | Branching) -> int:
    """Blocks of an answer that belong to a step."""
    if isinstance(step, Branching):
        return 2 + len(step.blocks)
    return 2 if isinstance(step, Reading) else 1


def _branched(step: Branching, blocks: Sequence[_Block | _BigBlock]) -> Branched:
    counts = (1, 1, *step.blocks)
    if tuple(len(block.calls) for block in blocks) != counts:
        raise ToolError("the node did not answer every call of a branch")
    sized, asked, *tried = (_plain(call) for block in blocks for call in block.calls)
    words, slots = asked.returnData, step.branch.slots
    if len(sized.returnData) < 66 or len(words) < 2 + 64 * (1 + len(slots)):
        raise ToolError(f"the node read less of the state than asked: {bounded(words)}")
    if not int(sized.returnData, 16):
        return Branched(after=step.after, alive=False)
    balance, *found = (int(words[at : at + 64], 16) for at in range(2, 66 + 64 * len(slots), 64))
    return Branched(
        after=step.after,
        balance=balance,
        calls=tuple(
            (_undone if step.branch.undone else _result)(result, call.gas or 0)
            for result, call in zip(tried, step.branch.calls, strict=True)
        ),
        words=tuple(found),
    )


def _undone(call: _Call, limit: int) -> CallResult:
    """What `solexp.evm.assembly.trial` told."""
    told = call.returnData
    status = len(told) >= 66 and int(told[2:66], 16) == 1
    used = int(call.gasUsed, 16)
    # The call itself has one part in 64 less than the transaction (EIP-150).
    spent = not status and limit > 0 and 64 * used >= 62 * limit
    return CallResult(
        status=status,
        output=bounded("0x" + told[66:]),
        gas_used=used,
        error="all gas used" if spent else None,
    )


def _reading(blocks: Sequence[_Block | _BigBlock], at: int, getters: int) -> list[_Call | _BigCall]:
    """The calls of a reading's two blocks: the code's size, the getters, and the storage."""
    first, second = blocks[at].calls, blocks[at + 1].calls
    if len(first) != 1 + getters or len(second) != 1:
        raise ToolError(
            f"the node answered {len(first)} and {len(second)} calls of a reading, "
            f"not {1 + getters} and 1"
        )
    return [*first, *second]


def first_block(answer: bytes) -> list[CallResult]:
    """Results of the calls of an answer's first block, whole, however long their data."""
    blocks = _blocks(answer)
    if not blocks:
        raise ToolError("the node answered no block")
    return [
        CallResult(
            status=call.status == "0x1",
            output=call.returnData,
            gas_used=int(call.gasUsed, 16),
            logs=call.logs,
        )
        for call in map(_plain, blocks[0].calls)
    ]


def _result(call: _Call, limit: int) -> CallResult:
    output = call.returnData
    if len(output) > _KEEP_DIGITS:
        output = bounded(output)
    used = int(call.gasUsed, 16)
    if call.status == "0x1":
        logs = call.logs
        for log in logs:
            if len(log.data) > _KEEP_DIGITS:
                logs = tuple(Log(e.address, e.topics, bounded(e.data)) for e in logs)
                break
        return CallResult(status=True, output=output, gas_used=used, logs=logs)
    spent = "all gas used" if limit and used >= limit else None
    return CallResult(status=False, output=output, gas_used=used, error=spent)


def _blocks(answer: bytes) -> Sequence[_Block | _BigBlock]:
    decoder = _ANSWER if len(answer) < _BIG_ANSWER else _BIG
    try:
        decoded: _Answer | _BigAnswer = decoder.decode(answer)
    except msgspec.MsgspecError as problem:
        raise ToolError(f"the node's answer to eth_simulateV1 cannot be read: {problem}") from None
    if decoded.result is not None:
        return decoded.result
    error = decoded.error or _Error(0, "it gave neither a result nor an error")
    raise RpcError("eth_simulateV1", error.code, error.message)


def _plain(call: _Call | _BigCall) -> _Call:
    # In a big answer return data stay bytes of the answer until their turn comes, so that only one is held twice.
    if isinstance(call, _Call):
        return call
    data = bytes(call.returnData)[1:-1].decode()
    return _Call(call.status, call.gasUsed, data, call.logs)
