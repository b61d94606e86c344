"""What calls what, from the compiler's AST: the references in each function, before any virtual call is resolved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from solexp.solidity.syntax import nodes

How = Literal["internal", "super", "exact", "instance", "new"]
"""``internal``: by name, subject to overriding; ``super``: the next in the linearization; ``exact``: this function;
``instance``: on a value whose contract is known by its type only; ``new``: a contract is deployed."""

INVOKED = frozenset(
    {"FunctionDefinition", "ModifierDefinition", "EventDefinition", "ErrorDefinition"}
)


class Reference(msgspec.Struct, frozen=True):
    """A declaration that a function names."""

    how: How
    id: int


class Code(msgspec.Struct, frozen=True, kw_only=True):
    """A function, constructor or modifier; or a contract's state variables together, whose ``key`` is empty."""

    id: int
    contract: int | None
    path: str
    start: int
    """UTF-8 byte offsets of its file, end exclusive, documentation left out."""
    end: int
    kind: str
    """``function``, ``constructor``, ``fallback``, ``receive``, ``modifier`` or ``variables``."""
    name: str
    key: str
    """What it shares with those that it overrides, or that override it: name and types of parameters."""
    external: bool
    """Whether it can be called from outside."""
    implemented: bool
    selector: str | None = None
    parameters: int = 0
    documentation: str = ""
    bases: tuple[int, ...] = ()
    """What it overrides."""
    references: tuple[Reference, ...] = ()


class Contract(msgspec.Struct, frozen=True, kw_only=True):
    """A contract, interface or library."""

    id: int
    path: str
    name: str
    kind: str
    abstract: bool
    lineage: tuple[int, ...]
    """The contract and its bases, the most derived first (C3 linearization)."""
    variables: int | None = None
    """Id of its state variables' code."""


class CallGraph(msgspec.Struct, frozen=True, kw_only=True):
    """All of one compilation."""

    contracts: Mapping[int, Contract]
    code: Mapping[int, Code]
    invoked: Mapping[int, tuple[str, int, int]]
    """Path and byte range of what can be invoked: functions, modifiers, events and errors."""
    members: Mapping[int, Mapping[str, int]]
    """Code by key, for each contract."""

    def at(self, path: str, start: int) -> Code | None:
        """The code that begins at a byte of a file."""
        return next(
            (c for c in self.code.values() if c.start == start and c.path == path and c.key), None
        )


def call_graph(asts: Mapping[str, Any]) -> CallGraph:
    """The call graph of compact ASTs by path. ASTs of another form (before 0.4.12) hold nothing."""
    contracts: dict[int, Contract] = {}
    code: dict[int, Code] = {}
    invoked: dict[int, tuple[str, int, int]] = {}
    for path, ast in asts.items():
        for node in (ast or {}).get("nodes", ()):
            if node["nodeType"] == "ContractDefinition":
                variables = [n for n in node["nodes"] if n["nodeType"] == "VariableDeclaration"]
                contracts[node["id"]] = _contract(node, path)
                # Its own id is free among code: no function has it.
                code[node["id"]] = _variables(node, path, variables)
                for member in node["nodes"]:
                    _add(member, path, node["id"], code, invoked)
            else:
                _add(node, path, None, code, invoked)
    members: dict[int, dict[str, int]] = {each: {} for each in contracts}
    for each in code.values():
        if each.contract is not None and each.key:
            members[each.contract][each.key] = each.id
    return CallGraph(contracts=contracts, code=code, invoked=invoked, members=members)


def _contract(node: dict[str, Any], path: str) -> Contract:
    kind = node["contractKind"]
    return Contract(
        id=node["id"],
        path=path,
        name=node["name"],
        kind=kind,
        # Before 0.6 no word says so.
        abstract=kind != "contract"
        or node.get("abstract", False)
        or not (node.get("fullyImplemented", True)),
        lineage=tuple(node["linearizedBaseContracts"]),
        variables=node["id"],
    )


def _variables(node: dict[str, Any], path: str, variables: list[dict[str, Any]]) -> Code:
    # Arguments to bases, ``contract A is B(f())``, are evaluated at deployment, too.
    start, length, _ = _span(node)
    return Code(
        id=node["id"],
        contract=node["id"],
        path=path,
        start=start,
        end=start + length,
        kind="variables",
        name="",
        key="",
        external=False,
        implemented=True,
        references=tuple(_references([variables, node["baseContracts"]])),
    )


def _add(
    node: dict[str, Any],
    path: str,
    contract: int | None,
    code: dict[int, Code],
    invoked: dict[int, tuple[str, int, int]],
) -> None:
    if node["nodeType"] not in INVOKED:
        return
    start, length, _ = _span(node)
    invoked[node["id"]] = path, start, start + length
    if node["nodeType"] not in ("FunctionDefinition", "ModifierDefinition"):
        return
    modifier = node["nodeType"] == "ModifierDefinition"
    # Before 0.5 a flag says what is a constructor.
    told = node.get("kind", "constructor" if node.get("isConstructor") else "function")
    kind = "modifier" if modifier else told
    parameters = node["parameters"]["parameters"]
    types = ",".join(_type(each) for each in parameters)
    said = node.get("documentation") or ""
    code[node["id"]] = Code(
        id=node["id"],
        contract=contract,
        path=path,
        start=start,
        end=start + length,
        kind=kind,
        name=node["name"],
        key=f"modifier {node['name']}" if modifier else f"{kind} {node['name']}({types})",
        external=node.get("visibility") in ("public", "external"),
        implemented=node.get("implemented", node.get("body") is not None),
        selector=node.get("functionSelector"),
        parameters=len(parameters),
        documentation=said if isinstance(said, str) else said.get("text", ""),
        bases=tuple(node.get("baseFunctions") or node.get("baseModifiers") or ()),
        references=tuple(_references({**node, "documentation": None})),
    )


def _type(parameter: dict[str, Any]) -> str:
    """A parameter's type without where it is stored: overriding may change ``memory`` to ``calldata``."""
    words = (parameter["typeDescriptions"].get("typeString") or "").split(" ")
    return " ".join(
        word for word in words if word not in ("memory", "calldata", "storage", "pointer", "ref")
    )


def _span(node: dict[str, Any]) -> tuple[int, int, int]:
    start, length, file = (int(part) for part in node["src"].split(":"))
    return start, length, file


def _references(tree: Any) -> Iterator[Reference]:
    """All that a tree names, each once, in no order that matters."""
    seen = {reference for node in nodes(tree) for reference in _named(node)}
    yield from sorted(seen, key=lambda each: (each.id, each.how))


def _named(node: dict[str, Any]) -> Iterator[Reference]:
    kind = node["nodeType"]
    meant = node.get("referencedDeclaration")
    if kind == "MemberAccess":
        inner = node["expression"]
        if node["memberName"] in ("creationCode", "runtimeCode"):
            yield from (Reference("new", each) for each in _named_contracts(inner))
        if isinstance(meant, int):
            yield Reference(_how(inner), meant)
    elif kind in ("Identifier", "IdentifierPath", "UserDefinedTypeName"):
        if isinstance(meant, int):
            yield Reference("internal", meant)
    elif kind == "NewExpression":
        name = node["typeName"]
        meant = (name.get("pathNode") or name).get("referencedDeclaration")
        if isinstance(meant, int):
            yield Reference("new", meant)
    elif kind in ("BinaryOperation", "UnaryOperation") and isinstance(node.get("function"), int):
        yield Reference("exact", node["function"])


def _how(inner: dict[str, Any]) -> How:
    """How a member of a value is called, from the value's type."""
    name = inner.get("typeDescriptions", {}).get("typeIdentifier") or ""
    if name.startswith("t_super") or (
        inner["nodeType"] == "Identifier" and inner.get("name") == "super"
    ):
        return "super"
    if name.startswith("t_contract"):
        return "instance"
    return "exact"


def _named_contracts(node: dict[str, Any]) -> Iterator[int]:
    """The contracts in ``type(X)``."""
    for argument in node.get("arguments", ()):
        meant = argument.get("referencedDeclaration")
        if isinstance(meant, int):
            yield meant
