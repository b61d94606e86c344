"""What expressions are worth while a function is executed symbolically."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from solexp.violations.solidity import terms
from solexp.violations.solidity.faults import Unsupported
from solexp.violations.solidity.storage import TEXT_BYTES, Spot
from solexp.violations.solidity.terms import Term
from solexp.violations.solidity.types import Type
from solexp.violations.solidity.unit import Node


class Word(NamedTuple):
    """A value of elementary type."""

    term: Term
    kind: Type


class Number(NamedTuple):
    """A constant of no type yet, as the compiler reckons with them."""

    value: Fraction


class Text(NamedTuple):
    """A string or byte string: its length (256 bits) and its bytes, left-aligned and zeros after the end."""

    length: Term
    data: Term
    literal: bool = False


class Stored(NamedTuple):
    """A struct, array, mapping or text in storage."""

    spot: Spot
    kind: Type


class Pointer(NamedTuple):
    """A struct or array in memory or calldata; with a ``choice``, one of two, by a condition."""

    number: int
    kind: Type
    choice: tuple[Term, Pointer, Pointer] | None = None


class Tuple(NamedTuple):
    items: tuple[Any, ...]


class Callable(NamedTuple):
    """A function that is about to be called."""

    kind: Type
    node: Node | None
    """Its definition, where it has one."""
    bound: Any = None
    """Its first argument, or what it is a member of."""
    name: str = ""
    how: str = ""
    """``super``, ``exact`` or empty for by name."""
    options: dict[str, Any] = {}  # noqa: RUF012  (never changed)


class Named(NamedTuple):
    """A type, a contract, ``msg``, ``this`` and the like."""

    kind: Type
    node: Node | None = None


Value = Word | Number | Text | Stored | Pointer | Tuple | Callable | Named


class Elements(NamedTuple):
    """An array in memory: those from ``length`` (256 bits) on do not count."""

    length: Term
    items: tuple[Value, ...]


class Members(NamedTuple):
    """A struct in memory."""

    items: dict[str, Value]


class Broken(NamedTuple):
    """A value that cannot be told; using it is unsupported."""

    reason: str


def text(data: bytes, *, literal: bool = False) -> Text:
    """A constant text."""
    size = max(TEXT_BYTES, len(data))
    return Text(
        terms.const(len(data), 256),
        terms.const(int.from_bytes(data.ljust(size, b"\0"), "big"), 8 * size),
        literal,
    )


def constant_text(value: Text) -> bytes | None:
    """Its bytes, where they are constant."""
    if not (value.length.constant and value.data.constant):
        return None
    length = value.length.value
    return value.data.value.to_bytes(value.data.width // 8, "big")[:length]


def room(data: Term, width: int) -> Term:
    """Text data with room for ``width`` bits."""
    if data.width >= width:
        return data
    return terms.concat(data, terms.const(0, width - data.width))


def choose(condition: Term, yes: Any, no: Any) -> Any:  # noqa: PLR0911
    """One value or the other; Broken where the two cannot be one."""
    if yes is no or yes == no:
        return yes
    if condition.constant:
        return yes if condition.value else no
    match yes, no:
        case Word(), Word() if yes.term.width == no.term.width:
            return Word(terms.ite(condition, yes.term, no.term), yes.kind)
        case Text(), Text():
            width = max(yes.data.width, no.data.width)
            data = terms.ite(condition, room(yes.data, width), room(no.data, width))
            return Text(terms.ite(condition, yes.length, no.length), data)
        case Stored(), Stored():
            spot = _choose_spot(condition, yes.spot, no.spot)
            if spot is not None:
                return Stored(spot, yes.kind)
        case Pointer(), Pointer():
            return Pointer(-1, yes.kind, (condition, yes, no))
        case Tuple(), Tuple():
            pairs = zip(yes.items, no.items, strict=True)
            return Tuple(tuple(choose(condition, a, b) for a, b in pairs))
        case Elements(), Elements():
            return _choose_elements(condition, yes, no)
        case Members(), Members():
            return Members({n: choose(condition, v, no.items[n]) for n, v in yes.items.items()})
    return Broken("a reference to one of two objects")


def _choose_spot(condition: Term, yes: Spot, no: Spot) -> Spot | None:
    same = yes._replace(keys=()) == no._replace(keys=())
    if not same or any(a.width != b.width for a, b in zip(yes.keys, no.keys, strict=True)):
        return None
    keys = (terms.ite(condition, a, b) for a, b in zip(yes.keys, no.keys, strict=True))
    return yes._replace(keys=tuple(keys))


def _choose_elements(condition: Term, yes: Elements, no: Elements) -> Elements:
    longer = max(yes.items, no.items, key=len)
    items = []
    for place in range(len(longer)):
        a = yes.items[place] if place < len(yes.items) else no.items[place]
        b = no.items[place] if place < len(no.items) else a
        items.append(choose(condition, a, b))
    return Elements(terms.ite(condition, yes.length, no.length), tuple(items))


def whole(value: Any) -> Any:
    """The value, unless it is Broken. Raises Unsupported."""
    if isinstance(value, Broken):
        raise Unsupported(value.reason)
    return value
