"""What a deployment leaves: immutables and storage, by executing the constructors on known arguments.

State variables are initialised and constructors run from the most basic contract to the most derived one, after the
arguments of all of them were evaluated.
"""

from __future__ import annotations

from typing import Any

from eth_abi.abi import decode

from solexp.violations.solidity import terms
from solexp.violations.solidity.calldata import spread
from solexp.violations.solidity.context import Exhausted, Limits
from solexp.violations.solidity.evaluation import evaluate
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.functions import argument
from solexp.violations.solidity.state import Snapshot
from solexp.violations.solidity.statements import Execution
from solexp.violations.solidity.tables import Tables
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.types import Type
from solexp.violations.solidity.unit import Node, Unit, kind_of
from solexp.violations.solidity.values import Word


def immutables(
    unit: Unit,
    contract: Node,
    constructor_args: str,
    deployed: Snapshot,
    *,
    sender: str,
    value: int = 0,
) -> dict[str, int]:
    """Words that a contract's immutables hold after its deployment, by name; those that cannot be told are left out.

    ``constructor_args`` is ABI-encoded hex with ``0x``; ``deployed`` tells address, block and time of the deployment.
    Words are as in the contract's code: values of bytesN are at the left.
    """
    run = construct(unit, contract, deployed)
    values = _arguments(unit, contract, constructor_args) | {
        "sender": int(sender, 16),
        "value": value,
        "timestamp": deployed.timestamp,
        "number": deployed.block_number,
    }
    read = Tables(deployed).read
    found: dict[str, int] = {}
    for base in unit.lineage(contract):
        for node in base["nodes"]:
            if node["nodeType"] != "VariableDeclaration" or node.get("mutability") != "immutable":
                continue
            held = run.path.variables.get((IMMUTABLE, node["id"]))
            if isinstance(held, Word) and not run.recorder.reasons(held.term):
                word = _word(held.term, unit.plain(held.kind))
                found.setdefault(node["name"], evaluate([word], values, read)[0])
    return found


IMMUTABLE = -1
"""Frame of immutables while constructors run."""


class _Construction(Execution):
    """Executes constructors, in which immutables are variables."""

    def variable(self, declared: Node) -> Any:
        at = IMMUTABLE, declared["id"]
        if at in self.path.variables:
            return self.path.variables[at]
        return super().variable(declared)

    def reference(self, node: Node) -> Any:
        if node["nodeType"] == "Identifier":
            declared = self.unit.declarations.get(node["referencedDeclaration"])
            if declared is not None and declared.get("mutability") == "immutable":
                return "local", (IMMUTABLE, declared["id"])
        return super().reference(node)


def construct(unit: Unit, contract: Node, deployed: Snapshot | None) -> Execution:
    """The execution of all constructors, on arguments of which nothing is known."""
    run = _Construction(unit, contract, deployed, Limits())
    run.memory.state = None
    lineage = unit.lineage(contract)
    given = _all_arguments(run, contract, lineage)
    for base in reversed(lineage):
        run.frame = run.new_frame(base)
        try:
            for node in base["nodes"]:
                if node["nodeType"] == "VariableDeclaration" and not node.get("constant"):
                    _initialise(run, node)
            constructor = _constructor(base)
            if constructor is not None:
                run.run_function(constructor, given.get(base["id"]) or [])
        except (Exhausted, Unsupported) as fault:
            run.lose(str(fault))
    return run


def _initialise(run: _Construction, node: Node) -> None:
    kind = run.unit.type_of(node)
    immutable = node.get("mutability") == "immutable"
    if immutable:
        run.path.variables[IMMUTABLE, node["id"]] = run.default(kind)
    if node.get("value") is None:
        return
    try:
        value = run.converted(run.evaluate(node["value"]), kind)
        if immutable:
            run.path.variables[IMMUTABLE, node["id"]] = value
        else:
            run.store(run.layout.spots[node["id"]], kind, value)
    except Unsupported as fault:
        run.lose(run.refuse(fault, node))


def _constructor(contract: Node) -> Node | None:
    for member in contract["nodes"]:
        if member["nodeType"] == "FunctionDefinition" and kind_of(member) == "constructor":
            found: Node = member
            return found
    return None


def _all_arguments(run: Execution, contract: Node, lineage: list[Node]) -> dict[int, list[Any]]:
    """Arguments of each contract's constructor, by its id."""
    unit = run.unit
    found: dict[int, list[Any]] = {}
    own = _constructor(contract)
    if own is not None:
        declared = own["parameters"]["parameters"]
        found[contract["id"]] = [
            argument(run, unit.type_of(each), f"arg{place}") for place, each in enumerate(declared)
        ]
    for base in lineage:
        constructor = _constructor(base)
        frame = run.new_frame(base)
        run.frame = frame
        if constructor is not None:
            pairs = zip(
                constructor["parameters"]["parameters"], found.get(base["id"]) or [], strict=False
            )
            for parameter, value in pairs:
                run.path.variables[frame.number, parameter["id"]] = value
        said = [(each["baseName"], each.get("arguments")) for each in base["baseContracts"]]
        if constructor is not None:
            said += [
                (each["modifierName"], each.get("arguments"))
                for each in constructor.get("modifiers", ())
            ]
        for name, arguments in said:
            number = name.get("referencedDeclaration")
            if arguments and number in unit.contracts:
                found[number] = [run.evaluate(each) for each in arguments]
    return found


def _arguments(unit: Unit, contract: Node, encoded: str) -> dict[str, int]:
    """Values of the variables that stand for the constructor's arguments."""
    constructor = _constructor(contract)
    if constructor is None:
        return {}
    kinds = [unit.type_of(each) for each in constructor["parameters"]["parameters"]]
    given = decode([unit.abi(each) for each in kinds], bytes.fromhex(encoded[2:]), strict=False)
    found: dict[str, int] = {}
    for place, (kind, value) in enumerate(zip(kinds, given, strict=True)):
        spread(unit, kind, f"arg{place}", value, found)
    return found


def _word(term: Term, kind: Type) -> Term:
    """A value as a word."""
    if kind.kind == "bool":
        return terms.ite(term, terms.const(1, 256), terms.const(0, 256))
    if kind.kind == "fixed_bytes":
        return terms.resized_text(term, 256)
    return terms.resized(term, 256, sign=kind.signed)
