"""What definitions need of each other.

From the compiler's AST (``referencedDeclaration``), which tells overloads and shadowed names apart. Compilers that
offer no compact AST (0.4.11) leave names: every definition of a name that is written is taken to be meant.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import msgspec

from solexp.core import Build
from solexp.solidity.definitions.index import CALLABLES, CONTAINERS, Declaration, Index
from solexp.solidity.lexing import mask
from solexp.solidity.syntax import named_by, nodes

_WORD = re.compile(r"[A-Za-z_$][\w$]*")


class References(msgspec.Struct, frozen=True, kw_only=True):
    """Who needs whom, by numbers in an index. What is never needed has no entry."""

    certain: dict[int, tuple[int, ...]]
    """Definitions that the text of another names: without them it does not compile."""
    likely: dict[int, tuple[int, ...]]
    """Definitions that another may need without naming them: constructors that are given arguments, overridden
    functions, directives ``using`` that give a type its functions."""
    bases: dict[int, tuple[int, ...]]
    """A contract's bases, itself left out, the most derived first (C3 linearization where the AST tells)."""
    bodiless: frozenset[int]
    """Functions that have no body: contracts that are to be deployed must implement them."""
    abstract: frozenset[int]
    """Contracts that cannot be deployed as they are."""


def references(index: Index, build: Build) -> References:
    """The references among the declarations of an index, which a build of the same sources, with ASTs, tells."""
    asts = build.asts or {}
    if asts and all(isinstance(ast, dict) and "nodes" in ast for ast in asts.values()):
        return _Reading(index, asts).references()
    return _by_name(index, build)


class _Reading:
    """One pass over the ASTs."""

    def __init__(self, index: Index, asts: dict[str, Any]) -> None:
        self.index = index
        self.certain: defaultdict[int, set[int]] = defaultdict(set)
        self.likely: defaultdict[int, set[int]] = defaultdict(set)
        self.bases: dict[int, tuple[int, ...]] = {}
        self.owners: dict[int, int] = {}
        """The declaration in which each AST node with an id lies."""
        self.nodes: list[tuple[dict[str, Any], int]] = []
        self.contracts: dict[int, dict[str, Any]] = {}
        starts = {(each.path, each.start): each.number for each in index.declarations}
        for path, ast in asts.items():
            for top in ast["nodes"]:
                self._declare(top, path, starts)

    def _declare(self, node: dict[str, Any], path: str, starts: dict[tuple[str, int], int]) -> None:
        number = starts.get((path, int(node["src"].split(":")[0])))
        if number is None:
            return
        members = node.get("nodes", ()) if node["nodeType"] == "ContractDefinition" else ()
        if node["nodeType"] == "ContractDefinition":
            self.contracts[number] = node
        self._collect({key: value for key, value in node.items() if key != "nodes"}, number)
        for member in members:
            self._declare(member, path, starts)

    def _collect(self, tree: Any, number: int) -> None:
        for node in nodes(tree):
            if isinstance(node.get("id"), int):
                self.owners[node["id"]] = number
                self.nodes.append((node, number))

    def references(self) -> References:
        for number, node in self.contracts.items():
            lineage = [self.owners.get(each) for each in node.get("linearizedBaseContracts", ())]
            self.bases[number] = tuple(
                each for each in lineage if each is not None and each != number
            )
        for node, number in self.nodes:
            for meant in named_by(node):
                self._note(self.certain, number, meant)
            for meant in node.get("baseFunctions") or ():
                self._note(self.likely, number, meant)
            for contract in _given_arguments(node):
                self._constructor(number, self.owners.get(contract))
        for node, number in self.nodes:
            if node.get("nodeType") == "MemberAccess":
                self._attached(node, number)
        self._immutables()
        return References(
            certain={key: tuple(sorted(value)) for key, value in self.certain.items()},
            likely={key: tuple(sorted(value)) for key, value in self.likely.items()},
            bases=self.bases,
            bodiless=_bodiless(self.index),
            abstract=frozenset(
                number
                for number, node in self.contracts.items()
                if not node.get("fullyImplemented", True) or node.get("abstract", False)
            ),
        )

    def _note(self, to: defaultdict[int, set[int]], number: int, meant: int) -> None:
        other = self.owners.get(meant)
        if other is not None and other != number:
            to[number].add(other)

    def _constructor(self, number: int, contract: int | None) -> None:
        if contract is not None:
            self.likely[number] |= set(self.index.constructors(contract)) - {number}

    def _attached(self, node: dict[str, Any], number: int) -> None:
        """A library's function called on a value needs a directive that attaches it."""
        called = self.owners.get(node.get("referencedDeclaration") or -1)
        if called is None:
            return
        library = self.index.declarations[called].contract
        if library is not None and self.index.declarations[library].kind != "library":
            return
        inside = self.index.declarations[number]
        owner = inside.contract if inside.contract is not None else number
        scopes = {owner, None, *self.bases.get(owner, ())}
        for each in self.index.declarations:
            if each.kind == "using" and each.contract in scopes:
                meant = self.certain.get(each.number, set())
                if not meant or called in meant or library in meant:
                    self.likely[number].add(each.number)

    def _immutables(self) -> None:
        """Old compilers want immutables set by a constructor."""
        for each in self.index.declarations:
            if (
                each.kind == "variable"
                and each.contract is not None
                and "immutable" in self.index.header(each)
            ):
                self._constructor(each.number, each.contract)


def _given_arguments(node: dict[str, Any]) -> Iterator[int]:
    """Ids of the contracts whose constructors a node gives arguments to."""
    kind = node.get("nodeType")
    if kind in ("InheritanceSpecifier", "ModifierInvocation") and node.get("arguments"):
        name = node.get("baseName") or node.get("modifierName") or {}
        if isinstance(name.get("referencedDeclaration"), int):
            yield name["referencedDeclaration"]
    elif kind == "NewExpression":
        name = node.get("typeName") or {}
        path = name.get("pathNode") or name
        if isinstance(path.get("referencedDeclaration"), int):
            yield path["referencedDeclaration"]


def _bodiless(index: Index) -> frozenset[int]:
    return frozenset(
        each.number
        for each in index.declarations
        if each.contract is not None and each.kind in CALLABLES and each.brace is None
    )


def _by_name(index: Index, build: Build) -> References:
    named: defaultdict[str, list[Declaration]] = defaultdict(list)
    for each in index.declarations:
        if each.name and each.kind not in ("using", "import", "pragma"):
            named[each.name].append(each)
    certain: dict[int, tuple[int, ...]] = {}
    likely: dict[int, tuple[int, ...]] = {}
    bases: dict[int, tuple[int, ...]] = {}
    for each in index.declarations:
        words = set(_WORD.findall(mask(_own_text(index, each))))
        meant = {other.number for word in words for other in named.get(word, ())} - {each.number}
        outer = [n for n in meant if index.declarations[n].contract is None]
        certain[each.number] = tuple(sorted(outer))
        likely[each.number] = tuple(sorted(meant - set(outer)))
        if each.kind in CONTAINERS:
            bases[each.number] = tuple(reversed(outer))
    for each in index.declarations:
        if each.kind == "using" and each.contract is not None:
            others = [m.number for m in index.members(each.contract) if m.number != each.number]
            for number in others:
                likely[number] = (*likely.get(number, ()), each.number)
    return References(
        certain=certain,
        likely=likely,
        bases={number: _lineage(number, bases) for number in bases},
        bodiless=_bodiless(index),
        abstract=frozenset(
            each.number
            for each in index.declarations
            if each.kind in CONTAINERS
            and (built := build.contract(each.name, each.path)) is not None
            and built.creation == "0x"
        ),
    )


def _own_text(index: Index, each: Declaration) -> str:
    """A contract's header, or the whole of anything else."""
    if each.kind in CONTAINERS:
        return index.header(each)
    return index.text(each)


def _lineage(number: int, bases: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    found: dict[int, None] = {}
    queue = list(bases.get(number, ()))
    while queue:
        base = queue.pop(0)
        if base != number and base not in found:
            found[base] = None
            queue.extend(bases.get(base, ()))
    return tuple(found)
