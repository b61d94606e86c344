"""A second look at candidates that ask more than their original: whether they do the same where answers are others.

A contract can ask what gas it has left, what a unit of gas costs, what block it is in. One that behaves where the
answers are those of an oracle's run, and only there, would pass. So a candidate whose code asks more than the
original's is run once more beside the original under other answers, the same for both: any difference is one of
behaviour.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import NamedTuple, Self

import msgspec

from solexp.core import Counterexample, Divergence, Outcome, Program, Trace, Verdict
from solexp.evm.asked import asked
from solexp.evm.compare import Comparison, Difference, compare, divergence
from solexp.evm.counterexamples import counterexample
from solexp.evm.deployed import NOTHING, Deployed
from solexp.evm.gas import call_limits
from solexp.evm.hardforks import hardfork_at
from solexp.evm.machine import Observation, Subject, Surroundings
from solexp.evm.moved import Moved, Place, deployment_limit, moved, places
from solexp.evm.receiving import described
from solexp.evm.rpc import RpcError
from solexp.evm.shrinking import shrink

log = logging.getLogger(__name__)

DEPLOYMENT_GAS = 120_000_000
_MOST_CALLS = 2_000
_MOST_PROGRAMS = 64
_TRIES = 48
"""Programs that are tried to make one smaller, about."""
_MOST_KEPT = 200
"""Calls of a counterexample."""
_SHOWN = 20


Nodes = tuple[Deployed, Deployed]


class _Asked(NamedTuple):
    candidate: Subject
    axes: Collection[str]
    plan: Observation
    getters: bool


class Elsewhere(msgspec.Struct, frozen=True):
    """A difference that is to be seen at another place."""

    place: Place
    program: Program
    comparison: Comparison
    divergence: Divergence
    counterexample: Counterexample | None
    """The calls that lead to it, fewer than the program's where fewer will do; None where there are too many."""
    calls: list[str]
    """The same for a reader."""

    def told(self) -> dict[str, object]:
        """Where it is seen, for a verdict's evidence."""
        return {"elsewhere": self.place, "calls": self.calls}


class SecondLook(ExitStack):
    """The nodes on which a task's original and its candidates are set side by side elsewhere; a context manager."""

    def __init__(
        self, original: Subject, base: Program, *, cpu_s: float = 120.0, memory_mb: int = 2048
    ) -> None:
        """``base`` says how all programs begin."""
        super().__init__()
        deployment = base.deployment
        self._fork = base.hardfork or hardfork_at(deployment.block_number, deployment.timestamp)
        self._base = msgspec.structs.replace(base, calls=(), hardfork=self._fork)
        self._original = original
        self._cpu_s = cpu_s
        self._memory_mb = memory_mb
        self._usual: Nodes | None = None
        self._asked = asked(original)

    def __enter__(self) -> Self:
        return self

    def at(
        self,
        candidate: Subject,
        programs: Sequence[Program],
        axes: Collection[str],
        plan: Observation = NOTHING,
        *,
        getters: bool = True,
    ) -> Elsewhere | None:
        """The first difference on ``axes`` that a candidate shows elsewhere; None where it asks nothing more than the
        original, or does the same there. ``getters`` is as `compare` has it: nothing counts that did not count before.

        Every call states its gas limit. Raises HarnessError when a node fails.
        """
        wanted = places(asked(candidate), self._asked)
        if not wanted:
            return None
        fixed = [
            msgspec.structs.replace(program, hardfork=self._fork) for program in _some(programs)
        ]
        traces = self._learn(candidate, fixed)
        if traces is None:
            return None
        for place in wanted:
            # Fees change what senders have, by as much as each contract uses.
            plan = msgspec.structs.replace(plan, balances=())
            try:
                found = self._look(place, fixed, traces, _Asked(candidate, axes, plan, getters))
            except RpcError as error:
                # No rule of a chain may cost a candidate anything that its behaviour does not.
                log.warning("no second look (%s): %s", place, error)
                continue
            if found is not None:
                return found
        return None

    def _pair(self, base: Program, surroundings: Surroundings, stack: ExitStack) -> Nodes:
        """Nodes for the original and the candidate, closed by ``stack``."""
        one, other = (
            Deployed(
                base,
                self._fork,
                cpu_s=self._cpu_s,
                memory_mb=self._memory_mb,
                surroundings=surroundings,
            )
            for _ in range(2)
        )
        stack.callback(one.close)
        stack.callback(other.close)
        return one, other

    def _learn(
        self, candidate: Subject, programs: Sequence[Program]
    ) -> tuple[list[Trace], list[Trace]] | None:
        """What both do in the usual surroundings, their deployments in front; None where they cannot be compared."""
        if self._usual is None:
            self._usual = self._pair(self._base, Surroundings(), self)
        found = []
        for node, subject in zip(self._usual, (self._original, candidate), strict=True):
            deployed = node.deploy(subject, DEPLOYMENT_GAS)
            if node.address is None:
                return None
            traces = node.run(node.questions(programs))
            found.append([deployed, *(trace for trace in traces if not trace.stopped)])
        ours, theirs = found
        return ours, theirs

    def _look(
        self,
        place: Place,
        programs: Sequence[Program],
        traces: tuple[list[Trace], list[Trace]],
        question: _Asked,
    ) -> Elsewhere | None:
        ours, theirs = traces
        rows = zip(programs, ours[1:], theirs[1:], strict=False)
        there = [moved(place, program, both, self._asked) for program, *both in rows]
        if not there:
            return None
        gas = DEPLOYMENT_GAS
        if place == "chain" and not self._asked["gas"]:
            gas = deployment_limit((ours[0], theirs[0]), gas, self._fork)
        base = msgspec.structs.replace(there[0].program, calls=())
        wealth = max(each.surroundings.wealth for each in there)
        around = msgspec.structs.replace(there[0].surroundings, wealth=wealth)
        with ExitStack() as stack:
            nodes = self._pair(base, around, stack)
            pairs = _run(nodes, (self._original, question.candidate), there, gas, question.plan)
            found = _differing(pairs, question)
            if found is None:
                return None
            shown = _shown(place, found, nodes, question)
            contract = self._original.contract
            return Elsewhere(
                place,
                found.program,
                found.comparison,
                divergence(found.first, found.program, contract),
                shown,
                [described(contract, call) for call in (shown or found.program).calls[:_SHOWN]],
            )


class _Difference(NamedTuple):
    program: Program
    traces: tuple[Trace, Trace]
    comparison: Comparison
    first: Difference


def _differing(
    pairs: Iterable[tuple[Program, Trace, Trace]], question: _Asked
) -> _Difference | None:
    """The first difference of the traces of programs, as far as both went."""
    for program, expected, got in pairs:
        if expected.stopped or got.stopped:
            break
        comparison = compare(expected, got, program, getters=question.getters)
        first = comparison.earliest(question.axes)
        if first is not None:
            return _Difference(program, (expected, got), comparison, first)
    return None


def _shown(
    place: Place, found: _Difference, nodes: Nodes, question: _Asked
) -> Counterexample | None:
    """A difference with fewer calls, on the nodes on which it was seen; None where too many are left."""

    def seen(programs: Sequence[Program]) -> list[_Difference | None]:
        questions = nodes[0].questions(programs)
        traces = zip(programs, *(node.run(questions) for node in nodes), strict=False)
        rows = [_differing([row], question) for row in traces]
        return rows + [None] * (len(programs) - len(rows))

    if found.first.axis != "deployment" and found.first.index != -1:
        end = len(found.program.calls) if found.first.index is None else found.first.index + 1
        program = msgspec.structs.replace(found.program, calls=found.program.calls[:end])
        small = shrink(
            program,
            lambda tried: [each is not None for each in seen(tried)],
            values=False,
            most=_TRIES,
        )
        found = seen([small])[0] or found
    if len(found.program.calls) > _MOST_KEPT:
        return None
    made = counterexample(found.first, range(len(found.program.calls)), *found.traces)
    end = made.length
    return msgspec.structs.replace(
        made,
        prefix=0,
        kept=None,
        calls=found.program.calls[:end],
        hardfork=found.program.hardfork,
        elsewhere=place,
    )


def elsewhere_too(said: Verdict, found: Elsewhere) -> Verdict:
    """A candidate's verdict when a second look tells it from the original."""
    return msgspec.structs.replace(
        said,
        outcome=Outcome.FAIL,
        divergence=found.divergence,
        counterexample=found.counterexample,
        evidence=said.evidence | found.told(),
    )


def limited(program: Program, reference: Trace) -> Program:
    """A history in which every call states its gas limit, which is generous."""
    limits = call_limits(program, "generous", reference)
    calls = tuple(
        msgspec.structs.replace(call, gas=limit)
        for call, limit in zip(program.calls, limits, strict=True)
    )
    return msgspec.structs.replace(program, calls=calls)


def _run(
    nodes: Nodes,
    subjects: tuple[Subject, Subject],
    there: Sequence[Moved],
    gas: int,
    plan: Observation,
) -> Iterator[tuple[Program, Trace, Trace]]:
    """What both do, the deployment first, as far as both can be run."""
    one, other = nodes
    for node in nodes:
        node.observe(plan)
    programs = [each.program for each in there]
    deployed = one.deploy(subjects[0], gas), other.deploy(subjects[1], gas)
    if one.address is None:
        return
    yield (msgspec.structs.replace(programs[0], calls=()), *deployed)
    if other.address is not None:
        questions = one.questions(programs)
        yield from zip(programs, one.run(questions), other.run(questions), strict=False)


def _some(programs: Iterable[Program]) -> list[Program]:
    """The first programs, with so many calls in all."""
    found: list[Program] = []
    left = _MOST_CALLS
    for program in programs:
        if left <= 0 or len(found) == _MOST_PROGRAMS:
            break
        found.append(msgspec.structs.replace(program, calls=program.calls[:left]))
        left -= len(program.calls)
    return found
