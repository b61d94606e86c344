"""Executing a function of a contract from outside: its arguments, what the dispatcher checks, and its guards."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from solexp.violations.solidity import terms
from solexp.violations.solidity.context import Exhausted, Limits
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.guards import Expected, FunctionGuards, Guard, Kind
from solexp.violations.solidity.recording import Event, Recorder
from solexp.violations.solidity.state import State
from solexp.violations.solidity.statements import Execution
from solexp.violations.solidity.storage import TEXT_BYTES
from solexp.violations.solidity.terms import FALSE, Term
from solexp.violations.solidity.types import Type
from solexp.violations.solidity.unit import Node, Unit, kind_of
from solexp.violations.solidity.values import Elements, Members, Text, Word

FIXED_ELEMENTS = 16
"""Longest fixed-size array among the arguments."""


class Executed(NamedTuple):
    """A function after its symbolic execution."""

    function: Node
    recorder: Recorder
    execution: Execution
    returned: Any
    """What it returns, as a value; None where it was not executed to its end."""


def execute(
    unit: Unit, contract: Node, function: Node, state: State | None, limits: Limits
) -> Executed:
    """Executes a function on arguments of which nothing is known, in a state if one is given."""
    run = Execution(unit, contract, state, limits)
    if kind_of(function) == "function":
        run.selector = unit.selector(function)
    run.memory.pay(run.path, run.sender, terms.neg(run.amount))
    run.memory.pay(run.path, run.this, run.amount)
    if not payable(function):
        holds = terms.eq(run.amount, terms.const(0, 256))
        run.guard(Kind.PAYMENT, function, holds, Expected(data="empty"))
    arguments = []
    refused = None
    for place, declared in enumerate(function["parameters"]["parameters"]):
        kind = unit.type_of(declared)
        try:
            _decode(run, declared, kind, f"arg{place}")
            arguments.append(argument(run, kind, f"arg{place}"))
        except Unsupported as fault:
            refused = run.refuse(fault, declared)
            arguments.append(run.unknown(kind, refused))
    returned = None
    try:
        returned = run.run_function(function, arguments)
    except (Exhausted, RecursionError) as fault:
        run.lose(run.refuse(str(fault) or "too deep an expression", function))
        run.recorder.events.append(
            Event(None, terms.TRUE, terms.not_(run.recorder.unknown_value(0, "")), terms.TRUE)
        )
    return Executed(function, run.recorder, run, returned)


def argument(run: Execution, kind: Type, name: str) -> Any:  # noqa: PLR0911
    """A value of a type of which nothing is known: variables for all its parts."""
    kind = run.unit.plain(kind)
    recorder = run.recorder
    if kind.kind == "bool":
        return Word(recorder.parameter(name, terms.BOOL, "bool"), kind)
    if kind.kind == "enum":
        return Word(recorder.parameter(name, kind.bits, "enum", run.unit.members(kind)), kind)
    if kind.scalar:
        role = {"contract": "address", "fixed_bytes": "bytes"}.get(kind.kind, kind.kind)
        return Word(recorder.parameter(name, kind.bits, role), kind)
    if kind.dynamic_bytes:
        most = min(TEXT_BYTES, 32 * run.limits.elements)
        length = recorder.parameter(f"{name}.length", 16, "length", most + 1)
        data = recorder.parameter(name, 8 * TEXT_BYTES, "text")
        wide = terms.zext(length, data.width)
        shifted = terms.shl(data, terms.mul(wide, terms.const(8, data.width)))
        recorder.bound(
            run.path, terms.eq(shifted, terms.const(0, data.width)), f"{name}: {most} bytes"
        )
        return Text(terms.zext(length, 256), data)
    if kind.kind == "struct":
        fields = run.unit.fields(kind)
        items = {
            field: argument(run, _beside(each, kind), f"{name}.{field}") for field, each in fields
        }
        return run.allocate(Members(items), kind)
    if kind.kind == "array" and kind.length is not None:
        if kind.length > FIXED_ELEMENTS:
            raise Unsupported(f"an argument of {kind.length} elements")
        items_ = tuple(
            argument(run, _beside(kind.items[0], kind), f"{name}[{n}]") for n in range(kind.length)
        )
        return run.allocate(Elements(terms.const(kind.length, 256), items_), kind)
    if kind.kind == "array":
        most = run.limits.elements
        length = recorder.parameter(f"{name}.length", 8, "length", most + 1)
        recorder.bounds[f"{name}: {most} elements"] = None
        items_ = tuple(
            argument(run, _beside(kind.items[0], kind), f"{name}[{n}]") for n in range(most)
        )
        return run.allocate(Elements(terms.zext(length, 256), items_), kind)
    raise Unsupported(f"an argument of type {kind.kind} {kind.name}")


def _beside(kind: Type, outer: Type) -> Type:
    """The type of a part, kept where the whole is."""
    return msgspec.structs.replace(kind, location=outer.location) if kind.location else kind


def _decode(run: Execution, declared: Node, kind: Type, name: str) -> None:
    """ABI coder v2 refuses words that are no value of their type."""
    plain = run.unit.plain(kind)
    path = run.unit.place(run.contract).path
    if not plain.scalar or plain.bits == 256 or not run.unit.coder_v2(path):
        return
    dirty = run.recorder.parameter(f"{name}.dirty", terms.BOOL, "dirty")
    run.guard(Kind.DECODING, declared, terms.not_(dirty), Expected(data="empty"))


def payable(function: Node) -> bool:
    """Whether a function takes ether."""
    return function.get("stateMutability") == "payable" or bool(function.get("payable"))


def guards_of(executed: Executed, unit: Unit, contract: Node) -> FunctionGuards:
    """The record of an executed function."""
    function = executed.function
    place = unit.place(function)
    kind = kind_of(function)
    declared = function["parameters"]["parameters"]
    inputs = tuple(unit.abi(unit.type_of(each)) for each in declared) if kind == "function" else ()
    signature = f"{function['name']}({','.join(inputs)})" if kind == "function" else f"{kind}()"
    return FunctionGuards(
        contract=contract["name"],
        name=function["name"] or kind,
        signature=signature,
        selector=f"{unit.selector(function):08x}" if kind == "function" else "",
        path=place.path,
        start=place.start,
        end=place.end,
        inputs=inputs,
        parameters=tuple(each["name"] for each in declared) if kind == "function" else (),
        payable=payable(function),
        guards=tuple(_marked(guard, executed.recorder) for guard in executed.recorder.guards),
        unsupported=tuple(executed.recorder.unsupported),
    )


def _marked(guard: Guard, recorder: Recorder) -> Guard:
    """The guard, unsupported if all of its events are."""
    reason = None
    for event in recorder.events:
        if event.guard != guard.number:
            continue
        unknown = recorder.reasons(event.reached, event.holds)
        if unknown:
            reason = reason or unknown[0]
        elif not _certain(event.reached, event.lost):
            return guard
        else:
            reason = reason or next(iter(recorder.lost), "Unsupported: the state is not known")
    return msgspec.structs.replace(guard, unsupported=reason)


def _certain(reached: Term, lost: Term) -> bool:
    """Whether the state is lost wherever the guard is reached."""
    return terms.and_(reached, terms.not_(lost)) is FALSE
