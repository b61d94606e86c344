"""Values of the symbolic evaluation: Python's own where they are known, else one of the classes here.

None, bools, ints, floats, strings and types that are known are plain Python. Containers hold items with a guard each,
the condition under which the item is there: a list of at most three elements, what a filter leaves of it, and a string
whose characters are unknown are all of that form. A value whose type depends on the input is a `Union`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

from solexp.violations.python.arith import add, if_, span, to_real
from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.terms import Bool, Num, Term

Value: TypeAlias = Any
"""A Python value or an instance of one of the classes below."""
Items: TypeAlias = tuple[tuple[Bool, Value], ...]
Alternatives: TypeAlias = tuple[tuple[Bool, Value], ...]


class SBool:
    """A bool that is not known."""

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        self.term = term


class SInt:
    """An int that is not known."""

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        self.term = term


class SFloat:
    """A finite float that is not known.

    ``grid`` says that it is a multiple of 2^-grid and small enough to be exact; None where arithmetic may have rounded.
    """

    __slots__ = ("grid", "term")

    def __init__(self, term: Num, grid: int | None) -> None:
        self.term = term
        self.grid = grid


class Text:
    """A string: characters, each a str of one character or its code.

    ``prefix``: none is there after one that is missing.
    """

    __slots__ = ("items", "prefix")

    def __init__(self, items: Sequence[tuple[Bool, str | Term]], prefix: bool) -> None:
        self.items = tuple(items)
        self.prefix = prefix


class Seq:
    """A list, a tuple, or another sequence, by ``kind``: items in order."""

    __slots__ = ("_items", "_source", "kind", "length", "prefix")

    def __init__(
        self,
        kind: str,
        items: Sequence[tuple[Bool, Value]] | Callable[[], Items],
        *,
        prefix: bool,
        length: Num | None = None,
    ) -> None:
        self.kind = kind
        self._source = items if callable(items) else None
        self._items = None if callable(items) else tuple(items)
        self.prefix = prefix
        self.length = length

    @property
    def items(self) -> Items:
        if self._items is None:
            assert self._source is not None
            self._items = self._source()
        return self._items

    @property
    def identity(self) -> tuple[Any, ...]:
        """Equal for sequences that are certainly the same."""
        return (self.kind, id(self._source) if self._source is not None else id(self._items))


class Bag:
    """A set or frozenset, by ``kind``: an item's guard leaves out what equals an earlier item."""

    __slots__ = ("_items", "_source", "kind", "length")

    def __init__(
        self,
        kind: str,
        items: Sequence[tuple[Bool, Value]] | Callable[[], Items],
        length: Num | None = None,
    ) -> None:
        self.kind = kind
        self._source = items if callable(items) else None
        self._items = None if callable(items) else tuple(items)
        self.length = length

    @property
    def items(self) -> Items:
        if self._items is None:
            assert self._source is not None
            self._items = self._source()
        return self._items


class Table:
    """A dict: keys and values, in order."""

    __slots__ = ("_keys", "_values", "length")

    def __init__(
        self,
        keys: Items | Callable[[], Items],
        values: tuple[Value, ...] | Callable[[], tuple[Value, ...]],
        length: Num | None = None,
    ) -> None:
        self._keys = keys
        self._values = values
        self.length = length

    @property
    def items(self) -> Items:
        """The keys."""
        if callable(self._keys):
            self._keys = self._keys()
        return self._keys

    @property
    def values(self) -> tuple[Value, ...]:
        if callable(self._values):
            self._values = self._values()
        return self._values


class Stream:
    """A generator or another iterator: what evaluating an item raises happens when the item is asked for."""

    __slots__ = ("items", "kind", "loose")

    def __init__(
        self,
        items: Sequence[tuple[Bool, Value, Trouble]],
        kind: str = "generator",
        *,
        loose: bool = False,
    ) -> None:
        self.items = tuple(items)
        self.kind = kind
        self.loose = loose
        """Whether the order of the items is up to the interpreter."""


class Trouble:
    """What happens besides a value: exceptions, refusals and steps beyond the bounds, each with its condition."""

    __slots__ = ("beyond", "raised", "refused")

    def __init__(
        self,
        raised: Iterable[tuple[Bool, type[BaseException]]] = (),
        refused: Iterable[tuple[Bool, str]] = (),
        beyond: Iterable[tuple[Bool, str]] = (),
    ) -> None:
        self.raised = list(raised)
        self.refused = list(refused)
        self.beyond = list(beyond)

    def __bool__(self) -> bool:
        return bool(self.raised or self.refused or self.beyond)


class Union:
    """A value that is one of several: guards exclude each other, and one holds."""

    __slots__ = ("alternatives",)

    def __init__(self, alternatives: Alternatives) -> None:
        self.alternatives = alternatives


class Words(Union):
    """A string that is one of several, which is a str whichever it is."""

    __slots__ = ()


class Nothing:
    """No value at all: an exception or a refusal is certain here."""

    __slots__ = ()


NOTHING = Nothing()

KINDS: dict[str, type] = {
    "list": list, "tuple": tuple, "range": range, "set": set, "frozenset": frozenset,
    "dict_keys": type({}.keys()), "dict_values": type({}.values()), "dict_items": type({}.items()),
    "generator": type(_ for _ in ()), "map": map, "zip": zip, "enumerate": enumerate,
    "filter": filter, "reversed": reversed,
}  # fmt: skip


def type_of(value: Value) -> type:
    """The Python type of a value that is no union."""
    if isinstance(value, SBool):
        return bool
    if isinstance(value, SInt):
        return int
    if isinstance(value, SFloat):
        return float
    if isinstance(value, Text | Words):
        return str
    if isinstance(value, Seq | Bag | Stream):
        return KINDS[value.kind]
    if isinstance(value, Table):
        return dict
    return type(value)


def typed(value: Value) -> Alternatives:
    """The alternatives of a value, each of one type."""
    if isinstance(value, Words):
        return ((True, value),)
    if isinstance(value, Union):
        return value.alternatives
    return () if value is NOTHING else ((True, value),)


def alternatives(value: Value) -> Alternatives:
    """The alternatives of a value, none of them a union."""
    if not isinstance(value, Union):
        return () if value is NOTHING else ((True, value),)
    if isinstance(value, Words) or not any(isinstance(v, Words) for _, v in value.alternatives):
        return value.alternatives
    found: list[tuple[Bool, Value]] = []
    for guard, each in value.alternatives:
        if isinstance(each, Words):
            found += [(and_(guard, own), word) for own, word in each.alternatives]
        else:
            found.append((guard, each))
    return tuple(found)


def boolean(term: Bool) -> Value:
    return term if isinstance(term, bool) else SBool(term)


def integer(term: Num) -> Value:
    return SInt(term) if isinstance(term, Term) else term


def floating(term: Num, grid: int | None) -> Value:
    """A float from a real. ``grid`` as in `SFloat`; it is dropped where the number may be too large to be exact."""
    if not isinstance(term, Term):
        exact = float(term)
        return exact if grid is not None or Fraction(exact) == term else SFloat(term, None)
    if grid is not None:
        low, high = span(term)
        if low is None or high is None or max(abs(low), abs(high)) * 2**grid >= 2**53:
            grid = None
    return SFloat(term, grid)


def is_bool(value: Value) -> bool:
    return isinstance(value, bool | SBool)


def is_int(value: Value) -> bool:
    """An int that is no bool."""
    return isinstance(value, SInt) or type(value) is int


def is_number(value: Value) -> bool:
    return isinstance(value, int | float | SBool | SInt | SFloat)


def is_text(value: Value) -> bool:
    return isinstance(value, str | Text)


def bool_term(value: Value) -> Bool:
    """The term of a bool."""
    return value.term if isinstance(value, SBool) else bool(value)


def int_term(value: Value) -> Num:
    """The integer that an int or bool stands for."""
    if isinstance(value, SInt):
        return value.term
    if isinstance(value, SBool):
        return if_(value.term, 1, 0)
    return int(value)


def real_term(value: Value) -> Num:
    """The real that a finite number stands for."""
    if isinstance(value, SFloat):
        return value.term
    if isinstance(value, float):
        return Fraction(value)
    return to_real(int_term(value))


def grid_of(value: Value) -> int | None:
    """As in `SFloat`, of any finite number."""
    if isinstance(value, SFloat):
        return value.grid
    return Fraction(value).denominator.bit_length() - 1 if isinstance(value, float) else 0


def special(value: Value) -> bool:
    """Whether this is an infinity or not a number."""
    return isinstance(value, float) and not math.isfinite(value)


def text_of(characters: Sequence[tuple[Bool, str | Term]], *, prefix: bool = False) -> Value:
    """A string of these characters: a str where all are known to be there."""
    kept = [(guard, char) for guard, char in characters if guard is not False]
    if all(guard is True and isinstance(char, str) for guard, char in kept):
        return "".join(str(char) for _, char in kept)
    return Text(kept, prefix or all(guard is True for guard, _ in kept))


def characters(value: Value) -> tuple[tuple[Bool, str | Term], ...]:
    """The characters of a string."""
    return value.items if isinstance(value, Text) else tuple((True, char) for char in value)


def code(char: str | Term) -> Num:
    return ord(char) if isinstance(char, str) else char


def listed(values: Iterable[Value], kind: str = "list") -> Seq:
    """A sequence of values that are all there."""
    return Seq(kind, [(True, value) for value in values], prefix=True)


def sequence(kind: str, items: Sequence[tuple[Bool, Value]], *, prefix: bool = False) -> Seq:
    kept = [(guard, value) for guard, value in items if guard is not False]
    return Seq(kind, kept, prefix=prefix or all(guard is True for guard, _ in kept))


def count(guards: Iterable[Bool]) -> Num:
    """How many of the guards hold."""
    return add(*(if_(guard, 1, 0) for guard in guards))


def merge(given: Iterable[tuple[Bool, Value]]) -> Value:
    """The value that is whichever alternative's guard holds; alternatives of one kind become one term."""
    kept: list[tuple[Bool, Value]] = []
    for guard, value in given:
        if guard is False or value is NOTHING:
            continue
        if isinstance(value, Union) and not isinstance(value, Words):
            for own, each in value.alternatives:
                both = and_(guard, own)
                if both is not False:
                    kept.append((both, each))
        else:
            kept.append((guard, value))
    if len(kept) < 2:
        return kept[0][1] if kept else NOTHING
    groups: dict[Any, list[tuple[Bool, Value]]] = {}
    for guard, value in kept:
        groups.setdefault(_group(value), []).append((guard, value))
    merged = [
        (or_(*(guard for guard, _ in members)), _merged(members)) for members in groups.values()
    ]
    return merged[0][1] if len(merged) == 1 else Union(tuple(merged))


def _group(value: Value) -> Any:
    if is_bool(value):
        return "bool"
    if is_int(value):
        return "int"
    if isinstance(value, SFloat) or (isinstance(value, float) and not special(value)):
        return "float"
    if isinstance(value, Seq):
        return value.identity
    if isinstance(value, str | type) or value is None:
        return (type(value), value)
    return id(value)


def _merged(members: list[tuple[Bool, Value]]) -> Value:
    first = members[0][1]
    if len(members) == 1:
        return first
    if is_bool(first):
        if len({bool_term(value) for _, value in members}) == 1:
            return first
        return boolean(or_(*(and_(guard, bool_term(value)) for guard, value in members)))
    if is_int(first):
        term = int_term(members[-1][1])
        for guard, value in reversed(members[:-1]):
            term = if_(guard, int_term(value), term)
        return integer(term)
    if isinstance(first, float | SFloat) and not special(first):
        term = real_term(members[-1][1])
        grids = [grid_of(value) for _, value in members]
        for guard, value in reversed(members[:-1]):
            term = if_(guard, real_term(value), term)
        return floating(term, max(g for g in grids if g is not None) if None not in grids else None)
    return first


def concrete(value: Value) -> Any:
    """The Python value, where all of it is known. Raises LookupError where it is not."""
    if isinstance(value, Seq):
        if value.kind not in ("list", "tuple", "range"):
            raise LookupError
        items = [concrete(each) for each in _certain(value.items)]
        return tuple(items) if value.kind == "tuple" else items
    if isinstance(value, Bag):
        members = {concrete(each) for each in _certain(value.items)}
        return frozenset(members) if value.kind == "frozenset" else members
    if isinstance(value, Table):
        keys = [concrete(each) for each in _certain(value.items)]
        return dict(zip(keys, map(concrete, value.values), strict=True))
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise LookupError


def _certain(items: Items) -> list[Value]:
    if any(guard is not True for guard, _ in items):
        raise LookupError
    return [value for _, value in items]


def lifted(value: object) -> Value:
    """A value of Python as a value here. Raises LookupError for other types than those above."""
    if value is None or isinstance(value, bool | int | float | str | type):
        return value
    if isinstance(value, list | tuple):
        return listed(map(lifted, value), type(value).__name__)
    if isinstance(value, range):
        return listed(value, "range")
    if isinstance(value, set | frozenset):
        return Bag(type(value).__name__, [(True, lifted(each)) for each in sorted(value, key=repr)])
    if isinstance(value, dict):
        keys = tuple((True, lifted(key)) for key in value)
        return Table(keys, tuple(map(lifted, value.values())))
    raise LookupError


def exclusive(conditions: Iterable[tuple[Bool, Value]]) -> list[tuple[Bool, Value]]:
    """Guards that exclude each other: the first condition that holds decides."""
    before: Bool = True
    found = []
    for condition, value in conditions:
        guard = and_(before, condition)
        if guard is not False:
            found.append((guard, value))
        before = and_(before, not_(condition))
    return found
