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
from solexp.violations.python.logic import and_
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


class _Holding:
    """Items by ``kind``, found when they are first asked for where they are given as a function."""

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


class Seq(_Holding):
    """A list, a tuple, or another sequence, by ``kind``: items in order."""

    __slots__ = ("prefix",)

    def __init__(
        self,
        kind: str,
        items: Sequence[tuple[Bool, Value]] | Callable[[], Items],
        *,
        prefix: bool,
        length: Num | None = None,
    ) -> None:
        super().__init__(kind, items, length)
        self.prefix = prefix

    @property
    def identity(self) -> tuple[Any, ...]:
        """Equal for sequences that are certainly the same."""
        return (self.kind, id(self._source) if self._source is not None else id(self._items))


class Bag(_Holding):
    """A set or frozenset, by ``kind``: an item's guard leaves out what equals an earlier item."""

    __slots__ = ()


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


class Opaque:
    """A value of which only a name is known, such as a caught exception; ``true`` where it certainly is."""

    __slots__ = ("name", "true")

    def __init__(self, name: str, *, true: bool = False) -> None:
        self.name = name
        self.true = true


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


def type_of(value: Value) -> type:  # noqa: PLR0911
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
        # What is 0 among the reals, such as x / 3 * 3 - x, may not be 0 among floats.
        return float(term) if grid is not None else SFloat(term, None)
    if grid is not None:
        low, high = span(term)
        if low is None or high is None or max(-low, high) * 2**grid >= 2**53:
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
