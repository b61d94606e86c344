"""Inputs: a bounded tree of values for each parameter, whose parts come into being when an assertion looks at them.

A node is None, a bool, an int, a float, a string, or a list, tuple, set or dict of nodes; exactly one of a group of
picks tells which. Strings are words that the contract or the task's own inputs suggest, such words with some characters
left open, or a few unknown characters. What no assertion looks at stays free, and is filled in afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from solexp.violations.python import arith
from solexp.violations.python.comparing import hashable, same
from solexp.violations.python.evaluation import Evaluation, Limits
from solexp.violations.python.logic import and_, implies, not_, or_
from solexp.violations.python.terms import Bool, Num, Term, bool_var, int_var, pick
from solexp.violations.python.texts import HIGHEST, LOWEST
from solexp.violations.python.values import (
    Bag,
    Items,
    SBool,
    Seq,
    SFloat,
    SInt,
    Table,
    Text,
    Union,
    Value,
    Words,
    listed,
)

SCALARS = ("none", "bool", "int", "float", "str")
CONTAINERS = ("list", "tuple", "set", "dict")
SPECIAL = {"inf": float("inf"), "-inf": float("-inf"), "nan": float("nan")}
LARGEST_FLOAT = 2**20
"""Magnitude of unknown floats, which are multiples of an eighth: sums and products of a few are exact."""


class Bounds(msgspec.Struct, frozen=True):
    """How large inputs may be."""

    depth: int
    length: int
    characters: int

    def tuple(self) -> tuple[int, ...]:
        return (self.depth, self.length, self.characters)


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What a contract and the task's inputs suggest for the values of all nodes."""

    bounds: Bounds
    largest_int: int
    words: tuple[str, ...]
    """Strings that any node may be."""
    special_floats: bool
    long: tuple[int, ...]
    """Lengths of lists that repeat one element, and of such words."""
    open_words: bool
    """Whether words of the inputs come with open characters too."""


class Node:
    """One value of an input."""

    def __init__(
        self, path: str, shape: Shape, depth: int, hints: Sequence[object], *, key: bool = False
    ) -> None:
        self.path = path
        self.shape = shape
        self.depth = depth
        self.hints = tuple(hints)
        self.key = key
        self.root = not key and "[" not in path and ".key" not in path
        self.kinds = self._kinds()
        self.children: tuple[Node, ...] | None = None
        self.keys: tuple[Node, ...] | None = None
        self.words: tuple[Value, ...] | None = None
        self._value: Value | None = None
        self._items: Items | None = None

    def _kinds(self) -> tuple[str, ...]:
        kinds = list(SCALARS)
        if self.depth > 0:
            kinds += ["tuple"] if self.key else CONTAINERS
            if self.root:
                kinds += [f"long{n}" for n in self.shape.long]
        if self.shape.special_floats:
            kinds += SPECIAL
        return tuple(kinds)

    def is_kind(self, kind: str) -> Bool:
        return pick(f"{self.path}:kind", len(self.kinds), self.kinds.index(kind))

    @property
    def value(self) -> Value:
        """The node as a value of the evaluation."""
        if self._value is None:
            self._value = Union(tuple((self.is_kind(kind), self._of(kind)) for kind in self.kinds))
        return self._value

    def _of(self, kind: str) -> Value:  # noqa: PLR0911
        match kind:
            case "none":
                return None
            case "bool":
                return SBool(self.truth)
            case "int":
                return SInt(self.number)
            case "float":
                term = arith.scale(Fraction(1, 8), self.eighths)
                assert isinstance(term, Term)
                return SFloat(term, 3)
            case "str":
                return self._string()
            case "set":
                return Bag("set", self._elements, self.size)
            case "dict":
                return Table(self._key_items, self._child_values, self.size)
            case "list" | "tuple":
                return Seq(kind, self._elements, prefix=True, length=self.size)
        if kind in SPECIAL:
            return SPECIAL[kind]
        return self._long(int(kind.removeprefix("long")))

    @property
    def truth(self) -> Term:
        return bool_var(f"{self.path}:bool")

    @property
    def number(self) -> Term:
        return int_var(f"{self.path}:int", -self.shape.largest_int, self.shape.largest_int)

    @property
    def eighths(self) -> Term:
        """Eight times the float."""
        return int_var(f"{self.path}:eighths", -8 * LARGEST_FLOAT, 8 * LARGEST_FLOAT)

    @property
    def size(self) -> Term:
        """Number of elements."""
        return int_var(f"{self.path}:len", 0, self.shape.bounds.length)

    def has(self, place: int) -> Bool:
        """Whether there is an element at a place."""
        return arith.less(place, self.size)

    def _elements(self) -> Items:
        if self._items is None:
            self._items = tuple(
                (self.has(n), child.value) for n, child in enumerate(self.made_children())
            )
        return self._items

    def _child_values(self) -> tuple[Value, ...]:
        return tuple(child.value for child in self.made_children())

    def _key_items(self) -> Items:
        return tuple((self.has(n), each.value) for n, each in enumerate(self.made_keys()))

    def made_children(self) -> tuple[Node, ...]:
        if self.children is None:
            hints = [list(elements(hint)) for hint in self.hints]
            self.children = tuple(
                Node(
                    f"{self.path}[{n}]",
                    self.shape,
                    self.depth - 1,
                    [hint[n % len(hint)] for hint in hints if hint],
                )
                for n in range(self.shape.bounds.length)
            )
        return self.children

    def made_keys(self) -> tuple[Node, ...]:
        if self.keys is None:
            hints = [list(hint) for hint in self.hints if isinstance(hint, dict) and hint]
            deep = any(isinstance(key, tuple) for hint in hints for key in hint)
            self.keys = tuple(
                Node(
                    f"{self.path}.key{n}",
                    self.shape,
                    1 if deep else 0,
                    [hint[n % len(hint)] for hint in hints]
                    or ["abcdefghijklmnopqrstuvwxyz"[n % 26]],
                    key=True,
                )
                for n in range(self.shape.bounds.length)
            )
        return self.keys

    def _long(self, size: int) -> Value:
        return listed([self.made_children()[0].value] * size)

    def _string(self) -> Value:
        own = [hint for hint in self.hints if isinstance(hint, str) and len(hint) <= 60]
        deep = self.shape.bounds.depth - self.depth > 1
        plain = list(dict.fromkeys([*own[:4], *self.shape.words[: 3 if deep else None]]))
        words: list[Value] = list(plain)
        words.append(self._open([None] * self.shape.bounds.characters, "text", shortest=1))
        if self.shape.open_words:
            for n, word in enumerate(dict.fromkeys(own[:2])):
                words.append(self._open(opened(word), f"open{n}", extra=2))
        for size in self.shape.long if self.root else ():
            words.append("a" * size)
            if self.shape.open_words:
                words.append(self._open([None, None, *("a" * (size - 2))], f"long{size}"))
        self.words = tuple(words)
        return Words(tuple((self.is_word(n), word) for n, word in enumerate(words)))

    def is_word(self, place: int) -> Bool:
        assert self.words is not None
        return pick(f"{self.path}:word", len(self.words), place)

    def _open(
        self, chars: Sequence[str | None], name: str, *, shortest: int | None = None, extra: int = 0
    ) -> Value:
        """A word with unknown characters, where it has None; and up to ``extra`` more at its end."""
        size = len(chars) + extra
        least = shortest if shortest is not None else len(chars)
        length: Num = size
        if least < size:
            length = int_var(f"{self.path}:{name}:len", least, size)
        items: list[tuple[Bool, str | Term]] = []
        for n in range(size):
            known = chars[n] if n < len(chars) else None
            char = (
                known if known is not None else int_var(f"{self.path}:{name}[{n}]", LOWEST, HIGHEST)
            )
            items.append((arith.less(n, length), char))
        return Text(items, True)

    def nodes(self) -> Iterator[Node]:
        """This node and those below that have come into being."""
        yield self
        for each in (*(self.children or ()), *(self.keys or ())):
            yield from each.nodes()

    def well_formed(self) -> list[Bool]:
        """Elements of sets and keys of dicts have hashes, and are distinct."""
        found: list[Bool] = []
        for kind, items in (
            ("set", self._items),
            ("dict", self._key_items() if self.keys else None),
        ):
            if items is None or kind not in self.kinds:
                continue
            ev = Evaluation(Limits())
            with ev.under(self.is_kind(kind)):
                before: list[Value] = []
                for guard, value in items:
                    with ev.under(guard):
                        own = hashable(ev, value)
                        for earlier in before:
                            ev.fail(ValueError, same(ev, earlier, own))
                    before.append(own)
            found += [not_(guard) for guard, _ in ev.trouble.raised]
        return found


def opened(word: str) -> list[str | None]:
    """The characters of a word, the first one of each run of letters, digits or others left open."""
    found: list[str | None] = []
    before = ""
    for char in word:
        kind = "a" if char.isalpha() else "0" if char.isdigit() else char
        found.append(char if kind == before else None)
        before = kind
    return found


def elements(value: object) -> Iterable[Any]:
    """The elements of a container among the inputs; nothing for other values."""
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    return value.values() if isinstance(value, dict) else ()


def all_well_formed(roots: Iterable[Node]) -> list[Bool]:
    """The conditions of all nodes. Comparing elements may bring more nodes into being, whose conditions count too."""
    done: set[tuple[str, int]] = set()
    found: list[Bool] = []
    while True:
        todo = [
            node
            for root in roots
            for node in root.nodes()
            if (node.children or node.keys) and (node.path, _made(node)) not in done
        ]
        if not todo:
            return found
        for node in todo:
            done.add((node.path, _made(node)))
            found += node.well_formed()


def _made(node: Node) -> int:
    return (node._items is not None) + 2 * (node.keys is not None)


__all__ = ["Bounds", "Node", "Shape", "all_well_formed", "and_", "elements", "implies", "or_"]
