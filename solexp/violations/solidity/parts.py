"""The parts of a guard's condition: each violated while the others hold, and each at its border, on either side.

A guard of which only the whole is violated does not tell `a > b` from `a >= b`, nor a condition from one that lacks a
part. So a condition is taken apart into ways in which it can fail and ways in which it can hold: of a conjunction each
part fails alone, of a disjunction each part holds alone, and of a comparison the two sides are as close as they can be.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from solexp.violations.solidity import terms
from solexp.violations.solidity.guards import FunctionGuards
from solexp.violations.solidity.recording import Recorder
from solexp.violations.solidity.storage import Leaf
from solexp.violations.solidity.terms import BOOL, FALSE, TRUE, Term

MOST_WAYS = 16
"""Of a guard, to fail or to hold."""
_MOST_DEPTH = 6
_ACCOUNT = 160
_FLAG = 8


class Part(NamedTuple):
    """One way in which a guard fails, or holds."""

    guard: int
    holds: bool
    near: Term
    """That it does, at the border of the comparison in question if there is one."""
    plain: Term | None
    """The same anywhere, where that is less than the whole guard; else None."""


class _Way(NamedTuple):
    near: Term
    plain: Term | None


def parts(recorder: Recorder, guards: FunctionGuards) -> tuple[Part, ...]:
    """Ways in which the author's guards fail and hold, by guard; of each when it is first met.

    None of a guard that has but one way to fail, or of which a part cannot be told.
    """
    found: list[Part] = []
    for guard in guards.guards:
        if guard.kind.stated and guard.unsupported is None:
            found += _parts(recorder, guard.number)
    return tuple(found)


def _parts(recorder: Recorder, guard: int) -> list[Part]:
    event = next((e for e in recorder.events if e.guard == guard), None)
    if event is None or event.test.constant or recorder.reasons(event.at, event.test):
        return []
    if _reads_texts(event.at) or _reads_texts(event.test):
        return []
    found = []
    for holds in (False, True):
        ways = (way for way in _ways(event.test, holds, 0) if way.near is not FALSE)
        for way in islice(ways, MOST_WAYS):
            near = terms.and_(event.at, way.near)
            plain = None if way.plain is None else terms.and_(event.at, way.plain)
            whole = terms.and_(event.at, event.test if holds else terms.not_(event.test))
            if near is not whole:
                found.append(Part(guard, holds, near, None if plain is whole else plain))
    return found


def _ways(term: Term, value: bool, depth: int) -> Iterator[_Way]:
    """Ways in which a condition has a value."""
    if term.op == "not":
        yield from _ways(term.args[0], not value, depth)
        return
    if term.op != "and" or depth >= _MOST_DEPTH:
        yield from _leaf(term, value)
        return
    for place, part in enumerate(term.args):
        others = term.args[:place] + term.args[place + 1 :]
        for way in _ways(part, value, depth + 1):
            near = terms.and_(way.near, *others)
            bare = part if value else terms.not_(part)
            plain = terms.and_(bare if way.plain is None else way.plain, *others)
            yield _Way(near, plain)


def _leaf(term: Term, value: bool) -> list[_Way]:
    plain = term if value else terms.not_(term)
    borders = list(_borders(term, value))
    return [_Way(terms.and_(near, side), side) for near, side in borders] or [_Way(plain, None)]


def _borders(term: Term, value: bool) -> Iterator[tuple[Term, Term]]:
    """Where a comparison of numbers only just has a value, and the side of the border on which that is."""
    if term.op in ("ult", "slt"):
        a, b = term.args
        if value:
            yield _next(a, b), term
        else:
            yield terms.eq(a, b), terms.not_(term)
    elif term.op == "eq" and _numbers(term):
        a, b = term.args
        if value:
            return
        for low, high in ((a, b), (b, a)):
            side = terms.ult(low, high)
            if side is not FALSE:
                yield _next(low, high), side


def _reads_texts(root: Term) -> bool:
    """Whether texts in storage are read: of any length, known only in a state."""
    return any(
        isinstance(term.data, tuple)
        and isinstance(term.data[0], Leaf)
        and term.data[0].form == "data"
        for term in terms.nodes([root])
        if term.op == "load"
    )


def _next(a: Term, b: Term) -> Term:
    return terms.eq(terms.add(a, terms.const(1, a.width)), b)


def _numbers(term: Term) -> bool:
    """Whether what is compared can be more or less, as accounts, hashes and flags cannot."""
    a, b = term.args
    if a.width <= _FLAG and b.constant and b.value == 0:
        return False
    hashes = any(each.op in ("keccak", "keccak_text") for each in terms.nodes((a, b)))
    return a.width not in (BOOL, _ACCOUNT) and not hashes


def atoms(condition: Term) -> dict[Term, bool]:
    """What a condition is made of, each with the value that helps it to hold."""
    found: dict[Term, bool] = {}
    stack = [(condition, True)]
    # Terms share their parts: met along every way to it, one could be there more often than can be counted.
    seen: set[tuple[Term, bool]] = set()
    while stack:
        term, value = stack.pop()
        if (term, value) in seen:
            continue
        seen.add((term, value))
        if term.op == "not":
            stack.append((term.args[0], not value))
        elif term.op == "and":
            stack += [(part, value) for part in reversed(term.args)]
        elif term is not TRUE and term is not FALSE:
            found.setdefault(term, value)
    return found
