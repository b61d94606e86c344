"""What the reference gives for the inputs that judge a task, and which of them say nothing."""

from __future__ import annotations

import ast
import platform
from collections.abc import Iterator

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

OUTPUT_MB = 32.0
"""What the outputs of one call may take: references have some of 7 MB."""
_LIMITS = Limits(cpu_s=10.0, batch_cpu_s=300.0, memory_mb=4096, output_mb=OUTPUT_MB)
_ANSWERED = (Ended.RETURNED, Ended.UNREADABLE)


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
    refused = call_series(aware, given.entry_point, inputs, _LIMITS)
    valid = [text for text, call in zip(inputs, refused, strict=True) if call.ended in _ANSWERED]
    if all(isinstance(ast.parse(text).body[0], ast.Assert) for text in given.statements):
        plain: Iterator[CallResult] = (call for call in refused if call.ended in _ANSWERED)
    else:
        # Once more without the contract: its helper statements may give a name another meaning.
        plain = iter(call_series(program, given.entry_point, valid, _LIMITS))
    values = [_value(next(plain), rule) if call.ended in _ANSWERED else None for call in refused]

    def answers(first: int, last: int) -> tuple[Answer, ...]:
        return tuple(
            Answer(args=inputs[place], value=value)
            for place, value in enumerate(values[first:last], first)
            if value is not None
        )

    base = len(given.base)
    return Expected(
        base=answers(0, base),
        plus=answers(base, len(inputs)),
        violating=sum(map(is_refusal, refused)),
        failing=values.count(None) - sum(map(is_refusal, refused)),
    )


def _value(call: CallResult, rule: Rule) -> str | None:
    """What a call of the reference returned; None where that says nothing."""
    if call.ended not in _ANSWERED:
        return None
    return str(call.value != "None") if rule == "present" else call.value


def is_refusal(call: CallResult) -> bool:
    """Whether a call ended with AssertionError."""
    return call.ended is Ended.RAISED and call.assertion
