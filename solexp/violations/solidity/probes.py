"""Solidity expressions over a contract's storage, evaluated in a state.

The compiler itself reads them: each becomes the body of an internal function of the contract, so that names, overloads,
``using for`` and arithmetic mean what they mean there, in every series.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from solexp.core import CompilerSettings, UserError
from solexp.solidity.compiler import Compiler
from solexp.solidity.parsing import definition
from solexp.violations.solidity.calldata import spread
from solexp.violations.solidity.context import Limits
from solexp.violations.solidity.evaluation import evaluate
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.functions import argument
from solexp.violations.solidity.guards import Guard
from solexp.violations.solidity.state import State
from solexp.violations.solidity.statements import Execution
from solexp.violations.solidity.tables import Tables
from solexp.violations.solidity.terms import Term, as_signed
from solexp.violations.solidity.unit import Node, Unit
from solexp.violations.solidity.values import Word, whole

_NAME = "solexpProbe"


class Probed(msgspec.Struct, frozen=True):
    """What an expression is worth."""

    value: bool | int | None
    """Addresses and bytesN as numbers; None where evaluating it reverts."""
    reverts: Guard | None = None
    """What makes it revert."""


class Probe:
    """An expression of a contract, after the compiler has read it."""

    def __init__(self, unit: Unit, contract: Node, function: Node, text: str) -> None:
        self.unit = unit
        self.contract = contract
        self.function = function
        self.text = text

    def translate(self, state: State) -> tuple[Term, Execution]:
        """Its term in a state, over the variables of its parameters, and the execution that made it.

        Raises Unsupported.
        """
        run = Execution(self.unit, self.contract, state, Limits())
        declared = self.function["parameters"]["parameters"]
        given = [argument(run, self.unit.type_of(d), f"arg{n}") for n, d in enumerate(declared)]
        found = whole(run.run_function(self.function, given))
        if not isinstance(found, Word):
            raise Unsupported(f"an expression that is no elementary value: {self.text}")
        reasons = run.recorder.reasons(found.term)
        if reasons or run.recorder.lost:
            reason = next(iter([*reasons, *run.recorder.lost]))
            raise Unsupported(reason.removeprefix("Unsupported: "))
        return found.term, run

    def at(
        self,
        state: State,
        *,
        sender: str = "0x" + "00" * 20,
        value: int = 0,
        arguments: Sequence[object] = (),
        timestamp: int | None = None,
        block_number: int | None = None,
    ) -> Probed:
        """What the expression is worth in a state, asked by ``sender``; arguments as eth_abi gives them.

        Raises Unsupported where that cannot be told.
        """
        term, run = self.translate(state)
        declared = self.function["parameters"]["parameters"]
        values = {
            "sender": int(sender, 16),
            "value": value,
            "timestamp": state.timestamp if timestamp is None else timestamp,
            "number": state.block_number if block_number is None else block_number,
        }
        for place, (parameter, given) in enumerate(zip(declared, arguments, strict=True)):
            spread(self.unit, self.unit.type_of(parameter), f"arg{place}", given, values)
        events = run.recorder.events
        found, *failing = evaluate([term, *(e.fails for e in events)], values, Tables(state).read)
        for event, fails in zip(events, failing, strict=True):
            if fails and event.guard is None:
                raise Unsupported(f"beyond what is followed: {', '.join(run.recorder.bounds)}")
            if fails and event.guard is not None:
                return Probed(None, run.recorder.guards[event.guard])
        if term.width == 0:
            return Probed(bool(found))
        kind = self.unit.type_of(self.function["returnParameters"]["parameters"][0])
        return Probed(as_signed(found, term.width) if kind.signed else found)


def probes(
    compiler: Compiler,
    sources: Mapping[str, str],
    settings: CompilerSettings,
    contract: str,
    expressions: Sequence[str],
    *,
    parameters: str = "",
    kind: str = "bool",
) -> tuple[Probe, ...]:
    """The expressions as ``contract`` reads them, all of type ``kind``, such as ``uint256``.

    ``parameters`` declares further names: ``address to, uint256 amount``. Raises UserError for an expression that the
    contract does not take.
    """
    path, end = end_of(sources, contract)
    text = sources[path].encode()
    mutability = "view" if _release(settings.version) >= (0, 4, 16) else "constant"
    before, places = text[:end], []
    for number, expression in enumerate(expressions):
        head = (
            f"\n    function {_NAME}{number}({parameters}) internal {mutability} returns ({kind}) "
        )
        body = f"{{ return ({expression}); }}\n"
        places.append(len(before) + len(head.encode()))
        before += head.encode() + body.encode()
    probed = dict(sources) | {path: (before + text[end:]).decode()}
    build = compiler.compile(probed, settings, ast=True)
    for error in build.errors:
        at = error.start if error.path == path and error.start is not None else 0
        number = max((n for n, place in enumerate(places) if place <= at), default=0)
        raise UserError(
            f"{contract} does not take the expression {expressions[number]!r}: {error.message}"
        )
    unit = Unit(build, probed)
    node = unit.contract(contract, path)
    functions = {m["name"]: m for m in node["nodes"] if m["nodeType"] == "FunctionDefinition"}
    return tuple(
        Probe(unit, node, functions[f"{_NAME}{number}"], expression)
        for number, expression in enumerate(expressions)
    )


def end_of(sources: Mapping[str, str], contract: str) -> tuple[str, int]:
    """The file of a contract, and the byte of its closing brace."""
    for path, text in sources.items():
        found = definition(text, contract)
        if found is not None:
            return path, text.encode().rindex(b"}", 0, found.end)
    raise UserError(f"no contract {contract} in {', '.join(sources)}")


def _release(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
