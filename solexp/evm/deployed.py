"""Contracts that are deployed once and sent many programs, each from the state right after the deployment."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

import msgspec
import psutil

from solexp.core import CallResult, HarnessError, Program, TimeLimitExceeded, ToolError, Trace
from solexp.evm import answers
from solexp.evm.anvils import anvil_for
from solexp.evm.machine import Branch, Observation, Subject, Surroundings, undeployable
from solexp.evm.private import Limit, PrivateNode
from solexp.evm.rpc import AnswerTooLarge, NodeGone
from solexp.evm.script import INSTALL, RESTORE, Script, write
from solexp.evm.storage import SlotPlan, plan_slots
from solexp.toolchain.node import version_of

BATCH = 16
"""Programs of one message to the node."""

_ANSWERS = msgspec.json.Decoder(list[msgspec.Raw])


_USUAL = Surroundings()
NOTHING = Observation(at_end=False, storage=False)
"""Of no state is anything read."""


class Question(NamedTuple):
    """A program written down for the node, which can be asked of one contract after another."""

    script: Script
    gas: tuple[int, ...]
    plan: Observation


class Deployed:
    """One private node on which one contract at a time stands, freshly deployed for each program.

    Programs share ``base``'s deployment, chain and block rules, and differ in their calls, each of which states its gas
    limit. Nothing that a program does is left behind: it is simulated on the state after the deployment.
    """

    def __init__(
        self,
        base: Program,
        hardfork: str,
        *,
        cpu_s: float = 120.0,
        memory_mb: int = 2048,
        answer_mb: int = 128,
        surroundings: Surroundings = _USUAL,
    ) -> None:
        """``cpu_s`` bounds the node's CPU seconds for one contract, so that a busy machine changes nothing; ten times
        as much is the most that one message may take by the wall clock. ``answer_mb`` bounds the answer to one.
        """
        self.hardfork = hardfork
        self.address: str | None = None
        """Where the contract stands; None where its deployment failed."""
        self._base = base
        self._surroundings = surroundings
        self.plan = NOTHING
        """What is read of the state behind programs; see `observe`."""
        self._anvil = anvil_for(hardfork)
        self._cpu_s = cpu_s
        self._memory_mb = memory_mb
        self._answer_bytes = answer_mb << 20
        self._node: PrivateNode | None = None
        self._subject: Subject | None = None
        self._gas = 0
        self._slots: SlotPlan | None = None
        self._runtime: str | None = None
        self._began = 0.0
        self._spent = 0.0

    def observe(self, plan: Observation) -> None:
        """What is read of the state behind programs from now on; nothing at first."""
        self.plan = plan
        self._slots = None

    def tools(self) -> dict[str, str]:
        """Version of the node, by name."""
        version = version_of(self._anvil)
        return {f"anvil {version}": version}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the node."""
        if self._node is not None:
            self._spent += self._cpu() - self._began
            self._node.close()
        self._node = None

    def deploy(self, subject: Subject, gas: int) -> Trace:
        """Have ``subject`` stand in place of what stood there before. A trace of its deployment, with ``gas`` as limit.

        Raises HarnessError when the node fails.
        """
        self.address = None
        if subject.abstract:
            return undeployable(self.hardfork)
        self._subject, self._gas, self._slots = subject, gas, None
        self._runtime = None
        try:
            self._again()
            self._began, self._spent = self._cpu(), 0.0
            result = self._stand()
        except Limit as limit:
            nothing = CallResult(status=False, error=f"used up its {limit}")
            return Trace(
                address=None, deployment=nothing, hardfork=self.hardfork, stopped=str(limit)
            )
        return Trace(address=self.address, deployment=result, hardfork=self.hardfork)

    def renew(self) -> None:
        """Count its CPU seconds from now on."""
        self._spent = 0.0
        if self._node is not None:
            self._began = self._cpu()

    def questions(
        self, programs: Sequence[Program], branches: Sequence[Sequence[Branch]] = ()
    ) -> list[Question]:
        """The programs as the node is asked them, of any contract that stands at the present address.

        ``branches`` are those that leave each program, if any.
        """
        assert self.address is not None
        found = []
        for place, program in enumerate(programs):
            gas = tuple(call.gas or 0 for call in program.calls)
            leaving = tuple(branches[place]) if branches else ()
            plan = msgspec.structs.replace(self.plan, branches=leaving) if leaving else self.plan
            script = write(
                *(program, self.address, gas, plan, self.hardfork), surroundings=self._surroundings
            )
            if not (plan.at_end or leaving):
                whole = b"".join(
                    piece.encode() if isinstance(piece, str) else piece
                    for piece in script.pieces
                    if not isinstance(piece, int)
                )
                script = dataclasses.replace(script, pieces=(whole,))
            found.append(Question(script, gas, plan))
        return found

    def storage(self, slots: Iterable[int]) -> list[str]:
        """Words of the contract's storage right after its deployment, as 64 hex digits."""
        assert self._node is not None
        self._node.connection.allow(10 * self._cpu_s)
        ask = self._node.connection.ask
        return [ask("eth_getStorageAt", self.address, hex(slot), "latest")[2:] for slot in slots]

    def ask(self, method: str, questions: Sequence[object]) -> list[bytes]:
        """Raw answers of the node to one method with several lists of parameters, on the state after the deployment.

        Raises Limit and HarnessError.
        """
        if self._node is None:
            self._again()
            self._stand()
        head = b'{"jsonrpc":"2.0","id":1,"method":"%s","params":' % method.encode()
        body: list[bytes | str] = []
        for each in questions:
            body += (b",", head + msgspec.json.encode(each) + b"}")
        return self._post(body, len(questions))

    def run(self, questions: Sequence[Question]) -> list[Trace]:
        """One trace a question. One that uses up a limit says so (``stopped``), and is the last.

        Raises HarnessError when the node itself fails.
        """
        traces: list[Trace] = []
        for start in range(0, len(questions), BATCH):
            part = questions[start : start + BATCH]
            try:
                traces += self._ask(part)
            except Limit:
                # Which of them was it? And the others have an answer.
                traces += self._one_by_one(part)
            if traces[-1].stopped:
                break
        return traces

    def _one_by_one(self, questions: Sequence[Question]) -> list[Trace]:
        traces: list[Trace] = []
        try:
            for question in questions:
                traces += self._ask([question])
        except Limit as limit:
            traces.append(self._trace(stopped=str(limit)))
        return traces

    def _trace(self, **fields: object) -> Trace:
        deployed = CallResult(status=True)
        return msgspec.structs.replace(
            Trace(address=self.address, deployment=deployed, hardfork=self.hardfork), **fields
        )

    def _again(self) -> None:
        """See to it that there is a node, the last one having come down."""
        if self._node is None:
            self._node = PrivateNode(
                self._anvil, self._base, self.hardfork, memory_mb=self._memory_mb
            )
            self._began = self._cpu()

    def _stand(self) -> CallResult:
        assert self._node is not None
        assert self._subject is not None
        self._node.connection.allow(10 * self._cpu_s)
        try:
            self.address, result = self._node.deploy(self._subject, self._gas)
        except (TimeLimitExceeded, NodeGone) as error:
            raise self._gone(error) from None
        self._check_time()
        return result

    def _ask(self, questions: Sequence[Question]) -> list[Trace]:
        if self._node is None:
            self._again()
            self._stand()
        assert self._node is not None
        slots = self._slot_plan()
        body: list[bytes | str] = []
        for question in questions:
            body += (b",", *question.script.body(slots.calldata, self._code(question)))
        traces = []
        for raw, question in zip(self._post(body, len(questions)), questions, strict=True):
            told = self._read(raw, question)
            if told.codeless is not None and RESTORE in question.script.pieces:
                # It destroyed itself, and a branch would bring it back: once more, with that known.
                script, code = question.script, self._code(question)
                [again] = self._post([b",", *script.body(slots.calldata, code, told.codeless)], 1)
                told = self._read(again, question)
            traces.append(
                self._trace(
                    calls=tuple(told.calls),
                    checkpoints=tuple(told.checkpoints),
                    branches=tuple(told.branches),
                )
            )
        return traces

    def _post(self, body: list[bytes | str], count: int) -> list[bytes]:
        """The answers to questions that each have a comma before them."""
        assert self._node is not None
        self._node.connection.allow(10 * self._cpu_s)
        body = [b"[", *body[1:], b"]"]
        try:
            answer = self._node.connection.post(body, answer_bytes=self._answer_bytes)
        except (TimeLimitExceeded, NodeGone, AnswerTooLarge) as error:
            raise self._gone(error) from None
        self._check_time()
        return _split(answer, count)

    def _read(self, raw: bytes, question: Question) -> answers.Answer:
        return answers.read(
            raw,
            question.script,
            gas=question.gas,
            stop=len(question.gas),
            plan=question.plan,
            slots=self._slot_plan(),
            known={},
        )

    def _code(self, question: Question) -> str:
        """The contract's code, where it has to be put back after readings in between."""
        if not any(each in question.script.pieces for each in (RESTORE, INSTALL)):
            return "0x"
        if self._runtime is None:
            assert self._node is not None
            found: str = self._node.connection.ask("eth_getCode", self.address, "latest")
            self._runtime = found
        return self._runtime

    def _gone(self, error: Exception) -> Exception:
        """What it means that no answer came; the node is ended."""
        node = self._node
        assert node is not None
        if isinstance(error, TimeLimitExceeded):
            found: Exception = Limit("time")
        elif isinstance(error, AnswerTooLarge):
            found = Limit("answer")
        elif node.process.ran_out_of_memory():
            found = Limit("memory")
        else:
            found = HarnessError(f"anvil ended during a run: {node.process.last_words()}")
        self.close()
        return found

    def _check_time(self) -> None:
        if self._spent + self._cpu() - self._began > self._cpu_s:
            self.close()
            raise Limit("time")

    def _cpu(self) -> float:
        """CPU seconds of the present node."""
        assert self._node is not None
        try:
            used = psutil.Process(self._node.process.pid).cpu_times()
        except psutil.Error:
            return self._began
        return float(used.user + used.system)

    def _slot_plan(self) -> SlotPlan:
        if self._slots is None:
            assert self._subject is not None
            layout = self._subject.contract.storage_layout if self.plan.storage else None
            self._slots = plan_slots(layout, self.plan)
        return self._slots


def _split(answer: bytes, count: int) -> list[bytes]:
    try:
        found = _ANSWERS.decode(answer)
    except msgspec.MsgspecError as problem:
        raise ToolError(f"the node's answer cannot be read: {problem}") from None
    if len(found) != count:
        raise ToolError(f"the node answered {len(found)} of {count} questions")
    return [bytes(each) for each in found]
