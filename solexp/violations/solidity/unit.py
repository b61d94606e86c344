"""A compilation's syntax trees: who declares what, and which function a call means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from solexp.core import Build, DataError
from solexp.evm.words import keccak
from solexp.solidity.syntax import nodes
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.types import Type, read_type

Node = dict[str, Any]


class Place(msgspec.Struct, frozen=True):
    """Where a node stands."""

    path: str
    start: int
    end: int
    line: int


class Unit:
    """The declarations of one compilation."""

    def __init__(self, build: Build, sources: Mapping[str, str]) -> None:
        """Raises DataError when the build has no compact ASTs (compilers from 0.4.12 on give them)."""
        self.version = version_of(build.compiler)
        self.texts = {path: text.encode("utf-8", "replace") for path, text in sources.items()}
        self.declarations: dict[int, Node] = {}
        self.contracts: dict[int, Node] = {}
        self.owner: dict[int, int] = {}
        """Contract of each of its members, by id."""
        self.paths: dict[int, str] = {}
        self.units: dict[str, Node] = {}
        self.literals: dict[bytes, None] = {}
        """Texts in the sources."""
        self.creates = False
        """Whether there is code that creates contracts."""
        for path, tree in (build.asts or {}).items():
            if not tree or "nodeType" not in tree:
                raise DataError(
                    f"{path}: no compact AST; compile with ast=True, by 0.4.12 or newer"
                )
            self._add(path, tree)
        if not self.units:
            raise DataError("the build has no ASTs; compile with ast=True")

    def _add(self, path: str, tree: Node) -> None:
        self.units[path] = tree
        self.paths[int(tree["src"].split(":")[2])] = path
        for node in nodes(tree):
            if isinstance(node.get("id"), int):
                self.declarations[node["id"]] = node
            if node["nodeType"] == "Literal" and node.get("hexValue") is not None:
                self.literals[bytes.fromhex(node["hexValue"])] = None
            if _creates(node):
                self.creates = True
            if node["nodeType"] == "ContractDefinition":
                self.contracts[node["id"]] = node
                for member in node["nodes"]:
                    self.owner[member["id"]] = node["id"]

    def contract(self, name: str, path: str | None = None) -> Node:
        """The contract of a name. Raises DataError when there is none."""
        for node in self.contracts.values():
            if node["name"] == name and path in (None, self.place(node).path):
                return node
        raise DataError(f"no contract {name} in {', '.join(self.units)}")

    def place(self, node: Node) -> Place:
        start, length, file = map(int, node["src"].split(":"))
        path = self.paths.get(file, "")
        return Place(path, start, start + length, self.line(path, start))

    def line(self, path: str, start: int) -> int:
        return self.texts.get(path, b"").count(b"\n", 0, start) + 1

    def text(self, path: str, start: int, end: int) -> str:
        """Source text on one line."""
        return " ".join(self.texts.get(path, b"")[start:end].decode("utf-8", "replace").split())

    def lineage(self, contract: Node) -> list[Node]:
        """The contract and its bases, the most derived first."""
        return [self.contracts[number] for number in contract["linearizedBaseContracts"]]

    # Functions

    def key(self, function: Node) -> tuple[str, ...]:
        """What a function shares with those it overrides."""
        types = (self._bare(each) for each in function["parameters"]["parameters"])
        return function["nodeType"], kind_of(function), function["name"], *types

    @staticmethod
    def _bare(parameter: Node) -> str:
        words = (parameter["typeDescriptions"].get("typeString") or "").split(" ")
        kept = (w for w in words if w not in ("memory", "calldata", "storage", "pointer", "ref"))
        return " ".join(kept)

    def resolve(self, function: Node, lineage: list[Node]) -> Node:
        """What a call of a function runs in a contract of this lineage: the most derived override with a body."""
        if self.owner.get(function["id"]) not in {each["id"] for each in lineage}:
            return function
        wanted = self.key(function)
        for contract in lineage:
            for member in contract["nodes"]:
                if (
                    member["nodeType"] == function["nodeType"]
                    and member["name"] == function["name"]
                    and self.key(member) == wanted
                    and member.get("body") is not None
                ):
                    found: Node = member
                    return found
        return function

    def exposed(self, contract: Node) -> Iterator[Node]:
        """The public and external functions with a body that may change state, as this contract has them."""
        seen: set[tuple[str, ...]] = set()
        for base in self.lineage(contract):
            for member in base["nodes"]:
                if member["nodeType"] != "FunctionDefinition":
                    continue
                if kind_of(member) == "constructor" or member.get("body") is None:
                    continue
                key = self.key(member)
                if key in seen:
                    continue
                seen.add(key)
                if member["visibility"] in ("public", "external") and not is_view(member):
                    yield member

    # Types

    def type_of(self, node: Node) -> Type:
        """The type of an expression or a variable."""
        described = node.get("typeDescriptions") or {}
        return read_type(described.get("typeIdentifier"))

    def plain(self, kind: Type) -> Type:
        """The type without names: what is under a user-defined value type, the width of an enum."""
        if kind.kind == "wrapped":
            return self.plain(self.type_of(self.declarations[kind.declaration]["underlyingType"]))
        if kind.kind == "enum":
            return msgspec.structs.replace(kind, bits=8 if self.members(kind) <= 256 else 16)
        return kind

    def members(self, kind: Type) -> int:
        """How many members an enum has."""
        return len(self.declarations[kind.declaration]["members"])

    def fields(self, kind: Type) -> list[tuple[str, Type]]:
        """Names and types of a struct's members."""
        struct = self.declarations[kind.declaration]
        return [(member["name"], self.type_of(member)) for member in struct["members"]]

    def abi(self, kind: Type) -> str:  # noqa: PLR0911
        """Canonical ABI type."""
        match kind.kind:
            case "uint" | "int":
                return f"{kind.kind}{kind.bits}"
            case "bool" | "address" | "bytes" | "string":
                return kind.kind
            case "contract":
                return "address"
            case "fixed_bytes":
                return f"bytes{kind.bits // 8}"
            case "enum":
                return f"uint{self.plain(kind).bits}"
            case "wrapped":
                return self.abi(self.plain(kind))
            case "struct":
                return f"({','.join(self.abi(each) for _, each in self.fields(kind))})"
            case "array":
                size = "" if kind.length is None else kind.length
                return f"{self.abi(kind.items[0])}[{size}]"
        raise Unsupported(f"a parameter of type {kind.kind}")

    def signature(self, function: Node) -> str:
        """Canonical signature of a function or error."""
        kinds = [self.type_of(each) for each in function["parameters"]["parameters"]]
        return f"{function['name']}({','.join(map(self.abi, kinds))})"

    def selector(self, function: Node) -> int:
        """The first four bytes of its signature's hash."""
        return keccak(self.signature(function).encode()) >> 224

    # Versions

    @property
    def checked(self) -> bool:
        """Whether arithmetic reverts where it would wrap around."""
        return self.version >= (0, 8, 0)

    def coder_v2(self, path: str) -> bool:
        """Whether arguments of contracts in this file are decoded by ABI coder v2."""
        chosen = self.version >= (0, 8, 0)
        for node in self.units.get(path, {}).get("nodes", ()):
            if node["nodeType"] == "PragmaDirective":
                words = "".join(node["literals"])
                if words in ("experimentalABIEncoderV2", "abicoderv2"):
                    chosen = True
                if words == "abicoderv1":
                    chosen = False
        return chosen


def _creates(node: Node) -> bool:
    """Whether a node makes a contract, or may."""
    if node["nodeType"] == "NewExpression":
        kind = (node.get("typeDescriptions") or {}).get("typeIdentifier") or ""
        return not kind or kind.startswith("t_function_creation")
    if node["nodeType"] == "YulFunctionCall":
        return node["functionName"]["name"] in ("create", "create2")
    # Before 0.6 assembly is a text.
    return node["nodeType"] == "InlineAssembly" and "create" in (node.get("operations") or "")


def version_of(compiler: str) -> tuple[int, int, int]:
    """Release in a compiler's full version."""
    major, minor, patch = compiler.split("+", maxsplit=1)[0].split("-", maxsplit=1)[0].split(".")
    return int(major), int(minor), int(patch)


def kind_of(function: Node) -> str:
    """``function``, ``constructor``, ``fallback``, ``receive``, ``freeFunction`` or ``modifier``."""
    if function["nodeType"] == "ModifierDefinition":
        return "modifier"
    if "kind" in function:
        return str(function["kind"])
    # Before 0.5 a flag says what is a constructor, and the fallback has no name.
    if function.get("isConstructor"):
        return "constructor"
    return "function" if function["name"] else "fallback"


def is_view(function: Node) -> bool:
    """Whether a function says that it changes no state."""
    return function.get("stateMutability") in ("view", "pure") or bool(
        function.get("isDeclaredConst")
    )
