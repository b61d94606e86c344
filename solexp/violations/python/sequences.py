"""Sequences and iteration: indices, slices, ranges, order, and what is computed over elements."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from solexp.violations.python import arith
from solexp.violations.python.arithmetic import binary
from solexp.violations.python.comparing import (
    compact,
    compact_text,
    contains_item,
    count_of,
    hashable,
    less,
    same,
    shifted,
)
from solexp.violations.python.evaluation import Evaluation
from solexp.violations.python.logic import and_, not_, or_
from solexp.violations.python.terms import Bool, Num
from solexp.violations.python.values import (
    NOTHING,
    Bag,
    Items,
    Seq,
    Stream,
    Table,
    Text,
    Trouble,
    Value,
    characters,
    count,
    int_term,
    integer,
    is_text,
    listed,
    sequence,
    text_of,
    type_of,
)

Step = tuple[Bool, Value, Trouble]
"""Whether an element is there, the element, and what happens when the iteration comes to it, whether or not it is."""
QUIET = Trouble()


def steps(ev: Evaluation, value: Value) -> list[Step]:
    """The elements that iterating over a value (no union) gives; TypeError where it cannot be iterated over."""
    if isinstance(value, Stream):
        return list(value.items)
    if isinstance(value, str | Text):
        return [(guard, text_of([(True, char)]), QUIET) for guard, char in characters(value)]
    if isinstance(value, Seq | Bag | Table):
        return [(guard, each, QUIET) for guard, each in value.items]
    ev.fail(TypeError)
    return []


def elements(ev: Evaluation, value: Value) -> list[tuple[Bool, Value]]:
    """The same, all of them asked for at once."""
    found: list[tuple[Bool, Value]] = []
    for guard, each, trouble in steps(ev, value):
        if trouble:
            ev.take(trouble)
        found.append((guard, each))
    return found


def unordered(value: Value) -> bool:
    """Whether the order of a value's elements is up to the interpreter."""
    if isinstance(value, Stream):
        return value.loose
    return isinstance(value, Bag) and sum(guard is not False for guard, _ in value.items) > 1


def order_matters(ev: Evaluation, value: Value) -> None:
    """Leave out sets of several elements: which of them comes first is up to the interpreter."""
    if unordered(value):
        several = arith.less(1, count(guard for guard, *_ in value.items))
        ev.beyond("the order of a set", several)


def as_sequence(value: Value) -> bool:
    """Whether no element of what iterating gives can be there after one that is missing."""
    if isinstance(value, Seq | Text):
        return value.prefix
    if isinstance(value, Bag | Table | Stream):
        return all(guard is True for guard, *_ in value.items)
    return True


def ordered(ev: Evaluation, value: Value) -> Items:
    """All elements, the n-th one being the n-th that is there."""
    order_matters(ev, value)
    if isinstance(value, Table):
        return compact(ev, Seq("list", value.items, prefix=value.length is not None))
    items = elements(ev, value)
    return compact(ev, Seq("list", items, prefix=as_sequence(value)))


def length(ev: Evaluation, value: Value) -> Value:
    """``len(value)``."""
    if isinstance(value, str | Text | Seq | Bag | Table):
        return integer(count_of(value))
    return ev.fail(TypeError)


def subscript(ev: Evaluation, value: Value, key: Value) -> Value:
    """``value[key]`` for an index or a key."""
    return ev.lift(lambda each, k: _subscript(ev, each, k), value, key)


def _subscript(ev: Evaluation, value: Value, key: Value) -> Value:
    if isinstance(value, Table):
        return looked_up(ev, value, key)[0]
    if isinstance(value, Seq) and value.kind in ("list", "tuple", "range"):
        return _at(ev, list(value.items), key, prefix=value.prefix)
    if is_text(value):
        items = [(guard, text_of([(True, char)])) for guard, char in characters(value)]
        return _at(ev, items, key, prefix=isinstance(value, str) or value.prefix)
    if isinstance(value, type):
        return ev.refuse("a subscripted type")
    return ev.fail(TypeError)


def looked_up(ev: Evaluation, table: Table, key: Value) -> tuple[Value, Bool]:
    """The value of a key, KeyError where it is missing; and whether it is there."""
    key = hashable(ev, key)
    found = []
    for (guard, own), value in zip(table.items, table.values, strict=True):
        here = and_(guard, same(ev, own, key))
        if here is not False:
            found.append((here, value))
    there = or_(*(guard for guard, _ in found))
    ev.fail(KeyError, not_(there))
    return ev.join(found), there


def _at(ev: Evaluation, items: list[tuple[Bool, Value]], key: Value, *, prefix: bool) -> Value:
    if type_of(key) not in (int, bool):
        return ev.fail(TypeError)
    if isinstance(key, int):
        return _nth(ev, items, int(key), prefix=prefix)
    term, rows = int_term(key), []
    size = len(items)
    ev.fail(IndexError, or_(arith.less(term, -size), arith.at_most(size, term)))
    for n in range(-size, size):
        here = arith.equal(term, n)
        with ev.under(here) as possible:
            if possible:
                rows.append((here, _nth(ev, items, n, prefix=prefix)))
    return ev.join(rows)


def _nth(ev: Evaluation, items: list[tuple[Bool, Value]], n: int, *, prefix: bool) -> Value:
    if all(guard is True for guard, _ in items):
        return items[n][1] if -len(items) <= n < len(items) else ev.fail(IndexError)
    if n >= 0 and prefix:
        if n >= len(items):
            return ev.fail(IndexError)
        ev.fail(IndexError, not_(items[n][0]))
        return items[n][1]
    places = shifted(items if n >= 0 else items[::-1])
    place = n if n >= 0 else -n - 1
    if place >= len(places):
        return ev.fail(IndexError)
    guard, found = places[place]
    ev.fail(IndexError, not_(guard))
    return ev.join(found)


def sliced(ev: Evaluation, value: Value, start: Value, stop: Value, step: Value) -> Value:
    """``value[start:stop:step]``."""
    return ev.lift(lambda *given: _sliced(ev, *given), value, start, stop, step)


def _sliced(ev: Evaluation, value: Value, start: Value, stop: Value, step: Value) -> Value:  # noqa: PLR0911
    if not is_text(value) and not (
        isinstance(value, Seq) and value.kind in ("list", "tuple", "range")
    ):
        return ev.fail(TypeError)
    if any(each is not None and type_of(each) not in (int, bool) for each in (start, stop, step)):
        return ev.fail(TypeError)
    if step is not None and not isinstance(step, int):
        return ev.refuse("a slice with an unknown step")
    if step == 0:
        return ev.fail(ValueError)
    items = list(compact_text(value) if is_text(value) else compact(ev, value))
    known = all(each is None or isinstance(each, int) for each in (start, stop))
    if known and all(guard is True for guard, _ in items):
        return _made(value, items[start:stop:step], prefix=True)
    by = 1 if step is None else int(step)
    if by < 0:
        if start is None and stop is None and by == -1:
            return _made(value, items[::-1], prefix=False)
        return ev.refuse("a slice with a negative step")
    total = count_of(Seq("list", items, prefix=True))
    low = 0 if start is None else _clamped(start, total)
    high = total if stop is None else _clamped(stop, total)
    if isinstance(low, int) and low >= 0 and (start is None or isinstance(start, int)):
        kept = [
            (and_(guard, arith.less(n, high)), each)
            for n, (guard, each) in enumerate(items)
            if n >= low and (n - low) % by == 0
        ]
        return _made(value, kept, prefix=True)
    if by != 1:
        return ev.refuse("a slice with a step and an unknown start")
    kept = [
        (and_(guard, arith.at_most(low, n), arith.less(n, high)), each)
        for n, (guard, each) in enumerate(items)
    ]
    return _made(value, kept, prefix=False)


def _clamped(place: Value, total: Num) -> Num:
    """An index of a slice, counted from the start. One beyond the end may stay as it is."""
    term = int_term(place)
    from_end = arith.add(term, total)
    from_end = arith.if_(arith.less(from_end, 0), 0, from_end)
    return arith.if_(arith.less(term, 0), from_end, term)


def _made(value: Value, items: Sequence[tuple[Bool, Value]], *, prefix: bool) -> Value:
    if is_text(value):
        return text_of(items, prefix=prefix)
    return sequence(value.kind, items, prefix=prefix)


def ranged(ev: Evaluation, start: Value, stop: Value, step: Value) -> Value:
    """``range(start, stop, step)``."""
    if any(type_of(each) not in (int, bool) for each in (start, stop, step)):
        return ev.fail(TypeError)
    if all(isinstance(each, int) for each in (start, stop, step)):
        if step == 0:
            return ev.fail(ValueError)
        known = range(start, stop, step)
        if len(known) > 20_000:
            return ev.beyond("a range too long")
        return listed(known, "range")
    if not isinstance(step, int) or step < 1:
        return ev.refuse("a range with such a step")
    first, last = int_term(start), int_term(stop)
    items = []
    for n in range(ev.limits.steps + 1):
        here = arith.add(first, n * step)
        guard = arith.less(here, last)
        if n == ev.limits.steps:
            ev.beyond("a range too long", guard)
            break
        if guard is False:
            break
        items.append((guard, integer(here)))
    return Seq("range", items, prefix=True)


def total(ev: Evaluation, iterable: Value, start: Value) -> Value:
    """``sum(iterable, start)``; neither is a union."""
    if is_text(start):
        return ev.fail(TypeError)
    found = start
    for guard, value in elements(ev, iterable):
        with ev.under(guard) as possible:
            if possible:
                added = binary(ev, ast.Add(), found, value)
                found = ev.join([(guard, added), (not_(guard), found)])
    return found


def extreme(
    ev: Evaluation, items: Sequence[tuple[Bool, Value, Value]], *, largest: bool
) -> tuple[Value, Bool]:
    """``min`` or ``max`` of items given as (guard, item, key); and whether there is any."""
    best: Value = NOTHING
    best_key: Value = NOTHING
    some: Bool = False
    for guard, value, key in items:
        with ev.under(and_(guard, some)) as possible:
            better: Bool = False
            if possible:
                pair = (best_key, key) if largest else (key, best_key)
                better = ev.truth(less(ev, *pair))
        taken = and_(guard, or_(not_(some), better))
        best = ev.join([(taken, value), (and_(some, not_(taken)), best)])
        best_key = ev.join([(taken, key), (and_(some, not_(taken)), best_key)])
        some = or_(some, guard)
    return best, some


def in_order(ev: Evaluation, items: Sequence[tuple[Bool, Value, Value]], *, reverse: bool) -> Seq:
    """``sorted`` of items given as (guard, item, key). Equal ones keep their order."""
    size = len(items)
    ranks: list[Num] = [0] * size
    for j in range(size):
        for k in range(j + 1, size):
            both = and_(items[j][0], items[k][0])
            with ev.under(both) as possible:
                if not possible:
                    continue
                pair = (items[j][2], items[k][2]) if reverse else (items[k][2], items[j][2])
                swapped = ev.truth(less(ev, *pair))
            ranks[j] = arith.add(ranks[j], arith.if_(and_(both, swapped), 1, 0))
            ranks[k] = arith.add(ranks[k], arith.if_(and_(both, not_(swapped)), 1, 0))
    found = []
    for place in range(size):
        here = [
            (and_(guard, arith.equal(rank, place)), value)
            for (guard, value, _), rank in zip(items, ranks, strict=True)
        ]
        found.append((or_(*(guard for guard, _ in here)), ev.join(here)))
    return sequence("list", found, prefix=True)


def distinct(ev: Evaluation, items: Sequence[tuple[Bool, Value]], kind: str = "set") -> Bag:
    """The set of the items."""
    found: list[tuple[Bool, Value]] = []
    for guard, value in items:
        with ev.under(guard) as possible:
            if possible:
                value = hashable(ev, value)  # noqa: PLW2901
                new = and_(guard, not_(contains_item(ev, tuple(found), value)))
                found.append((new, value))
    return Bag(kind, [(guard, value) for guard, value in found if guard is not False])


def table_of(ev: Evaluation, items: Sequence[tuple[Bool, Value, Value]]) -> Table:
    """The dict of items given as (guard, key, value): the first key stays, the last value counts."""
    keys: list[tuple[Bool, Value]] = []
    values: list[Value] = []
    for guard, key, value in items:
        with ev.under(guard) as possible:
            if not possible:
                continue
            key = hashable(ev, key)  # noqa: PLW2901
            new = guard
            for n, (own, other) in enumerate(keys):
                again = and_(guard, own, same(ev, other, key))
                if again is not False:
                    values[n] = ev.join([(again, value), (not_(again), values[n])])
                    new = and_(new, not_(again))
            keys.append((new, key))
            values.append(value)
    kept = [n for n, (guard, _) in enumerate(keys) if guard is not False]
    return Table(tuple(keys[n] for n in kept), tuple(values[n] for n in kept))


def zipped(ev: Evaluation, many: Sequence[Value]) -> Stream:
    """``zip(*many)``."""
    rows = [ordered(ev, each) for each in many]
    found: list[Step] = []
    for row in zip(*rows, strict=False):
        guard = and_(*(own for own, _ in row))
        found.append((guard, listed((value for _, value in row), "tuple"), QUIET))
    return Stream(found, "zip")


def numbered(ev: Evaluation, value: Value, start: Value) -> Stream:
    """``enumerate(value, start)``."""
    first = int_term(start)
    found: list[Step] = []
    for n, (guard, each) in enumerate(ordered(ev, value)):
        pair = listed([integer(arith.add(first, n)), each], "tuple")
        found.append((guard, pair, QUIET))
    return Stream(found, "enumerate")


def all_or_any(ev: Evaluation, value: Value, *, every: bool) -> Bool:
    """``all`` and ``any``: elements after the one that decides are not asked for."""
    undecided: Bool = True
    loose = isinstance(value, Stream) and value.loose
    for guard, each, trouble in steps(ev, value):
        if trouble:
            _take(ev, trouble, True if loose else undecided, loose=loose)
        with ev.under(and_(undecided, guard)) as possible:
            if not possible:
                continue
            truth = ev.truth(each)
        goes_on = truth if every else not_(truth)
        undecided = and_(undecided, or_(not_(guard), goes_on))
    return undecided if every else not_(undecided)


def _take(ev: Evaluation, trouble: Trouble, condition: Bool, *, loose: bool) -> None:
    """Trouble with an element; whether it is met at all may depend on the order of a set, which is not known."""
    if loose:
        for guard, _ in trouble.raised:
            ev.beyond("an exception that hangs on the order of a set", and_(guard, condition))
        trouble = Trouble(refused=trouble.refused, beyond=trouble.beyond)
    ev.take(trouble, condition)
