"""Where state variables stand, from their declarations: compilers before 0.5.13 do not tell."""

from __future__ import annotations

from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.storage import Spot, Via
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.types import Type, read_type
from solexp.violations.solidity.unit import Node, Unit


class Layout:
    """The storage of one contract."""

    def __init__(self, unit: Unit, contract: Node) -> None:
        self.unit = unit
        self.spots: dict[int, Spot] = {}
        """Place of each state variable, by AST id."""
        placers: dict[str, _Placer] = {
            "storage": _Placer(_base_slot(contract)),
            "transient": _Placer(0),
        }
        for base in reversed(unit.lineage(contract)):
            for node in base["nodes"]:
                if node["nodeType"] != "VariableDeclaration" or not stored(node):
                    continue
                space = "transient" if node.get("storageLocation") == "transient" else "storage"
                slot, offset = placers[space].place(*self.size(unit.type_of(node)))
                self.spots[node["id"]] = Spot((), (), slot, offset, space)  # type: ignore[arg-type]

    def size(self, kind: Type) -> tuple[int, int]:  # noqa: PLR0911
        """Bytes of a value that may share its slot, or 0 and whole slots."""
        kind = self.unit.plain(kind)
        match kind.kind:
            case "uint" | "int" | "fixed_bytes" | "enum":
                return kind.bits // 8, 0
            case "bool":
                return 1, 0
            case "address" | "contract":
                return 20, 0
            case "mapping" | "bytes" | "string":
                return 0, 1
            case "function":
                return (24 if kind.name == "external" else 8), 0
            case "array" if kind.length is None:
                return 0, 1
            case "array":
                stride, per_slot, _ = self.elements(kind)
                assert kind.length is not None
                return 0, max(1, -(-kind.length // per_slot) * stride)
            case "struct":
                return 0, self.members(kind)[1]
        raise Unsupported(f"a state variable of type {kind.kind} {kind.name}")

    def elements(self, kind: Type) -> tuple[int, int, int]:
        """Slots from one element (or slot of elements) to the next, elements a slot, and bytes an element."""
        size, slots = self.size(kind.items[0])
        return (slots, 1, 32) if slots else (1, 32 // size, size)

    def members(self, kind: Type) -> tuple[dict[str, tuple[int, int, Type]], int]:
        """Slot, offset and type of a struct's members by name, and the slots of all."""
        placer = _Placer(0)
        found = {}
        for name, member in self.unit.fields(kind):
            found[name] = (*placer.place(*self.size(member)), member)
        return found, placer.end()

    def member(self, spot: Spot, kind: Type, name: str) -> tuple[Spot, Type]:
        slot, offset, member = self.members(kind)[0][name]
        return spot.moved(slot, offset), member

    def element(self, spot: Spot, kind: Type, index: Term) -> tuple[Spot, Type]:
        """The element of an array."""
        stride, per_slot, size = self.elements(kind)
        how = "fixed" if kind.length is not None else "dynamic"
        via = Via(how, spot.slot, stride=stride, per_slot=per_slot, size=size)  # type: ignore[arg-type]
        return spot.through(via, index), kind.items[0]


class _Placer:
    """Places one variable after the other."""

    def __init__(self, slot: int) -> None:
        self.slot = slot
        self.offset = 0

    def place(self, size: int, slots: int) -> tuple[int, int]:
        if slots:
            at = self.end()
            self.slot, self.offset = at + slots, 0
            return at, 0
        if self.offset + size > 32:
            self.slot, self.offset = self.slot + 1, 0
        found = self.slot, self.offset
        self.offset += size
        return found

    def end(self) -> int:
        """The first slot that is quite free."""
        return self.slot + (self.offset > 0)


def stored(variable: Node) -> bool:
    """Whether a state variable takes room in storage."""
    return not variable.get("constant") and variable.get("mutability", "mutable") == "mutable"


def _base_slot(contract: Node) -> int:
    """``contract C layout at 5`` (from 0.8.29 on)."""
    said = contract.get("storageLayout")
    if not said:
        return 0
    named = said["baseSlotExpression"]["typeDescriptions"]["typeIdentifier"]
    kind = read_type(named)
    if kind.kind != "rational":
        raise Unsupported("a storage layout at a slot that is no number")
    return kind.value
