"""A contract on a private node of its own, to which calls are made one after another, each chosen when the ones before
have been answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

import msgspec

from solexp.core import Call, CallResult, HarnessError, Program, TimeLimitExceeded
from solexp.evm.anvils import anvil_for
from solexp.evm.machine import RICH, Subject
from solexp.evm.private import PrivateNode
from solexp.evm.rpc import AnswerTooLarge, NodeGone

BLOCK_S = 12
"""Seconds between the blocks of two calls, where a call does not come later."""

_ANSWER_BYTES = 64 << 20
_BATCH = 64


class _Error(msgspec.Struct):
    code: int = 0
    message: str = ""
    data: Any = None


class _Answer(msgspec.Struct):
    result: Any = None
    error: _Error | None = None


_ANSWERS = msgspec.json.Decoder(list[_Answer])


class Stepping:
    """One contract, freshly deployed, and then what the calls kept so far have made of it.

    Raises HarnessError when the node fails or is late.
    """

    def __init__(
        self,
        base: Program,
        hardfork: str,
        *,
        memory_mb: int = 2048,
        timeout_s: float = 120.0,
    ) -> None:
        """``base`` says how the contract is deployed; its calls are left aside.

        ``timeout_s`` is the wall clock of one question to the node.
        """
        self.address = ""
        self.block_number = self.timestamp = 0
        """Of the last block."""
        self._base = base
        self._timeout_s = timeout_s
        self._snapshot = ""
        self._node = PrivateNode(
            anvil_for(hardfork), base, hardfork, memory_mb=memory_mb, code_limit=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the node."""
        self._node.close()

    def deploy(self, subject: Subject, gas: int) -> CallResult:
        """Have ``subject`` stand there, its constructor under the limit ``gas``. It must not have stood before."""
        self._node.connection.allow(self._timeout_s)
        try:
            address, result = self._node.deploy(subject, gas)
            if address is None:
                return result
            self._node.connection.ask("evm_setAutomine", False)
        except (NodeGone, TimeLimitExceeded) as error:
            raise self._failed(error) from None
        self.address = address
        self.fund(())
        return result

    def fund(self, accounts: Iterable[str]) -> None:
        """Let accounts send any sum from the deployment on. Only right after it."""
        self._ask([("anvil_setBalance", [account, hex(RICH)]) for account in accounts])
        [self._snapshot] = self._ask([("evm_snapshot", [])])
        self._begin()

    def afresh(self) -> None:
        """Back to the state right after the deployment."""
        self._ask([("evm_revert", [self._snapshot])])
        [self._snapshot] = self._ask([("evm_snapshot", [])])
        self._begin()

    def _begin(self) -> None:
        self.block_number = self._base.deployment.block_number
        self.timestamp = self._base.deployment.timestamp

    def tried(self, calls: Sequence[Call]) -> list[CallResult]:
        """What each call would do in the present state, alone; without logs and gas."""
        found: list[CallResult] = []
        for start in range(0, len(calls), _BATCH):
            part = calls[start : start + _BATCH]
            answers = self._answers(
                [
                    ("eth_call", [self._transaction(call), "latest", {}, _block(call)])
                    for call in part
                ]
            )
            found += map(_result, answers)
        return found

    def keep(self, call: Call) -> None:
        """Make a call, in a block of its own at the call's time."""
        self._ask([("eth_sendTransaction", [self._transaction(call)])])
        # Not in one message with it: of what a message asks, anvil may answer the second part first.
        self._ask([("evm_mine", [hex(call.timestamp)])])
        self.block_number += 1
        self.timestamp = call.timestamp

    def kept(self, calls: Sequence[Call]) -> list[CallResult]:
        """What calls did that have been kept since the contract stands afresh: status and gas, in order.

        Raises HarnessError where one is not the only one of its block.
        """
        receipts = self._ask([("eth_getBlockReceipts", [hex(call.block_number)]) for call in calls])
        found = []
        for call, block in zip(calls, receipts, strict=True):
            if not block or len(block) != 1 or block[0]["from"].lower() != call.sender.lower():
                raise HarnessError(f"anvil did not mine a call in block {call.block_number}")
            status, used = block[0]["status"] == "0x1", int(block[0]["gasUsed"], 16)
            found.append(CallResult(status=status, gas_used=used))
        return found

    def storage(self, slots: Sequence[int]) -> list[int]:
        """Words of the contract's storage."""
        found = self._ask(
            [("eth_getStorageAt", [self.address, hex(slot), "latest"]) for slot in slots]
        )
        return [int(word, 16) for word in found]

    def balance(self) -> int:
        """Wei of the contract."""
        [found] = self._ask([("eth_getBalance", [self.address, "latest"])])
        return int(found, 16)

    def alive(self) -> bool:
        """Whether its code still stands."""
        [found] = self._ask([("eth_getCode", [self.address, "latest"])])
        return bool(found != "0x")

    def next(self, **fields: Any) -> Call:
        """A call to the contract in the next block; ``fields`` are those of `Call`, ``timestamp`` among them or not."""
        when = max(self.timestamp + BLOCK_S, fields.pop("timestamp", 0))
        return Call(block_number=self.block_number + 1, timestamp=when, **fields)

    def _transaction(self, call: Call) -> dict[str, str]:
        return {
            "from": call.sender,
            "to": call.to or self.address,
            "data": call.input,
            "value": hex(call.value),
            "gas": hex(call.gas or 0),
            "gasPrice": hex(self._base.base_fee),
        }

    def _ask(self, questions: Sequence[tuple[str, list[Any]]]) -> list[Any]:
        found = []
        for (method, _), answer in zip(questions, self._answers(questions), strict=True):
            if answer.error is not None:
                raise HarnessError(f"{method} was refused by anvil: {answer.error.message}")
            found.append(answer.result)
        return found

    def _answers(self, questions: Sequence[tuple[str, list[Any]]]) -> list[_Answer]:
        if not questions:
            return []
        body = [
            {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            for number, (method, params) in enumerate(questions)
        ]
        connection = self._node.connection
        connection.allow(self._timeout_s)
        try:
            raw = connection.post([msgspec.json.encode(body)], answer_bytes=_ANSWER_BYTES)
            found = _ANSWERS.decode(raw)
        except (NodeGone, TimeLimitExceeded, AnswerTooLarge, msgspec.MsgspecError) as error:
            raise self._failed(error) from None
        if len(found) != len(questions):
            raise HarnessError(f"anvil answered {len(found)} of {len(questions)} questions")
        return found

    def _failed(self, error: Exception) -> HarnessError:
        if self._node.process.ran_out_of_memory():
            return HarnessError("anvil ran out of memory while calls were tried on the original")
        return HarnessError(f"anvil failed while calls were tried on the original: {error}")


def _block(call: Call) -> dict[str, str]:
    return {"number": hex(call.block_number), "time": hex(call.timestamp)}


def _result(answer: _Answer) -> CallResult:
    if answer.error is None:
        return CallResult(status=True, output=answer.result)
    data = answer.error.data
    output = data if isinstance(data, str) else "0x"
    reverted = "revert" in answer.error.message
    return CallResult(status=False, output=output, error=None if reverted else answer.error.message)
