"""What the reference gives for the inputs that judge a task, and which of them say nothing."""

from __future__ import annotations

import platform

import msgspec

from solexp.core import Preconditions, Task, UserError
from solexp.core.hashing import content_hash
from solexp.python.contracts import with_contract
from solexp.python.matching import Rule, rule_of
from solexp.python.series import call_series
from solexp.sandbox import CallResult, Ended, Limits
from solexp.store import Store
from solexp.toolchain.homes import cache_home

SCHEMA = 1

_LIMITS = Limits(cpu_s=30.0, wall_s=60.0, batch_cpu_s=600.0, memory_mb=4096, output_mb=16.0)
"""The reference is trusted to end, and its outputs to be right."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The reference's answer to one input."""

    args: str
    """The argument list as a literal."""
    value: str
    """The output as a literal; of a task that asks whether there is one (`Rule`), that."""


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """The answers to a task's inputs, in order, without those that say nothing."""

    base: tuple[Answer, ...]
    plus: tuple[Answer, ...]
    violating: int
    """Inputs that the contract refuses, left out."""
    failing: int
    """Inputs on which the reference itself raises, does not end, or gives what has no literal; left out."""


def preconditions_of(task: Task) -> Preconditions:
    """What ``task`` states about its arguments. Raises UserError for a task of another kind."""
    if isinstance(task.preconditions, Preconditions):
        return task.preconditions
    raise UserError(
        f"task {task.id} is no Python function with preconditions; choose benchmark=contracteval"
    )


def expected(task: Task, *, cached: bool = True) -> Expected:
    """What the reference gives for the task's inputs; found out once and kept.

    Raises HarnessError when the sandbox fails or the contract cannot be put into the reference.
    """
    given = preconditions_of(task)
    program = task.sources[task.target.path]
    store = Store(cache_home() / "expected", SCHEMA)
    rule = rule_of(task.id, given.entry_point)
    key = content_hash(
        program, given, rule, msgspec.to_builtins(_LIMITS), platform.python_version()
    )
    known = store.get(key, Expected) if cached else None
    if known is None:
        known = _found(program, given, rule)
        if cached:
            store.put(key, known)
    return known


def _found(program: str, given: Preconditions, rule: Rule) -> Expected:
    aware = with_contract(program, given.entry_point, given.statements)
    inputs = (*given.base, *given.plus)
    plain = call_series(program, given.entry_point, inputs, _LIMITS)
    refused = call_series(aware, given.entry_point, inputs, _LIMITS)
    violating = [is_refusal(call) for call in refused]
    values = [_value(call, rule) for call in plain]

    def answers(first: int, last: int) -> tuple[Answer, ...]:
        return tuple(
            Answer(args=inputs[place], value=value)
            for place, value in enumerate(values[first:last], first)
            if value is not None and not violating[place]
        )

    base = len(given.base)
    return Expected(
        base=answers(0, base),
        plus=answers(base, len(inputs)),
        violating=sum(violating),
        failing=sum(
            value is None and not violates
            for value, violates in zip(values, violating, strict=True)
        ),
    )


def _value(call: CallResult, rule: Rule) -> str | None:
    """What a call of the reference returned; None where that says nothing."""
    if call.ended not in (Ended.RETURNED, Ended.UNREADABLE):
        return None
    return str(call.value != "None") if rule == "present" else call.value


def is_refusal(call: CallResult) -> bool:
    """Whether a call ended with AssertionError."""
    return call.ended is Ended.RAISED and call.assertion
