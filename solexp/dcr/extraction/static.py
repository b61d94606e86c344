"""The graph of a contract from its syntax tree, without any model.

Every public state-changing function is an event. What its guards read is set against what the functions write:

- **condition** source → target: a guard of the target fails as the contract is deployed, the source can make it hold,
  and without the source nothing can.
- **exclude**: what the source stores makes a guard of the target fail, as a flag or phase does. A function that does so
  to itself, for good, happens once.
- **include**: what the source stores makes such a guard hold again that another function makes fail. Where each of
  several sources alone makes a guard hold that fails at first, none is a condition: each includes the target, which
  begins excluded.
- **response**: the source leaves a record that the target demands and settles: it empties or pays out an account's
  credit, takes up an offer made to the caller, or marks it as done.
"""

from __future__ import annotations

from collections.abc import Mapping

from solexp.core import Build
from solexp.dcr.expressions import Expression, normal
from solexp.dcr.extraction.behaviour import Behaviour
from solexp.dcr.extraction.estimating import Estimator
from solexp.dcr.extraction.reading import read_construction, read_function
from solexp.dcr.extraction.relations import Relations
from solexp.dcr.extraction.terms import family, text
from solexp.dcr.graph import Event, Graph, Marking, Relation, RelationType, validate
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.unit import Node, Unit, kind_of


def extract(build: Build, contract: str, sources: Mapping[str, str]) -> Graph:
    """The graph of a contract of a build that has ASTs.

    Raises DataError for a build without ASTs, or without the contract.
    """
    unit = Unit(build, sources)
    node = unit.contract(contract)
    read = []
    for function in unit.exposed(node):
        try:
            behaviour = read_function(unit, node, function)
        except Unsupported:
            # A parameter that the ABI has no word for, as library functions have.
            continue
        if kind_of(function) == "function" or behaviour.writes:
            read.append(behaviour)
    ids = _ids(read)
    estimator = Estimator(_state(unit, node), _enums(unit))
    found = Relations(ids, read_construction(unit, node), estimator)
    once = found.once()
    relations = tuple(
        Relation(type=kind, source=source, target=target, guard=guard)
        for kind, source, target, guard in found.all()
        if not (kind == RelationType.EXCLUDE and source == target and source in once)
    )
    owners = found.owners()
    events = tuple(
        Event(
            id=name,
            function=behaviour.signature,
            guard=_guard(behaviour, estimator),
            once=name in once,
            ownership=found.hands_over(name, owners),
            sender=_sender(behaviour, owners),
            value=None if behaviour.payable else "0",
        )
        for name, behaviour in ids.items()
    )
    graph = Graph(
        contract=contract,
        events=events,
        relations=relations,
        marking=Marking(included=frozenset(ids) - found.waiting()),
    )
    validate(graph, contract)
    return graph


def _ids(read: list[Behaviour]) -> dict[str, Behaviour]:
    """Functions by name; overloads after the first by the types they take, too."""
    found: dict[str, Behaviour] = {}
    for behaviour in read:
        name = behaviour.name
        if name in found:
            name = behaviour.signature.replace("(", "/").rstrip(")").replace(",", "-")
        found[name] = behaviour
    return found


def _state(unit: Unit, contract: Node) -> frozenset[str]:
    return frozenset(
        node["name"]
        for base in unit.lineage(contract)
        for node in base["nodes"]
        if node["nodeType"] == "VariableDeclaration"
    )


def _enums(unit: Unit) -> dict[str, tuple[str, ...]]:
    return {
        node["name"]: tuple(each["name"] for each in node["members"])
        for node in unit.declarations.values()
        if node["nodeType"] == "EnumDefinition"
    }


def _guard(behaviour: Behaviour, estimator: Estimator) -> str | None:
    """What a call demands, as one expression, each part once and without what always holds."""
    parts: dict[str, Expression] = {}
    for guard in behaviour.guards:
        if estimator.of(guard, lambda _: None, {}) != 1 and not _fits(guard):
            parts.setdefault(normal(text(guard)), guard)
    if len(parts) == 1:
        return text(*parts.values())
    return text(Expression("binary", "&&", tuple(parts.values()))) if parts else None


def _fits(guard: Expression) -> bool:
    """Whether a guard only asks if a sum or product fits, as libraries for arithmetic do."""
    if guard.kind != "binary" or guard.text not in ("==", ">=", ">"):
        # a == 0 || a * b / a == b
        return guard.text == "||" and any(map(_fits, guard.parts))
    left, right = guard.parts[0], set(_flat(guard.parts[1]))
    sums = {each.text for each in left.walk() if each.kind == "binary"} & {"+", "*", "/"}
    return bool(sums) and bool(right) and right <= set(_flat(left))


def _flat(tree: Expression) -> list[Expression]:
    return [each for each in tree.walk() if each.kind not in ("binary", "literal")]


def _sender(behaviour: Behaviour, owners: frozenset[str]) -> str | None:
    """Who has to call: the variable that the sender is compared with, as a word."""
    for guard in behaviour.guards:
        if guard.kind == "binary" and guard.text == "==":
            for one, other in (guard.parts, guard.parts[::-1]):
                at = family(one)
                if at in owners and family(other) == "msg.sender":
                    return at.replace(".", "-").strip("_-") or None
    return None
