"""Methods of strings whose characters are unknown. Unknown characters are printable ASCII.

Splitting, stripping and replacing give each character a guard instead of telling all the ways apart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from solexp.violations.python import arith
from solexp.violations.python.comparing import compact_text
from solexp.violations.python.evaluation import Evaluation
from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.terms import Bool, Num, Term
from solexp.violations.python.values import (
    Seq,
    Text,
    Value,
    boolean,
    characters,
    code,
    count,
    integer,
    is_text,
    sequence,
    text_of,
)

Char: TypeAlias = str | Term
Chars: TypeAlias = Sequence[tuple[Bool, Char]]
LOWEST, HIGHEST = 32, 126
"""Codes of unknown characters."""


def between(char: Char, low: str, high: str) -> Bool:
    if isinstance(char, str):
        return low <= char <= high
    return and_(arith.at_most(ord(low), char), arith.at_most(char, ord(high)))


def is_char(char: Char, wanted: Char) -> Bool:
    if isinstance(char, str) and isinstance(wanted, str):
        return char == wanted
    return arith.equal(code(char), code(wanted))


def one_of(char: Char, wanted: str) -> Bool:
    return char in wanted if isinstance(char, str) else or_(*(is_char(char, w) for w in wanted))


def digit(char: Char) -> Bool:
    return char.isdigit() if isinstance(char, str) else between(char, "0", "9")


def lower(char: Char) -> Bool:
    return char.islower() if isinstance(char, str) else between(char, "a", "z")


def upper(char: Char) -> Bool:
    return char.isupper() if isinstance(char, str) else between(char, "A", "Z")


def alpha(char: Char) -> Bool:
    return char.isalpha() if isinstance(char, str) else or_(lower(char), upper(char))


def space(char: Char) -> Bool:
    return char.isspace() if isinstance(char, str) else is_char(char, " ")


def alnum(char: Char) -> Bool:
    return char.isalnum() if isinstance(char, str) else or_(alpha(char), digit(char))


def word(char: Char) -> Bool:
    """What ``\\w`` matches."""
    return or_(alnum(char), is_char(char, "_"))


def _all(chars: Chars, test: Callable[[Char], Bool]) -> Bool:
    return and_(*(or_(not_(guard), test(char)) for guard, char in chars))


def _any(chars: Chars, test: Callable[[Char], Bool]) -> Bool:
    return or_(*(and_(guard, test(char)) for guard, char in chars))


def _some(chars: Chars) -> Bool:
    return or_(*(guard for guard, _ in chars))


TESTS: dict[str, Callable[[Chars], Bool]] = {
    "isdigit": lambda chars: and_(_some(chars), _all(chars, digit)),
    "isdecimal": lambda chars: and_(_some(chars), _all(chars, digit)),
    "isnumeric": lambda chars: and_(_some(chars), _all(chars, digit)),
    "isalpha": lambda chars: and_(_some(chars), _all(chars, alpha)),
    "isalnum": lambda chars: and_(_some(chars), _all(chars, alnum)),
    "isspace": lambda chars: and_(_some(chars), _all(chars, space)),
    "islower": lambda chars: and_(_any(chars, lower), not_(_any(chars, upper))),
    "isupper": lambda chars: and_(_any(chars, upper), not_(_any(chars, lower))),
    "isascii": lambda chars: _all(
        chars, lambda char: char < "\x80" if isinstance(char, str) else True
    ),
}
"""Tests without arguments."""


def lowered(char: Char) -> Char:
    if isinstance(char, str):
        return char.lower()
    return _term(arith.if_(upper(char), arith.add(char, 32), char))


def uppered(char: Char) -> Char:
    if isinstance(char, str):
        return char.upper()
    return _term(arith.if_(lower(char), arith.add(char, -32), char))


def swapped(char: Char) -> Char:
    if isinstance(char, str):
        return char.swapcase()
    return _term(arith.if_(lower(char), arith.add(char, -32), code(lowered(char))))


def _term(number: Num) -> Char:
    return number if isinstance(number, Term) else chr(int(number))


def mapped(value: Text, change: Callable[[Char], Char]) -> Value:
    return text_of([(guard, change(char)) for guard, char in value.items], prefix=value.prefix)


def stripped(value: Text, chars: str | None, *, left: bool, right: bool) -> Value:
    """``strip``, ``lstrip`` and ``rstrip``."""

    def keeps(char: Char) -> Bool:
        return not_(space(char) if chars is None else one_of(char, chars))

    items = list(value.items)
    for side in [False] * left + [True] * right:
        ordered = items[::-1] if side else items
        seen: Bool = False
        kept = []
        for guard, char in ordered:
            seen = or_(seen, and_(guard, keeps(char)))
            kept.append((and_(guard, seen), char))
        items = kept[::-1] if side else kept
    return text_of(items)


def starts(chars: Chars, wanted: Chars) -> list[Bool]:
    """For each place of compact ``chars``: whether the compact ``wanted`` stands there."""
    found = []
    for place in range(len(chars) + 1):
        parts: list[Bool] = []
        for n, (guard, char) in enumerate(wanted):
            here, other = chars[place + n] if place + n < len(chars) else (False, "")
            parts.append(
                or_(not_(guard), and_(here, is_char(other, char) if here is not False else False))
            )
        found.append(and_(*parts))
    return found


def contains_text(ev: Evaluation, part: Value, whole: Value) -> Bool:
    """``part in whole`` for a string ``whole``."""
    if not is_text(part):
        ev.fail(TypeError)
        return False
    if isinstance(part, str) and isinstance(whole, str):
        return part in whole
    if part == "":
        return True
    if isinstance(part, str) and len(part) == 1:
        return _any(characters(whole), lambda char: is_char(char, part))
    return or_(*_reached(compact_text(whole), starts(compact_text(whole), compact_text(part))))


def _reached(chars: Chars, places: list[Bool]) -> list[Bool]:
    """Places that lie within the string or at its end."""
    return [
        and_(here, True if place == 0 else chars[place - 1][0]) for place, here in enumerate(places)
    ]


def starts_with(value: Value, part: Value) -> Bool:
    return starts(compact_text(value), compact_text(part))[0]


def ends_with(value: Value, part: Value) -> Bool:
    backwards = [text_of(characters(each)[::-1]) for each in (value, part)]
    return starts_with(*backwards)


def position(value: Value, part: str) -> tuple[list[tuple[Bool, int]], Bool]:
    """Where a string that is not empty stands first; and whether it does not at all."""
    missing: Bool = True
    found: list[tuple[Bool, int]] = []
    chars = compact_text(value)
    for place, here in enumerate(starts(chars, compact_text(part))):
        found.append((and_(missing, here), place))
        missing = and_(missing, not_(here))
    return found, missing


def occurrences(chars: Chars, part: str) -> list[Bool]:
    """Where a string that is not empty stands, from the left and without overlaps, in compact ``chars``."""
    found: list[Bool] = []
    for place, here in enumerate(starts(chars, compact_text(part))):
        overlapping = or_(*found[max(0, place - len(part) + 1) : place])
        found.append(and_(here, not_(overlapping)))
    return found


def counted(value: Value, part: str) -> Value:
    """``value.count(part)``."""
    return integer(count(occurrences(compact_text(value), part)))


def replaced(value: Text, old: str, new: Value) -> Value:
    """``value.replace(old, new)`` for ``old`` that is not empty."""
    chars = compact_text(value)
    places = occurrences(chars, old)
    found: list[tuple[Bool, Char]] = []
    for place, (guard, char) in enumerate(chars):
        found += [(and_(places[place], own), each) for own, each in characters(new)]
        covered = or_(*places[max(0, place - len(old) + 1) : place + 1])
        found.append((and_(guard, not_(covered)), char))
    return text_of(found)


def split(value: Text, separator: str) -> Seq:
    """``value.split(separator)`` for a separator that is not empty."""
    chars = compact_text(value)
    places = occurrences(chars, separator)
    covered = [
        or_(*places[max(0, place - len(separator) + 1) : place + 1]) for place in range(len(chars))
    ]
    kept = [
        (and_(guard, not_(own)), char) for (guard, char), own in zip(chars, covered, strict=True)
    ]
    return _pieces(kept, places[: len(chars)], first=True)


def split_at_space(value: Text) -> Seq:
    """``value.split()``."""
    kept, begins = [], []
    before: Bool = False
    for guard, char in compact_text(value):
        here = and_(guard, not_(space(char)))
        begins.append(and_(here, not_(before)))
        kept.append((here, char))
        before = here
    return _pieces(kept, begins, first=False)


def _pieces(kept: Chars, begins: Sequence[Bool], *, first: bool) -> Seq:
    """The list of pieces, a new one of which begins where ``begins`` holds; ``first``: one is there from the start."""
    # number[n]: so far n pieces have begun.
    number: list[Bool] = [True]
    pieces: list[list[tuple[Bool, Char]]] = []
    for (guard, char), begin in zip(kept, begins, strict=True):
        following: list[Bool] = [False] * (len(number) + 1)
        for n, here in enumerate(number):
            following[n + 1] = or_(following[n + 1], and_(here, begin))
            following[n] = or_(following[n], and_(here, not_(begin)))
        number = following if following[-1] is not False else following[:-1]
        while len(pieces) < len(number):
            pieces.append([])
        for n, here in enumerate(number):
            own = and_(here, guard)
            if own is not False:
                pieces[n].append((own, char))
    shift = 0 if first else 1
    pieces += [[] for _ in range(len(number) - len(pieces))]
    items = [(or_(*number[n:]), text_of(pieces[n])) for n in range(shift, len(number))]
    return sequence("list", items, prefix=True)


def joined(ev: Evaluation, separator: Value, items: Sequence[tuple[Bool, Value]]) -> Value:
    """``separator.join(items)``."""
    found: list[tuple[Bool, Char]] = []
    before: Bool = False
    for guard, value in items:
        if not is_text(value):
            ev.fail(TypeError, guard)
            continue
        between_two = and_(before, guard)
        found += [(and_(between_two, own), char) for own, char in characters(separator)]
        found += [(and_(guard, own), char) for own, char in characters(value)]
        before = or_(before, guard)
    return text_of(found)


def capitalized(value: Text) -> Value:
    chars = compact_text(value)
    changed = [
        (guard, lowered(char) if place else uppered(char))
        for place, (guard, char) in enumerate(chars)
    ]
    return text_of(changed, prefix=True)


def number_in(value: Text) -> tuple[Bool, Num]:
    """Whether a string is an int for ``int(value)``, and which one: a sign, digits, and spaces around them."""
    bare = stripped(value, None, left=True, right=True)
    chars = compact_text(bare)
    total: Num = 0
    signed: Bool = False
    valid: list[Bool] = []
    digits: list[Bool] = []
    for place, (guard, char) in enumerate(chars):
        here = and_(guard, digit(char))
        digits.append(here)
        allowed = digit(char)
        if place == 0:
            signed = and_(guard, is_char(char, "-"))
            allowed = or_(allowed, one_of(char, "+-"))
        elif 0 < place < len(chars) - 1:
            # An underscore may stand between two digits.
            after, follower = chars[place + 1]
            allowed = or_(
                allowed, and_(is_char(char, "_"), digits[place - 1], after, digit(follower))
            )
        valid.append(or_(not_(guard), allowed))
        total = arith.if_(here, arith.add(arith.scale(10, total), code(char), -48), total)
    return and_(or_(*digits), *valid), arith.if_(signed, arith.scale(-1, total), total)


def test(value: Text, name: str) -> Value:
    return boolean(TESTS[name](value.items))
