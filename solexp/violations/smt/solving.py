"""What runs in the process that solves a language model's programs: one program in, its models out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import msgspec
import z3

from solexp.python.literals import write
from solexp.violations.forking import serve

_ESCAPE = re.compile(r"\\u\{([0-9a-fA-F]{1,6})\}|\\u([0-9a-fA-F]{4})")
_LONGEST = 10_000
"""Items of a list and characters of a text in a model."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One program to solve."""

    program: str
    inputs: Sequence[str]
    """Names of the constants that make up an argument list, in order."""
    models: int
    """Distinct argument lists wanted, at most."""


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """One argument list."""

    args: str | None = None
    """As a Python literal; None where it stands for no Python values."""
    reason: str = ""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What is found out about a program: a model, or how the search ended without any."""

    status: str
    """``sat``, ``unsat``, ``unknown``, or ``error`` for a program that Z3 refuses."""
    model: Model | None = None
    reason: str = ""


class Foreign(Exception):
    """A model that stands for no Python value. The message says which part."""


def answers(job: Job) -> Iterator[Answer]:
    """Solve a program here and now: every model as soon as it is found, or how the search ended without any."""
    solver = z3.Solver()
    try:
        solver.from_string(job.program)
    except z3.Z3Exception as error:
        said = error.args[0] if error.args else error
        text = said.decode(errors="replace") if isinstance(said, bytes) else str(said)
        yield Answer(status="error", reason=" ".join(text.split())[:200])
        return
    constants = None
    for number in range(job.models):
        status = solver.check()
        if status != z3.sat:
            if number == 0:
                unsat = status == z3.unsat
                reason = "" if unsat else solver.reason_unknown()[:200]
                yield Answer(status="unsat" if unsat else "unknown", reason=reason)
            return
        model = solver.model()
        constants = constants or _constants(solver, job)
        values = [model.eval(constant, model_completion=True) for constant in constants]
        yield Answer(status="sat", model=_model(values))
        solver.add(z3.Or([c != v for c, v in zip(constants, values, strict=True)]))


def _constants(solver: Any, job: Job) -> list[Any]:
    """The inputs; one that no assertion mentions is like any other of its sort."""
    found = {str(each): each for each in _uninterpreted(solver.assertions())}
    sort = next(iter(found.values())).sort() if found else _value_sort(job)
    return [found[name] if name in found else z3.Const(name, sort) for name in job.inputs]


def _value_sort(job: Job) -> Any:
    return z3.parse_smt2_string(f"{job.program}\n(assert (= Nil Nil))")[-1].arg(0).sort()


def _uninterpreted(assertions: Any) -> Iterator[Any]:
    """Constants of the sort Value in assertions."""
    seen: set[int] = set()
    left = list(assertions)
    while left:
        node = left.pop()
        if node.get_id() in seen:
            continue
        seen.add(node.get_id())
        if z3.is_quantifier(node):
            left.append(node.body())
            continue
        free = z3.is_const(node) and node.decl().kind() == z3.Z3_OP_UNINTERPRETED
        if free and str(node.sort()) == "Value":
            yield node
        left += node.children()


def _model(values: list[Any]) -> Model:
    try:
        return Model(args=write([_python(value) for value in values]))
    except (Foreign, ValueError, OverflowError, RecursionError) as error:
        return Model(reason=str(error))


def _python(value: Any) -> object:
    """The Python value that a term stands for. Raises Foreign."""
    match value.decl().name():
        case "IntVal":
            return int(value.arg(0).as_long())
        case "FloatVal":
            return _float(value.arg(0))
        case "StrVal":
            return _text(value.arg(0))
        case "BoolVal":
            return z3.is_true(value.arg(0))
        case "Nil" | "Cons":
            return _list(value)
    raise Foreign(f"{str(value)[:60]} is no value")


def _float(number: Any) -> float:
    if z3.is_algebraic_value(number):
        number = number.approx(20)
    fraction = number.as_fraction()
    return float(Fraction(fraction.numerator, fraction.denominator))


def _text(text: Any) -> str:
    found = _ESCAPE.sub(lambda each: chr(int(each[1] or each[2], 16)), text.as_string())
    if len(found) > _LONGEST:
        raise Foreign("a text is too long")
    return found


def _list(value: Any) -> list[object]:
    items: list[object] = []
    while value.decl().name() == "Cons":
        items.append(_python(value.arg(0)))
        value = value.arg(1)
        if len(items) > _LONGEST:
            raise Foreign("a list is too long")
    if value.decl().name() != "Nil":
        raise Foreign(f"the tail of a list is {str(value)[:40]}")
    return items


if __name__ == "__main__":
    serve(lambda task: answers(msgspec.json.decode(task, type=Job)))
