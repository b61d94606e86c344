"""The machine of record: a private anvil a task, asked by ``eth_simulateV1``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import msgspec

from solexp.core import (
    Branched,
    CallResult,
    Checkpoint,
    HarnessError,
    Program,
    TimeLimitExceeded,
    Trace,
)
from solexp.evm.answers import Answer
from solexp.evm.anvils import anvil_for, old_forks_exact, versions
from solexp.evm.gas import call_limits, deployment_limit
from solexp.evm.hardforks import Era, eras
from solexp.evm.machine import (
    ForkRule,
    GasRule,
    Observation,
    Subject,
    undeployable,
)
from solexp.evm.private import Limit, PrivateNode
from solexp.evm.rpc import AnswerTooLarge, NodeGone
from solexp.evm.script import RESTORE, Script, write
from solexp.evm.simulate import Simulations
from solexp.toolchain.node import version_of

_SHORTER = 8
"""A run that used up its memory or answer is tried again with a program this many times shorter."""


class AnvilMachine:
    """Runs programs on private anvil processes: one a call of `run`, one more for each further fork it crosses."""

    reproducible = True

    def __init__(
        self,
        *,
        gas: GasRule = "generous",
        forks: ForkRule = "exact",
        timeout_s: float = 120.0,
        memory_mb: int = 2048,
        answer_mb: int = 512,
    ) -> None:
        """``timeout_s`` is the wall clock of one subject's deployment and calls under one fork, all together;
        ``memory_mb`` the node's address space, ``answer_mb`` what it may answer for one subject.
        """
        self.gas: GasRule = gas
        self.forks: ForkRule = forks
        self.timeout_s = timeout_s
        self.memory_mb = memory_mb
        self.answer_mb = answer_mb
        self._tools: dict[str, str] = {}

    def tools(self) -> dict[str, str]:
        """Versions of anvil used so far, by name."""
        return dict(self._tools)

    def node_for(self, hardfork: str) -> Path:
        """The anvil that runs this fork."""
        anvil = anvil_for(hardfork)
        version = version_of(anvil)
        self._tools[f"anvil {version}"] = version
        return anvil

    def fingerprint(self) -> dict[str, object]:
        """Every setting that a trace depends on."""
        return {
            "machine": "anvil",
            "gas": self.gas,
            "forks": self.forks,
            "timeout_s": self.timeout_s,
            "memory_mb": self.memory_mb,
            "answer_mb": self.answer_mb,
            "old_forks_exact": old_forks_exact(),
            "anvils": versions(),
        }

    def run(self, program: Program, subjects: Sequence[Subject], plan: Observation) -> list[Trace]:
        """One trace a subject, in order; see `solexp.evm.machine.Machine`."""
        spans = eras(program, exact=self.forks == "exact")
        parts = [
            self._run_era(program, subjects, _branches_of(plan, span, spans), span, spans)
            for span in spans
        ]
        return [_joined(spans, traces) for traces in zip(*parts, strict=True)]

    def _run_era(
        self,
        program: Program,
        subjects: Sequence[Subject],
        plan: Observation,
        span: Era,
        spans: Sequence[Era],
    ) -> list[Trace]:
        # Calls before the era only lead up to it. Their limits were set for other prices of gas.
        rule: GasRule = self.gas if span is spans[0] else "generous"
        traces: list[Trace] = []
        limits: tuple[int, ...] = ()
        with _Session(self, program, Simulations(plan, subjects, span.hardfork), span) as session:
            for subject in subjects:
                reference = traces[0] if traces else None
                if len(traces) < 2:
                    # Once for the reference and once, knowing its use of gas, for all candidates.
                    limits = self._limits(program, span, reference)
                gas = deployment_limit(program, rule, reference)
                traces.append(session.run(subject, gas, limits))
        return traces

    def _limits(self, program: Program, span: Era, reference: Trace | None) -> tuple[int, ...]:
        limits = call_limits(program, self.gas, reference)
        if span.start and self.gas == "recorded":
            limits[: span.start] = call_limits(program, "generous", reference)[: span.start]
        return tuple(limits)


class _Session:
    """One node, prepared for a program under one fork; a node that a subject brings down is replaced."""

    def __init__(
        self, machine: AnvilMachine, program: Program, simulations: Simulations, span: Era
    ) -> None:
        self._machine = machine
        self._program = program
        self._fork = span.hardfork
        self._stop = span.end
        self._node: PrivateNode | None = None
        self._scripts: dict[tuple[str, int, tuple[int, ...], bool], Script] = {}
        self._simulations = simulations

    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _start(self) -> None:
        machine = self._machine
        self._node = PrivateNode(
            machine.node_for(self._fork), self._program, self._fork, memory_mb=machine.memory_mb
        )

    def _end(self) -> None:
        if self._node is not None:
            self._node.close()
        self._node = None

    def run(self, subject: Subject, gas: int, limits: tuple[int, ...]) -> Trace:
        """The subject's trace, cut short where it used up a limit. Raises HarnessError when the node fails."""
        if subject.abstract:
            return undeployable(self._fork)
        stop = self._stop
        stopped: str | None = None
        while True:
            try:
                trace = self._attempt(subject, gas, limits, stop)
            except Limit as limit:
                stopped = stopped or str(limit)
                self._end()
                self._start()
                if str(limit) == "time" or stop <= 1:
                    nothing = CallResult(status=False, error=f"used up its {limit}")
                    return Trace(
                        address=None, deployment=nothing, hardfork=self._fork, stopped=stopped
                    )
                stop = max(1, stop // _SHORTER)
            else:
                return msgspec.structs.replace(trace, stopped=stopped) if stopped else trace

    def _attempt(self, subject: Subject, gas: int, limits: tuple[int, ...], stop: int) -> Trace:
        assert self._node is not None
        self._node.connection.allow(self._machine.timeout_s)
        try:
            address, deployed = self._node.deploy(subject, gas)
            if address is None:
                return Trace(address=None, deployment=deployed, hardfork=self._fork)
            answer = self._simulate(subject, address, limits, stop)
        except TimeLimitExceeded:
            raise Limit("time") from None
        except AnswerTooLarge:
            raise Limit("answer") from None
        except NodeGone as error:
            if self._node.process.ran_out_of_memory():
                raise Limit("memory") from None
            raise HarnessError(
                f"anvil ended during a run: {self._node.process.last_words()}"
            ) from error
        return Trace(
            address=address,
            deployment=deployed,
            calls=tuple(answer.calls),
            checkpoints=tuple(answer.checkpoints),
            branches=tuple(answer.branches),
            hardfork=self._fork,
        )

    def _simulate(
        self, subject: Subject, address: str, limits: tuple[int, ...], stop: int
    ) -> Answer:
        assert self._node is not None
        connection, answer_bytes = self._node.connection, self._machine.answer_mb << 20
        plan = self._simulations.plan_of(subject)
        key = (address, stop, limits, bool(plan.getters))
        if key not in self._scripts:
            self._scripts[key] = write(
                *(self._program, address, limits, plan, self._fork),
                stop=stop,
            )
        script = self._scripts[key]
        code = ""
        if RESTORE in script.pieces:
            code = connection.ask("eth_getCode", address, "latest")
        return self._simulations.run(
            subject,
            script,
            code,
            gas=limits[:stop],
            post=lambda body: connection.post(body, answer_bytes=answer_bytes),
        )


def _branches_of(plan: Observation, span: Era, spans: Sequence[Era]) -> Observation:
    """The plan with the branches that leave the program under an era's rules: those of the call before them."""
    if not plan.branches:
        return plan
    kept = tuple(
        branch
        for branch in plan.branches
        if span.start < branch.after <= span.end or (span is spans[0] and not branch.after)
    )
    return msgspec.structs.replace(plan, branches=kept)


def _joined(spans: Sequence[Era], traces: Sequence[Trace]) -> Trace:
    """One trace out of one an era, each call and checkpoint taken from its own era's."""
    first = traces[0]
    if len(traces) == 1 or first.address is None or first.stopped:
        return first
    calls: list[CallResult] = []
    checkpoints: list[Checkpoint] = []
    branches: list[Branched] = []
    for span, trace in zip(spans, traces, strict=True):
        if trace.address is None or len(trace.calls) < span.end:
            return msgspec.structs.replace(
                first,
                calls=tuple(calls),
                checkpoints=tuple(checkpoints),
                branches=tuple(branches),
                stopped=trace.stopped or "fork",
            )
        calls += trace.calls[span.start : span.end]
        last = span is spans[-1]
        checkpoints += [
            point
            for point in trace.checkpoints
            if span.start < point.after and (point.after < span.end or last)
        ]
        branches += trace.branches
    return Trace(
        address=first.address,
        deployment=first.deployment,
        calls=tuple(calls),
        checkpoints=tuple(checkpoints),
        branches=tuple(branches),
        hardfork="+".join(span.hardfork for span in spans),
    )
