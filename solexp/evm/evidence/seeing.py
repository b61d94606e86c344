"""Running a counterexample once more: is the difference seen, and where exactly."""

from __future__ import annotations

import msgspec

from solexp.core import CallResult, Counterexample, Program, Trace
from solexp.evm.compare import compare
from solexp.evm.evidence.slots import Slot, slot_of
from solexp.evm.hardforks import eras
from solexp.evm.machine import Keys, Machine, Observation, Probe, Subject
from solexp.evm.observe import observation
from solexp.evm.storage import BALANCE, plan_slots


class NotSeen(Exception):
    """The difference does not come about, or cannot be looked for; says why in one line."""


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """What is looked at after the last call."""

    label: str
    """As of `solexp.core.Counterexample`."""
    plan: Observation
    """Reads it, and as little else as can be."""
    slots: tuple[Slot, Slot] | None = None
    """Where original and candidate keep it, if it is a variable."""
    getter: Probe | None = None
    """The call that tells it, if there is one."""

    def of(self, trace: Trace) -> CallResult | None:
        """What a trace has at its end."""
        if not trace.checkpoints:
            return None
        point = trace.checkpoints[-1]
        if self.getter is not None:
            return point.getters.get(self.label)
        word = point.storage.get(self.label)
        return None if word is None else CallResult(status=True, output=word)


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of two runs of a program."""

    axis: str
    read: Read | None = None
    """None where the last call itself is asked about."""

    @property
    def plan(self) -> Observation:
        """What a run has to observe."""
        return Observation(storage=False) if self.read is None else self.read.plan

    def answer(
        self, program: Program, reference: Trace, trace: Trace
    ) -> tuple[CallResult, CallResult] | None:
        """What the last call, or the read after it, does on original and candidate; None where that is alike."""
        if reference.stopped or trace.stopped:
            return None
        if self.read is not None:
            wanted, found = self.read.of(reference), self.read.of(trace)
            if wanted is None or found is None or not _unlike(wanted, found):
                return None
            return wanted, found
        last = len(program.calls) - 1
        if last < 0:
            differs = self.axis in compare(_bare(reference), _bare(trace), program).first
            return (reference.deployment, trace.deployment) if differs else None
        if len(reference.calls) > last and len(trace.calls) > last:
            # The last call by itself: what comes before may differ, too.
            ends = [
                msgspec.structs.replace(
                    _bare(each), deployment=reference.deployment, calls=each.calls[last:]
                )
                for each in (reference, trace)
            ]
            final = msgspec.structs.replace(program, calls=program.calls[last:])
            if compare(ends[0], ends[1], final).counts[self.axis]:
                return reference.calls[last], trace.calls[last]
        return None


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A difference as two runs of one program have it."""

    question: Question
    program: Program
    """Under the one fork of its last call."""
    original: Subject
    candidate: Subject
    traces: tuple[Trace, Trace]
    """Of the original and of the candidate."""
    expected: CallResult
    """What the last call, or the read after it, does on the original; a word of storage is an answer of 32 bytes."""
    got: CallResult


def see(
    found: Counterexample,
    own: Program | None,
    original: Subject,
    candidate: Subject,
    machine: Machine,
) -> Seen:
    """Run a counterexample on both; ``own`` is its task's program. Raises NotSeen, and what the machine raises."""
    if found.axis == "gas":
        raise NotSeen("it differs in gas alone, which another machine may count otherwise")
    if found.elsewhere == "chain":
        raise NotSeen(
            "it shows only with fees, gas limits and randomness as on a chain, which a test does not have; "
            "solexp show prints its calls"
        )
    if candidate.abstract:
        raise NotSeen("the candidate has no code to deploy: the contract is abstract or missing")
    try:
        program = found.program(own)
    except ValueError as error:
        raise NotSeen(str(error)) from None
    # What comes before a fork is run under the rules of the last call's era, as when it was judged.
    program = msgspec.structs.replace(program, hardfork=eras(program)[-1].hardfork)
    read = None
    if found.reads is not None:
        read = _read(found.reads, found, own or program, (original, candidate))
    question = Question(axis=found.axis, read=read)
    seen = look(question, program, original, candidate, machine)
    if seen is None:
        raise NotSeen(f"run once more, original and candidate do not differ in {found.axis}")
    return seen


def look(
    question: Question, program: Program, original: Subject, candidate: Subject, machine: Machine
) -> Seen | None:
    """The difference that a question is about; None where there is none."""
    reference, trace = machine.run(program, [original, candidate], question.plan)
    answer = question.answer(program, reference, trace)
    if answer is None:
        return None
    return Seen(
        question=question,
        program=program,
        original=original,
        candidate=candidate,
        traces=(reference, trace),
        expected=answer[0],
        got=answer[1],
    )


def _bare(trace: Trace) -> Trace:
    return msgspec.structs.replace(trace, checkpoints=())


def _unlike(expected: CallResult, got: CallResult) -> bool:
    return expected.status != got.status or (expected.status and expected.output != got.output)


def _read(
    label: str, found: Counterexample, own: Program, subjects: tuple[Subject, Subject]
) -> Read:
    """How to look at what the counterexample reads."""
    if label.startswith(BALANCE):
        account = label[-40:].rjust(64, "0")
        return Read(label=label, plan=Observation(storage=False, balances=(account,)))
    every = msgspec.structs.replace(own, calls=(*own.calls, *found.calls))
    plan = observation(every, subjects[0].contract, getters="always")
    for getter in plan.getters:
        if getter.label == label:
            return Read(
                label=label,
                getter=getter,
                plan=Observation(storage=False, getters=(getter,)),
            )
    name = label.partition("[")[0].partition(".")[0]
    room = {name: (plan.slots_of or {}).get(name, 0)}
    plan = msgspec.structs.replace(plan, slots_of=room, getters=(), balances=())
    for keys in (_named(plan.keys, label), plan.keys):
        narrow = msgspec.structs.replace(plan, keys=keys)
        theirs, ours = (
            slot_of(plan_slots(each.contract.storage_layout, narrow), label) for each in subjects
        )
        if theirs is not None and ours is not None:
            return Read(label=label, slots=(theirs, ours), plan=narrow)
    raise NotSeen(f"{label} has no slot of its own in both, so there is nothing to read")


def _named(keys: Keys, label: str) -> Keys:
    """The keys that a label has, as far as it can be told from its text: reading the others takes its time."""
    addresses = tuple(key for key in keys.addresses if key[24:] in label)
    return msgspec.structs.replace(
        keys,
        addresses=addresses,
        pairs=tuple(pair for pair in keys.pairs if {*pair} <= {*addresses}),
        words=tuple(key for key in keys.words if key in label or _number_in(key, label)),
    )


def _number_in(key: str, label: str) -> bool:
    value = int(key, 16)
    return f"[{value}]" in label or f"[{value - (1 << 256)}]" in label
